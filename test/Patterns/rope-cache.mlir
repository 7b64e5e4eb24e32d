// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/rope-cache.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/rope-cache.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

!q = tensor<7x4x8xf16>
!k = tensor<7x2x8xf16>
!rope = !transformer.rope_table<8xf16>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>
!k8 = tensor<7x2x8xi8>
!cache8 = !transformer.kv_cache<2x2x8xi8, block_size = 128>

// Rotated queries are written, rotated keys are not.
// CHECK-LABEL: func @rope_pair
// CHECK-NEXT:    %[[R:.*]]:2 = transformer.fused "rope_append_cache"
// CHECK-NEXT:      %[[Q:.*]], %[[K:.*]] = transformer.rope_pair
// CHECK-NEXT:      %[[C:.*]] = transformer.append_cache %[[K]]
// CHECK-NEXT:      transformer.yield %[[Q]], %[[C]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @rope_pair(%q: !q, %k: !k, %v: !k, %t: !rope, %cache: !cache, %batch: !transformer.batch) -> (!q, !cache) {
  %q1, %k1 = transformer.rope_pair %q, %k, %t : !q, !k, !rope
  // expected-remark @below {{[Passed] RopePairCache }}
  %r = transformer.append_cache %k1, %v to %cache of %batch : !k, !cache, !transformer.batch
  return %q1, %r : !q, !cache
}

// CHECK-LABEL: func @rope_of_keys
// CHECK-NEXT:    transformer.fused "rope_append_cache"
// CHECK-NEXT:      transformer.rope %
func.func @rope_of_keys(%k: !k, %v: !k, %t: !rope, %cache: !cache, %batch: !transformer.batch) -> !cache {
  %k1 = transformer.rope %k, %t : !k, !rope
  // expected-remark @below {{[Passed] RopeCache }}
  %r = transformer.append_cache %k1, %v to %cache of %batch : !k, !cache, !transformer.batch
  return %r : !cache
}

// CHECK-LABEL: func @rope_quantized
// CHECK-NEXT:    transformer.fused "rope_quantize_append_cache"
// CHECK-NEXT:      transformer.rope_pair
// CHECK-NEXT:      transformer.quantize
// CHECK-NEXT:      transformer.quantize
// CHECK-NEXT:      transformer.append_cache
func.func @rope_quantized(%q: !q, %k: !k, %v: !k, %t: !rope, %ks: tensor<f32>, %vs: tensor<f32>, %cache: !cache8, %batch: !transformer.batch) -> (!q, !cache8) {
  %q1, %k1 = transformer.rope_pair %q, %k, %t : !q, !k, !rope
  %k2 = transformer.quantize %k1, %ks : !k to !k8
  %v2 = transformer.quantize %v, %vs : !k to !k8
  // expected-remark @below {{[Passed] RopeQuantizedCache }}
  %r = transformer.append_cache %k2, %v2 to %cache of %batch : !k8, !cache8, !transformer.batch
  return %q1, %r : !q, !cache8
}

// CHECK-LABEL: func @no_fusion_when_keys_are_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_keys_are_read_as_well(%k: !k, %v: !k, %t: !rope, %cache: !cache, %batch: !transformer.batch) -> (!k, !cache) {
  %k1 = transformer.rope %k, %t : !k, !rope
  // expected-remark @below {{[Missed] RopeCache | Category:apply-patterns | Function=no_fusion_when_keys_are_read_as_well | Reason="HasOneUse: the value has 2 readers"}}
  %r = transformer.append_cache %k1, %v to %cache of %batch : !k, !cache, !transformer.batch
  return %k1, %r : !k, !cache
}

// Keys that are rotated beside it: the queries are what is written.
// CHECK-LABEL: func @no_fusion_of_rotated_queries
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_rotated_queries(%q: !k, %k: !k, %v: !k, %t: !rope, %cache: !cache, %batch: !transformer.batch) -> !cache {
  %q1, %k1 = transformer.rope_pair %q, %k, %t : !k, !k, !rope
  // expected-remark @below {{Reason="expected operand 0 of 'transformer.append_cache' to be result 1 of 'transformer.rope_pair', but it is result 0"}}
  %r = transformer.append_cache %q1, %v to %cache of %batch : !k, !cache, !transformer.batch
  return %r : !cache
}

// CHECK-LABEL: func @cache_without_rope
// CHECK-NEXT:    transformer.append_cache
func.func @cache_without_rope(%k: !k, %v: !k, %cache: !cache, %batch: !transformer.batch) -> !cache {
  %r = transformer.append_cache %k, %v to %cache of %batch : !k, !cache, !transformer.batch
  return %r : !cache
}
