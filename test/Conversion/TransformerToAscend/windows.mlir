// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefix=REFERENCE
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06" | FileCheck %s --check-prefix=REFERENCE

// Attention to the latest tokens, and to blocks of tokens. The reference's
// kernels attend to whole requests and know of no sinks.

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
!latest = !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 200>
!bound = !transformer.batch<#transformer.workload<queries = 3, query_length = 5, context_length = 250>>

// A token meets 200 tokens at most. Those of a request's q new tokens are
// 200 - 1 + q, which are read, and whose blocks are looked up.
// CHECK-LABEL: func @window
// CHECK:         ascend.launch "attention"(%{{[^,]*}}) using
// CHECK-SAME:      { ascend.attention pairs(sum(q * min(200, kv))) heads(4) key_size(8) value_size(8) softmax(5)
// CHECK-SAME:        rows(sum(min(kv, 199 + q))) kv_heads(2)
// CHECK-SAME:        metadata(8 + 24 * sequences + 8 * sequences * ceildiv(max(min(kv, 199 + q)), 128)) : f16, f16, f16 }
// REFERENCE-LABEL: func @window
// REFERENCE:       pairs(sum(q * kv)) {{.*}} rows(sum(kv)) kv_heads(2) metadata(8 + 24 * sequences + 8 * sequences * ceildiv(max(kv), 128))
func.func @window(%q: tensor<?x4x8xf16, #tokens>, %batch: !transformer.batch) -> tensor<?x4x8xf16, #tokens> {
  %cache = transformer.kv_cache "self_attn" : !latest
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(200)
      : tensor<?x4x8xf16, #tokens>, !latest, !transformer.batch
  return %0 : tensor<?x4x8xf16, #tokens>
}

// 3 requests of q = 5 and kv = 255: 3 * 5 * 200 pairs, 3 * 204 tokens in
// 2 blocks each, and one more score per token and head.
// CHECK-LABEL: func @bound_window_and_sink
// CHECK:         ascend.launch "attention"(%{{.*}}, %[[SINK:.*]]) using
// CHECK:           ascend.attention pairs(3000) {{.*}} rows(612) kv_heads(2) metadata(128)
// CHECK:           ascend.elementwise elements(60) operations(3) : f16
// REFERENCE-LABEL: func @bound_window_and_sink
// REFERENCE-SAME:    %[[Q:[^:]*]]: tensor<15x4x8xf16>
// REFERENCE:       ascend.launch "attention"(%[[Q]]) using({{.*}} : {{.*}}!transformer.kv_cache<2x2x8xf16, block_size = 128>
// REFERENCE-SAME:  pairs(3825) {{.*}} rows(765)
func.func @bound_window_and_sink(%q: tensor<15x4x8xf16>, %batch: !bound, %sink: tensor<4xf16>) {
  %cache = transformer.kv_cache "self_attn" : !latest
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(200) sink(%sink : tensor<4xf16>)
      : tensor<15x4x8xf16>, !latest, !bound
  return
}

// Windows that requests do not fill change nothing: 3825 pairs, 765 tokens.
// CHECK-LABEL: func @wide_window
// CHECK:           pairs(3825) {{.*}} rows(765) kv_heads(2) metadata(128)
func.func @wide_window(%q: tensor<15x4x8xf16>, %cache: !cache, %batch: !bound) {
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(255)
      : tensor<15x4x8xf16>, !cache, !bound
  return
}

// Keys and values differ in size.
// CHECK-LABEL: func @value_size
// CHECK:         ascend.launch "append_cache"
// CHECK-SAME:      ascend.scatter rows(tokens) row_bytes(56)
// CHECK:         key_size(8) value_size(6)
// REFERENCE-LABEL: func @value_size
// REFERENCE:       key_size(8) value_size(6)
func.func @value_size(%q: tensor<?x4x8xf16, #tokens>, %k: tensor<?x2x8xf16, #tokens>,
                      %v: tensor<?x2x6xf16, #tokens>,
                      %cache: !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>,
                      %batch: !transformer.batch) {
  %full = transformer.append_cache %k, %v to %cache of %batch
      : tensor<?x2x8xf16, #tokens>, tensor<?x2x6xf16, #tokens>,
        !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>, !transformer.batch
  %0 = transformer.attention %q, %full of %batch scale(0.5)
      : tensor<?x4x8xf16, #tokens>,
        !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6>, !transformer.batch
  return
}

