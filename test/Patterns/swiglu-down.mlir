// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/swiglu-down.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/swiglu-down.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @swiglu_linear
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "swiglu_linear"
// CHECK-NEXT:      %[[G:.*]] = transformer.swiglu
// CHECK-NEXT:      %[[Y:.*]] = transformer.linear %[[G]]
// CHECK-NEXT:      transformer.yield %[[Y]]
// CHECK:         return %[[R]]
func.func @swiglu_linear(%g: tensor<7x8xf16>, %u: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %act = transformer.swiglu %g, %u : tensor<7x8xf16>
  // expected-remark @below {{[Passed] SwigluDown }}
  %r = transformer.linear %act, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// CHECK-LABEL: func @swiglu_quantized_linear
// CHECK-NEXT:    transformer.fused "swiglu_quantized_linear"
// CHECK-NEXT:      transformer.swiglu
// CHECK-NEXT:      transformer.quantize
// CHECK-NEXT:      %[[Y:.*]] = transformer.quantized_linear
// CHECK-NEXT:      transformer.yield %[[Y]]
func.func @swiglu_quantized_linear(%g: tensor<7x8xf16>, %u: tensor<7x8xf16>, %w: tensor<4x8xi8>, %ws: tensor<f32>, %xs: tensor<f32>) -> tensor<7x4xf16> {
  %act = transformer.swiglu %g, %u : tensor<7x8xf16>
  %q = transformer.quantize %act, %xs : tensor<7x8xf16> to tensor<7x8xi8>
  // expected-remark @below {{[Passed] SwigluQuantizedDown }}
  %r = transformer.quantized_linear %q, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// CHECK-LABEL: func @swiglu_mx_linear
// CHECK-NEXT:    transformer.fused "swiglu_mx_linear"
// CHECK:           transformer.dynamic_quantize %{{.*}} group_size(32)
func.func @swiglu_mx_linear(%g: tensor<7x64xf16>, %u: tensor<7x64xf16>, %w: tensor<4x64xf4E2M1FN>, %ws: tensor<4x2xf8E8M0FNU>) -> tensor<7x4xf16> {
  %act = transformer.swiglu %g, %u : tensor<7x64xf16>
  %q, %xs = transformer.dynamic_quantize %act group_size(32) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  // expected-remark @below {{[Passed] SwigluGroupQuantizedDown }}
  %r = transformer.quantized_linear %q, %w weight_scale(%ws : tensor<4x2xf8E8M0FNU>) input_scale(%xs : tensor<7x2xf8E8M0FNU>) group_size(32) : tensor<7x64xf4E2M1FN>, tensor<4x64xf4E2M1FN> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// A scale of the whole tensor is known when the last tile is.
// CHECK-LABEL: func @no_fusion_of_dynamic_scale
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_dynamic_scale(%g: tensor<7x8xf16>, %u: tensor<7x8xf16>, %w: tensor<4x8xi8>, %ws: tensor<f32>) -> tensor<7x4xf16> {
  %act = transformer.swiglu %g, %u : tensor<7x8xf16>
  %q, %xs = transformer.dynamic_quantize %act : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  // expected-remark @below {{[Missed] SwigluGroupQuantizedDown | Category:apply-patterns | Function=no_fusion_of_dynamic_scale | Reason="HasRank: the value has rank 0, not 2"}}
  %r = transformer.quantized_linear %q, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// CHECK-LABEL: func @no_fusion_when_gated_is_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_gated_is_read_as_well(%g: tensor<7x8xf16>, %u: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> (tensor<7x8xf16>, tensor<7x4xf16>) {
  %act = transformer.swiglu %g, %u : tensor<7x8xf16>
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  %r = transformer.linear %act, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %act, %r : tensor<7x8xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @linear_without_gating
// CHECK-NEXT:    transformer.linear
func.func @linear_without_gating(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %r = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}
