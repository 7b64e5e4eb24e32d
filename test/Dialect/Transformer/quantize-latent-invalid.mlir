// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED attention-action=INT8" --verify-diagnostics
// RUN: tc-opt %s --transformer-quantize="exclude=*.kv_b_proj attention-action=INT8" --verify-diagnostics

!cache = !transformer.kv_cache<20xf16, block_size = 128>

func.func private @layer(%q: tensor<7x8x12xf16>, %c: tensor<7x16xf16>, %k: tensor<7x4xf16>,
                         %batch: !transformer.batch) -> tensor<7x8x6xf16> {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<7x16xf16>, tensor<7x4xf16>, !cache, !transformer.batch
  %w = transformer.weight "self_attn.kv_b_proj.weight" : tensor<112x16xf16>
  // expected-error @below {{expected a quantized 'self_attn.kv_b_proj.weight' for attention-action INT8, but got 'f16'; choose a linear-action that quantizes it}}
  %0 = transformer.latent_attention %q, %full of %batch weight(%w) scale(0.5)
      : tensor<7x8x12xf16>, !cache, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  return %0 : tensor<7x8x6xf16>
}
