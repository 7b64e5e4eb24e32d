// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-attention --transformer-fuse-norm | FileCheck %s
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm="linear-attention=false" --transformer-fuse-attention="linear-attention=false" | FileCheck %s --check-prefix=PARTS
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm --transformer-fuse-attention="delta-gating=false" | FileCheck %s --check-prefix=PIECES
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm="gated-rms-norm=false" --transformer-fuse-attention | FileCheck %s --check-prefix=NORMS
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-norm --transformer-fuse-attention --verify-diagnostics --remarks-filter='fuse-(attention|norm)' --remark-policy=all -o /dev/null

!conv = !transformer.state<64x3xf16>
!rule = !transformer.state<4x8x8xf32>

// CHECK-LABEL: func @whole(
// CHECK-NEXT:    %[[R:.*]], %[[C:.*]], %[[S:.*]] = transformer.linear_attention {{.*}} key_heads(2) eps(1.0e-06) chunk(64)
// CHECK-NEXT:    return %[[R]], %[[C]], %[[S]]
// PARTS-LABEL: func @whole(
// PARTS-NOT:     transformer.linear_attention
// PARTS:         transformer.delta_gating
// PARTS:         transformer.gated_rms_norm
// PIECES-LABEL: func @whole(
// PIECES-NOT:    transformer.delta_gating
// PIECES-NOT:    transformer.linear_attention
// PIECES:        transformer.gated_rms_norm
// NORMS-LABEL: func @whole(
// NORMS-NOT:     transformer.gated_rms_norm
// NORMS-NOT:     transformer.linear_attention
// NORMS:         return
func.func @whole(%x: tensor<7x64xf16>, %qkvz: tensor<96x64xf16>, %ba: tensor<8x64xf16>, %w: tensor<64x4xf16>,
                 // expected-remark @below {{[Passed] rms-norm}}
                 // expected-remark @below {{[Passed] gated-rms-norm}}
                 // expected-remark @below {{[Passed] linear-attention}}
                 %decay: tensor<4xf16>, %norm: tensor<8xf16>, %out: tensor<64x32xf16>, %conv: !conv, %rule: !rule,
                 %batch: !transformer.batch) -> (tensor<7x64xf16>, !conv, !rule) {
  // expected-remark @below {{[Passed] delta-gating}}
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>, !conv,
         !rule, !transformer.batch, tensor<96x64xf16>, tensor<8x64xf16>) -> (tensor<7x64xf16>, !conv, !rule)
  return %0#0, %0#1, %0#2 : tensor<7x64xf16>, !conv, !rule
}

// Sums and products may have their operands in either order.
// CHECK-LABEL: func @gates(
// CHECK-SAME:    %[[Q:.*]]: tensor<7x4x8xf16>, %[[B:.*]]: tensor<7x4xf16>, %[[A:.*]]: tensor<7x4xf16>, %[[D:.*]]: tensor<4xf32>, %[[BIAS:.*]]: tensor<4xf32>,
// CHECK-NEXT:    %[[WQ:.*]], %[[WK:.*]], %[[BETA:.*]], %[[LOG:.*]] = transformer.delta_gating %[[Q]], %[[Q]], %[[B]], %[[A]], %[[D]], %[[BIAS]]
// CHECK-NEXT:    transformer.gated_delta_rule %[[WQ]], %[[WK]], %[[Q]], %[[BETA]], %[[LOG]],
func.func @gates(%q: tensor<7x4x8xf16>, %b: tensor<7x4xf16>, %a: tensor<7x4xf16>, %decay: tensor<4xf32>,
                 %bias: tensor<4xf32>, %state: !rule, %batch: !transformer.batch) -> tensor<7x4x8xf16> {
  %beta = transformer.sigmoid %b : tensor<7x4xf16>
  %rate = transformer.exp %decay : tensor<4xf32>
  %aw = transformer.cast %a : tensor<7x4xf16> to tensor<7x4xf32>
  %s = transformer.add %aw, %bias : tensor<7x4xf32>, tensor<4xf32>
  %above = transformer.max_scalar %s, 0.0 : tensor<7x4xf32>
  %below = transformer.min_scalar %s, 0.0 : tensor<7x4xf32>
  %diff = transformer.sub %below, %above : tensor<7x4xf32>, tensor<7x4xf32>
  %e = transformer.exp %diff : tensor<7x4xf32>
  %l = transformer.log1p %e : tensor<7x4xf32>
  %soft = transformer.add %l, %above : tensor<7x4xf32>, tensor<7x4xf32>
  %p = transformer.mul %rate, %soft : tensor<4xf32>, tensor<7x4xf32>
  %g = transformer.neg %p : tensor<7x4xf32>
  // expected-remark @below {{[Passed] delta-gating}}
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !rule, !transformer.batch
  return %0 : tensor<7x4x8xf16>
}

