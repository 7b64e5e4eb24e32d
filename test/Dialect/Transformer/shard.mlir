// RUN: tc-opt %s --split-input-file --transformer-shard="tp=4" --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-shard="devices=4 tp=4 dp=1 o-proj-tp=4 mlp-tp=4 lmhead-tp=4 word-embedding-tp=none" \
// RUN:   --mlir-print-local-scope | FileCheck %s

!rope = !transformer.rope_table<8xf16>
!cache = !transformer.kv_cache<2x2x8xf16, block_size = 128>

// A device has a quarter of the 8 query heads, and one of the two heads of keys
// and values, which two devices share. The sum over devices ends the block.
// CHECK-LABEL: module @attention
// CHECK-SAME:    transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>
// CHECK:       func private @layer(%[[X:.*]]: tensor<7x32xf16>, %[[ROPE:.*]]: !transformer.rope_table<8xf16>, %[[B:.*]]: !transformer.batch) -> tensor<7x32xf16>
// CHECK:         %[[WQ:.*]] = transformer.weight "q_proj.weight" sharding <column, tensor, unit = 8> : tensor<16x32xf16>
// CHECK:         %[[BQ:.*]] = transformer.weight "q_proj.bias" sharding <column, tensor, unit = 8> : tensor<16xf16>
// CHECK:         %[[Q0:.*]] = transformer.linear %[[X]], %[[WQ]] bias(%[[BQ]] : tensor<16xf16>) : tensor<7x32xf16>, tensor<16x32xf16> -> tensor<7x16xf16>
// CHECK:         %[[Q1:.*]] = transformer.reshape %[[Q0]] : tensor<7x16xf16> to tensor<7x2x8xf16>
// CHECK:         %[[WK:.*]] = transformer.weight "k_proj.weight" sharding <column, tensor, unit = 8> : tensor<8x32xf16>
// CHECK:         %[[K0:.*]] = transformer.linear %[[X]], %[[WK]] : tensor<7x32xf16>, tensor<8x32xf16> -> tensor<7x8xf16>
// CHECK:         %[[K1:.*]] = transformer.reshape %[[K0]] : tensor<7x8xf16> to tensor<7x1x8xf16>
// CHECK:         %[[WN:.*]] = transformer.weight "q_norm.weight" : tensor<8xf16>
// CHECK:         %[[Q2:.*]] = transformer.rms_norm %[[Q1]], %[[WN]] eps(1.0e-06) : tensor<7x2x8xf16>, tensor<8xf16>
// CHECK:         %[[Q3:.*]] = transformer.rope %[[Q2]], %[[ROPE]] : tensor<7x2x8xf16>
// CHECK:         %[[C:.*]] = transformer.kv_cache "self_attn" : <2x1x8xf16, block_size = 128>
// CHECK:         %[[F:.*]] = transformer.append_cache %[[K1]], %[[K1]] to %[[C]] of %[[B]] : tensor<7x1x8xf16>, <2x1x8xf16, block_size = 128>
// CHECK:         %[[A0:.*]] = transformer.attention %[[Q3]], %[[F]] of %[[B]] scale(0.5) : tensor<7x2x8xf16>, <2x1x8xf16, block_size = 128>
// CHECK:         %[[A1:.*]] = transformer.reshape %[[A0]] : tensor<7x2x8xf16> to tensor<7x16xf16>
// CHECK:         %[[WO:.*]] = transformer.weight "o_proj.weight" sharding <row, output> : tensor<32x16xf16>
// CHECK:         %[[O:.*]] = transformer.linear %[[A1]], %[[WO]] : tensor<7x16xf16>, tensor<32x16xf16> -> tensor<7x32xf16>
// CHECK:         %[[SUM:.*]] = transformer.all_reduce %[[O]] over <4> : tensor<7x32xf16>
// CHECK:         %[[R:.*]] = transformer.add %[[X]], %[[SUM]] : tensor<7x32xf16>, tensor<7x32xf16>
// CHECK:         return %[[R]]
// CHECK:       func @main(%[[X:.*]]: tensor<7x32xf16>
// CHECK:         transformer.layer @layer(%[[X]], %{{.*}}, %{{.*}}) name("model.layers.0")
module @attention {
  func.func private @layer(%x: tensor<7x32xf16>, %rope: !rope, %batch: !transformer.batch) -> tensor<7x32xf16> {
    %wq = transformer.weight "q_proj.weight" sharding<column, tensor, unit = 8> : tensor<64x32xf16>
    %bq = transformer.weight "q_proj.bias" sharding<column, tensor, unit = 8> : tensor<64xf16>
    %q0 = transformer.linear %x, %wq bias(%bq : tensor<64xf16>) : tensor<7x32xf16>, tensor<64x32xf16> -> tensor<7x64xf16>
    %q1 = transformer.reshape %q0 : tensor<7x64xf16> to tensor<7x8x8xf16>
    %wk = transformer.weight "k_proj.weight" sharding<column, tensor, unit = 8> : tensor<16x32xf16>
    %k0 = transformer.linear %x, %wk : tensor<7x32xf16>, tensor<16x32xf16> -> tensor<7x16xf16>
    %k1 = transformer.reshape %k0 : tensor<7x16xf16> to tensor<7x2x8xf16>
    %wn = transformer.weight "q_norm.weight" : tensor<8xf16>
    %q2 = transformer.rms_norm %q1, %wn eps(1.0e-6) : tensor<7x8x8xf16>, tensor<8xf16>
    %q3 = transformer.rope %q2, %rope : tensor<7x8x8xf16>, !rope
    %c = transformer.kv_cache "self_attn" : !cache
    %full = transformer.append_cache %k1, %k1 to %c of %batch : tensor<7x2x8xf16>, !cache, !transformer.batch
    %a0 = transformer.attention %q3, %full of %batch scale(0.5) : tensor<7x8x8xf16>, !cache, !transformer.batch
    %a1 = transformer.reshape %a0 : tensor<7x8x8xf16> to tensor<7x64xf16>
    %wo = transformer.weight "o_proj.weight" sharding<row, output> : tensor<32x64xf16>
    %o = transformer.linear %a1, %wo : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
    %r = transformer.add %x, %o : tensor<7x32xf16>, tensor<7x32xf16>
    return %r : tensor<7x32xf16>
  }
  func.func @main(%x: tensor<7x32xf16>, %rope: !rope, %batch: !transformer.batch) -> tensor<7x32xf16> {
    %0 = transformer.layer @layer(%x, %rope, %batch) name("model.layers.0")
        : (tensor<7x32xf16>, !rope, !transformer.batch) -> tensor<7x32xf16>
    return %0 : tensor<7x32xf16>
  }
}

