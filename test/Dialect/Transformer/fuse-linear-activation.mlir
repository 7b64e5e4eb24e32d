// RUN: tc-opt %s --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn --transformer-decompose="level=primitive ops=fused" --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn="linear-activation=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-ffn --verify-diagnostics --remarks-filter=fuse-ffn --remark-policy=all
// RUN: tc-opt %s --transformer-fuse-ffn --convert-transformer-to-ascend="kernel-set=ascend compiled" \
// RUN:   | FileCheck %s --check-prefix=LAUNCH

// OFF-NOT: transformer.fused

// The kernel does the work of both, and what is between them stays on the chip.
// LAUNCH-LABEL: func.func @gelu(
// LAUNCH-NEXT:    %[[R:.*]] = ascend.launch "matmul_gelu_erf"(%arg0, %arg1, %arg2)
// LAUNCH-NEXT:      ascend.matmul m(7) n(4) k(8) {ascend.part = "matmul_bias"} : f16
// LAUNCH-NEXT:      ascend.elementwise elements(28) operations(5) {ascend.part = "gelu_erf"} : f16
// LAUNCH:         return %[[R]]

// CHECK-LABEL: func.func @gelu(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<4x8xf16>, %[[B:.*]]: tensor<4xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "matmul_gelu_erf"(%[[A:.*]] = %[[X]], %[[C:.*]] = %[[W]], %[[D:.*]] = %[[B]])
// CHECK-NEXT:      %[[L:.*]] = transformer.linear %[[A]], %[[C]] bias(%[[D]]
// CHECK-NEXT:      %[[G:.*]] = transformer.gelu %[[L]]
// CHECK-NEXT:      transformer.yield %[[G]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @gelu(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>) : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-activation | Category:fuse-ffn | Function=gelu | Remark=fused}}
  %1 = transformer.gelu %0 : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}

// CHECK-LABEL: func.func @each(
// CHECK:         transformer.fused "matmul_gelu_tanh"
// CHECK:         transformer.fused "matmul_silu"
// CHECK:         transformer.fused "matmul_relu"
// CHECK:           transformer.max_scalar
func.func @each(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>, tensor<7x4xf16>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-activation}}
  %1 = transformer.gelu %0 form(tanh) : tensor<7x4xf16>
  %2 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-activation}}
  %3 = transformer.silu %2 : tensor<7x4xf16>
  %4 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-activation}}
  %5 = transformer.max_scalar %4, 0.0 : tensor<7x4xf16>
  return %1, %3, %5 : tensor<7x4xf16>, tensor<7x4xf16>, tensor<7x4xf16>
}

// The product of a quantized layer becomes floats before the activation.
// CHECK-LABEL: func.func @quantized(
// CHECK:         transformer.fused "quantized_matmul_gelu_erf"
func.func @quantized(%x: tensor<7x8xi8>, %w: tensor<4x8xi8>, %s: tensor<f32>) -> tensor<7x4xf16> {
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-activation}}
  %1 = transformer.gelu %0 : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}

// CHECK-LABEL: func.func @no_layer_with_another_reader(
// CHECK-NOT:     transformer.fused
func.func @no_layer_with_another_reader(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Missed] linear-activation | Category:fuse-ffn | Function=no_layer_with_another_reader | Reason="the layer has another reader", Remark="not fused"}}
  %1 = transformer.gelu %0 : tensor<7x4xf16>
  return %0, %1 : tensor<7x4xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func.func @no_layer_that_is_summed(
// CHECK-NOT:     transformer.fused
func.func @no_layer_that_is_summed(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w all_reduce <2> : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Missed] linear-activation | Category:fuse-ffn | Function=no_layer_that_is_summed | Reason="the layer is summed over devices before the activation", Remark="not fused"}}
  %1 = transformer.gelu %0 : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}

// What a product gates with waits for the other half: both are one product then.
// CHECK-LABEL: func.func @no_gate(
// CHECK-NOT:     transformer.fused
func.func @no_gate(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %u: tensor<7x4xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %1 = transformer.gelu %0 : tensor<7x4xf16>
  %2 = transformer.mul %1, %u : tensor<7x4xf16>, tensor<7x4xf16>
  %3 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %4 = transformer.silu %3 : tensor<7x4xf16>
  // expected-remark @below {{[Passed] swiglu}}
  %5 = transformer.mul %4, %u : tensor<7x4xf16>, tensor<7x4xf16>
  return %2, %5 : tensor<7x4xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func.func @no_other_limit(
// CHECK-NOT:     transformer.fused
func.func @no_other_limit(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %1 = transformer.max_scalar %0, 0.5 : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}
