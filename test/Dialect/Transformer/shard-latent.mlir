// RUN: tc-opt %s --split-input-file --transformer-shard="tp=4" --mlir-print-local-scope --verify-diagnostics | FileCheck %s

!rope = !transformer.rope_table<4xf16>
!cache = !transformer.kv_cache<20xf16, block_size = 128>

// Devices have two of eight heads of queries, keys and values, and all of what
// is cached.
// CHECK-LABEL: func private @layer
// CHECK:         transformer.weight "self_attn.q_a_proj.weight" : tensor<24x64xf16>
// CHECK:         transformer.weight "self_attn.q_b_proj.weight" sharding <column, tensor, unit = 12> : tensor<24x24xf16>
// CHECK:         transformer.weight "self_attn.kv_a_proj_with_mqa.weight" : tensor<20x64xf16>
// CHECK:         transformer.latent_projection {{.*}} -> (tensor<?x2x12xf16, {{.*}}>, tensor<?x16xf16, {{.*}}>, tensor<?x4xf16, {{.*}}>, tensor<?x24xf16, {{.*}}>)
// CHECK:         transformer.kv_cache "self_attn" : <20xf16, block_size = 128>
// CHECK:         transformer.weight "self_attn.kv_b_proj.weight" sharding <column, tensor, unit = 14> : tensor<28x16xf16>
// CHECK:         transformer.latent_attention {{.*}} -> tensor<?x2x6xf16,
// CHECK:         transformer.reshape {{.*}} to tensor<?x12xf16,
// CHECK:         transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<64x12xf16>
// CHECK:         transformer.all_reduce
func.func private @layer(%x: tensor<?x64xf16, #transformer.dims<tokens>>, %rope: !rope, %batch: !transformer.batch)
    -> tensor<?x64xf16, #transformer.dims<tokens>> {
  %a = transformer.weight "self_attn.q_a_proj.weight" : tensor<24x64xf16>
  %n = transformer.weight "self_attn.q_a_layernorm.weight" : tensor<24xf16>
  %b = transformer.weight "self_attn.q_b_proj.weight" sharding <column, tensor, unit = 12> : tensor<96x24xf16>
  %d = transformer.weight "self_attn.kv_a_proj_with_mqa.weight" : tensor<20x64xf16>
  %m = transformer.weight "self_attn.kv_a_layernorm.weight" : tensor<16xf16>
  %q, %c, %k, %ql = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<?x64xf16, #transformer.dims<tokens>>, !rope, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<?x8x12xf16, #transformer.dims<tokens>>, tensor<?x16xf16, #transformer.dims<tokens>>,
          tensor<?x4xf16, #transformer.dims<tokens>>, tensor<?x24xf16, #transformer.dims<tokens>>)
  %cache = transformer.kv_cache "self_attn" : !cache
  %full = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<?x16xf16, #transformer.dims<tokens>>, tensor<?x4xf16, #transformer.dims<tokens>>, !cache,
        !transformer.batch
  %w = transformer.weight "self_attn.kv_b_proj.weight" sharding <column, tensor, unit = 14> : tensor<112x16xf16>
  %0 = transformer.latent_attention %q, %full of %batch weight(%w) scale(0.5)
      : tensor<?x8x12xf16, #transformer.dims<tokens>>, !cache, !transformer.batch, tensor<112x16xf16>
     -> tensor<?x8x6xf16, #transformer.dims<tokens>>
  %1 = transformer.reshape %0 : tensor<?x8x6xf16, #transformer.dims<tokens>> to tensor<?x48xf16, #transformer.dims<tokens>>
  %o = transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<64x48xf16>
  %2 = transformer.linear %1, %o : tensor<?x48xf16, #transformer.dims<tokens>>, tensor<64x48xf16>
      -> tensor<?x64xf16, #transformer.dims<tokens>>
  return %2 : tensor<?x64xf16, #transformer.dims<tokens>>
}

// -----

func.func private @heads_that_are_not_divided(%q: tensor<7x6x12xf16>, %cache: !transformer.kv_cache<20xf16, block_size = 128>,
                                              %w: tensor<84x16xf16>, %batch: !transformer.batch) {
  // expected-error @below {{expected 'tp' to divide the 6 heads, but got 4}}
  %0 = transformer.latent_attention %q, %cache of %batch weight(%w) scale(0.5)
      : tensor<7x6x12xf16>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<84x16xf16>
     -> tensor<7x6x6xf16>
  return
}

// -----

func.func private @loaded(%w: tensor<8x8xi8>, %s: tensor<f32>) {
  // expected-error @below {{expected a layer of floats to split; shard a model before it is quantized}}
  %0 = transformer.load_weight %w scale(%s : tensor<f32>) : tensor<8x8xi8> to tensor<8x8xf16>
  return
}
