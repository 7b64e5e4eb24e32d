// RUN: tc-opt %s --split-input-file \
// RUN:   --convert-transformer-to-ascend=kernel-set=ascend | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-decompose \
// RUN:   --convert-transformer-to-ascend=kernel-set=ascend \
// RUN:   | FileCheck %s --check-prefix=APART

// One launch reads the inputs, does all the work and writes the results; what
// is between the ops costs nothing. The work says which kernel it is from.

// CHECK-LABEL: @norm_linear
// CHECK-NEXT: %[[Y:.*]] = ascend.launch "norm_linear"(%arg0, %arg1, %arg2)
// CHECK-SAME: (tensor<7x64xf16>, tensor<64xf16>, tensor<32x64xf16>) -> tensor<7x32xf16> {
// CHECK-NEXT: ascend.elementwise elements(448) operations(4) {ascend.part = "rms_norm"} : f32
// CHECK-NEXT: ascend.matmul m(7) n(32) k(64) {ascend.part = "matmul"} : f16
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]

// The work may be that of what a framework launches.
// APART-LABEL: @norm_linear
// APART-NEXT: ascend.launch "norm_linear"(%arg0, %arg1, %arg2)
// APART-COUNT-7: ascend.elementwise
// APART: ascend.matmul
// APART-NEXT: {{^ *}}}
// APART-NEXT: return
func.func @norm_linear(%x: tensor<7x64xf16>, %norm: tensor<64xf16>,
                       %proj: tensor<32x64xf16>) -> tensor<7x32xf16> {
  %y = transformer.fused "norm_linear"(%a = %x, %b = %norm, %c = %proj)
      : (tensor<7x64xf16>, tensor<64xf16>, tensor<32x64xf16>)
      -> tensor<7x32xf16> {
    %0 = transformer.rms_norm %a, %b eps(1.0e-6)
        : tensor<7x64xf16>, tensor<64xf16>
    %1 = transformer.linear %0, %c
        : tensor<7x64xf16>, tensor<32x64xf16> -> tensor<7x32xf16>
    transformer.yield %1 : tensor<7x32xf16>
  }
  return %y : tensor<7x32xf16>
}

// -----

// Rows of a cache are written in place; the tables of the rotation are read
// once, seen as the rotation sees them.

// CHECK-LABEL: @rope_append
// CHECK-NEXT: %[[TABLE:.*]]:2 = ascend.view %arg1
// CHECK-NEXT: %[[CACHE:.*]] = ascend.launch "rope_append"(%arg0, %[[TABLE]]#0, %[[TABLE]]#1, %arg2) using(%arg3, %arg4)
// CHECK-SAME: -> !transformer.kv_cache<2x2x8xf16, block_size = 128> {
// CHECK-NEXT: ascend.elementwise {{.*}} {ascend.part = "rope"}
// CHECK-NEXT: ascend.scatter {{.*}} {ascend.part = "append_cache"}
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: return %[[CACHE]]
func.func @rope_append(%k: tensor<7x16xf16>, %rope: !transformer.rope_table<8xf16>,
                       %v: tensor<7x2x8xf16>,
                       %cache: !transformer.kv_cache<2x2x8xf16, block_size = 128>,
                       %batch: !transformer.batch)
    -> !transformer.kv_cache<2x2x8xf16, block_size = 128> {
  %y = transformer.fused "rope_append"(%a = %k, %b = %rope, %c = %v, %d = %cache, %e = %batch)
      : (tensor<7x16xf16>, !transformer.rope_table<8xf16>, tensor<7x2x8xf16>,
         !transformer.kv_cache<2x2x8xf16, block_size = 128>, !transformer.batch)
      -> !transformer.kv_cache<2x2x8xf16, block_size = 128> {
    %heads = transformer.reshape %a : tensor<7x16xf16> to tensor<7x2x8xf16>
    %0 = transformer.rope %heads, %b
        : tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
    %1 = transformer.append_cache %0, %c to %d of %e
        : tensor<7x2x8xf16>, !transformer.kv_cache<2x2x8xf16, block_size = 128>,
          !transformer.batch
    transformer.yield %1 : !transformer.kv_cache<2x2x8xf16, block_size = 128>
  }
  return %y : !transformer.kv_cache<2x2x8xf16, block_size = 128>
}

// -----

// A kernel within a kernel is part of it, and so are that one's parts; both
// results are written.

