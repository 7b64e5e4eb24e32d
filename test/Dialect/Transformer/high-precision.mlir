// RUN: tc-opt %s --transformer-mark-layers="high-precision=rms_norm,self_attn.*@model.layers.1" | FileCheck %s --check-prefix=MARKS
// RUN: tc-opt %s --transformer-mark-layers="high-precision=rms_norm,self_attn.*@model.layers.1" --transformer-quantize \
// RUN:   --transformer-decompose --transformer-fuse-norm --transformer-fuse-quant | FileCheck %s
// RUN: tc-opt %s --transformer-mark-layers="high-precision=rms_norm" --transformer-decompose --transformer-fuse-norm \
// RUN:   --remarks-filter=fuse-norm 2>&1 >%t | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --transformer-mark-layers="high-precision=linear@*.1" --transformer-quantize | FileCheck %s --check-prefix=LINEAR
// RUN: tc-opt %s --transformer-mark-layers="high-precision=attention@*.1" --transformer-quantize="attention-action=INT8" \
// RUN:   | FileCheck %s --check-prefix=ATTENTION
// RUN: not tc-opt %s --transformer-mark-layers="high-precision=rms_nrm" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tc-opt %s --transformer-mark-layers="high-precision=o_prj" 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tc-opt %s --transformer-mark-layers="high-precision=linear@model.layers.2" 2>&1 | FileCheck %s --check-prefix=LAYER
// RUN: not tc-opt %s --transformer-mark-layers="high-precision=a[" 2>&1 | FileCheck %s --check-prefix=GLOB

// NAME:    error: unknown name 'rms_nrm'; did you mean 'rms_norm'? known names: attention, layer_norm, linear, rms_norm, rope, softmax, self_attn.q_proj, mlp.down_proj{{$}}
// NOTHING: error: unknown name 'o_prj'; known names:
// LAYER:   error: unknown layer 'model.layers.2'; did you mean 'model.layers.0'?
// GLOB:    error: expected an op or the name of a weight, but got 'a[': invalid glob pattern

// MARKS:      func.func private @layer({{.*}} attributes {transformer.high_precision = ["rms_norm"]} {
// MARKS:      func.func private @layer_{{.*}} attributes {transformer.high_precision = ["self_attn.*@model.layers.1", "rms_norm"]} {
// MARKS:      func.func @main({{.*}} attributes {transformer.high_precision = ["rms_norm"]} {

// Norms keep their conversions to f32, and cannot be quantized in one kernel then.
// CHECK:      func.func private @layer(
// CHECK:        transformer.cast %{{.*}} : tensor<7x64xf16> to tensor<7x64xf32>
// CHECK-NOT:    transformer.rms_norm
// CHECK:        transformer.dynamic_quantize
// CHECK:        transformer.quantized_linear {{.*}}%q_proj.weight
// CHECK:        transformer.quantized_linear {{.*}}%down_proj.weight
// CHECK:      func.func private @layer_
// CHECK:        transformer.cast %{{.*}} : tensor<7x64xf16> to tensor<7x64xf32>
// CHECK-NOT:    transformer.rms_norm
// CHECK:        transformer.linear {{.*}}%q_proj.weight
// CHECK:        transformer.quantized_linear {{.*}}%down_proj.weight

// REMARK:     [Missed] rms-norm | Category:fuse-norm | Function=layer | Reason="kept in high precision by 'rms_norm'"

// LINEAR:      func.func private @layer(
// LINEAR-COUNT-2: transformer.quantized_linear
// LINEAR:      func.func private @layer_
// LINEAR-NOT:    transformer.quantized_linear
// LINEAR:      func.func @main

// ATTENTION:      func.func private @layer(
// ATTENTION:        transformer.quantized_attention
// ATTENTION:      func.func private @layer_
// ATTENTION:        transformer.quantized_linear
// ATTENTION:        transformer.kv_cache "self_attn" : <2x1x64xf16
// ATTENTION:        transformer.attention
// ATTENTION:      func.func @main

!batch = !transformer.batch<#transformer.workload<queries = 1, query_length = 7>>
!cache = !transformer.kv_cache<2x1x64xf16, block_size = 128>
func.func private @layer(%x: tensor<7x64xf16>, %batch: !batch) -> tensor<7x64xf16> {
  %w = transformer.weight "norm.weight" : tensor<64xf16>
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x64xf16>, tensor<64xf16>
  %q = transformer.weight "self_attn.q_proj.weight" : tensor<64x64xf16>
  %1 = transformer.linear %0, %q : tensor<7x64xf16>, tensor<64x64xf16> -> tensor<7x64xf16>
  %2 = transformer.reshape %1 : tensor<7x64xf16> to tensor<7x1x64xf16>
  %c0 = transformer.kv_cache "self_attn" : !cache
  %c1 = transformer.append_cache %2, %2 to %c0 of %batch : tensor<7x1x64xf16>, tensor<7x1x64xf16>, !cache, !batch
  %3 = transformer.attention %2, %c1 of %batch scale(0.125)
      : tensor<7x1x64xf16>, !cache, !batch
  %4 = transformer.reshape %3 : tensor<7x1x64xf16> to tensor<7x64xf16>
  %d = transformer.weight "mlp.down_proj.weight" : tensor<64x64xf16>
  %5 = transformer.linear %4, %d : tensor<7x64xf16>, tensor<64x64xf16> -> tensor<7x64xf16>
  return %5 : tensor<7x64xf16>
}
func.func @main(%x: tensor<7x64xf16>, %batch: !batch) -> tensor<7x64xf16> {
  %0 = transformer.layer @layer(%x, %batch) name("model.layers.0") : (tensor<7x64xf16>, !batch) -> tensor<7x64xf16>
  %1 = transformer.layer @layer(%0, %batch) name("model.layers.1") : (tensor<7x64xf16>, !batch) -> tensor<7x64xf16>
  return %1 : tensor<7x64xf16>
}
