// What latent attention costs, against single launches that the reference
// recorded at two dates.
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_560T_128G_DIE cost-model=tensorcast-2026.08" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefix=AUGUST
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06 compiled" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_560T_128G_DIE cost-model=tensorcast-2026.06" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefix=JUNE

// Six requests of four tokens after 4200: few enough tokens to be absorbed at
// both dates.
!decode = !transformer.batch<#transformer.workload<queries = 6, query_length = 4, context_length = 4200, decode = true>>
!rope = !transformer.rope_table<64xf16>
!cache = !transformer.kv_cache<576xi8, block_size = 128>

// The steps of the kernel cost a start each in August, and what they hand to
// each other leaves the chip.
// AUGUST: quantized_latent_projection takes 131.9 us
// JUNE: quantized_latent_projection takes 56.65 us
func.func @projection(%x: tensor<24x7168xf16>, %rope: !rope, %a: tensor<1536x7168xi8>,
                      %n: tensor<1536xf16>, %b: tensor<24576x1536xi8>, %d: tensor<576x7168xi8>,
                      %m: tensor<512xf16>, %s: tensor<f32>)
    -> (tensor<24x128x192xf16>, tensor<24x512xf16>, tensor<24x64xf16>, tensor<24x1536xf16>) {
  %0:4 = transformer.quantized_latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m)
      scales(%s, %s, %s) activation(i8) head_size(192) eps(1.0e-6)
      : (tensor<24x7168xf16>, !rope, tensor<1536x7168xi8>, tensor<1536xf16>, tensor<24576x1536xi8>,
         tensor<576x7168xi8>, tensor<512xf16>, tensor<f32>, tensor<f32>, tensor<f32>)
      -> (tensor<24x128x192xf16>, tensor<24x512xf16>, tensor<24x64xf16>, tensor<24x1536xf16>)
  return %0#0, %0#1, %0#2, %0#3
      : tensor<24x128x192xf16>, tensor<24x512xf16>, tensor<24x64xf16>, tensor<24x1536xf16>
}

// AUGUST: append_latent_cache takes 2.026 us
// AUGUST: quantized_latent_attention takes 86.29 us
// JUNE: append_latent_cache takes 2.026 us
// JUNE: quantized_latent_attention takes 86.22 us
func.func @attention(%q: tensor<24x128x192xi8>, %c: tensor<24x512xi8>, %k: tensor<24x64xi8>,
                     %w: tensor<32768x512xi8>, %s: tensor<f32>, %batch: !decode) -> tensor<24x128x128xf16> {
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<24x512xi8>, tensor<24x64xi8>, !cache, !decode
  %0 = transformer.quantized_latent_attention %q, %full of %batch weight(%w) scale(0.07) scales(%s, %s, %s)
      : tensor<24x128x192xi8>, !cache, !decode, tensor<32768x512xi8> -> tensor<24x128x128xf16>
  return %0 : tensor<24x128x128xf16>
}