// CHECK-LABEL: func @quantized
// CHECK:         ascend.launch "quantized_attention"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) using
// CHECK:           ascend.attention pairs(sum(q * min(200, kv)))
// CHECK:           ascend.elementwise elements(4 * tokens) operations(3) : f16
// REFERENCE-LABEL: func @quantized
// REFERENCE:       ascend.launch "quantized_attention"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) using
// REFERENCE:         ascend.attention pairs(sum(q * kv))
func.func @quantized(%q: tensor<?x4x8xi8, #tokens>, %s: tensor<f32>, %sink: tensor<4xf16>, %batch: !transformer.batch) {
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xi8, block_size = 128, window = 200>
  %0 = transformer.quantized_attention %q, %cache of %batch scale(0.5) scales(%s, %s, %s)
      window(200) sink(%sink : tensor<4xf16>)
      : tensor<?x4x8xi8, #tokens>, !transformer.kv_cache<2x2x8xi8, block_size = 128, window = 200>,
        !transformer.batch -> tensor<?x4x8xf16, #tokens>
  return
}

// The indexer scores every cached token with each of 2 heads, and ranks the
// blocks in 2 steps, as 3 of them are picked.
// CHECK-LABEL: func @picked_blocks
// CHECK:         ascend.launch "append_index_cache"
// CHECK-SAME:      { ascend.scatter rows(tokens) row_bytes(16) index(8 * tokens) }
// CHECK:         ascend.launch "block_indexer"(%{{[^,]*}}) using
// CHECK:           ascend.matmul m(sum(q * kv)) n(2) k(8) : f16
// CHECK:           ascend.elementwise elements(2 * sum(q * kv)) operations(1) : f16
// CHECK:           ascend.elementwise elements(2 * sum(q * ceildiv(kv, 4))) operations(2) : f16
// CHECK:           ascend.gather rows(sum(kv)) row_bytes(16) index(16 * sequences + 8 * sequences * max(ceildiv(kv, 4)))
// A token meets 3 blocks of 4 tokens at most.
// CHECK:         ascend.launch "block_sparse_attention"(%{{[^,]*}}, %{{[^,]*}}) using
// CHECK:           ascend.attention pairs(sum(q * min(12, kv))) {{.*}} rows(sum(min(kv, 12 * q)))
// REFERENCE-LABEL: func @picked_blocks
// REFERENCE:       as("tensor_cast.siso_reshape_and_cache")
// REFERENCE:       as("tensor_cast.minimax_indexer")
// REFERENCE:       as("tensor_cast.minimax_sparse_attention")
func.func @picked_blocks(%q: tensor<?x4x8xf16, #tokens>, %iq: tensor<?x2x8xf16, #tokens>,
                         %ik: tensor<?x1x8xf16, #tokens>, %cache: !cache,
                         %index: !transformer.kv_cache<8xf16, block_size = 128>,
                         %batch: !transformer.batch) {
  %full = transformer.append_index_cache %ik to %index of %batch
      : tensor<?x1x8xf16, #tokens>, !transformer.kv_cache<8xf16, block_size = 128>,
        !transformer.batch
  %i = transformer.block_indexer %iq, %full of %batch top_k(3) block_size(4) local(1) initial(0)
      : tensor<?x2x8xf16, #tokens>, !transformer.kv_cache<8xf16, block_size = 128>,
        !transformer.batch
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      blocks(%i : tensor<?x2x3xi64, #tokens>) block_size(4)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return
}

// Caches that come from elsewhere keep all tokens as well in the reference.
// CHECK-LABEL: func @cache_of_the_caller
// CHECK-SAME:    !transformer.kv_cache<2x2x8xf16, block_size = 128, window = 200>
// REFERENCE-LABEL: func @cache_of_the_caller
// REFERENCE-SAME:    !transformer.kv_cache<2x2x8xf16, block_size = 128>,
// REFERENCE:       pairs(sum(q * kv))
func.func @cache_of_the_caller(%q: tensor<?x4x8xf16, #tokens>, %cache: !latest, %batch: !transformer.batch) {
  %0 = transformer.attention %q, %cache of %batch scale(0.5) window(200)
      : tensor<?x4x8xf16, #tokens>, !latest, !transformer.batch
  return
}