// A softplus that would overflow is another one; so is one below a constant.
// CHECK-LABEL: func @other_gate(
// CHECK-NOT:     transformer.delta_gating
// CHECK:         return
func.func @other_gate(%q: tensor<7x4x8xf16>, %b: tensor<7x4xf16>, %a: tensor<7x4xf32>, %decay: tensor<4xf32>,
                      %state: !rule, %batch: !transformer.batch) -> tensor<7x4x8xf16> {
  %beta = transformer.sigmoid %b : tensor<7x4xf16>
  %rate = transformer.exp %decay : tensor<4xf32>
  %e = transformer.exp %a : tensor<7x4xf32>
  %soft = transformer.log1p %e : tensor<7x4xf32>
  %p = transformer.mul %soft, %rate : tensor<7x4xf32>, tensor<4xf32>
  %g = transformer.neg %p : tensor<7x4xf32>
  // expected-remark @below {{[Missed] delta-gating | Category:fuse-attention | Function=other_gate | Reason="the gates are not made as the kernel makes them"}}
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !rule, !transformer.batch
  return %0 : tensor<7x4x8xf16>
}

// A product with a SwiGLU is the same as one with a SiLU.
// CHECK-LABEL: func @gated_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Z:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>)
// CHECK:         %[[A:.*]] = transformer.gated_rms_norm %[[X]], %[[Z]], %[[W]] eps(1.0e-06)
// CHECK:         %[[B:.*]] = transformer.gated_rms_norm %[[X]], %[[Z]], %[[W]] eps(1.0e-06)
// CHECK:         return %[[A]], %[[B]]
func.func @gated_norm(%x: tensor<7x8xf16>, %z: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %zw = transformer.cast %z : tensor<7x8xf16> to tensor<7x8xf32>
  // expected-remark @below {{[Passed] rms-norm}}
  %n = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %nw = transformer.cast %n : tensor<7x8xf16> to tensor<7x8xf32>
  %s = transformer.silu %zw : tensor<7x8xf32>
  %p = transformer.mul %s, %nw : tensor<7x8xf32>, tensor<7x8xf32>
  // expected-remark @below {{[Passed] gated-rms-norm}}
  %r = transformer.cast %p : tensor<7x8xf32> to tensor<7x8xf16>
  // expected-remark @below {{[Passed] rms-norm}}
  %n1 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %nw1 = transformer.cast %n1 : tensor<7x8xf16> to tensor<7x8xf32>
  %p1 = transformer.swiglu %zw, %nw1 : tensor<7x8xf32>
  // expected-remark @below {{[Passed] gated-rms-norm}}
  %r1 = transformer.cast %p1 : tensor<7x8xf32> to tensor<7x8xf16>
  return %r, %r1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// CHECK-LABEL: func @norm_read_elsewhere(
// CHECK-NOT:     transformer.gated_rms_norm
// CHECK:         return
func.func @norm_read_elsewhere(%x: tensor<7x8xf16>, %z: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %zw = transformer.cast %z : tensor<7x8xf16> to tensor<7x8xf32>
  // expected-remark @below {{[Passed] rms-norm}}
  %n = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf16>
  %nw = transformer.cast %n : tensor<7x8xf16> to tensor<7x8xf32>
  %s = transformer.silu %zw : tensor<7x8xf32>
  %p = transformer.mul %s, %nw : tensor<7x8xf32>, tensor<7x8xf32>
  // expected-remark @below {{[Missed] gated-rms-norm | Category:fuse-norm | Function=norm_read_elsewhere | Reason="the norm or the product is read elsewhere"}}
  %r = transformer.cast %p : tensor<7x8xf32> to tensor<7x8xf16>
  return %r, %n : tensor<7x8xf16>, tensor<7x8xf16>
}
