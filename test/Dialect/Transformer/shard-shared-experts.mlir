// RUN: tc-opt %s --transformer-shard="devices=4 ep=4 external-shared-experts" | FileCheck %s
// RUN: tc-opt %s --transformer-shard="devices=4 ep=4 external-shared-experts wide-shared-choice" | FileCheck %s --check-prefix=WIDE
// RUN: tc-opt %s --transformer-shard="devices=4 ep=4 external-shared-experts host-external-shared-experts" | FileCheck %s --check-prefix=HOST
// RUN: tc-opt %s --transformer-shard="devices=4 ep=4" | FileCheck %s --check-prefix=INSIDE

// Of two choices of a token, the shared expert and another, each has half of
// the devices. Those with routed experts have no weights of the shared one, and
// two of the four others; a row of 8 tokens per device goes to each.
// CHECK-LABEL: func @mixture
// CHECK:         %[[W:.*]], %[[IDS:.*]] = transformer.select_experts
// CHECK-NEXT:    %[[AW:.*]], %[[AIDS:.*]] = transformer.add_shared_choice %[[W]], %[[IDS]] : tensor<8x1xf16>, tensor<8x1xi64> -> tensor<8x2xf16>, tensor<8x2xi64>
// CHECK:         %[[ROWS:.*]] = transformer.permute_tokens %{{.*}} by %[[AIDS]] : tensor<8x4xf16>, tensor<8x2xi64> -> tensor<16x4xf16>
// CHECK-NEXT:    %[[THERE:.*]] = transformer.dispatch_tokens %[[ROWS]] by %[[AIDS]] placement<experts = 4, devices = 4, shared = 2> : tensor<16x4xf16>, tensor<8x2xi64> -> tensor<16x4xf16>
// CHECK:         transformer.grouped_linear %[[THERE]], %{{.*}} by %[[AIDS]] placement<experts = 4, devices = 4, shared = 2> : tensor<16x4xf16>, tensor<2x6x4xf16>
// CHECK:         %[[BACK:.*]] = transformer.return_tokens
// CHECK-NEXT:    %[[Y:.*]] = transformer.combine_tokens %[[BACK]], %[[AW]] by %[[AIDS]] : {{.*}} -> tensor<8x4xf16>
// CHECK-NOT:     shared
// CHECK:         return %[[Y]]

// WIDE-LABEL: func @mixture
// WIDE:         transformer.add_shared_choice {{.*}} -> tensor<8x2xf32>, tensor<8x2xi64>
// WIDE:         %[[SUM:.*]] = transformer.combine_tokens {{.*}} -> tensor<8x4xf32>
// WIDE-NEXT:    %[[Y:.*]] = transformer.cast %[[SUM]] : tensor<8x4xf32> to tensor<8x4xf16>
// WIDE-NEXT:    return %[[Y]]

// A device with the shared expert has no other, and runs it on what comes.
// HOST-LABEL: func @mixture
// HOST-NOT:     grouped_linear
// HOST-NOT:     weight "experts
// HOST:         %[[THERE:.*]] = transformer.dispatch_tokens %{{.*}} placement<experts = 4, devices = 4, shared = 2, holds_shared = true> : tensor<16x4xf16>, tensor<8x2xi64> -> tensor<16x4xf16>
// HOST-NEXT:    %[[UP:.*]] = transformer.linear %[[THERE]], %{{.*}} : tensor<16x4xf16>, tensor<6x4xf16> -> tensor<16x6xf16>
// HOST-NEXT:    %[[ACT:.*]] = transformer.silu %[[UP]] : tensor<16x6xf16>
// HOST-NEXT:    %[[DOWN:.*]] = transformer.linear %[[ACT]]
// HOST-NEXT:    %[[BACK:.*]] = transformer.return_tokens %[[DOWN]]
// HOST-NEXT:    %[[Y:.*]] = transformer.combine_tokens %[[BACK]]
// HOST-NEXT:    return %[[Y]]

// INSIDE-NOT: add_shared_choice
func.func @mixture(%x: tensor<8x4xf16>, %logits: tensor<8x4xf32>) -> tensor<8x4xf16> {
  %t = transformer.spread_tokens %x : tensor<8x4xf16>
  %l = transformer.spread_tokens %logits : tensor<8x4xf32>
  %w, %ids = transformer.select_experts %l top_k(1) score(softmax) : tensor<8x4xf32> -> tensor<8x1xf16>, tensor<8x1xi64>
  %p = transformer.permute_tokens %t by %ids : tensor<8x4xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
  %u = transformer.weight "experts.up_proj.weight" sharding<column, expert> : tensor<4x6x4xf16>
  %a = transformer.grouped_linear %p, %u by %ids placement<experts = 4> : tensor<8x4xf16>, tensor<4x6x4xf16>, tensor<8x1xi64> -> tensor<8x6xf16>
  %s = transformer.silu %a : tensor<8x6xf16>
  %d = transformer.weight "experts.down_proj.weight" sharding<row, expert> : tensor<4x4x6xf16>
  %r = transformer.grouped_linear %s, %d by %ids placement<experts = 4> : tensor<8x6xf16>, tensor<4x4x6xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
  %c = transformer.combine_tokens %r, %w by %ids : tensor<8x4xf16>, tensor<8x1xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
  %su = transformer.weight "shared.up_proj.weight" sharding<column, shared_expert> : tensor<6x4xf16>
  %sa = transformer.linear %t, %su : tensor<8x4xf16>, tensor<6x4xf16> -> tensor<8x6xf16>
  %ss = transformer.silu %sa : tensor<8x6xf16>
  %sd = transformer.weight "shared.down_proj.weight" sharding<row, shared_expert> : tensor<4x6xf16>
  %sr = transformer.linear %ss, %sd : tensor<8x6xf16>, tensor<4x6xf16> -> tensor<8x4xf16>
  %y = transformer.add %c, %sr : tensor<8x4xf16>, tensor<8x4xf16>
  %z = transformer.collect_tokens %y : tensor<8x4xf16>
  return %z : tensor<8x4xf16>
}
