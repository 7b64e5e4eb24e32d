// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_752T_128G_DIE cost-model=tensorcast-2026.08" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefix=AUGUST
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06 compiled" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_752T_128G_DIE cost-model=tensorcast-2026.06" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefix=JUNE

// In June, what the indexer caches is no KV cache.
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06" | FileCheck %s --check-prefix=CACHE-JUNE
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefix=CACHE-AUGUST
// CACHE-JUNE: transformer.kv_cache "self_attn.indexer" auxiliary : <128xf16
// CACHE-AUGUST: transformer.kv_cache "self_attn.indexer" : <128xf16

!decode = !transformer.batch<#transformer.workload<queries = 4, query_length = 3, context_length = 16000, decode = true>>
!rope = !transformer.rope_table<64xf16>
!cache = !transformer.kv_cache<576xf16, block_size = 128>
!keys = !transformer.kv_cache<128xf16, block_size = 128>

// Rows that are picked are read at a share of the bandwidth in August. Recorded
// by the reference: 176.6 us and 395.5 us.
// AUGUST: lightning_indexer takes 176.6 us
// AUGUST: sparse_latent_attention takes 395.5 us
func.func @decode(%x: tensor<12x7168xf16>, %ql: tensor<12x1536xf16>, %rope: !rope, %wq: tensor<8192x1536xi8>,
                  %wk: tensor<128x7168xi8>, %ww: tensor<64x7168xi8>, %n: tensor<128xf16>, %s: tensor<f32>,
                  %q: tensor<12x128x192xf16>, %full: !cache, %w: tensor<32768x512xf16>,
                  %batch: !decode) -> tensor<12x128x128xf16> {
  %cache = transformer.kv_cache "self_attn.indexer" : !keys
  %i, %after = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) scales(%s, %s, %s) top_k(2048) eps(1.0e-6)
      : (tensor<12x7168xf16>, tensor<12x1536xf16>, !rope, !keys, !decode, tensor<8192x1536xi8>,
         tensor<128x7168xi8>, tensor<64x7168xi8>, tensor<128xf16>, tensor<128xf16>,
         tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<12x2048xi64>, !keys)
  %0 = transformer.latent_attention %q, %full of %batch weight(%w) indices(%i : tensor<12x2048xi64>) scale(0.07)
      : tensor<12x128x192xf16>, !cache, !decode, tensor<32768x512xf16> -> tensor<12x128x128xf16>
  return %0 : tensor<12x128x128xf16>
}

// One token after 4096, in a prefill step: by their number in June, such
// requests are absorbed; by the step in August, they are not. Recorded in June:
// 19.25 us and 39.12 us.
!prefill = !transformer.batch<#transformer.workload<queries = 1, query_length = 1, context_length = 4096>>
// JUNE: lightning_indexer
// JUNE: sparse_latent_attention
// JUNE: lightning_indexer takes 19.25 us
// JUNE: sparse_latent_attention takes 39.12 us
func.func @prefill(%x: tensor<1x7168xf16>, %ql: tensor<1x1536xf16>, %rope: !rope, %wq: tensor<8192x1536xf8E4M3FN>,
                   %wk: tensor<128x7168xf8E4M3FN>, %ww: tensor<64x7168xf8E4M3FN>, %n: tensor<128xf16>, %s: tensor<f32>,
                   %q: tensor<1x128x192xf16>, %full: !cache, %w: tensor<32768x512xf16>,
                   %batch: !prefill) -> tensor<1x128x128xf16> {
  %cache = transformer.kv_cache "self_attn.indexer" : !keys
  %i, %after = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch query(%wq) key(%wk)
      head_weights(%ww) norm(%n, %n) scales(%s, %s, %s) top_k(2048) eps(1.0e-6)
      : (tensor<1x7168xf16>, tensor<1x1536xf16>, !rope, !keys, !prefill, tensor<8192x1536xf8E4M3FN>,
         tensor<128x7168xf8E4M3FN>, tensor<64x7168xf8E4M3FN>, tensor<128xf16>, tensor<128xf16>,
         tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<1x2048xi64>, !keys)
  %0 = transformer.latent_attention %q, %full of %batch weight(%w) indices(%i : tensor<1x2048xi64>) scale(0.07)
      : tensor<1x128x192xf16>, !cache, !prefill, tensor<32768x512xf16> -> tensor<1x128x128xf16>
  return %0 : tensor<1x128x128xf16>
}
