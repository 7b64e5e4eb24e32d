// RUN: tc-opt %s --transformer-quantize | FileCheck %s
// RUN: tc-opt %s --transformer-quantize="linear-action=MXFP4" | FileCheck %s --check-prefix=GROUPS
// RUN: tc-opt %s --transformer-quantize="linear-action=DISABLED" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-quantize="exclude=*.o_a_proj" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-quantize --transformer-quantize | FileCheck %s
// RUN: tc-opt %s --transformer-quantize="attention-action=INT8" | FileCheck %s --check-prefix=INT8
// RUN: tc-opt %s --transformer-quantize="attention-action=FP8" | FileCheck %s --check-prefix=FP8
// RUN: tc-opt %s --transformer-quantize --remarks-filter=quantize --remark-policy=all 2>&1 | FileCheck %s --check-prefix=MISSED

// The matrices of groups are kept narrow, and read as floats.
// CHECK-LABEL: func private @projection
// CHECK:         %[[W:.*]] = transformer.weight "self_attn.o_a_proj.weight" sharding <column, tensor, unit = 32> : tensor<64x64xi8>
// CHECK:         %[[S:.*]] = transformer.weight "self_attn.o_a_proj.weight_scale" : tensor<f32>
// CHECK:         %[[L:.*]] = transformer.load_weight %[[W]] scale(%[[S]] : tensor<f32>) : tensor<64x64xi8> to tensor<64x64xf16>
// CHECK-NOT:     o_a_proj
// CHECK:         transformer.grouped_projection %{{.*}}, %[[L]]
// GROUPS:        transformer.load_weight {{.*}} group_size(32) : tensor<64x64xf4E2M1FN> to tensor<64x64xf16>
// OFF-NOT:       load_weight
func.func private @projection(%x: tensor<7x128xf16>) -> tensor<7x64xf16> {
  %w = transformer.weight "self_attn.o_a_proj.weight" sharding<column, tensor, unit = 32> : tensor<64x64xf16>
  %0 = transformer.grouped_projection %x, %w : tensor<7x128xf16>, tensor<64x64xf16> -> tensor<7x64xf16>
  return %0 : tensor<7x64xf16>
}

// What makes compressed rows, and mixes streams, stays in f32.
// CHECK-LABEL: func private @wide
// CHECK-NOT:     xi8>
func.func private @wide(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %batch: !transformer.batch,
                        %s: tensor<7x2x64xf16>, %g: tensor<128x64xf16>) {
  %v = transformer.weight "compressor.kv_proj.weight" : tensor<8x64xf32>
  %w = transformer.weight "compressor.gate_proj.weight" : tensor<8x64xf32>
  %p = transformer.weight "compressor.ape.weight" : tensor<4x8xf32>
  %n = transformer.weight "compressor.norm.weight" : tensor<8xf16>
  %c = transformer.kv_cache "compressor" ratio(4) : !transformer.kv_cache<8xf16, block_size = 128>
  %o = transformer.kv_cache "compressor.state" auxiliary window(4) : !transformer.kv_cache<16xf32, block_size = 128>
  %0, %1 = transformer.compress %x, %rope to %c, %o of %batch value(%v) gate(%w) positions(%p) norm(%n) ratio(4)
      features(4) eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.kv_cache<16xf32, block_size = 128>, !transformer.batch, tensor<8x64xf32>, tensor<8x64xf32>,
         tensor<4x8xf32>, tensor<8xf16>)
      -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<16xf32, block_size = 128>)
  %f = transformer.weight "hc.fn.weight" : tensor<8x128xf32>
  %a = transformer.weight "hc.scale" : tensor<3xf32>
  %b = transformer.weight "hc.base" : tensor<8xf32>
  %y, %q, %r = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x64xf16>, tensor<8x128xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x64xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// With 8-bit attention, what the indexer compares with is kept so; the rows of
// attention stay.
// INT8-LABEL: func private @caches
// INT8:         transformer.kv_cache "self_attn" window(32) : <8xf16, block_size = 128>
// INT8:         transformer.kv_cache "indexer" ratio(4) : <8xi8, block_size = 128>
// INT8:         transformer.compress {{.*}} -> (!transformer.kv_cache<8xi8, block_size = 128>, !transformer.kv_cache<16xf32, block_size = 128>)
// INT8:         transformer.pick_compressed {{.*}}<8xi8, block_size = 128>
// FP8:          transformer.kv_cache "indexer" ratio(4) : <8xf8E4M3FN, block_size = 128>
func.func private @caches(%x: tensor<7x64xf16>, %rope: !transformer.rope_table<4xf16>, %batch: !transformer.batch,
                          %kv: tensor<7x8xf16>, %q: tensor<7x2x8xf16>, %w: tensor<7x2xf16>, %v: tensor<8x64xf32>,
                          %p: tensor<4x8xf32>, %n: tensor<8xf16>) {
  %a = transformer.kv_cache "self_attn" window(32) : !transformer.kv_cache<8xf16, block_size = 128>
  %b = transformer.append_window %kv to %a of %batch window(32)
      : tensor<7x8xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch
  %c = transformer.kv_cache "indexer" ratio(4) : !transformer.kv_cache<8xf16, block_size = 128>
  %o = transformer.kv_cache "state" auxiliary window(4) : !transformer.kv_cache<16xf32, block_size = 128>
  %0, %1 = transformer.compress %x, %rope to %c, %o of %batch value(%v) gate(%v) positions(%p) norm(%n) ratio(4)
      features(4) rotated eps(1.0e-6)
      : (tensor<7x64xf16>, !transformer.rope_table<4xf16>, !transformer.kv_cache<8xf16, block_size = 128>,
         !transformer.kv_cache<16xf32, block_size = 128>, !transformer.batch, tensor<8x64xf32>, tensor<8x64xf32>,
         tensor<4x8xf32>, tensor<8xf16>)
      -> (!transformer.kv_cache<8xf16, block_size = 128>, !transformer.kv_cache<16xf32, block_size = 128>)
  %i = transformer.pick_compressed %q, %w, %0 of %batch ratio(4) top_k(1)
      : tensor<7x2x8xf16>, tensor<7x2xf16>, !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch
     -> tensor<7x?xi64, #transformer.dims<max(min(1, floordiv(max(kv), 4)), 1)>>
  return
}

// MISSED: [Missed] grouped_projection {{.*}} Reason="its weight is not declared", Remark="not quantized"
func.func private @undeclared(%x: tensor<7x128xf16>, %w: tensor<64x64xf16>) -> tensor<7x64xf16> {
  %0 = transformer.grouped_projection %x, %w : tensor<7x128xf16>, tensor<64x64xf16> -> tensor<7x64xf16>
  return %0 : tensor<7x64xf16>
}
