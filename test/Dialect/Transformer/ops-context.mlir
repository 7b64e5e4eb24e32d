// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>
!shared = !transformer.kv_cache<2x1x8xf16, block_size = 128, share = 4>
!int8 = !transformer.kv_cache<2x1x8xi8, block_size = 128, share = 4, first = 3>
!rows = !transformer.kv_cache<20xf16, block_size = 128, share = 2, first = 1>

// CHECK-LABEL: func @partial_attention
// CHECK:         transformer.kv_cache "a" : <2x1x8xf16, block_size = 128, share = 4>
// CHECK:         transformer.append_cache {{.*}}, <2x1x8xf16, block_size = 128, share = 4>
// CHECK:         transformer.partial_attention %{{.*}}, %{{.*}} of %{{.*}} scale(0.5) : tensor<?x16x8xf16,
// CHECK-SAME:      -> tensor<?x16x9xf32,
// CHECK:         transformer.exchange_heads %{{.*}} over <4> : tensor<?x16x9xf32, {{.*}}> to tensor<4x?x4x9xf32,
// CHECK:         transformer.merge_attention %{{.*}} : tensor<4x?x4x9xf32, {{.*}}> to tensor<?x4x8xf16,
func.func @partial_attention(%q: tensor<?x16x8xf16, #tokens>, %k: tensor<?x1x8xf16, #tokens>, %batch: !transformer.batch)
    -> tensor<?x4x8xf16, #tokens> {
  %cache = transformer.kv_cache "a" : !shared
  %full = transformer.append_cache %k, %k to %cache of %batch
      : tensor<?x1x8xf16, #tokens>, !shared, !transformer.batch
  %p = transformer.partial_attention %q, %full of %batch scale(0.5)
      : tensor<?x16x8xf16, #tokens>, !shared, !transformer.batch -> tensor<?x16x9xf32, #tokens>
  %x = transformer.exchange_heads %p over <4> : tensor<?x16x9xf32, #tokens> to tensor<4x?x4x9xf32, #tokens>
  %m = transformer.merge_attention %x : tensor<4x?x4x9xf32, #tokens> to tensor<?x4x8xf16, #tokens>
  return %m : tensor<?x4x8xf16, #tokens>
}

// CHECK-LABEL: func @quantized
// CHECK:         transformer.partial_attention %{{.*}}, %{{.*}} of %{{.*}} scale(0.5) scales(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<7x16x8xi8>,
// CHECK-SAME:      share = 4, first = 3>
func.func @quantized(%q: tensor<7x16x8xi8>, %cache: !int8, %batch: !transformer.batch, %s: tensor<f32>) -> tensor<7x16x9xf32> {
  %p = transformer.partial_attention %q, %cache of %batch scale(0.5) scales(%s, %s, %s)
      : tensor<7x16x8xi8>, !int8, !transformer.batch -> tensor<7x16x9xf32>
  return %p : tensor<7x16x9xf32>
}

// CHECK-LABEL: func @latents
// CHECK:         transformer.absorb_query %{{.*}} weight(%{{.*}}) : tensor<7x4x12xf16>, tensor<56x16xf16> -> tensor<7x4x20xf16>
// CHECK:         transformer.partial_latent_attention %{{.*}}, %{{.*}} of %{{.*}} rank(16) scale(0.5) : tensor<7x8x20xf16>, <20xf16, block_size = 128, share = 2, first = 1>
// CHECK:         transformer.expand_values %{{.*}} weight(%{{.*}}) : tensor<7x4x16xf16>, tensor<56x16xf16> -> tensor<7x4x6xf16>
func.func @latents(%q: tensor<7x4x12xf16>, %w: tensor<56x16xf16>, %cache: !rows, %batch: !transformer.batch) -> tensor<7x4x6xf16> {
  %a = transformer.absorb_query %q weight(%w) : tensor<7x4x12xf16>, tensor<56x16xf16> -> tensor<7x4x20xf16>
  %g = transformer.all_gather %a over <2> dim(1) : tensor<7x4x20xf16> to tensor<7x8x20xf16>
  %p = transformer.partial_latent_attention %g, %cache of %batch rank(16) scale(0.5)
      : tensor<7x8x20xf16>, !rows, !transformer.batch -> tensor<7x8x17xf32>
  %x = transformer.exchange_heads %p over <2> : tensor<7x8x17xf32> to tensor<2x7x4x17xf32>
  %m = transformer.merge_attention %x : tensor<2x7x4x17xf32> to tensor<7x4x16xf16>
  %v = transformer.expand_values %m weight(%w) : tensor<7x4x16xf16>, tensor<56x16xf16> -> tensor<7x4x6xf16>
  return %v : tensor<7x4x6xf16>
}

// Keys and head weights may stay floats beside a quantized query.
// CHECK-LABEL: func @indexer_of_float_keys
// CHECK:         transformer.lightning_indexer {{.*}} scales(%{{[a-z0-9_]*}}) top_k(2)
func.func @indexer_of_float_keys(%x: tensor<7x64xf16>, %ql: tensor<7x24xf16>, %rope: !transformer.rope_table<4xf16>,
    %cache: !transformer.kv_cache<8xf16, block_size = 128>, %batch: !transformer.batch, %q: tensor<16x24xi8>,
    %k: tensor<8x64xf16>, %w: tensor<2x64xf16>, %n: tensor<8xf16>, %s: tensor<f32>)
    -> tensor<7x?xi64, #transformer.dims<min(2, max(kv))>> {
  %i, %f = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch query(%q) key(%k) head_weights(%w)
      norm(%n, %n) scales(%s) top_k(2) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>,
         !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch, tensor<16x24xi8>, tensor<8x64xf16>,
         tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>, tensor<f32>)
      -> (tensor<7x?xi64, #transformer.dims<min(2, max(kv))>>, !transformer.kv_cache<8xf16, block_size = 128>)
  return %i : tensor<7x?xi64, #transformer.dims<min(2, max(kv))>>
}
