// RUN: tc-opt %s --transformer-shard="devices=4 ep=2 moe-tp=2" | FileCheck %s --check-prefix=SHARD
// RUN: tc-opt %s --transformer-merge-linears | FileCheck %s --check-prefix=MERGE
// RUN: tc-opt %s --transformer-quantize="linear-action=W8A8_DYNAMIC" | FileCheck %s --check-prefix=QUANTIZE
// RUN: tc-opt %s --transformer-quantize="linear-action=W8A8_DYNAMIC" --verify-diagnostics --remarks-filter=quantize --remark-policy=all

// A device has the biases of its experts: a part of those of split columns, and
// all of those that one device adds to a sum.
// SHARD-LABEL: func private @experts
// SHARD:         transformer.weight "gate.bias" sharding <column, expert> : tensor<2x3xf16>
// SHARD:         transformer.weight "up.bias" sharding <column, expert> : tensor<2x3xf16>
// SHARD:         transformer.weight "down.bias" sharding <row, expert> : tensor<2x8xf16>

// Biases are joined as matrices are.
// MERGE-LABEL: func private @experts
// MERGE:         %[[W:.*]] = transformer.concat_weights %{{.*}} dim(1) : tensor<4x6x8xf16>, tensor<4x6x8xf16>
// MERGE:         %[[B:.*]] = transformer.concat_weights %{{.*}} dim(1) : tensor<4x6xf16>, tensor<4x6xf16>
// MERGE:         transformer.grouped_linear %{{.*}}, %[[W]] by %{{.*}} placement<experts = 4> bias(%[[B]] : tensor<4x12xf16>) {{.*}} -> tensor<16x12xf16>

// Kernels of quantized experts have no place for a bias.
// QUANTIZE-NOT: quantized_grouped_linear
// QUANTIZE:     bias(%down.bias : tensor<4x8xf16>)
func.func private @experts(%x: tensor<8x8xf16>, %logits: tensor<8x4xf16>) -> tensor<8x8xf16> {
  %t = transformer.spread_tokens %x : tensor<8x8xf16>
  %l = transformer.spread_tokens %logits : tensor<8x4xf16>
  %w, %ids = transformer.select_experts %l top_k(2) score(softmax_of_chosen) : tensor<8x4xf16> -> tensor<8x2xf16>, tensor<8x2xi64>
  %p = transformer.permute_tokens %t by %ids : tensor<8x8xf16>, tensor<8x2xi64> -> tensor<16x8xf16>
  %gw = transformer.weight "gate.weight" sharding<column, expert> : tensor<4x6x8xf16>
  %gb = transformer.weight "gate.bias" sharding<column, expert> : tensor<4x6xf16>
  // expected-remark @below {{Reason="the kernels of quantized experts add no bias"}}
  %g = transformer.grouped_linear %p, %gw by %ids placement<experts = 4> bias(%gb : tensor<4x6xf16>) : tensor<16x8xf16>, tensor<4x6x8xf16>, tensor<8x2xi64> -> tensor<16x6xf16>
  %uw = transformer.weight "up.weight" sharding<column, expert> : tensor<4x6x8xf16>
  %ub = transformer.weight "up.bias" sharding<column, expert> : tensor<4x6xf16>
  // expected-remark @below {{Reason="the kernels of quantized experts add no bias"}}
  %u = transformer.grouped_linear %p, %uw by %ids placement<experts = 4> bias(%ub : tensor<4x6xf16>) : tensor<16x8xf16>, tensor<4x6x8xf16>, tensor<8x2xi64> -> tensor<16x6xf16>
  %a = transformer.clamped_swiglu %g, %u limit(7.0) slope(1.702) : tensor<16x6xf16>
  %dw = transformer.weight "down.weight" sharding<row, expert> : tensor<4x8x6xf16>
  %db = transformer.weight "down.bias" sharding<row, expert> : tensor<4x8xf16>
  // expected-remark @below {{Reason="the kernels of quantized experts add no bias"}}
  %d = transformer.grouped_linear %a, %dw by %ids placement<experts = 4> bias(%db : tensor<4x8xf16>) : tensor<16x6xf16>, tensor<4x8x6xf16>, tensor<8x2xi64> -> tensor<16x8xf16>
  %c = transformer.combine_tokens %d, %w by %ids : tensor<16x8xf16>, tensor<8x2xf16>, tensor<8x2xi64> -> tensor<8x8xf16>
  %y = transformer.collect_tokens %c : tensor<8x8xf16>
  return %y : tensor<8x8xf16>
}
