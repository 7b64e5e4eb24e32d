// RUN: tc-opt %s --split-input-file --allow-unregistered-dialect --transformer-sequence-parallel="only-after-sum only-even-tokens" --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --split-input-file --allow-unregistered-dialect --transformer-sequence-parallel="only-after-sum only-even-tokens" --verify-diagnostics \
// RUN:   --remarks-filter=sequence-parallel --remark-policy=all

#tokens = #transformer.dims<tokens>
#plan = #transformer.plan<devices = 4, data_parallel = 1>

// A stack that does not pad takes an even number of tokens for granted.
// CHECK-LABEL: module @even attributes {transformer.assumes = [#transformer.expr<eq(mod(tokens, 4), 0)>],
// CHECK:         transformer.reduce_scatter
module @even attributes {transformer.plan = #plan} {
  // expected-remark @below {{[Passed] scatter}}
  func.func @f(%x: tensor<?x32xf16, #tokens>, %w: tensor<32xf16>) -> tensor<?x32xf16, #tokens> {
    %0 = transformer.all_reduce %x over<4> : tensor<?x32xf16, #tokens>
    %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<?x32xf16, #tokens>, tensor<32xf16>
    return %1 : tensor<?x32xf16, #tokens>
  }
}

// -----

// CHECK-LABEL: module @even_numbers attributes {transformer.plan
// CHECK:         transformer.reduce_scatter
module @even_numbers attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  // The first norm is in the first layer.
  // expected-remark @below {{[Passed] scatter}}
  func.func private @layer(%x: tensor<8x32xf16>, %w: tensor<32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %1 = transformer.all_reduce %0 over<4> : tensor<8x32xf16>
    %2 = transformer.add %x, %1 : tensor<8x32xf16>, tensor<8x32xf16>
    return %2 : tensor<8x32xf16>
  }
  // expected-remark @below {{[Passed] scatter}}
  func.func @f(%x: tensor<8x32xf16>, %w: tensor<32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.all_reduce %x over<4> : tensor<8x32xf16>
    %1 = transformer.layer @layer(%0, %w) name("model.layers.0") : (tensor<8x32xf16>, tensor<32xf16>) -> tensor<8x32xf16>
    return %1 : tensor<8x32xf16>
  }
}

// -----

// CHECK-LABEL: module @odd
// CHECK-NOT:     reduce_scatter
module @odd attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func @f(%x: tensor<7x32xf16>, %w: tensor<32xf16>) -> tensor<7x32xf16> {
    %0 = transformer.all_reduce %x over<4> : tensor<7x32xf16>
    // expected-remark @below {{[Missed] split | Category:sequence-parallel | Reason="4 devices do not divide 7 tokens", Remark="tokens not split"}}
    %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<7x32xf16>, tensor<32xf16>
    return %1 : tensor<7x32xf16>
  }
}

// -----

// CHECK-LABEL: module @no_sum_in_front
// CHECK-NOT:     reduce_scatter
module @no_sum_in_front attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func @f(%x: tensor<8x32xf16>, %w: tensor<32xf16>) -> tensor<8x32xf16> {
    // expected-remark @below {{no sum over devices is in front of the first norm}}
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    %1 = transformer.all_reduce %0 over<4> : tensor<8x32xf16>
    %2 = transformer.add %x, %1 : tensor<8x32xf16>, tensor<8x32xf16>
    return %2 : tensor<8x32xf16>
  }
}

// -----

// CHECK-LABEL: module @groups
// CHECK-NOT:     reduce_scatter
// expected-remark @below {{groups of another size exchange tokens between the norms}}
module @groups attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 2, mlp = 4>} {
  func.func @f(%x: tensor<8x32xf16>, %w: tensor<32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.all_reduce %x over<2> : tensor<8x32xf16>
    %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    return %1 : tensor<8x32xf16>
  }
}

// -----

// CHECK-LABEL: module @whole
// CHECK-NOT:     reduce_scatter
// expected-remark @below {{no devices share the layers}}
module @whole {
  func.func @f(%x: tensor<8x32xf16>) {
    return
  }
}

// -----

// CHECK-LABEL: module @replicas
// CHECK-NOT:     reduce_scatter
// expected-remark @below {{no devices share the layers}}
module @replicas attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 4>} {
  func.func @f(%x: tensor<8x32xf16>) {
    return
  }
}

// -----

// CHECK-LABEL: module @no_norm
// CHECK-NOT:     reduce_scatter
// expected-remark @below {{no norm works on hidden states}}
module @no_norm attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func private @elsewhere(tensor<8x32xf16>)
  func.func @f(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.all_reduce %x over<4> : tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
}

// -----

module @quantized_norm attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func @f(%x: tensor<8x32xf16>, %w: tensor<32xf16>) -> (tensor<8x32xi8>, tensor<f32>) {
    %0 = transformer.all_reduce %x over<4> : tensor<8x32xf16>
    // expected-remark @below {{a norm is fused with a quantization, which has a scale for all tokens}}
    %1, %2 = transformer.rms_norm_quantize %0, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16> -> tensor<8x32xi8>, tensor<f32>
    return %1, %2 : tensor<8x32xi8>, tensor<f32>
  }
}

// -----

module @fused_sum attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func @f(%x: tensor<8x32xf16>, %w: tensor<32xf16>, %wo: tensor<32x32xf16>) -> tensor<8x32xf16> {
    // expected-remark @below {{a sum over devices is fused into the layer in front of it}}
    %0 = transformer.linear %x, %wo all_reduce<4> : tensor<8x32xf16>, tensor<32x32xf16> -> tensor<8x32xf16>
    %1 = transformer.rms_norm %0, %w eps(1.0e-6) : tensor<8x32xf16>, tensor<32xf16>
    return %1 : tensor<8x32xf16>
  }
}

// -----

module @blocks attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  // expected-remark @below {{a function has more than one block}}
  func.func @f(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    "test.branch"()[^next] : () -> ()
  ^next:
    return %x : tensor<8x32xf16>
  }
}

// -----

module @circle attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func private @a(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    // expected-remark @below {{a layer calls layers}}
    %0 = transformer.layer @b(%x) name("layers.0") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
  func.func private @b(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.layer @a(%x) name("layers.1") : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
}

// -----

module @circle_of_stages attributes {transformer.plan = #transformer.plan<devices = 8, data_parallel = 1, pipeline_parallel = 2>} {
  func.func private @a(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    // expected-remark @below {{a stage runs stages}}
    %0 = transformer.stage @b(%x) : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
  func.func private @b(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.stage @a(%x) : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
  func.func @f(%x: tensor<8x32xf16>) -> tensor<8x32xf16> {
    %0 = transformer.stage @a(%x) : (tensor<8x32xf16>) -> tensor<8x32xf16>
    return %0 : tensor<8x32xf16>
  }
}
