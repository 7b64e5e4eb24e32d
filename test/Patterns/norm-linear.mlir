// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/norm-linear.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/norm-linear.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @norm_linear
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[S:.*]]: tensor<8xf16>, %[[W:.*]]: tensor<4x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "norm_linear"(%[[A:.*]] = %[[X]], %[[B:.*]] = %[[S]], %[[C:.*]] = %[[W]])
// CHECK-NEXT:      %[[N:.*]] = transformer.rms_norm %[[A]], %[[B]]
// CHECK-NEXT:      %[[Y:.*]] = transformer.linear %[[N]], %[[C]]
// CHECK-NEXT:      transformer.yield %[[Y]]
// CHECK:         return %[[R]]
func.func @norm_linear(%x: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %norm = transformer.rms_norm %x, %s eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] NormLinear}}
  %r = transformer.linear %norm, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// A bias goes along.
// CHECK-LABEL: func @norm_linear_with_bias
// CHECK:         transformer.fused "norm_linear"
// CHECK:           transformer.linear %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<4xf16>)
func.func @norm_linear_with_bias(%x: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) -> tensor<7x4xf16> {
  %norm = transformer.rms_norm %x, %s eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] NormLinear}}
  %r = transformer.linear %norm, %w bias(%b : tensor<4xf16>) : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// The sum is read by the next residual, and so is a result of the kernel.
// CHECK-LABEL: func @add_norm_linear
// CHECK-NEXT:    %[[R:.*]]:2 = transformer.fused "add_norm_linear"
// CHECK-NEXT:      %[[SUM:.*]], %[[N:.*]] = transformer.add_rms_norm
// CHECK-NEXT:      %[[Y:.*]] = transformer.linear %[[N]]
// CHECK-NEXT:      transformer.yield %[[SUM]], %[[Y]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @add_norm_linear(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xf16>) -> (tensor<7x8xf16>, tensor<7x4xf16>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %s eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] AddNormLinear}}
  %r = transformer.linear %norm, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %sum, %r : tensor<7x8xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @norm_quantized_linear
// CHECK:         transformer.fused "norm_quantized_linear"
func.func @norm_quantized_linear(%x: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xi8>, %ws: tensor<f32>, %xs: tensor<f32>) -> tensor<7x4xf16> {
  %norm = transformer.rms_norm_quantize %x, %s eps(1.0e-6) scale(%xs) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>
  // expected-remark @below {{[Passed] NormQuantizedLinear}}
  %r = transformer.quantized_linear %norm, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// CHECK-LABEL: func @add_norm_quantized_linear
// CHECK:         transformer.fused "add_norm_quantized_linear"
func.func @add_norm_quantized_linear(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xi8>, %ws: tensor<f32>, %xs: tensor<f32>) -> (tensor<7x8xf16>, tensor<7x4xf16>) {
  %sum, %norm = transformer.add_rms_norm_quantize %x, %y, %s eps(1.0e-6) scale(%xs) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>
  // expected-remark @below {{[Passed] AddNormQuantizedLinear}}
  %r = transformer.quantized_linear %norm, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return %sum, %r : tensor<7x8xf16>, tensor<7x4xf16>
}

// A scale that is found on the way is that of all rows.
// CHECK-LABEL: func @no_fusion_of_dynamic_scale
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_dynamic_scale(%x: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xi8>, %ws: tensor<f32>) -> tensor<7x4xf16> {
  %norm, %xs = transformer.rms_norm_quantize %x, %s eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16> -> tensor<7x8xi8>, tensor<f32>
  // expected-remark @below {{Reason="expected 'transformer.rms_norm_quantize' with 3 operands, but got 2"}}
  %r = transformer.quantized_linear %norm, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// Two linear layers read the norm: each would compute it.
// CHECK-LABEL: func @no_fusion_when_norm_has_two_readers
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_norm_has_two_readers(%x: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xf16>, %u: tensor<4x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %norm = transformer.rms_norm %x, %s eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] NormLinear | Category:apply-patterns | Function=no_fusion_when_norm_has_two_readers | Reason="HasOneUse: the value has 2 readers"}}
  %r = transformer.linear %norm, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Missed] NormLinear}}
  %t = transformer.linear %norm, %u : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r, %t : tensor<7x4xf16>, tensor<7x4xf16>
}

// CHECK-LABEL: func @no_fusion_when_sum_is_read_by_linear
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_sum_is_read_by_linear(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %s: tensor<8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %sum, %norm = transformer.add_rms_norm %x, %y, %s eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{Reason="expected operand 0 of 'transformer.linear' to be result 1 of 'transformer.add_rms_norm', but it is result 0"}}
  %r = transformer.linear %sum, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// A row of 98304 numbers fills the buffer; one more does not fit.
// CHECK-LABEL: func @row_that_fits
// CHECK:         transformer.fused "norm_linear"
func.func @row_that_fits(%x: tensor<7x98304xf16>, %s: tensor<98304xf16>, %w: tensor<4x98304xf16>) -> tensor<7x4xf16> {
  %norm = transformer.rms_norm %x, %s eps(1.0e-6) : tensor<7x98304xf16>, tensor<98304xf16>
  // expected-remark @below {{[Passed] NormLinear}}
  %r = transformer.linear %norm, %w : tensor<7x98304xf16>, tensor<4x98304xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// CHECK-LABEL: func @no_fusion_of_long_rows
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_long_rows(%x: tensor<7x98305xf16>, %s: tensor<98305xf16>, %w: tensor<4x98305xf16>) -> tensor<7x4xf16> {
  %norm = transformer.rms_norm %x, %s eps(1.0e-6) : tensor<7x98305xf16>, tensor<98305xf16>
  // expected-remark @below {{Reason="RowFitsBuffer: a row of the values has 196610 bytes, more than 196608"}}
  %r = transformer.linear %norm, %w : tensor<7x98305xf16>, tensor<4x98305xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}

// A linear layer of something else is left alone, without a remark.
// CHECK-LABEL: func @linear_without_norm
// CHECK-NEXT:    transformer.linear
func.func @linear_without_norm(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %r = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %r : tensor<7x4xf16>
}
