// RUN: tc-import %S/Inputs/linear-attention.json --reduced | tc-opt --transformer-decompose="ops=linear_attention" --transformer-shard="tp=2" \
// RUN:   --mlir-print-local-scope | FileCheck %s
// RUN: tc-import %S/Inputs/linear-attention.json --reduced | tc-opt --transformer-shard="tp=2" --mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: tc-import %S/Inputs/linear-attention.json | tc-opt --transformer-decompose="ops=linear_attention" --transformer-shard="tp=4" \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER --allow-empty
// RUN: not tc-opt %s --split-input-file --transformer-shard="tp=8" 2>&1 | FileCheck %s --check-prefix=MANY

// A device has one of two key heads, with its two value heads, and their states.
// CHECK-LABEL: func private @layer_0
// CHECK:         transformer.weight "linear_attn.in_proj_qkvz.weight" sharding <column, tensor, unit = 48> : tensor<48x32xf16>
// CHECK:         transformer.weight "linear_attn.in_proj_ba.weight" sharding <column, tensor, unit = 4> : tensor<4x32xf16>
// CHECK:         transformer.weight "linear_attn.conv1d.weight" {{.*}} : tensor<32x4xf16>
// CHECK:         transformer.weight "linear_attn.A_log" {{.*}} : tensor<2xf16>
// CHECK:         transformer.weight "linear_attn.norm.weight" : tensor<8xf16>
// CHECK:         transformer.weight "linear_attn.out_proj.weight" {{.*}} : tensor<32x16xf16>
// CHECK:         transformer.state "linear_attn.conv_state" {{.*}} : <32x3xf16>
// CHECK:         transformer.state "linear_attn.recurrent_state" {{.*}} : <2x8x8xf32>
// CHECK:         transformer.causal_conv {{.*}} : tensor<?x32xf16,
// CHECK:         transformer.delta_gating {{.*}} -> tensor<?x2x8xf16, {{.*}}>, tensor<?x2xf32,
// CHECK:         transformer.gated_delta_rule {{.*}} <2x8x8xf32>
// CHECK:         transformer.gated_rms_norm {{.*}} : tensor<?x2x8xf16,
// CHECK:         %[[OUT:.*]] = transformer.linear {{.*}} tensor<32x16xf16>
// CHECK-NEXT:    transformer.all_reduce %[[OUT]]
// CHECK-LABEL: func private @layer_1
// Queries and gates of half of the heads.
// CHECK:         transformer.weight "self_attn.q_proj.weight" sharding <column, tensor, unit = 16> : tensor<64x32xf16>
// CHECK:         transformer.attention
// CHECK:         transformer.all_reduce

// In one op, each device has and computes all of it.
// WHOLE-LABEL: func private @layer_0
// WHOLE:         transformer.weight "linear_attn.in_proj_qkvz.weight" : tensor<96x32xf16>
// WHOLE:         transformer.state "linear_attn.recurrent_state" : <4x8x8xf32>
// WHOLE:         %[[ALL:.*]], %{{.*}}, %{{.*}} = transformer.linear_attention
// WHOLE-NOT:     transformer.all_reduce
// WHOLE:         transformer.add %{{.*}}, %[[ALL]]

// OTHER-NOT: {{.}}

// MANY: error: 'transformer.delta_gating' op expected 'tp' to divide the 4 key heads of linear attention, but got 8
func.func private @too_many(%q: tensor<7x4x8xf16>, %b: tensor<7x4xf16>, %decay: tensor<4xf16>) {
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<4xf16> -> tensor<7x4x8xf16>, tensor<7x4xf32>
  return
}

// -----

// MANY: error: 'transformer.state' op expected a multiple of 3 to split, but got 4
func.func private @uneven() -> !transformer.state<4x8xf32> {
  %0 = transformer.state "s" sharding <column, tensor, unit = 3> : !transformer.state<4x8xf32>
  return %0 : !transformer.state<4x8xf32>
}
