// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/linear-add.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/linear-add.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @linear_add
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "linear_add"
// CHECK-NEXT:      %[[P:.*]] = transformer.linear
// CHECK-NEXT:      %[[S:.*]] = transformer.add %{{.*}}, %[[P]]
// CHECK-NEXT:      transformer.yield %[[S]]
// CHECK:         return %[[R]]
func.func @linear_add(%r: tensor<7x4xf16>, %x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) -> tensor<7x4xf16> {
  %p = transformer.linear %x, %w bias(%b : tensor<4xf16>) : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] LinearAdd }}
  %s = transformer.add %r, %p : tensor<7x4xf16>, tensor<7x4xf16>
  return %s : tensor<7x4xf16>
}

// CHECK-LABEL: func @quantized_linear_add
// CHECK-NEXT:    transformer.fused "quantized_linear_add"
func.func @quantized_linear_add(%r: tensor<7x4xf16>, %x: tensor<7x8xi8>, %w: tensor<4x8xi8>, %xs: tensor<f32>, %ws: tensor<f32>) -> tensor<7x4xf16> {
  %p = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] QuantizedLinearAdd }}
  %s = transformer.add %r, %p : tensor<7x4xf16>, tensor<7x4xf16>
  return %s : tensor<7x4xf16>
}

// CHECK-LABEL: func @no_fusion_when_product_is_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_product_is_read_as_well(%r: tensor<7x4xf16>, %x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %p = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  %s = transformer.add %r, %p : tensor<7x4xf16>, tensor<7x4xf16>
  return %p, %s : tensor<7x4xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @add_alone
// CHECK-NEXT:    transformer.add
func.func @add_alone(%r: tensor<7x4xf16>, %x: tensor<7x4xf16>) -> tensor<7x4xf16> {
  %s = transformer.add %r, %x : tensor<7x4xf16>, tensor<7x4xf16>
  return %s : tensor<7x4xf16>
}