// -----

#tokens = #transformer.dims<tokens>

// Column split, then row split, with one sum at the end. The number of tokens
// may be an expression.
// CHECK-LABEL: func @mlp
// CHECK-SAME:    %[[X:.*]]: tensor<?x32xf16, #transformer.dims<tokens>>)
// CHECK:         transformer.weight "gate.weight" sharding <column, mlp> : tensor<12x32xf16>
// CHECK:         %[[G:.*]] = transformer.linear %[[X]], %{{.*}} -> tensor<?x12xf16, #transformer.dims<tokens>>
// CHECK:         transformer.weight "up.weight" sharding <column, mlp> : tensor<12x32xf16>
// CHECK:         %[[U:.*]] = transformer.linear %[[X]], %{{.*}} -> tensor<?x12xf16, #transformer.dims<tokens>>
// CHECK:         %[[ACT:.*]] = transformer.swiglu %[[G]], %[[U]] : tensor<?x12xf16, #transformer.dims<tokens>>
// CHECK:         transformer.weight "down.weight" sharding <row, mlp> : tensor<32x12xf16>
// CHECK:         %[[D:.*]] = transformer.linear %[[ACT]], %{{.*}} : tensor<?x12xf16, #transformer.dims<tokens>>, tensor<32x12xf16> -> tensor<?x32xf16, #transformer.dims<tokens>>
// CHECK:         %[[SUM:.*]] = transformer.all_reduce %[[D]] over <4> : tensor<?x32xf16, #transformer.dims<tokens>>
// CHECK:         return %[[SUM]]
func.func @mlp(%x: tensor<?x32xf16, #tokens>) -> tensor<?x32xf16, #tokens> {
  %wg = transformer.weight "gate.weight" sharding<column, mlp> : tensor<48x32xf16>
  %g = transformer.linear %x, %wg : tensor<?x32xf16, #tokens>, tensor<48x32xf16> -> tensor<?x48xf16, #tokens>
  %wu = transformer.weight "up.weight" sharding<column, mlp> : tensor<48x32xf16>
  %u = transformer.linear %x, %wu : tensor<?x32xf16, #tokens>, tensor<48x32xf16> -> tensor<?x48xf16, #tokens>
  %act = transformer.swiglu %g, %u : tensor<?x48xf16, #tokens>
  %wd = transformer.weight "down.weight" sharding<row, mlp> : tensor<32x48xf16>
  %d = transformer.linear %act, %wd : tensor<?x48xf16, #tokens>, tensor<32x48xf16> -> tensor<?x32xf16, #tokens>
  return %d : tensor<?x32xf16, #tokens>
}

