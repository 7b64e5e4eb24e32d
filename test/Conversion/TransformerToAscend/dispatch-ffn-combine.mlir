// RUN: tc-opt %s --convert-transformer-to-ascend="compiled=true" | FileCheck %s
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend compiled=true" | FileCheck %s --check-prefix=OWN

// The reference computes with the rows of even shares, and exchanges as many;
// rows of experts on other devices differ: of 3 tokens with 2 choices each, the
// first 2 of 4 experts get one more.
// CHECK-LABEL: func @int8
// CHECK-SAME:    %[[X:.*]]: tensor<3x8xf16>, %[[IDS:.*]]: tensor<3x2xi64>, %[[UP:.*]]: tensor<2x12x8xi8>, %[[DOWN:.*]]: tensor<2x8x6xi8>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT:    ascend.launch "quantized_dispatch_ffn_combine"(%[[X]], %[[IDS]]) using(%[[UP]], %[[DOWN]], %[[S]], %[[S]]) as("tensor_cast.dispatch_ffn_combine_quant")
// CHECK-NEXT:      ascend.matmul m(6) n(12) k(8) : i8
// CHECK-NEXT:      ascend.elementwise elements(36) operations(7) : f16
// CHECK-NEXT:      ascend.matmul m(6) n(8) k(6) : i8
// CHECK-NEXT:      ascend.gather rows(2) row_bytes(152) index(0)
// CHECK-NEXT:      ascend.collective all_to_all bytes(24) over <2> serial
// CHECK-NEXT:      ascend.collective all_to_all bytes(24) over <2> serial
// OWN-LABEL: func @int8
// OWN:         ascend.launch "quantized_dispatch_ffn_combine"({{.*}})
// OWN-NEXT:      ascend.matmul m(8) n(12) k(8) : i8
// OWN-NEXT:      ascend.elementwise elements(48) operations(5) : f16
// OWN-NEXT:      ascend.matmul m(8) n(8) k(6) : i8
// OWN-NEXT:      ascend.gather rows(2) row_bytes(152) index(0)
// OWN-NEXT:      ascend.collective all_to_all bytes(64) over <2> serial
// OWN-NEXT:      ascend.collective all_to_all bytes(64) over <2> serial
func.func @int8(%x: tensor<3x8xf16>, %ids: tensor<3x2xi64>, %up: tensor<2x12x8xi8>, %down: tensor<2x8x6xi8>, %s: tensor<f32>) {
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> up_scale(%s : tensor<f32>) down_scale(%s : tensor<f32>) rows(i8) : tensor<3x8xf16>, tensor<2x12x8xi8>, tensor<2x8x6xi8>, tensor<3x2xi64> -> tensor<3x2x8xf16>
  return
}

// Of packed weights, the second product has no rate.
// CHECK-LABEL: func @int4
// CHECK:         ascend.launch "quantized_dispatch_ffn_combine_int4"
// CHECK:           ascend.matmul m(6) n(12) k(8) : i8
// CHECK-NOT:       ascend.matmul
// CHECK:           ascend.elementwise elements(96) operations(1) : f32
// OWN-LABEL: func @int4
// OWN-COUNT-2:     ascend.matmul
func.func @int4(%x: tensor<3x8xf16>, %ids: tensor<3x2xi64>, %up: tensor<2x12x8xi4>, %down: tensor<2x8x6xi4>, %s: tensor<f32>) {
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> up_scale(%s : tensor<f32>) down_scale(%s : tensor<f32>) rows(i8) : tensor<3x8xf16>, tensor<2x12x8xi4>, tensor<2x8x6xi4>, tensor<3x2xi64> -> tensor<3x2x8xf16>
  return
}

// Without quantization it has one kernel in both.
// CHECK-LABEL: func @plain
// CHECK-NEXT:    ascend.launch "dispatch_ffn_combine"
// CHECK:         return
// OWN-LABEL: func @plain
// OWN-NEXT:      ascend.launch "dispatch_ffn_combine"
func.func @plain(%x: tensor<3x8xf16>, %ids: tensor<3x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x6xf16>) {
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> : tensor<3x8xf16>, tensor<2x12x8xf16>, tensor<2x8x6xf16>, tensor<3x2xi64> -> tensor<3x2x8xf16>
  return
}

// In the reference, what makes the kernel's scales stays beside it.
// CHECK-LABEL: func @fp8
// CHECK-NEXT:    ascend.launch "permute_tokens"
// CHECK-NEXT:    ascend.launch "dispatch_tokens"
// CHECK:         ascend.launch "dynamic_quantize"
// CHECK-NEXT:    ascend.launch "quantized_grouped_matmul_fp8_swiglu"
// CHECK:         ascend.launch "dynamic_quantize"
// CHECK-NEXT:    ascend.launch "quantized_dispatch_ffn_combine_fp8"
// CHECK-NOT:     ascend.launch
// OWN-LABEL: func @fp8
// OWN-NEXT:      ascend.launch "quantized_dispatch_ffn_combine_fp8"
func.func @fp8(%x: tensor<3x8xf16>, %ids: tensor<3x2xi64>, %up: tensor<2x12x8xf8E4M3FN>, %down: tensor<2x8x6xf8E4M3FN>, %s: tensor<f32>) {
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> up_scale(%s : tensor<f32>) down_scale(%s : tensor<f32>) rows(f8E4M3FN) : tensor<3x8xf16>, tensor<2x12x8xf8E4M3FN>, tensor<2x8x6xf8E4M3FN>, tensor<3x2xi64> -> tensor<3x2x8xf16>
  return
}
