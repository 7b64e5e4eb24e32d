// RUN: tc-opt %s --split-input-file --verify-diagnostics --transformer-fuse-ffn

// Names that were written by hand are checked where fusions look at them.
// expected-error @below {{'transformer.disabled_fusions' has an unknown fusion 'fuse-fnn'; did you mean 'fuse-ffn'? known fusions: apply-patterns, }}
func.func @no_such_fusion() attributes {transformer.disabled_fusions = ["fuse-fnn"]} {
  return
}

// -----

// Patterns of the user's own may be loaded elsewhere.
func.func @pattern() attributes {transformer.disabled_fusions = ["apply-patterns.Mine", "fuse-norm.residual@x"]} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'transformer.disabled_fusions', an array of names, on a function}}
func.func @not_names() attributes {transformer.disabled_fusions = [1]} {
  return
}

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.disabled_fusions', an array of names, on a function}}
module attributes {transformer.disabled_fusions = ["fuse-ffn"]} {}

// -----

// expected-error @below {{'func.func' op expected 'transformer.high_precision', an array of names, on a function}}
func.func @no_array() attributes {transformer.high_precision = "softmax"} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'transformer.training', without a value, on a function}}
func.func @with_value() attributes {transformer.training = 1} {
  return
}
