// RUN: tc-opt %s --transformer-decompose --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --transformer-decompose="ops=linear_attention" --mlir-print-local-scope | FileCheck %s --check-prefix=PARTS
// RUN: tc-opt %s --transformer-decompose="keep=linear_attention@qwen3_next,delta_gating@other" \
// RUN:   | FileCheck %s --check-prefix=KEPT
// RUN: not tc-opt %s --transformer-decompose="keep=linear_attentoin@qwen3_next" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown composite op 'linear_attentoin'; did you mean 'linear_attention'?

!conv = !transformer.state<64x3xf16>
!rule = !transformer.state<4x8x8xf32>

module attributes {transformer.model = #transformer.model<"Some/Model", dtype = f16, family = "qwen3_next">} {

// Four projections; queries, keys and values of a key head are side by side
// behind the convolution.
// PARTS-LABEL: func @apart
// PARTS-SAME:    %[[X:.*]]: tensor<7x64xf16>, %[[QKV:.*]]: tensor<64x64xf16>, %[[Z:.*]]: tensor<32x64xf16>, %[[B:.*]]: tensor<4x64xf16>, %[[A:.*]]: tensor<4x64xf16>,
// PARTS:         %[[MIXED:.*]] = transformer.linear %[[X]], %[[QKV]]
// PARTS:         %[[GATE:.*]] = transformer.linear %[[X]], %[[Z]]
// PARTS:         %[[STRENGTH:.*]] = transformer.linear %[[X]], %[[B]]
// PARTS:         %[[STEP:.*]] = transformer.linear %[[X]], %[[A]]
// PARTS:         %[[Y:.*]], %[[C1:.*]] = transformer.causal_conv %[[MIXED]],
// PARTS:         %[[HEADS:.*]] = transformer.reshape %[[Y]] : tensor<7x64xf16> to tensor<7x2x32xf16>
// PARTS:         %[[Q:.*]] = transformer.slice %[[HEADS]] offset(0) size(8)
// PARTS:         %[[K:.*]] = transformer.slice %[[HEADS]] offset(8) size(8)
// PARTS:         %[[VS:.*]] = transformer.slice %[[HEADS]] offset(16) size(16)
// PARTS:         %[[VJ:.*]] = transformer.reshape %[[VS]] : tensor<7x2x16xf16> to tensor<7x32xf16>
// PARTS:         %[[V:.*]] = transformer.reshape %[[VJ]] : tensor<7x32xf16> to tensor<7x4x8xf16>
// PARTS:         %[[Q1:.*]], %[[K1:.*]], %[[BETA:.*]], %[[LOG:.*]] = transformer.delta_gating %[[Q]], %[[K]], %[[STRENGTH]], %[[STEP]],
// PARTS:         %[[R:.*]], %[[S1:.*]] = transformer.gated_delta_rule %[[Q1]], %[[K1]], %[[V]], %[[BETA]], %[[LOG]], {{.*}} chunk(64)
// PARTS:         %[[G:.*]] = transformer.reshape %[[GATE]] : tensor<7x32xf16> to tensor<7x4x8xf16>
// PARTS:         %[[N:.*]] = transformer.gated_rms_norm %[[R]], %[[G]],
// PARTS:         %[[J:.*]] = transformer.reshape %[[N]] : tensor<7x4x8xf16> to tensor<7x32xf16>
// PARTS:         %[[OUT:.*]] = transformer.linear %[[J]],
// PARTS:         return %[[OUT]], %[[C1]], %[[S1]]
// KEPT-LABEL:  func @apart
// KEPT-NEXT:     transformer.linear_attention
// KEPT-NEXT:     return
func.func @apart(%x: tensor<7x64xf16>, %qkv: tensor<64x64xf16>, %z: tensor<32x64xf16>, %b: tensor<4x64xf16>,
                 %a: tensor<4x64xf16>, %w: tensor<64x4xf16>, %decay: tensor<4xf16>, %norm: tensor<8xf16>,
                 %out: tensor<64x32xf16>, %conv: !conv, %rule: !rule, %batch: !transformer.batch)
    -> (tensor<7x64xf16>, !conv, !rule) {
  %0:3 = transformer.linear_attention %x projections(%qkv, %z, %b, %a) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>, !conv,
         !rule, !transformer.batch, tensor<64x64xf16>, tensor<32x64xf16>, tensor<4x64xf16>, tensor<4x64xf16>)
     -> (tensor<7x64xf16>, !conv, !rule)
  return %0#0, %0#1, %0#2 : tensor<7x64xf16>, !conv, !rule
}

// Two projections, of which each key head has its parts.
// PARTS-LABEL: func @joined
// PARTS:         %[[W:.*]] = transformer.linear {{.*}} -> tensor<7x96xf16>
// PARTS:         %[[BA:.*]] = transformer.linear {{.*}} -> tensor<7x8xf16>
// PARTS:         %[[WH:.*]] = transformer.reshape %[[W]] : tensor<7x96xf16> to tensor<7x2x48xf16>
// PARTS:         %[[QKV:.*]] = transformer.slice %[[WH]] offset(0) size(32)
// PARTS:         transformer.reshape %[[QKV]] : tensor<7x2x32xf16> to tensor<7x64xf16>
// PARTS:         transformer.slice %[[WH]] offset(32) size(16)
// PARTS:         %[[BH:.*]] = transformer.reshape %[[BA]] : tensor<7x8xf16> to tensor<7x2x4xf16>
// PARTS:         transformer.slice %[[BH]] offset(0) size(2)
// PARTS:         transformer.slice %[[BH]] offset(2) size(2)
// PARTS:         transformer.causal_conv
func.func @joined(%x: tensor<7x64xf16>, %qkvz: tensor<96x64xf16>, %ba: tensor<8x64xf16>, %w: tensor<64x4xf16>,
                  %decay: tensor<4xf16>, %norm: tensor<8xf16>, %out: tensor<64x32xf16>, %conv: !conv, %rule: !rule,
                  %batch: !transformer.batch) -> tensor<7x64xf16> {
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>, !conv,
         !rule, !transformer.batch, tensor<96x64xf16>, tensor<8x64xf16>) -> (tensor<7x64xf16>, !conv, !rule)
  return %0#0 : tensor<7x64xf16>
}

