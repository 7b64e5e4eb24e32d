// RUN: tc-opt %s --transformer-decompose | FileCheck %s
// RUN: tc-opt %s --transformer-decompose="ops=add_rms_norm,add_layer_norm,rms_norm_quantize,add_rms_norm_quantize,rope_pair" \
// RUN:   | FileCheck %s --check-prefix=ONCE
// RUN: tc-opt %s --transformer-decompose="level=primitive" | FileCheck %s --check-prefix=PRIMITIVE

// Kernels of several ops stand for these ops; expanded once, they are the
// composites that a fusion joined.

// CHECK-LABEL: func @add_rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[SUM:.*]] = transformer.add %[[X]], %[[Y]]
// CHECK-NEXT:    transformer.cast %[[SUM]]
// CHECK:         transformer.add_scalar %{{.*}}, 1.0e-05
// CHECK:         %[[NORM:.*]] = transformer.mul %[[W]],
// CHECK-NEXT:    return %[[SUM]], %[[NORM]]
// ONCE-LABEL:  func @add_rms_norm
// ONCE:          %[[SUM:.*]] = transformer.add %
// ONCE-NEXT:     %[[NORM:.*]] = transformer.rms_norm %[[SUM]], %{{.*}} eps(1.0e-05)
// ONCE-NEXT:     return %[[SUM]], %[[NORM]]
func.func @add_rms_norm(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %0, %1 = transformer.add_rms_norm %x, %y, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %0, %1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @add_layer_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[SUM:.*]] = transformer.add %[[X]], %[[Y]]
// CHECK-NEXT:    transformer.mean %[[SUM]]
// CHECK:         %[[NORM:.*]] = transformer.add %{{.*}}, %[[B]]
// CHECK-NEXT:    return %[[SUM]], %[[NORM]]
// ONCE-LABEL:  func @add_layer_norm
// ONCE:          %[[SUM:.*]] = transformer.add %
// ONCE-NEXT:     %[[NORM:.*]] = transformer.layer_norm %[[SUM]], %{{.*}} bias(%{{.*}} : tensor<8xf16>) eps(1.0e-05)
// ONCE-NEXT:     return %[[SUM]], %[[NORM]]
func.func @add_layer_norm(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %0, %1 = transformer.add_layer_norm %x, %y, %w bias(%b : tensor<8xf16>) eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  return %0, %1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @rms_norm_quantize
// CHECK-SAME:    %{{.*}}: tensor<7x64xf16>, %[[W:.*]]: tensor<64xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NOT:     transformer.rms_norm
// CHECK:         %[[NORM:.*]] = transformer.mul %[[W]],
// CHECK-NEXT:    %[[Q:.*]] = transformer.quantize %[[NORM]], %[[S]] : tensor<7x64xf16> to tensor<7x64xi8>
// CHECK:         %[[NORM2:.*]] = transformer.mul %[[W]],
// CHECK-NEXT:    %[[M:.*]], %[[MS:.*]] = transformer.dynamic_quantize %[[NORM2]] group_size(32) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
// CHECK-NEXT:    return %[[Q]], %[[M]], %[[MS]]
// ONCE-LABEL:  func @rms_norm_quantize
// ONCE:          transformer.rms_norm %
// ONCE-NEXT:     transformer.quantize
// ONCE-NEXT:     transformer.rms_norm %
// ONCE-NEXT:     transformer.dynamic_quantize
func.func @rms_norm_quantize(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>)
    -> (tensor<7x64xi8>, tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>) {
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  %1, %2 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  return %0, %1, %2 : tensor<7x64xi8>, tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
}

// CHECK-LABEL: func @add_rms_norm_quantize
// CHECK:         %[[SUM:.*]] = transformer.add %
// CHECK:         %[[NORM:.*]] = transformer.mul
// CHECK:         %[[Q:.*]], %[[S:.*]] = transformer.dynamic_quantize %{{.*}} : tensor<7x64xf16> to tensor<7x64xi8>, tensor<f32>
// CHECK-NEXT:    return %[[SUM]], %[[Q]], %[[S]]
// ONCE-LABEL:  func @add_rms_norm_quantize
// ONCE:          %[[SUM:.*]] = transformer.add %
// ONCE-NEXT:     %[[NORM:.*]] = transformer.rms_norm %[[SUM]]
// ONCE-NEXT:     transformer.dynamic_quantize %[[NORM]]
func.func @add_rms_norm_quantize(%x: tensor<7x64xf16>, %w: tensor<64xf16>) -> (tensor<7x64xf16>, tensor<7x64xi8>, tensor<f32>) {
  %0, %1, %2 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
  return %0, %1, %2 : tensor<7x64xf16>, tensor<7x64xi8>, tensor<f32>
}

// The sum over devices comes before the bias.
// CHECK-LABEL: func @linear_all_reduce
// CHECK:         transformer.linear {{.*}} all_reduce <2>
// PRIMITIVE-LABEL: func @linear_all_reduce
// PRIMITIVE-NEXT: %[[P:.*]] = transformer.matmul
// PRIMITIVE-NEXT: %[[S:.*]] = transformer.all_reduce %[[P]] over <2>
// PRIMITIVE-NEXT: transformer.add %[[S]],
func.func @linear_all_reduce(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>) all_reduce<2> : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

// ONCE-LABEL:  func @interleaved_rope_pair
// ONCE-COUNT-2:  transformer.rope %{{.*}} style(interleaved)
func.func @interleaved_rope_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xf16>) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0, %1 = transformer.rope_pair %q, %k, %t style(interleaved) : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// CHECK-LABEL: func @rope_pair
// CHECK-NOT:     transformer.rope{{(_pair)?}} %
// CHECK-COUNT-2: transformer.neg
// CHECK-NOT:     transformer.rope{{(_pair)?}} %
// CHECK:         return
// ONCE-LABEL:  func @rope_pair
// ONCE-SAME:     %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// ONCE-NEXT:     %[[RQ:.*]] = transformer.rope %[[Q]], %[[T]]
// ONCE-NEXT:     %[[RK:.*]] = transformer.rope %[[K]], %[[T]]
// ONCE-NEXT:     return %[[RQ]], %[[RK]]
func.func @rope_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xf16>) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return %0, %1 : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}
