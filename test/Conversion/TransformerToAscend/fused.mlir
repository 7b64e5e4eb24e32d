// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefixes=CHECK,AUGUST
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06" | FileCheck %s --check-prefixes=CHECK,JUNE

// A norm reads its rows once; in August it is charged for arithmetic in f32.
// CHECK-LABEL: func @rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// AUGUST-NEXT:   ascend.launch "rms_norm"(%[[X]], %[[W]]) as("tensor_cast.rms_norm") : (tensor<7x8xf16>, tensor<8xf16>) -> tensor<7x8xf16> { ascend.elementwise elements(56) operations(5) : f32 }
// JUNE-NEXT:     ascend.launch "rms_norm"(%[[X]], %[[W]]) as("tensor_cast.rms_norm") : (tensor<7x8xf16>, tensor<8xf16>) -> tensor<7x8xf16>{{$}}
func.func @rms_norm(%x: tensor<7x8xf16>, %w: tensor<8xf16>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  return
}

// CHECK-LABEL: func @add_rms_norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK-NEXT:    %[[L:.*]]:2 = ascend.launch "add_rms_norm"(%[[X]], %[[X]], %[[W]]) as("tensor_cast.add_rms_norm2") : (tensor<7x8xf16>, tensor<7x8xf16>, tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>){{$}}
// CHECK-NEXT:    return %[[L]]#0, %[[L]]#1
func.func @add_rms_norm(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %0, %1 = transformer.add_rms_norm %x, %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  return %0, %1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// A sum that nothing reads is not written.
// CHECK-LABEL: func @add_rms_norm_alone
// CHECK-NEXT:    %[[L:.*]] = ascend.launch "add_rms_norm_discard"(%{{.*}}) as("tensor_cast.add_rms_norm") : (tensor<7x8xf16>, tensor<7x8xf16>, tensor<8xf16>) -> tensor<7x8xf16>{{$}}
// CHECK-NEXT:    return %[[L]]
func.func @add_rms_norm_alone(%x: tensor<7x8xf16>, %w: tensor<8xf16>) -> tensor<7x8xf16> {
  %0, %1 = transformer.add_rms_norm %x, %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  return %1 : tensor<7x8xf16>
}

// CHECK-LABEL: func @norm_quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[W:.*]]: tensor<64xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT:    ascend.launch "rms_norm_quantize"(%[[X]], %[[W]], %[[S]]) as("tensor_cast.rms_norm_quant") : (tensor<7x64xf16>, tensor<64xf16>, tensor<f32>) -> tensor<7x64xi8>{{$}}
// CHECK-NEXT:    ascend.launch "rms_norm_dynamic_quantize"(%[[X]], %[[W]]) as("tensor_cast.rms_norm_dynamic_quant_symmetric") : {{.*}} -> (tensor<7x64xi8>, tensor<f32>)
// CHECK-NEXT:    ascend.launch "rms_norm_dynamic_quantize_mx"(%[[X]], %[[W]]) as("tensor_cast.rms_norm_dynamic_quant_mxfp4") : {{.*}} -> (tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>)
// CHECK-NEXT:    ascend.launch "add_rms_norm_quantize"(%[[X]], %[[X]], %[[W]], %[[S]]) as("tensor_cast.add_rms_norm_quant2")
// CHECK-NEXT:    ascend.launch "add_rms_norm_dynamic_quantize"(%[[X]], %[[X]], %[[W]]) as("tensor_cast.add_rms_norm_dynamic_quant2_symmetric")
// CHECK-NEXT:    ascend.launch "add_rms_norm_dynamic_quantize_mx"(%[[X]], %[[X]], %[[W]]) as("tensor_cast.add_rms_norm_dynamic_quant2_mxfp4")
func.func @norm_quantize(%x: tensor<7x64xf16>, %w: tensor<64xf16>, %s: tensor<f32>) {
  %0 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  %1, %2 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
  %3, %4 = transformer.rms_norm_quantize %x, %w eps(1.0e-6) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  %5, %6 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) scale(%s) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>
  %7, %8, %9 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xi8>, tensor<f32>
  %10, %11, %12 = transformer.add_rms_norm_quantize %x, %x, %w eps(1.0e-6) group_size(32) : tensor<7x64xf16>, tensor<64xf16> -> tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  return
}