// -----

// 250 words in four parts of 63, which are padded; the gather drops the
// padding.
// CHECK-LABEL: func @head
// CHECK:         transformer.weight "lm_head.weight" sharding <column, head> : tensor<63x32xf16>
// CHECK:         %[[PART:.*]] = transformer.linear %{{.*}}, %{{.*}} : tensor<7x32xf16>, tensor<63x32xf16> -> tensor<7x63xf16>
// CHECK:         %[[ALL:.*]] = transformer.all_gather %[[PART]] over <4> dim(1) : tensor<7x63xf16> to tensor<7x250xf16>
// CHECK:         return %[[ALL]]
func.func @head(%x: tensor<7x32xf16>) -> tensor<7x250xf16> {
  %w = transformer.weight "lm_head.weight" sharding<column, head> : tensor<250x32xf16>
  %0 = transformer.linear %x, %w : tensor<7x32xf16>, tensor<250x32xf16> -> tensor<7x250xf16>
  return %0 : tensor<7x250xf16>
}

// -----

// A tied head that is split has a part of its own; the embedding keeps all of
// the table.
// CHECK-LABEL: func @tied_head
// CHECK:         %[[TABLE:.*]] = transformer.weight "embed.weight" : tensor<250x32xf16>
// CHECK:         %[[X:.*]] = transformer.embedding %{{.*}}, %[[TABLE]]
// CHECK:         %[[OWN:.*]] = transformer.weight "lm_head.weight" sharding <column, head> : tensor<63x32xf16>
// CHECK:         %[[PART:.*]] = transformer.linear %[[X]], %[[OWN]]
// CHECK:         transformer.all_gather %[[PART]] over <4> dim(1) : tensor<7x63xf16> to tensor<7x250xf16>
func.func @tied_head(%ids: tensor<7xi64>) -> tensor<7x250xf16> {
  %table = transformer.weight "embed.weight" : tensor<250x32xf16>
  %x = transformer.embedding %ids, %table : tensor<7xi64>, tensor<250x32xf16> -> tensor<7x32xf16>
  %0 = transformer.linear %x, %table : tensor<7x32xf16>, tensor<250x32xf16> -> tensor<7x250xf16>
  return %0 : tensor<7x250xf16>
}

// -----

// Layers whose weight says nothing stay whole on every device.
// CHECK-LABEL: func @replicated
// CHECK:         transformer.weight "w.weight" : tensor<32x32xf16>
// CHECK:         transformer.linear {{.*}} -> tensor<7x32xf16>
// CHECK-NEXT:    return
func.func @replicated(%x: tensor<7x32xf16>) -> tensor<7x32xf16> {
  %w = transformer.weight "w.weight" : tensor<32x32xf16>
  %0 = transformer.linear %x, %w : tensor<7x32xf16>, tensor<32x32xf16> -> tensor<7x32xf16>
  return %0 : tensor<7x32xf16>
}

// -----

// A declaration has nothing to split.
// CHECK-LABEL: module @declaration
// CHECK:         func.func private @elsewhere(tensor<7x32xf16>)
module @declaration {
  func.func private @elsewhere(tensor<7x32xf16>)
  func.func @main(%x: tensor<7x32xf16>) {
    %0 = transformer.silu %x : tensor<7x32xf16>
    return
  }
}