// CHECK-LABEL: @nested
// CHECK-NEXT: %[[Y:.*]]:2 = ascend.launch "outer"(%arg0) : (tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
// CHECK-NEXT: ascend.elementwise elements(56) operations(4) {ascend.part = "silu"} : f16
// CHECK-NEXT: ascend.elementwise elements(56) operations(1) {ascend.part = "mul"} : f16
// CHECK-NEXT: }
// CHECK-NEXT: return %[[Y]]#0, %[[Y]]#1
func.func @nested(%x: tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %y:2 = transformer.fused "outer"(%a = %x)
      : (tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
    %0 = transformer.fused "inner"(%b = %a) : (tensor<7x8xf16>) -> tensor<7x8xf16> {
      %2 = transformer.silu %b : tensor<7x8xf16>
      transformer.yield %2 : tensor<7x8xf16>
    }
    %1 = transformer.mul %0, %a : tensor<7x8xf16>, tensor<7x8xf16>
    transformer.yield %1, %0 : tensor<7x8xf16>, tensor<7x8xf16>
  }
  return %y#0, %y#1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// -----

// Nothing is started where nothing is computed.

// CHECK-LABEL: @only_views
// CHECK-NEXT: %[[V:.*]] = ascend.view %arg0
// CHECK-NEXT: return %[[V]], %arg0
func.func @only_views(%x: tensor<7x8xf16>) -> (tensor<56xf16>, tensor<7x8xf16>) {
  %y:2 = transformer.fused "view"(%a = %x)
      : (tensor<7x8xf16>) -> (tensor<56xf16>, tensor<7x8xf16>) {
    %0 = transformer.reshape %a : tensor<7x8xf16> to tensor<56xf16>
    transformer.yield %0, %a : tensor<56xf16>, tensor<7x8xf16>
  }
  return %y#0, %y#1 : tensor<56xf16>, tensor<7x8xf16>
}

// -----

// What is put together of device memory and of the chip needs the former read.

// CHECK-LABEL: @part_from_memory
// CHECK-NEXT: ascend.launch "part"(%arg2, %arg1, %arg0)
// CHECK-NEXT: ascend.elementwise
// CHECK-NEXT: ascend.matmul m(7) n(10) k(8) {{.*}} : f16
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @part_from_memory(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>,
                            %v: tensor<6x8xf16>) -> tensor<7x10xf16> {
  %y = transformer.fused "part"(%a = %x, %b = %w, %c = %v)
      : (tensor<7x8xf16>, tensor<4x8xf16>, tensor<6x8xf16>)
      -> tensor<7x10xf16> {
    %0 = transformer.neg %c : tensor<6x8xf16>
    %1 = transformer.concat_weights %b, %0 : tensor<4x8xf16>, tensor<6x8xf16>
    %2 = transformer.linear %a, %1
        : tensor<7x8xf16>, tensor<10x8xf16> -> tensor<7x10xf16>
    transformer.yield %2 : tensor<7x10xf16>
  }
  return %y : tensor<7x10xf16>
}

// -----

// Which tokens yield logits depends on the batch: decode keeps all, without a
// kernel. Then the layer reads them where they are; in prefill the rows that are
// kept are looked up.

// CHECK-LABEL: @last_tokens_in_memory
// CHECK-NEXT: ascend.launch "head"(%arg2) using(%arg1, %arg0)
// CHECK-NEXT: ascend.gather rows({{.*}}) row_bytes(16) index(
// CHECK-NEXT: ascend.gather rows(decode) row_bytes({{.*}}sequences{{.*}}) index(0)
// CHECK-NEXT: ascend.matmul
#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
#tokens = #transformer.dims<tokens>
func.func @last_tokens_in_memory(%x: tensor<?x8xf16, #tokens>,
                                 %batch: !transformer.batch,
                                 %w: tensor<4x8xf16>)
    -> tensor<?x4xf16, #kept> {
  %y = transformer.fused "head"(%a = %x, %b = %batch, %c = %w)
      : (tensor<?x8xf16, #tokens>, !transformer.batch, tensor<4x8xf16>)
      -> tensor<?x4xf16, #kept> {
    %0 = transformer.last_tokens %a of %b
        : tensor<?x8xf16, #tokens>, !transformer.batch -> tensor<?x8xf16, #kept>
    %1 = transformer.linear %0, %c
        : tensor<?x8xf16, #kept>, tensor<4x8xf16> -> tensor<?x4xf16, #kept>
    transformer.yield %1 : tensor<?x4xf16, #kept>
  }
  return %y : tensor<?x4xf16, #kept>
}

// -----

// What is on the chip is not looked up in device memory.

// CHECK-LABEL: @last_tokens_on_the_chip
// CHECK-NEXT: ascend.launch "head"(%arg0) using(%arg1)
// CHECK-NEXT: ascend.elementwise
// CHECK-NEXT: ascend.gather rows({{.*}}) row_bytes(0)
// CHECK-NEXT: {{^ *}}}
#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
#tokens = #transformer.dims<tokens>
func.func @last_tokens_on_the_chip(%x: tensor<?x8xf16, #tokens>,
                                   %batch: !transformer.batch)
    -> tensor<?x8xf16, #kept> {
  %y = transformer.fused "head"(%a = %x, %b = %batch)
      : (tensor<?x8xf16, #tokens>, !transformer.batch)
      -> tensor<?x8xf16, #kept> {
    %0 = transformer.silu %a : tensor<?x8xf16, #tokens>
    %1 = transformer.last_tokens %0 of %b
        : tensor<?x8xf16, #tokens>, !transformer.batch -> tensor<?x8xf16, #kept>
    transformer.yield %1 : tensor<?x8xf16, #kept>
  }
  return %y : tensor<?x8xf16, #kept>
}