// The kernel reads cosines and sines once for queries and keys: 7 x (4 + 2) x 8
// elements in all.
// CHECK-LABEL: func @rope_pair
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[K:.*]]: tensor<7x2x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[P:.*]]:2 = ascend.view %[[T]] : (!transformer.rope_table<8xf16>) -> (tensor<7x1x8xf16>, tensor<7x1x8xf16>)
// CHECK-NEXT:    ascend.launch "rope_pair"(%[[Q]], %[[K]], %[[P]]#0, %[[P]]#1) as("tensor_cast.apply_rope")
// AUGUST-SAME:     { ascend.elementwise elements(336) operations(3) : f16 }
// JUNE-SAME:       -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>){{$}}
func.func @rope_pair(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xf16>) {
  %0, %1 = transformer.rope_pair %q, %k, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return
}

// One rotation alone has a kernel of its own.
// CHECK-LABEL: func @rope(
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf16>
// CHECK-NEXT:    %[[P:.*]]:2 = ascend.view %[[T]] : (!transformer.rope_table<8xf16>) -> (tensor<7x1x8xf16>, tensor<7x1x8xf16>)
// CHECK-NEXT:    ascend.launch "rope"(%[[X]], %[[P]]#0, %[[P]]#1) as("tensor_cast.apply_rope_single")
// AUGUST-SAME:     { ascend.elementwise elements(224) operations(3) : f32 }
// JUNE-SAME:       -> tensor<7x4x8xf16>{{$}}
func.func @rope(%x: tensor<7x4x8xf16>, %t: !transformer.rope_table<8xf16>) {
  %0 = transformer.rope %x, %t : tensor<7x4x8xf16>, !transformer.rope_table<8xf16>
  return
}

// A table of rotations is looked up as its two tensors.
// CHECK-LABEL: func @rope_table
// CHECK-SAME:    %[[P:.*]]: tensor<7xi64>, %[[C:.*]]: tensor<128x8xf16>, %[[S:.*]]: tensor<128x8xf16>
// CHECK-NEXT:    %[[A:.*]] = ascend.launch "gather"(%[[P]]) using(%[[C]])
// CHECK-NEXT:    %[[B:.*]] = ascend.launch "gather"(%[[P]]) using(%[[S]])
// CHECK-NEXT:    ascend.view %[[A]], %[[B]] : {{.*}} -> !transformer.rope_table<8xf16>
func.func @rope_table(%p: tensor<7xi64>, %c: tensor<128x8xf16>, %s: tensor<128x8xf16>) {
  %0 = transformer.rope_table %p, %c, %s : tensor<7xi64>, tensor<128x8xf16> -> !transformer.rope_table<8xf16>
  return
}

// CHECK-LABEL: func @swiglu
// CHECK-NEXT:    ascend.launch "swiglu"(%{{.*}}, %{{.*}}) as("tensor_cast.swiglu") : (tensor<7x8xf16>, tensor<7x8xf16>) -> tensor<7x8xf16>{{$}}
func.func @swiglu(%x: tensor<7x8xf16>) {
  %0 = transformer.swiglu %x, %x : tensor<7x8xf16>
  return
}

// Weights are joined when the model is loaded.
// CHECK-LABEL: func @concat_weights
// CHECK-NEXT:    ascend.view %{{.*}}, %{{.*}} : (tensor<4x8xi8>, tensor<2x8xi8>) -> tensor<6x8xi8>
func.func @concat_weights(%a: tensor<4x8xi8>, %b: tensor<2x8xi8>) {
  %0 = transformer.concat_weights %a, %b : tensor<4x8xi8>, tensor<2x8xi8>
  return
}

