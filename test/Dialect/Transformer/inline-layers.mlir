// RUN: tc-opt %s --split-input-file --transformer-inline-layers | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-inline-layers \
// RUN:   --mlir-print-local-scope --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// Weights and caches are named after the layer that they belong to.
// CHECK-LABEL: module @two_layers_of_one_function
// CHECK-NOT:     func private
// CHECK:         func @main(%[[X:.*]]: tensor<2x8xf16>)
// CHECK:           %[[W0:.*]] = transformer.weight "model.layers.0.norm.weight" : tensor<8xf16>
// CHECK:           %[[A:.*]] = transformer.rms_norm %[[X]], %[[W0]]
// CHECK:           transformer.kv_cache "model.layers.0.self_attn"
// CHECK:           %[[W1:.*]] = transformer.weight "model.layers.1.norm.weight" : tensor<8xf16>
// CHECK:           %[[B:.*]] = transformer.rms_norm %[[A]], %[[W1]]
// CHECK:           transformer.kv_cache "model.layers.1.self_attn"
// CHECK-NOT:       transformer.layer
// CHECK:           return %[[B]]
// LOC-LABEL:   module @two_layers_of_one_function
// LOC:           transformer.rms_norm {{.*}} loc("model.layers.0.norm")
// LOC:           transformer.kv_cache {{.*}} loc("elsewhere")
// LOC:           transformer.rms_norm {{.*}} loc("model.layers.1.norm")
module @two_layers_of_one_function {
  func.func private @layer(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6)
        : tensor<2x8xf16>, tensor<8xf16> loc("model.layers.*.norm")
    %cache = transformer.kv_cache "self_attn" : !cache loc("elsewhere")
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return %1 : tensor<2x8xf16>
  }
}

// -----

// CHECK-LABEL: module @layer_that_returns_its_operands
// CHECK:         func @main(%[[X:.*]]: tensor<2x8xf16>, %[[Y:.*]]: tensor<8xf16>)
// CHECK-NEXT:      return %[[Y]], %[[X]]
module @layer_that_returns_its_operands {
  func.func private @swap(%x: tensor<2x8xf16>, %y: tensor<8xf16>) -> (tensor<8xf16>, tensor<2x8xf16>) {
    return %y, %x : tensor<8xf16>, tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>, %y: tensor<8xf16>) -> (tensor<8xf16>, tensor<2x8xf16>) {
    %0, %1 = transformer.layer @swap(%x, %y) name("swap")
        : (tensor<2x8xf16>, tensor<8xf16>) -> (tensor<8xf16>, tensor<2x8xf16>)
    return %0, %1 : tensor<8xf16>, tensor<2x8xf16>
  }
}

// -----

// Someone outside of the module may call a public function.
// CHECK-LABEL: module @public_function
// CHECK:         func @layer(
// CHECK:         func @main
// CHECK-NEXT:      transformer.neg
module @public_function {
  func.func @layer(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
}

// -----

// CHECK-LABEL: module @function_that_no_layer_calls
// CHECK:         func private @helper
module @function_that_no_layer_calls {
  func.func private @helper(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    return %x : tensor<2x8xf16>
  }
}
