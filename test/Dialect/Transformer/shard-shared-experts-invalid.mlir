// RUN: tc-opt %s --transformer-shard="devices=4 ep=4 external-shared-experts" --split-input-file --verify-diagnostics

func.func @none(%x: tensor<8x4xf16>, %logits: tensor<8x4xf32>, %u: tensor<4x4x4xf16>) -> tensor<8x4xf16> {
  %t = transformer.spread_tokens %x : tensor<8x4xf16>
  %w, %ids = transformer.select_experts %logits top_k(1) score(softmax) : tensor<8x4xf32> -> tensor<8x1xf16>, tensor<8x1xi64>
  // expected-error @below {{expected a shared expert beside the routed ones, which 'external-shared-experts' could take to other devices, but got none}}
  %p = transformer.permute_tokens %t by %ids : tensor<8x4xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
  %a = transformer.grouped_linear %p, %u by %ids placement<experts = 4> : tensor<8x4xf16>, tensor<4x4x4xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
  %c = transformer.combine_tokens %a, %w by %ids : tensor<8x4xf16>, tensor<8x1xf16>, tensor<8x1xi64> -> tensor<8x4xf16>
  %z = transformer.collect_tokens %c : tensor<8x4xf16>
  return %z : tensor<8x4xf16>
}

// -----

func.func @sizes(%w: tensor<7x2xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected dimension 1 of 'all_ids' to be 3, but got 4}}
  %0, %1 = transformer.add_shared_choice %w, %ids : tensor<7x2xf16>, tensor<7x2xi64> -> tensor<7x3xf16>, tensor<7x4xi64>
  return
}
