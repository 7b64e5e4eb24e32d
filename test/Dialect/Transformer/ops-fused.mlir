// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

// CHECK-LABEL: func @norms
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[Y:.*]]: tensor<7x64xf16>, %[[W:.*]]: tensor<64xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = transformer.add_rms_norm %[[X]], %[[Y]], %[[W]] eps(1.0e-06) : tensor<7x64xf16>, tensor<64xf16>
// CHECK-NEXT:    %{{.*}} = transformer.rms_norm_quantize %[[X]], %[[W]] eps(1.0e-06) scale(%[[S]]) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = transformer.rms_norm_quantize %[[X]], %[[W]] eps(1.0e-06) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = transformer.rms_norm_quantize %[[X]], %[[W]] eps(1.0e-06) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = transformer.add_rms_norm_quantize %[[X]], %[[Y]], %[[W]] eps(1.0e-06) scale(%[[S]]) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %{{.*}} = transformer.add_rms_norm_quantize %[[X]], %[[Y]], %[[W]] eps(1.0e-06) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
// CHECK-NEXT:    %{{.*}}, %{{.*}}, %{{.*}} = transformer.add_rms_norm_quantize %[[X]], %[[Y]], %[[W]] eps(1.0e-06) group_size(16) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<4xf8E8M0FNU>
func.func @norms(%x: tensor<7x64xf16>, %y: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>) {
  %0, %1 = transformer.add_rms_norm %x, %y, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16>
  %2 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  %3, %4 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
  %5, %6 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  %7, %8 = transformer.add_rms_norm_quantize %x, %y, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  %9, %10, %11 = transformer.add_rms_norm_quantize %x, %y, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
  %12, %13, %14 = transformer.add_rms_norm_quantize %x, %y, %w eps(1.0e-6) group_size(16) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<4xf8E8M0FNU>
  return
}

// CHECK-LABEL: func @layer_norms
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[Y:.*]]: tensor<7x64xf16>, %[[W:.*]]: tensor<64xf16>, %[[B:.*]]: tensor<64xf16>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = transformer.add_layer_norm %[[X]], %[[Y]], %[[W]] eps(1.0e-05) : tensor<7x64xf16>, tensor<64xf16>
// CHECK-NEXT:    %{{.*}}, %{{.*}} = transformer.add_layer_norm %[[X]], %[[Y]], %[[W]] bias(%[[B]] : tensor<64xf16>) eps(1.0e-05) : tensor<7x64xf16>, tensor<64xf16>
func.func @layer_norms(%x: tensor<7x64xf16>, %y: tensor<7x64xf16>, %w: tensor<64xf16>, %b: tensor<64xf16>) {
  %0, %1 = transformer.add_layer_norm %x, %y, %w eps(1.0e-5) : tensor<7x64xf16>, tensor<64xf16>
  %2, %3 = transformer.add_layer_norm %x, %y, %w bias(%b : tensor<64xf16>) eps(1.0e-5) : tensor<7x64xf16>, tensor<64xf16>
  return
}

// CHECK-LABEL: func @interleaved_rope_pair
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x12xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    transformer.rope_pair %[[Q]], %[[K]], %[[T]] style(interleaved) : tensor<7x4x8xf16>, tensor<7x2x12xf16>, <8xf16>
func.func @interleaved_rope_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x12xf16>, %t: !transformer.rope_table<8xf16>) {
  %0, %1 = transformer.rope_pair %q, %k, %t style(interleaved) : tensor<7x4x8xf16>, tensor<7x2x12xf16>, !transformer.rope_table<8xf16>
  return
}

// CHECK-LABEL: func @rope_pair
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x12xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    transformer.rope_pair %[[Q]], %[[K]], %[[T]] : tensor<7x4x8xf16>, tensor<7x2x12xf16>, <8xf16>
func.func @rope_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x12xf16>, %t: !transformer.rope_table<8xf16>) {
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x4x8xf16>, tensor<7x2x12xf16>, !transformer.rope_table<8xf16>
  return
}

