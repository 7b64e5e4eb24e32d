// RUN: tc-opt %s --split-input-file --verify-diagnostics --transformer-split-stages=stages=3

func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
// expected-error @below {{'func.func' op expected at most as many stages as the 2 layers, but got 3}}
func.func @more_stages_than_layers(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @layer(%0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return %1 : tensor<3x8xf16>
}

// -----

// Layers that run side by side are no chain that could be cut.
func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
// expected-error @below {{'func.func' op expected at most as many stages as the 1 layers, but got 3}}
func.func @side_by_side(%x: tensor<3x8xf16>) {
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @layer(%x) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %2 = transformer.layer @layer(%x) name("layers.2") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
}

// -----

// expected-error @below {{expected a function that calls layers, but the module has none; split stages before layers are dissolved}}
module {
  func.func @no_layers(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    return %x : tensor<3x8xf16>
  }
}

// -----

func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
// expected-note @below {{the first is here}}
func.func @one(%x: tensor<3x8xf16>) {
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
}
// expected-error @below {{'func.func' op expected one function that calls layers, but got @one and @two}}
func.func @two(%x: tensor<3x8xf16>) {
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
}

// -----

func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
// expected-error @below {{'func.func' op expected one block, but got 2}}
func.func @blocks(%x: tensor<3x8xf16>) {
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
^nowhere:
  return
}

// -----

func.func private @stage(tensor<3x8xf16>) -> tensor<3x8xf16>
func.func @split_before(%x: tensor<3x8xf16>) {
  // expected-error @below {{'transformer.stage' op expected a model that is not split into stages yet}}
  %0 = transformer.stage @stage(%x) : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
}

// -----

// expected-error @below {{expected the 2 stages of the module's plan, but got 3}}
module attributes {transformer.plan = #transformer.plan<devices = 2, data_parallel = 1, pipeline_parallel = 2>} {}

// -----

// A cache that a layer hands on cannot leave its device.
func.func private @giver(%x: tensor<3x8xf16>) -> (tensor<3x8xf16>, !transformer.kv_cache<2x2x8xf16, block_size = 128>) {
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
  return %x, %cache : tensor<3x8xf16>, !transformer.kv_cache<2x2x8xf16, block_size = 128>
}
func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func private @taker(%x: tensor<3x8xf16>, %c: !transformer.kv_cache<2x2x8xf16, block_size = 128>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func @cache(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  // expected-error @below {{'transformer.layer' op expected only tensors to go from stage to stage, but got '!transformer.kv_cache<2x2x8xf16, block_size = 128>'}}
  %0:2 = transformer.layer @giver(%x) name("layers.0") : (tensor<3x8xf16>) -> (tensor<3x8xf16>, !transformer.kv_cache<2x2x8xf16, block_size = 128>)
  %1 = transformer.layer @layer(%0#0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  // expected-note @below {{a later stage needs it here}}
  %2 = transformer.layer @taker(%1, %0#1) name("layers.2") : (tensor<3x8xf16>, !transformer.kv_cache<2x2x8xf16, block_size = 128>) -> tensor<3x8xf16>
  return %2 : tensor<3x8xf16>
}
