// RUN: tc-opt %s --convert-transformer-to-ascend | FileCheck %s

#tokens = #transformer.dims<tokens>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
!int8_cache = !transformer.kv_cache<2x2x8xi8, block_size = 128>
!bound = !transformer.batch<#transformer.workload<queries = 3, query_length = 5, context_length = 250>>

// Keys and values are read, and written to their slots: 2 x 2 x 8 elements of
// 2 bytes, and a slot number of 8 bytes, per token.
// CHECK-LABEL: func @append_cache
// CHECK-SAME:    %[[K:.*]]: tensor<?x2x8xf16, #[[T:.*]]>, %[[V:.*]]: tensor<?x2x8xf16, #[[T]]>, %[[C:.*]]: !transformer.kv_cache<2x2x8xf16, block_size = 128>, %[[B:.*]]: !transformer.batch
// CHECK:         %[[R:.*]] = ascend.launch "append_cache"(%[[K]], %[[V]]) using(%[[C]], %[[B]]) as("tensor_cast.reshape_and_cache")
// CHECK-SAME:      -> !transformer.kv_cache<2x2x8xf16, block_size = 128>
// CHECK-SAME:      { ascend.scatter rows(tokens) row_bytes(64) index(8 * tokens) }
// CHECK:         return %[[R]]
func.func @append_cache(%k: tensor<?x2x8xf16, #tokens>, %v: tensor<?x2x8xf16, #tokens>,
                        %cache: !cache, %batch: !transformer.batch) -> !cache {
  %0 = transformer.append_cache %k, %v to %cache of %batch
      : tensor<?x2x8xf16, #tokens>, !cache, !transformer.batch
  return %0 : !cache
}

// Metadata, of 8 bytes each: a block table as wide as the longest request, the
// starts of the requests and the end, two lengths of each.
// CHECK-LABEL: func @attention
// CHECK-SAME:    %[[Q:.*]]: tensor<?x4x8xf16, #[[T:.*]]>, %[[C:.*]]: !transformer.kv_cache<2x2x8xf16, block_size = 128>, %[[B:.*]]: !transformer.batch
// CHECK:         ascend.launch "attention"(%[[Q]]) using(%[[C]], %[[B]]) as("tensor_cast.attention")
// CHECK-SAME:      { ascend.attention pairs(sum(q * kv)) heads(4) key_size(8) value_size(8) softmax(4)
// CHECK-SAME:        rows(sum(kv)) kv_heads(2) metadata(8 + 24 * sequences + 8 * sequences * ceildiv(max(kv), 128)) : f16, f16, f16 }
func.func @attention(%q: tensor<?x4x8xf16, #tokens>, %cache: !cache, %batch: !transformer.batch) {
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<?x4x8xf16, #tokens>, !cache, !transformer.batch
  return
}

// 3 requests of q = 5 and kv = 255: 3825 pairs, 765 cached tokens, and
// 8 * (3 * 2 + 3 + 1 + 6) = 128 bytes of metadata.
// CHECK-LABEL: func @bound_attention
// CHECK:         ascend.attention pairs(3825) heads(4) key_size(8) value_size(8) softmax(4)
// CHECK-SAME:      rows(765) kv_heads(2) metadata(128) : f16, f16, f16
func.func @bound_attention(%q: tensor<15x4x8xf16>, %cache: !cache, %batch: !bound) {
  %0 = transformer.attention %q, %cache of %batch scale(0.5)
      : tensor<15x4x8xf16>, !cache, !bound
  return
}

// CHECK-LABEL: func @bound_append_cache
// CHECK:         { ascend.scatter rows(15) row_bytes(32) index(120) }
func.func @bound_append_cache(%k: tensor<15x2x8xi8>, %cache: !int8_cache, %batch: !bound) {
  %0 = transformer.append_cache %k, %k to %cache of %batch
      : tensor<15x2x8xi8>, !int8_cache, !bound
  return
}