// Heads are repeated one by one; the softplus overflows nowhere.
// CHECK-LABEL: func @gating
// CHECK-SAME:    %[[Q:.*]]: tensor<7x2x8xf16>, %[[B:.*]]: tensor<7x6xf16>, %[[A:.*]]: tensor<7x6xf16>, %[[D:.*]]: tensor<6xf16>, %[[BIAS:.*]]: tensor<6xf16>
// CHECK:         %[[TWICE:.*]] = transformer.concat %[[Q]], %[[Q]]
// CHECK:         %[[THRICE:.*]] = transformer.concat %[[TWICE]], %[[Q]]
// CHECK:         %[[WIDE:.*]] = transformer.reshape %[[THRICE]] : tensor<7x2x24xf16> to tensor<7x6x8xf16>
// CHECK:         %[[BETA:.*]] = transformer.sigmoid %[[B]]
// CHECK:         %[[DW:.*]] = transformer.cast %[[D]] : tensor<6xf16> to tensor<6xf32>
// CHECK:         %[[RATE:.*]] = transformer.exp %[[DW]]
// CHECK:         %[[AW:.*]] = transformer.cast %[[A]] : tensor<7x6xf16> to tensor<7x6xf32>
// CHECK:         %[[S:.*]] = transformer.add %[[AW]], %[[BIAS]]
// CHECK:         %[[ABOVE:.*]] = transformer.max_scalar %[[S]], 0
// CHECK:         %[[BELOW:.*]] = transformer.min_scalar %[[S]], 0
// CHECK:         %[[DIFF:.*]] = transformer.sub %[[BELOW]], %[[ABOVE]]
// CHECK:         %[[E:.*]] = transformer.exp %[[DIFF]]
// CHECK:         %[[L:.*]] = transformer.log1p %[[E]]
// CHECK:         %[[SOFT:.*]] = transformer.add %[[ABOVE]], %[[L]]
// CHECK:         %[[P:.*]] = transformer.mul %[[SOFT]], %[[RATE]]
// CHECK:         %[[G:.*]] = transformer.neg %[[P]]
// CHECK:         return %[[WIDE]], %{{.*}}, %[[BETA]], %[[G]]
// KEPT-LABEL:  func @gating
// KEPT-NOT:      transformer.delta_gating
// KEPT:          return
func.func @gating(%q: tensor<7x2x8xf16>, %b: tensor<7x6xf16>, %a: tensor<7x6xf16>, %decay: tensor<6xf16>,
                  %bias: tensor<6xf16>)
    -> (tensor<7x6x8xf16>, tensor<7x6x8xf16>, tensor<7x6xf16>, tensor<7x6xf32>) {
  %0:4 = transformer.delta_gating %q, %q, %b, %a, %decay, %bias
      : tensor<7x2x8xf16>, tensor<7x6xf16>, tensor<6xf16> -> tensor<7x6x8xf16>, tensor<7x6xf32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<7x6x8xf16>, tensor<7x6x8xf16>, tensor<7x6xf16>, tensor<7x6xf32>
}

// One value head per key head repeats nothing.
// CHECK-LABEL: func @as_many_heads
// CHECK-NOT:     transformer.concat
// CHECK:         return
func.func @as_many_heads(%q: tensor<7x6x8xf16>, %b: tensor<7x6xf16>, %decay: tensor<6xf16>) -> tensor<7x6x8xf16> {
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<7x6x8xf16>, tensor<7x6xf16>, tensor<6xf16> -> tensor<7x6x8xf16>, tensor<7x6xf32>
  return %0#0 : tensor<7x6x8xf16>
}

// CHECK-LABEL: func @norm
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[Z:.*]]: tensor<7x4x8xf16>, %[[W:.*]]: tensor<8xf16>
// CHECK:         %[[N:.*]] = transformer.mul %[[W]],
// CHECK:         %[[ZW:.*]] = transformer.cast %[[Z]]
// CHECK:         %[[S:.*]] = transformer.silu %[[ZW]] : tensor<7x4x8xf32>
// CHECK:         %[[NW:.*]] = transformer.cast %[[N]]
// CHECK:         %[[P:.*]] = transformer.mul %[[NW]], %[[S]]
// CHECK:         %[[R:.*]] = transformer.cast %[[P]] : tensor<7x4x8xf32> to tensor<7x4x8xf16>
// CHECK:         return %[[R]]
func.func @norm(%x: tensor<7x4x8xf16>, %z: tensor<7x4x8xf16>, %w: tensor<8xf16>) -> tensor<7x4x8xf16> {
  %0 = transformer.gated_rms_norm %x, %z, %w eps(1.0e-6) : tensor<7x4x8xf16>, tensor<8xf16>
  return %0 : tensor<7x4x8xf16>
}

// What attention over a cache is, the rule is over a state: it stays.
// CHECK-LABEL: func @rule
// CHECK-NEXT:    transformer.gated_delta_rule
// CHECK-NEXT:    return
func.func @rule(%q: tensor<7x4x8xf16>, %beta: tensor<7x4xf16>, %g: tensor<7x4xf32>, %state: !rule,
                %batch: !transformer.batch) -> tensor<7x4x8xf16> {
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !rule, !transformer.batch
  return %0 : tensor<7x4x8xf16>
}
}
