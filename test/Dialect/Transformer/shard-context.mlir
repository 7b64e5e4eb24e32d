// RUN: tc-opt %s --transformer-shard="tp=8 dcp=4" --mlir-print-local-scope | FileCheck %s

// What a step must be is noted.
// CHECK: module attributes {transformer.assumes = [#transformer.expr<decode>], transformer.plan = #transformer.plan<devices = 8, data_parallel = 1>}

// Of two key heads, four neighbours have the same one: they take turns to keep
// its tokens, and attend with the queries of all four.
// CHECK-LABEL: func private @grouped(
// CHECK-SAME:      %[[Q:.*]]: tensor<?x64xf16
// CHECK:         %[[CACHE:.*]] = transformer.kv_cache "self_attn" : <2x1x8xf16, block_size = 128, share = 4>
// CHECK-NOT:     all_gather
// CHECK:         %[[FULL:.*]] = transformer.append_cache %{{.*}}, %{{.*}} to %[[CACHE]] of
// CHECK-SAME:      tensor<?x1x8xf16,
// CHECK:         %[[ALL:.*]] = transformer.all_gather %[[OWN:.*]] over <4> dim(1) : tensor<?x2x8xf16, {{.*}}> to tensor<?x8x8xf16,
// CHECK:         %[[PART:.*]] = transformer.partial_attention %[[ALL]], %[[FULL]] of %{{.*}} scale(0.5)
// CHECK-SAME:      -> tensor<?x8x9xf32,
// CHECK:         %[[PARTS:.*]] = transformer.exchange_heads %[[PART]] over <4>
// CHECK-SAME:      to tensor<4x?x2x9xf32,
// CHECK:         %[[MERGED:.*]] = transformer.merge_attention %[[PARTS]]
// CHECK-SAME:      to tensor<?x2x8xf16,
// CHECK:         transformer.reshape %[[MERGED]] : tensor<?x2x8xf16, {{.*}}> to tensor<?x16xf16,
func.func private @grouped(%x: tensor<?x64xf16, #transformer.dims<tokens>>, %batch: !transformer.batch)
    -> tensor<?x64xf16, #transformer.dims<tokens>> {
  %wq = transformer.weight "q.weight" sharding <column, tensor, unit = 8> : tensor<128x64xf16>
  %wk = transformer.weight "k.weight" sharding <column, tensor, unit = 8> : tensor<16x64xf16>
  %q = transformer.linear %x, %wq : tensor<?x64xf16, #transformer.dims<tokens>>, tensor<128x64xf16> -> tensor<?x128xf16, #transformer.dims<tokens>>
  %k = transformer.linear %x, %wk : tensor<?x64xf16, #transformer.dims<tokens>>, tensor<16x64xf16> -> tensor<?x16xf16, #transformer.dims<tokens>>
  %qh = transformer.reshape %q : tensor<?x128xf16, #transformer.dims<tokens>> to tensor<?x16x8xf16, #transformer.dims<tokens>>
  %kh = transformer.reshape %k : tensor<?x16xf16, #transformer.dims<tokens>> to tensor<?x2x8xf16, #transformer.dims<tokens>>
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x2x8xf16, block_size = 128>
  %full = transformer.append_cache %kh, %kh to %cache of %batch
      : tensor<?x2x8xf16, #transformer.dims<tokens>>, !transformer.kv_cache<2x2x8xf16, block_size = 128>, !transformer.batch
  %a = transformer.attention %qh, %full of %batch scale(0.5)
      : tensor<?x16x8xf16, #transformer.dims<tokens>>, !transformer.kv_cache<2x2x8xf16, block_size = 128>, !transformer.batch
  %ah = transformer.reshape %a : tensor<?x16x8xf16, #transformer.dims<tokens>> to tensor<?x128xf16, #transformer.dims<tokens>>
  %wo = transformer.weight "o.weight" sharding <row, output> : tensor<64x128xf16>
  %o = transformer.linear %ah, %wo : tensor<?x128xf16, #transformer.dims<tokens>>, tensor<64x128xf16> -> tensor<?x64xf16, #transformer.dims<tokens>>
  return %o : tensor<?x64xf16, #transformer.dims<tokens>>
}

