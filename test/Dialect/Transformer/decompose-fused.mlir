// RUN: tc-opt %s --transformer-decompose="ops=add_rms_norm,rms_norm_quantize,add_rms_norm_quantize,rope_pair" \
// RUN:   | FileCheck %s

// Kernels of several ops stand for these ops; expanded once, they are the
// composites that a fusion joined.

// CHECK-LABEL: func @add_rms_norm
// CHECK:         %[[SUM:.*]] = transformer.add %
// CHECK-NEXT:    %[[NORM:.*]] = transformer.rms_norm %[[SUM]], %{{.*}} eps(1.0e-05)
// CHECK-NEXT:    return %[[SUM]], %[[NORM]]
func.func @add_rms_norm(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %0, %1 = transformer.add_rms_norm %x, %y, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %0, %1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @rms_norm_quantize
// CHECK:         transformer.rms_norm %
// CHECK-NEXT:    transformer.quantize
// CHECK-NEXT:    transformer.rms_norm %
// CHECK-NEXT:    transformer.dynamic_quantize
func.func @rms_norm_quantize(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>)
    -> (tensor<7x64xi8>, tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>) {
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  %1, %2 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  return %0, %1, %2 : tensor<7x64xi8>, tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
}

// CHECK-LABEL: func @rope_pair
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[RQ:.*]] = transformer.rope %[[Q]], %[[T]]
// CHECK-NEXT:    %[[RK:.*]] = transformer.rope %[[K]], %[[T]]
// CHECK-NEXT:    return %[[RQ]], %[[RK]]
func.func @rope_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xf16>) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}
