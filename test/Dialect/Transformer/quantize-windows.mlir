// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED attention-action=INT8" | FileCheck %s

// Windows, sinks and picked blocks stay as they are, and so does the size of
// values; sinks keep their type.

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6, window = 4>

// CHECK-LABEL: func private @layer
// CHECK:         transformer.quantize %{{.*}} to tensor<?x2x6xi8, #{{.*}}>
// CHECK:         transformer.kv_cache "self_attn" : <2x2x8xi8, block_size = 128, value_size = 6, window = 4>
// CHECK:         transformer.quantized_attention {{.*}} window(3) sink(%{{.*}} : tensor<4xf16>) blocks(%{{.*}} : tensor<?x2x5xi64, #{{.*}}>) block_size(2)
// CHECK-SAME:      -> tensor<?x4x6xf16,
func.func private @layer(%q: tensor<?x4x8xf16, #tokens>, %k: tensor<?x2x8xf16, #tokens>,
                         %v: tensor<?x2x6xf16, #tokens>, %sink: tensor<4xf16>, %i: tensor<?x2x5xi64, #tokens>,
                         %batch: !transformer.batch) -> tensor<?x4x6xf16, #tokens> {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_cache %k, %v to %cache of %batch
      : tensor<?x2x8xf16, #tokens>, tensor<?x2x6xf16, #tokens>, !cache, !transformer.batch
  %a = transformer.attention %q, %full of %batch scale(0.25) window(3) sink(%sink : tensor<4xf16>)
      blocks(%i : tensor<?x2x5xi64, #tokens>) block_size(2)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return %a : tensor<?x4x6xf16, #tokens>
}
