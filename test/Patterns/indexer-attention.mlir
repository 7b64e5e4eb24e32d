// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/indexer-attention.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/indexer-attention.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

!rope = !transformer.rope_table<4xf16>
!index = !transformer.kv_cache<8xf16, block_size = 128>
!latent = !transformer.kv_cache<20xf16, block_size = 128>
!batch = !transformer.batch<#transformer.workload<queries = 2, query_length = 8>>

// The cache of the indexer is a result of the kernel, too.
// CHECK-LABEL: func @indexer_attention
// CHECK-NEXT:    %[[R:.*]]:2 = transformer.fused "indexer_attention"
// CHECK-NEXT:      %[[IDS:.*]], %[[CACHE:.*]] = transformer.lightning_indexer
// CHECK-NEXT:      %[[A:.*]] = transformer.latent_attention {{.*}} indices(%[[IDS]]
// CHECK-NEXT:      transformer.yield %[[CACHE]], %[[A]]
// CHECK:         return %[[R]]#1, %[[R]]#0
func.func @indexer_attention(%x: tensor<16x96xf16>, %ql: tensor<16x24xf16>, %rope: !rope, %index: !index, %latent: !latent, %batch: !batch,
    %wq: tensor<32x24xf16>, %wk: tensor<8x96xf16>, %wh: tensor<4x96xf16>, %n: tensor<8xf16>, %q: tensor<16x4x12xf16>, %wv: tensor<64x16xf16>) -> (tensor<16x4x8xf16>, !index) {
  %ids, %cache = transformer.lightning_indexer %x, %ql, %rope to %index of %batch query(%wq) key(%wk) head_weights(%wh) norm(%n, %n) top_k(6) eps(1.0e-06)
      : (tensor<16x96xf16>, tensor<16x24xf16>, !rope, !index, !batch, tensor<32x24xf16>, tensor<8x96xf16>, tensor<4x96xf16>, tensor<8xf16>, tensor<8xf16>) -> (tensor<16x6xi64>, !index)
  // expected-remark @below {{[Passed] IndexerAttention }}
  %a = transformer.latent_attention %q, %latent of %batch weight(%wv) indices(%ids : tensor<16x6xi64>) scale(0.5) : tensor<16x4x12xf16>, !latent, !batch, tensor<64x16xf16> -> tensor<16x4x8xf16>
  return %a, %cache : tensor<16x4x8xf16>, !index
}

// Layers that share a choice of tokens read it twice.
// CHECK-LABEL: func @no_fusion_of_a_shared_choice
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_a_shared_choice(%x: tensor<16x96xf16>, %ql: tensor<16x24xf16>, %rope: !rope, %index: !index, %latent: !latent, %batch: !batch,
    %wq: tensor<32x24xf16>, %wk: tensor<8x96xf16>, %wh: tensor<4x96xf16>, %n: tensor<8xf16>, %q: tensor<16x4x12xf16>, %wv: tensor<64x16xf16>) -> (tensor<16x4x8xf16>, tensor<16x6xi64>) {
  %ids, %cache = transformer.lightning_indexer %x, %ql, %rope to %index of %batch query(%wq) key(%wk) head_weights(%wh) norm(%n, %n) top_k(6) eps(1.0e-06)
      : (tensor<16x96xf16>, tensor<16x24xf16>, !rope, !index, !batch, tensor<32x24xf16>, tensor<8x96xf16>, tensor<4x96xf16>, tensor<8xf16>, tensor<8xf16>) -> (tensor<16x6xi64>, !index)
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  %a = transformer.latent_attention %q, %latent of %batch weight(%wv) indices(%ids : tensor<16x6xi64>) scale(0.5) : tensor<16x4x12xf16>, !latent, !batch, tensor<64x16xf16> -> tensor<16x4x8xf16>
  return %a, %ids : tensor<16x4x8xf16>, tensor<16x6xi64>
}

// Dense attention has no indexer.
// CHECK-LABEL: func @dense_attention
// CHECK-NEXT:    transformer.latent_attention
func.func @dense_attention(%latent: !latent, %batch: !batch, %q: tensor<16x4x12xf16>, %wv: tensor<64x16xf16>) -> tensor<16x4x8xf16> {
  %a = transformer.latent_attention %q, %latent of %batch weight(%wv) scale(0.5) : tensor<16x4x12xf16>, !latent, !batch, tensor<64x16xf16> -> tensor<16x4x8xf16>
  return %a : tensor<16x4x8xf16>
}
