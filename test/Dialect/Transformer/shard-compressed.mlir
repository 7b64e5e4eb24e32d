// RUN: tc-opt %s --split-input-file --transformer-shard="tp=2" --mlir-print-local-scope --verify-diagnostics | FileCheck %s

!rope = !transformer.rope_table<4xf16>
!cache = !transformer.kv_cache<16xf16, block_size = 128>
!keys = !transformer.kv_cache<8xf16, block_size = 128>

// Each device has half of the heads, of those of the indexer and of the groups,
// and all of what is cached. Every device has all sinks and reads its own; the
// indexer's scores are summed before they decide.
// CHECK-LABEL: func private @layer
// CHECK:         transformer.weight "q_b_proj.weight" sharding <column, tensor, unit = 16> : tensor<64x24xf16>
// CHECK:         %[[Q:.*]] = transformer.rotate_part {{.*}} : tensor<7x4x16xf16>
// CHECK:         transformer.tie {{.*}} : tensor<7x64xf16>, tensor<7x4x16xf16>
// CHECK:         transformer.kv_cache "self_attn" window(32) : <16xf16, block_size = 128>
// CHECK:         %[[I:.*]] = transformer.pick_compressed {{.*}} top_k(5) over<2> : tensor<7x2x8xf16>, tensor<7x2xf16>
// CHECK:         %[[S:.*]] = transformer.weight "attn_sink" : tensor<8xf32>
// CHECK:         %[[OWN:.*]] = transformer.own_rows %[[S]] over <2> dim(0) : tensor<8xf32> to tensor<4xf32>
// CHECK:         %[[O:.*]] = transformer.window_attention %[[Q]], {{.*}} sink(%[[OWN]]) {{.*}} -> tensor<7x4x16xf16>
// CHECK:         transformer.rotate_part %[[O]], {{.*}} inverse : tensor<7x4x16xf16>
// CHECK:         transformer.weight "o_a_proj.weight" sharding <column, tensor, unit = 12> : tensor<12x64xf16>
// CHECK:         transformer.grouped_projection {{.*}} : tensor<7x64xf16>, tensor<12x64xf16> -> tensor<7x12xf16>
// CHECK:         transformer.weight "o_b_proj.weight" sharding <row, output> : tensor<64x12xf16>
// CHECK:         transformer.all_reduce {{.*}} over <2> : tensor<7x64xf16>
func.func private @layer(%x: tensor<7x64xf16>, %ql: tensor<7x24xf16>, %kv: tensor<7x16xf16>, %rope: !rope, %rows: !cache,
                         %keys: !keys, %batch: !transformer.batch) -> tensor<7x64xf16> {
  %b = transformer.weight "q_b_proj.weight" sharding<column, tensor, unit = 16> : tensor<128x24xf16>
  %0 = transformer.linear %ql, %b : tensor<7x24xf16>, tensor<128x24xf16> -> tensor<7x128xf16>
  %1 = transformer.reshape %0 : tensor<7x128xf16> to tensor<7x8x16xf16>
  %q = transformer.rotate_part %1, %rope features(4) : tensor<7x8x16xf16>, !rope
  %t = transformer.tie %x to %q : tensor<7x64xf16>, tensor<7x8x16xf16>
  %cache = transformer.kv_cache "self_attn" window(32) : !cache
  %full = transformer.append_window %kv to %cache of %batch window(32) compressed : tensor<7x16xf16>, !cache, !transformer.batch
  %wq = transformer.weight "wq_b.weight" sharding<column, tensor, unit = 8> : tensor<32x24xf16>
  %2 = transformer.linear %ql, %wq : tensor<7x24xf16>, tensor<32x24xf16> -> tensor<7x32xf16>
  %3 = transformer.reshape %2 : tensor<7x32xf16> to tensor<7x4x8xf16>
  %ws = transformer.weight "weights_proj.weight" sharding<column, tensor> : tensor<4x64xf16>
  %4 = transformer.linear %t, %ws : tensor<7x64xf16>, tensor<4x64xf16> -> tensor<7x4xf16>
  %5 = transformer.mul_scalar %4, 0.25 : tensor<7x4xf16>
  %i = transformer.pick_compressed %3, %5, %keys of %batch ratio(4) top_k(5)
      : tensor<7x4x8xf16>, tensor<7x4xf16>, !keys, !transformer.batch
     -> tensor<7x?xi64, #transformer.dims<max(min(5, floordiv(max(kv), 4)), 1)>>
  %s = transformer.weight "attn_sink" : tensor<8xf32>
  %o = transformer.window_attention %q, %kv, %full of %batch sink(%s) compressed(%rows) indices(%i) window(32) ratio(4)
      scale(0.25) : (tensor<7x8x16xf16>, tensor<7x16xf16>, !cache, !transformer.batch, tensor<8xf32>, !cache,
                     tensor<7x?xi64, #transformer.dims<max(min(5, floordiv(max(kv), 4)), 1)>>) -> tensor<7x8x16xf16>
  %r = transformer.rotate_part %o, %rope features(4) inverse : tensor<7x8x16xf16>, !rope
  %6 = transformer.reshape %r : tensor<7x8x16xf16> to tensor<7x128xf16>
  %wa = transformer.weight "o_a_proj.weight" sharding<column, tensor, unit = 12> : tensor<24x64xf16>
  %7 = transformer.grouped_projection %6, %wa : tensor<7x128xf16>, tensor<24x64xf16> -> tensor<7x24xf16>
  %wb = transformer.weight "o_b_proj.weight" sharding<row, output> : tensor<64x24xf16>
  %8 = transformer.linear %7, %wb : tensor<7x24xf16>, tensor<64x24xf16> -> tensor<7x64xf16>
  return %8 : tensor<7x64xf16>
}

// Streams are whole on every device.
// CHECK-LABEL: func private @streams
// CHECK:         transformer.hyper_input {{.*}} -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
func.func private @streams(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) -> tensor<7x2x8xf16> {
  %x, %p, %c = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  %y = transformer.hyper_output %x, %s, %p, %c : tensor<7x8xf16>, tensor<7x2x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>
  return %y : tensor<7x2x8xf16>
}

// -----

func.func private @heads(%q: tensor<7x3x16xf16>, %kv: tensor<7x16xf16>, %c: !transformer.kv_cache<16xf16, block_size = 128>,
                         %b: !transformer.batch, %s: tensor<3xf32>) {
  // expected-error @below {{expected 'tp' to divide the 3 heads, but got 2}}
  %0 = transformer.window_attention %q, %kv, %c of %b sink(%s) window(4) scale(0.5)
      : (tensor<7x3x16xf16>, tensor<7x16xf16>, !transformer.kv_cache<16xf16, block_size = 128>, !transformer.batch,
         tensor<3xf32>) -> tensor<7x3x16xf16>
  return
}

// -----

func.func private @heads_of_the_indexer(%q: tensor<7x3x8xf16>, %w: tensor<7x3xf16>, %b: !transformer.batch,
                                        %c: !transformer.kv_cache<8xf16, block_size = 128>) {
  // expected-error @below {{expected 'tp' to divide the 3 heads of the indexer, but got 2}}
  %0 = transformer.pick_compressed %q, %w, %c of %b ratio(4) top_k(1)
      : tensor<7x3x8xf16>, tensor<7x3xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch
     -> tensor<7x?xi64, #transformer.dims<max(min(1, floordiv(max(kv), 4)), 1)>>
  return
}

// -----

func.func private @groups(%x: tensor<7x48xf16>, %w: tensor<6x16xf16>) {
  // expected-error @below {{expected 'tp' to divide the 3 groups of the output projection, but got 2}}
  %0 = transformer.grouped_projection %x, %w : tensor<7x48xf16>, tensor<6x16xf16> -> tensor<7x6xf16>
  return
}