// CHECK-LABEL: func @concat_weights
// CHECK-SAME:    %[[A:.*]]: tensor<6x8xi4>, %[[B:.*]]: tensor<2x8xi4>, %[[C:.*]]: tensor<3xf16>
// CHECK-NEXT:    transformer.concat_weights %[[A]], %[[B]], %[[A]] : tensor<6x8xi4>, tensor<2x8xi4>, tensor<6x8xi4>
// CHECK-NEXT:    transformer.concat_weights %[[C]] : tensor<3xf16>
func.func @concat_weights(%a: tensor<6x8xi4>, %b: tensor<2x8xi4>, %c: tensor<3xf16>) -> (tensor<14x8xi4>, tensor<3xf16>) {
  %0 = transformer.concat_weights %a, %b, %a : tensor<6x8xi4>, tensor<2x8xi4>, tensor<6x8xi4>
  %1 = transformer.concat_weights %c : tensor<3xf16>
  return %0, %1 : tensor<14x8xi4>, tensor<3xf16>
}

// CHECK-LABEL: func @quantized_linear
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[Q:.*]]: tensor<7x64xf4E2M1FN>, %[[QS:.*]]: tensor<7x2xf8E8M0FNU>, %[[W:.*]]: tensor<8x64xi8>, %[[N:.*]]: tensor<8x64xf4E2M1FN>, %[[NS:.*]]: tensor<8x2xf8E8M0FNU>, %[[S:.*]]: tensor<f32>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT:    transformer.quantized_linear %[[X]], %[[W]] weight_scale(%[[S]] : tensor<f32>) bias(%[[B]] : tensor<8xf16>) all_reduce <2> : tensor<7x64xf16>, tensor<8x64xi8> -> tensor<7x8xf16>
// CHECK-NEXT:    transformer.quantized_linear %[[Q]], %[[N]] weight_scale(%[[NS]] : tensor<8x2xf8E8M0FNU>) input_scale(%[[QS]] : tensor<7x2xf8E8M0FNU>) group_size(32) : tensor<7x64xf4E2M1FN>, tensor<8x64xf4E2M1FN> -> tensor<7x8xf16>
func.func @quantized_linear(%x: tensor<7x64xf16>, %q: tensor<7x64xf4E2M1FN>, %qs: tensor<7x2xf8E8M0FNU>, %w: tensor<8x64xi8>,
                            %n: tensor<8x64xf4E2M1FN>, %ns: tensor<8x2xf8E8M0FNU>, %s: tensor<f32>, %b: tensor<8xf16>) {
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) bias(%b : tensor<8xf16>) all_reduce<2>
      : tensor<7x64xf16>, tensor<8x64xi8> -> tensor<7x8xf16>
  %1 = transformer.quantized_linear %q, %n weight_scale(%ns : tensor<8x2xf8E8M0FNU>) input_scale(%qs : tensor<7x2xf8E8M0FNU>)
      group_size(32) : tensor<7x64xf4E2M1FN>, tensor<8x64xf4E2M1FN> -> tensor<7x8xf16>
  return
}

!cache = !transformer.kv_cache<2x2x8xf8E4M3FN, block_size = 128>

// CHECK-LABEL: func @quantized_attention
// CHECK-NEXT:    transformer.quantized_attention %{{.*}}, %{{.*}} of %{{.*}} scale(0.25) scales(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<7x4x8xf8E4M3FN>, <2x2x8xf8E4M3FN, block_size = 128>, !transformer.batch -> tensor<7x4x8xbf16>
func.func @quantized_attention(%q: tensor<7x4x8xf8E4M3FN>, %c: !cache, %b: !transformer.batch, %s: tensor<f32>) {
  %0 = transformer.quantized_attention %q, %c of %b scale(0.25) scales(%s, %s, %s)
      : tensor<7x4x8xf8E4M3FN>, !cache, !transformer.batch -> tensor<7x4x8xbf16>
  return
}
