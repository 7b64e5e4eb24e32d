// RUN: tc-opt %s --split-input-file --transformer-inline-layers --verify-diagnostics \
// RUN:   --allow-unregistered-dialect

func.func private @inner()
func.func private @outer() {
  transformer.layer @inner() name("inner") : () -> ()
  return
}
func.func @layers_within_layers() {
  // expected-error @below {{'transformer.layer' op expected layers that call no layers, but @outer does}}
  transformer.layer @outer() name("outer") : () -> ()
  return
}

// -----

func.func private @declared()
func.func @layer_without_a_body() {
  // expected-error @below {{'transformer.layer' op expected a function of one block to inline, but @declared has 0}}
  transformer.layer @declared() name("model.layers.0") : () -> ()
  return
}

// -----

func.func private @branches() {
  "test.branch"() [^end] : () -> ()
^end:
  return
}
func.func @layer_of_two_blocks() {
  // expected-error @below {{'transformer.layer' op expected a function of one block to inline, but @branches has 2}}
  transformer.layer @branches() name("model.layers.0") : () -> ()
  return
}