// Of four key heads, pairs of neighbours have the same one, so that four devices
// share the tokens of two heads: each gets the other one.
// CHECK-LABEL: func private @two_heads_of_four(
// CHECK:         transformer.kv_cache "self_attn" : <2x2x8xf16, block_size = 128, share = 4>
// CHECK:         transformer.all_gather %{{.*}} over <2, step = 2> dim(1) : tensor<?x1x8xf16, {{.*}}> to tensor<?x2x8xf16,
// CHECK:         transformer.all_gather %{{.*}} over <2, step = 2> dim(1) : tensor<?x1x8xf16, {{.*}}> to tensor<?x2x8xf16,
// CHECK:         transformer.append_cache {{.*}} tensor<?x2x8xf16,
// CHECK:         transformer.partial_attention {{.*}} tensor<?x8x8xf16, {{.*}}>, <2x2x8xf16, block_size = 128, share = 4>
func.func private @two_heads_of_four(%x: tensor<?x64xf16, #transformer.dims<tokens>>, %batch: !transformer.batch)
    -> tensor<?x64xf16, #transformer.dims<tokens>> {
  %wq = transformer.weight "q.weight" sharding <column, tensor, unit = 8> : tensor<128x64xf16>
  %wk = transformer.weight "k.weight" sharding <column, tensor, unit = 8> : tensor<32x64xf16>
  %q1 = transformer.linear %x, %wq : tensor<?x64xf16, #transformer.dims<tokens>>, tensor<128x64xf16> -> tensor<?x128xf16, #transformer.dims<tokens>>
  %k = transformer.linear %x, %wk : tensor<?x64xf16, #transformer.dims<tokens>>, tensor<32x64xf16> -> tensor<?x32xf16, #transformer.dims<tokens>>
  %qh = transformer.reshape %q1 : tensor<?x128xf16, #transformer.dims<tokens>> to tensor<?x16x8xf16, #transformer.dims<tokens>>
  %kh = transformer.reshape %k : tensor<?x32xf16, #transformer.dims<tokens>> to tensor<?x4x8xf16, #transformer.dims<tokens>>
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<2x4x8xf16, block_size = 128>
  %full = transformer.append_cache %kh, %kh to %cache of %batch
      : tensor<?x4x8xf16, #transformer.dims<tokens>>, !transformer.kv_cache<2x4x8xf16, block_size = 128>, !transformer.batch
  %a = transformer.attention %qh, %full of %batch scale(0.5)
      : tensor<?x16x8xf16, #transformer.dims<tokens>>, !transformer.kv_cache<2x4x8xf16, block_size = 128>, !transformer.batch
  %ah = transformer.reshape %a : tensor<?x16x8xf16, #transformer.dims<tokens>> to tensor<?x128xf16, #transformer.dims<tokens>>
  %wo = transformer.weight "o.weight" sharding <row, output> : tensor<64x128xf16>
  %o = transformer.linear %ah, %wo : tensor<?x128xf16, #transformer.dims<tokens>>, tensor<64x128xf16> -> tensor<?x64xf16, #transformer.dims<tokens>>
  return %o : tensor<?x64xf16, #transformer.dims<tokens>>
}

