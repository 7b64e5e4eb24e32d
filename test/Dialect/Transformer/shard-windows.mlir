// RUN: tc-opt %s --transformer-shard="tp=4" --mlir-print-local-scope | FileCheck %s

// Sinks are split as the heads of queries are, values and index queries as those
// of keys are, which are repeated where there are fewer of them than devices.
// Index keys stay whole.

!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128, value_size = 6, window = 4>

// CHECK-LABEL: func private @layer
// CHECK:         transformer.weight "self_attn.q_proj.weight" sharding <column, tensor, unit = 8> : tensor<16x32xf16>
// CHECK:         transformer.weight "self_attn.v_proj.weight" sharding <column, tensor, unit = 6> : tensor<6x32xf16>
// CHECK:         transformer.weight "self_attn.index_q_proj.weight" sharding <column, tensor, unit = 4> : tensor<4x32xf16>
// CHECK:         transformer.weight "self_attn.index_k_proj.weight" : tensor<4x32xf16>
// CHECK:         transformer.weight "self_attn.sinks" sharding <column, tensor> : tensor<2xf16>
// CHECK:         transformer.kv_cache "self_attn" : <2x1x8xf16, block_size = 128, value_size = 6, window = 4>
// CHECK:         transformer.kv_cache "self_attn.indexer" : <4xf16, block_size = 128>
// CHECK:         transformer.append_index_cache {{.*}} : tensor<?x1x4xf16,
// CHECK:         transformer.block_indexer {{.*}} : tensor<?x1x4xf16,
// CHECK:         transformer.attention {{.*}} window(4) sink(%{{.*}} : tensor<2xf16>) blocks(%{{.*}} : tensor<?x1x3xi64, {{.*}}>) block_size(4)
// CHECK-SAME:      : tensor<?x2x8xf16,
// CHECK:         transformer.reshape %{{.*}} : tensor<?x2x6xf16, {{.*}}> to tensor<?x12xf16,
// CHECK:         transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<32x12xf16>
// CHECK:         transformer.all_reduce
func.func private @layer(%x: tensor<?x32xf16, #transformer.dims<tokens>>, %batch: !transformer.batch)
    -> tensor<?x32xf16, #transformer.dims<tokens>> {
  %wq = transformer.weight "self_attn.q_proj.weight" sharding <column, tensor, unit = 8> : tensor<64x32xf16>
  %wk = transformer.weight "self_attn.k_proj.weight" sharding <column, tensor, unit = 8> : tensor<16x32xf16>
  %wv = transformer.weight "self_attn.v_proj.weight" sharding <column, tensor, unit = 6> : tensor<12x32xf16>
  %wi = transformer.weight "self_attn.index_q_proj.weight" sharding <column, tensor, unit = 4> : tensor<8x32xf16>
  %wj = transformer.weight "self_attn.index_k_proj.weight" : tensor<4x32xf16>
  %sink = transformer.weight "self_attn.sinks" sharding <column, tensor> : tensor<8xf16>
  %q0 = transformer.linear %x, %wq : tensor<?x32xf16, #transformer.dims<tokens>>, tensor<64x32xf16> -> tensor<?x64xf16, #transformer.dims<tokens>>
  %k0 = transformer.linear %x, %wk : tensor<?x32xf16, #transformer.dims<tokens>>, tensor<16x32xf16> -> tensor<?x16xf16, #transformer.dims<tokens>>
  %v0 = transformer.linear %x, %wv : tensor<?x32xf16, #transformer.dims<tokens>>, tensor<12x32xf16> -> tensor<?x12xf16, #transformer.dims<tokens>>
  %i0 = transformer.linear %x, %wi : tensor<?x32xf16, #transformer.dims<tokens>>, tensor<8x32xf16> -> tensor<?x8xf16, #transformer.dims<tokens>>
  %j0 = transformer.linear %x, %wj : tensor<?x32xf16, #transformer.dims<tokens>>, tensor<4x32xf16> -> tensor<?x4xf16, #transformer.dims<tokens>>
  %q = transformer.reshape %q0 : tensor<?x64xf16, #transformer.dims<tokens>> to tensor<?x8x8xf16, #transformer.dims<tokens>>
  %k = transformer.reshape %k0 : tensor<?x16xf16, #transformer.dims<tokens>> to tensor<?x2x8xf16, #transformer.dims<tokens>>
  %v = transformer.reshape %v0 : tensor<?x12xf16, #transformer.dims<tokens>> to tensor<?x2x6xf16, #transformer.dims<tokens>>
  %i = transformer.reshape %i0 : tensor<?x8xf16, #transformer.dims<tokens>> to tensor<?x2x4xf16, #transformer.dims<tokens>>
  %j = transformer.reshape %j0 : tensor<?x4xf16, #transformer.dims<tokens>> to tensor<?x1x4xf16, #transformer.dims<tokens>>
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_cache %k, %v to %cache of %batch
      : tensor<?x2x8xf16, #transformer.dims<tokens>>, tensor<?x2x6xf16, #transformer.dims<tokens>>, !cache, !transformer.batch
  %index = transformer.kv_cache "self_attn.indexer" : !transformer.kv_cache<4xf16, block_size = 128>
  %keys = transformer.append_index_cache %j to %index of %batch
      : tensor<?x1x4xf16, #transformer.dims<tokens>>, !transformer.kv_cache<4xf16, block_size = 128>, !transformer.batch
  %b = transformer.block_indexer %i, %keys of %batch top_k(3) block_size(4) local(1) initial(0)
      : tensor<?x2x4xf16, #transformer.dims<tokens>>, !transformer.kv_cache<4xf16, block_size = 128>, !transformer.batch
  %a = transformer.attention %q, %full of %batch scale(0.25) window(4) sink(%sink : tensor<8xf16>)
      blocks(%b : tensor<?x2x3xi64, #transformer.dims<tokens>>) block_size(4)
      : tensor<?x8x8xf16, #transformer.dims<tokens>>, !cache, !transformer.batch
  %r = transformer.reshape %a : tensor<?x8x6xf16, #transformer.dims<tokens>> to tensor<?x48xf16, #transformer.dims<tokens>>
  %wo = transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<32x48xf16>
  %o = transformer.linear %r, %wo : tensor<?x48xf16, #transformer.dims<tokens>>, tensor<32x48xf16> -> tensor<?x32xf16, #transformer.dims<tokens>>
  return %o : tensor<?x32xf16, #transformer.dims<tokens>>
}