// What is multiplied decides on the kernel. Of 8-bit floats the reference has
// the rate of integers; weights of 4 bits are widened in f32.
// CHECK-LABEL: func @quantized_linears
// CHECK:         ascend.launch "quantized_matmul_fp8"(%{{.*}}) as("tensor_cast.fp8_linear"){{.*}} { ascend.matmul m(7) n(4) k(64) : i8 }
// CHECK:         ascend.launch "quantized_matmul_int4"(%{{.*}}) as("tensor_cast.static_quant_linear_int4")
// CHECK-NEXT:      ascend.matmul m(7) n(4) k(64) : i8
// CHECK-NEXT:      ascend.elementwise elements(256) operations(1) : f32
// CHECK-NEXT:    }
// CHECK:         ascend.launch "quantized_matmul_mx"(%{{.*}}) as("tensor_cast.mxfp4_linear"){{.*}} { ascend.matmul m(7) n(4) k(64) : f4E2M1FN }
func.func @quantized_linears(%e: tensor<7x64xf8E4M3FN>, %f: tensor<4x64xf8E5M2>, %i: tensor<7x64xi8>, %j: tensor<4x64xi4>,
                             %m: tensor<7x64xf4E2M1FN>, %ms: tensor<7x2xf8E8M0FNU>, %n: tensor<4x64xf4E2M1FN>,
                             %ns: tensor<4x2xf8E8M0FNU>, %s: tensor<f32>) {
  %0 = transformer.quantized_linear %e, %f weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>)
      : tensor<7x64xf8E4M3FN>, tensor<4x64xf8E5M2> -> tensor<7x4xf16>
  %1 = transformer.quantized_linear %i, %j weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>)
      : tensor<7x64xi8>, tensor<4x64xi4> -> tensor<7x4xf16>
  %2 = transformer.quantized_linear %m, %n weight_scale(%ns : tensor<4x2xf8E8M0FNU>) input_scale(%ms : tensor<7x2xf8E8M0FNU>)
      group_size(32) : tensor<7x64xf4E2M1FN>, tensor<4x64xf4E2M1FN> -> tensor<7x4xf16>
  return
}

// A scale per group costs an operation of its own in August: 7 x 64 elements and
// 7 x 2 groups.
// CHECK-LABEL: func @quantize_groups
// AUGUST:        ascend.launch "dynamic_quantize_mx"(%{{.*}}) as("tensor_cast.dynamic_quantize_mxfp4")
// AUGUST-NEXT:     ascend.elementwise elements(448) operations(2) : f16
// AUGUST-NEXT:     ascend.elementwise elements(14) operations(1) : f16
// JUNE:          ascend.launch "dynamic_quantize_mx"(%{{.*}}) as("tensor_cast.dynamic_quantize_mxfp4") : {{.*}} -> (tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>){{$}}
func.func @quantize_groups(%x: tensor<7x64xf16>) {
  %0, %1 = transformer.dynamic_quantize %x group_size(32) : tensor<7x64xf16> to tensor<7x64xf4E2M1FN>, tensor<7x2xf8E8M0FNU>
  return
}

!i8 = !transformer.kv_cache<2x2x8xi8, block_size = 128>
!f8 = !transformer.kv_cache<2x2x8xf8E4M3FN, block_size = 128>
!bound = !transformer.batch<#transformer.workload<queries = 3, query_length = 5, context_length = 250>>

// Scores and results are converted, too: 8 operations per score and 2 per
// element of the result, for floats 6 and 1.
// CHECK-LABEL: func @quantized_attention
// CHECK:         ascend.launch "quantized_attention"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) using(%{{.*}}, %{{.*}}) as("tensor_cast.attention_quant")
// CHECK-NEXT:      ascend.attention pairs(3825) heads(4) key_size(8) value_size(8) softmax(8) rows(765) kv_heads(2) metadata(128) : i8, i8, f16
// CHECK-NEXT:      ascend.elementwise elements(480) operations(2) : f16
// CHECK:         ascend.launch "quantized_attention_fp8"
// CHECK-NEXT:      ascend.attention {{.*}} softmax(6) {{.*}} : f8E4M3FN, f8E4M3FN, f16
// CHECK-NEXT:      ascend.elementwise elements(480) operations(1) : f16
func.func @quantized_attention(%q: tensor<15x4x8xi8>, %c: !i8, %r: tensor<15x4x8xf8E4M3FN>, %d: !f8, %b: !bound, %s: tensor<f32>) {
  %0 = transformer.quantized_attention %q, %c of %b scale(0.5) scales(%s, %s, %s) : tensor<15x4x8xi8>, !i8, !bound -> tensor<15x4x8xf16>
  %1 = transformer.quantized_attention %r, %d of %b scale(0.5) scales(%s, %s, %s) : tensor<15x4x8xf8E4M3FN>, !f8, !bound -> tensor<15x4x8xf16>
  return
}