// Queries meet the latents that a device keeps, multiplied by the weight of the
// own heads before they are exchanged and after.
// CHECK-LABEL: func private @latents(
// CHECK:         %[[CACHE:.*]] = transformer.kv_cache "self_attn" : <20xf16, block_size = 128, share = 4>
// CHECK:         %[[W:.*]] = transformer.weight "self_attn.kv_b_proj.weight"
// CHECK-SAME:      tensor<14x16xf16>
// CHECK:         %[[WIDE:.*]] = transformer.absorb_query %{{.*}} weight(%[[W]]) : tensor<?x1x12xf16, {{.*}} -> tensor<?x1x20xf16,
// CHECK:         %[[ALL:.*]] = transformer.all_gather %[[WIDE]] over <4> dim(1)
// CHECK:         %[[PART:.*]] = transformer.partial_latent_attention %[[ALL]], %{{.*}} of %{{.*}} rank(16) scale(0.5)
// CHECK:         %[[PARTS:.*]] = transformer.exchange_heads %[[PART]] over <4>
// CHECK:         %[[MIXED:.*]] = transformer.merge_attention %[[PARTS]]
// CHECK:         transformer.expand_values %[[MIXED]] weight(%[[W]]) : tensor<?x1x16xf16, {{.*}} -> tensor<?x1x6xf16,
func.func private @latents(%x: tensor<?x64xf16, #transformer.dims<tokens>>, %rope: !transformer.rope_table<4xf16>, %batch: !transformer.batch)
    -> tensor<?x64xf16, #transformer.dims<tokens>> {
  %a = transformer.weight "self_attn.q_a_proj.weight" : tensor<24x64xf16>
  %n = transformer.weight "self_attn.q_a_layernorm.weight" : tensor<24xf16>
  %b = transformer.weight "self_attn.q_b_proj.weight" sharding <column, tensor, unit = 12> : tensor<96x24xf16>
  %d = transformer.weight "self_attn.kv_a_proj_with_mqa.weight" : tensor<20x64xf16>
  %m = transformer.weight "self_attn.kv_a_layernorm.weight" : tensor<16xf16>
  %q, %c, %k, %ql = transformer.latent_projection %x, %rope query(%a, %n, %b) latent(%d, %m) head_size(12) eps(1.0e-6)
      : (tensor<?x64xf16, #transformer.dims<tokens>>, !transformer.rope_table<4xf16>, tensor<24x64xf16>, tensor<24xf16>, tensor<96x24xf16>,
         tensor<20x64xf16>, tensor<16xf16>)
      -> (tensor<?x8x12xf16, #transformer.dims<tokens>>, tensor<?x16xf16, #transformer.dims<tokens>>,
          tensor<?x4xf16, #transformer.dims<tokens>>, tensor<?x24xf16, #transformer.dims<tokens>>)
  %cache = transformer.kv_cache "self_attn" : !transformer.kv_cache<20xf16, block_size = 128>
  %full = transformer.append_latent_cache %c, %k to %cache of %batch
      : tensor<?x16xf16, #transformer.dims<tokens>>, tensor<?x4xf16, #transformer.dims<tokens>>, !transformer.kv_cache<20xf16, block_size = 128>,
        !transformer.batch
  %w = transformer.weight "self_attn.kv_b_proj.weight" sharding <column, tensor, unit = 14> : tensor<112x16xf16>
  %0 = transformer.latent_attention %q, %full of %batch weight(%w) scale(0.5)
      : tensor<?x8x12xf16, #transformer.dims<tokens>>, !transformer.kv_cache<20xf16, block_size = 128>, !transformer.batch, tensor<112x16xf16>
     -> tensor<?x8x6xf16, #transformer.dims<tokens>>
  %1 = transformer.reshape %0 : tensor<?x8x6xf16, #transformer.dims<tokens>> to tensor<?x48xf16, #transformer.dims<tokens>>
  %o = transformer.weight "self_attn.o_proj.weight" sharding <row, output> : tensor<64x48xf16>
  %2 = transformer.linear %1, %o : tensor<?x48xf16, #transformer.dims<tokens>>, tensor<64x48xf16> -> tensor<?x64xf16, #transformer.dims<tokens>>
  return %2 : tensor<?x64xf16, #transformer.dims<tokens>>
}
