// RUN: tc-opt %s --transformer-shard="tp=4 whole-sparse-attention" --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --transformer-shard="tp=4" --mlir-print-local-scope | FileCheck %s --check-prefix=SPLIT
// RUN: tc-opt %s --transformer-shard="tp=4 whole-sparse-attention" --transformer-quantize="float-sparse-keys" --mlir-print-local-scope | FileCheck %s --check-prefix=FLOATS

// Sparse attention and its output are whole on every device: nothing is summed.
// Other layers are split as ever.
// CHECK-LABEL: func private @sparse
// CHECK:         transformer.weight "self_attn.q_b_proj.weight" sharding <column, tensor, unit = 12> : tensor<96x24xf16>
// CHECK:         transformer.weight "self_attn.kv_b_proj.weight" sharding <column, tensor, unit = 14> : tensor<112x16xf16>
// CHECK:         transformer.latent_attention {{.*}} -> tensor<7x8x6xf16>
// CHECK:         transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<64x48xf16>
// CHECK-NOT:     all_reduce
// CHECK:         transformer.weight "mlp.down_proj.weight" sharding <row, mlp> : tensor<64x16xf16>
// CHECK:         transformer.all_reduce
// SPLIT-LABEL: func private @sparse
// SPLIT:         transformer.latent_attention {{.*}} -> tensor<7x2x6xf16>
// SPLIT-COUNT-2: transformer.all_reduce

// What makes its keys stays as it is.
// FLOATS-LABEL: func private @sparse
// FLOATS:         transformer.quantized_latent_projection
// FLOATS:         transformer.lightning_indexer {{.*}} scales(%{{[a-z0-9_.]*}}) top_k(3)
// FLOATS-SAME:      tensor<16x24xi8>, tensor<8x64xf16>, tensor<2x64xf16>
// FLOATS-NOT:     load_weight
// FLOATS:         transformer.latent_attention {{.*}} tensor<112x16xf16> -> tensor<7x8x6xf16>
// FLOATS:         transformer.quantized_linear
func.func private @sparse(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %batch: !transformer.batch) -> tensor<7x64xf16> {
  %a = transformer.weight "self_attn.q_a_proj.weight" : tensor<24x64xf16>
  %n = transformer.weight "self_attn.q_a_layernorm.weight" : tensor<24xf16>
  %b = transformer.weight "self_attn.q_b_proj.weight" sharding <column, tensor, unit = 12> : tensor<96x24xf16>
  %d = transformer.weight "self_attn.kv_a_proj_with_mqa.weight" : tensor<20x64xf16>
  %m = transformer.weight "self_attn.kv_a_layernorm.weight" : tensor<16xf16>
  %q, %c, %k, %ql = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>) -> (tensor<7x8x12xf16>, tensor<7x16xf16>, tensor<7x4xf16>, tensor<7x24xf16>)
  %wq = transformer.weight "self_attn.indexer.wq_b.weight" : tensor<16x24xf16>
  %wk = transformer.weight "self_attn.indexer.wk.weight" : tensor<8x64xf16>
  %ww = transformer.weight "self_attn.indexer.weights_proj.weight" : tensor<2x64xf16>
  %nw = transformer.weight "self_attn.indexer.k_norm.weight" : tensor<8xf16>
  %keys = transformer.kv_cache "self_attn.indexer" : <8xf16, block_size = 128>
  %i, %f = transformer.lightning_indexer %x, %ql, %rope to %keys of %batch query(%wq) key(%wk) head_weights(%ww)
      norm(%nw, %nw) top_k(3) eps(1.0e-6)
      : (tensor<7x64xf16>, tensor<7x24xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.batch, tensor<16x24xf16>, tensor<8x64xf16>, tensor<2x64xf16>, tensor<8xf16>, tensor<8xf16>)
      -> (tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>, !transformer.kv_cache<8xf16, block_size = 128>)
  %cache = transformer.kv_cache "self_attn" : <20xf16, block_size = 128>
  %full = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<7x16xf16>, tensor<7x4xf16>, <20xf16, block_size = 128>, !transformer.batch
  %w = transformer.weight "self_attn.kv_b_proj.weight" sharding <column, tensor, unit = 14> : tensor<112x16xf16>
  %0 = transformer.latent_attention %q, %full of %batch weight(%w)
      indices(%i : tensor<7x?xi64, #transformer.dims<min(3, max(kv))>>) scale(0.5)
      : tensor<7x8x12xf16>, <20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16> -> tensor<7x8x6xf16>
  %1 = transformer.reshape %0 : tensor<7x8x6xf16> to tensor<7x48xf16>
  %o = transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<64x48xf16>
  %2 = transformer.linear %1, %o : tensor<7x48xf16>, tensor<64x48xf16> -> tensor<7x64xf16>
  %wu = transformer.weight "mlp.up_proj.weight" sharding <column, mlp> : tensor<64x64xf16>
  %3 = transformer.linear %2, %wu : tensor<7x64xf16>, tensor<64x64xf16> -> tensor<7x64xf16>
  %wd = transformer.weight "mlp.down_proj.weight" sharding <row, mlp> : tensor<64x64xf16>
  %4 = transformer.linear %3, %wd : tensor<7x64xf16>, tensor<64x64xf16> -> tensor<7x64xf16>
  return %4 : tensor<7x64xf16>
}
