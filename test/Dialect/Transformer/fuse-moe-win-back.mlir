// Choices of experts and sums of their results are won back from their pieces.
// RUN: tc-opt %s > %t.whole
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-moe | diff %t.whole -
// RUN: tc-opt %s --transformer-decompose --transformer-fuse-moe="combine=false gating=false" \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-decompose --remarks-filter=fuse-moe --remark-policy=all \
// RUN:   --transformer-fuse-moe 2>&1 | FileCheck %s --check-prefix=REMARKS
// OFF-NOT: transformer.select_experts
// OFF-NOT: transformer.combine_tokens
// REMARKS-COUNT-8: [Passed] gating
// REMARKS-COUNT-3: [Passed] combine
// REMARKS-NOT: [Missed]

func.func @softmax(%logits: tensor<7x128xf32>)
    -> (tensor<7x8xf16>, tensor<7x8xi64>) {
  %w, %i = transformer.select_experts %logits top_k(8) score(softmax) normalize
      : tensor<7x128xf32> -> tensor<7x8xf16>, tensor<7x8xi64>
  return %w, %i : tensor<7x8xf16>, tensor<7x8xi64>
}

func.func @bare(%logits: tensor<7x128xf32>)
    -> (tensor<7x8xf32>, tensor<7x8xi64>) {
  %w, %i = transformer.select_experts %logits top_k(8) score(softmax)
      : tensor<7x128xf32> -> tensor<7x8xf32>, tensor<7x8xi64>
  return %w, %i : tensor<7x8xf32>, tensor<7x8xi64>
}

func.func @softmax_with_bias(%logits: tensor<7x64xf32>, %b: tensor<64xf32>)
    -> (tensor<7x6xf32>, tensor<7x6xi64>) {
  %w, %i = transformer.select_experts %logits bias(%b : tensor<64xf32>)
      top_k(6) score(softmax) normalize epsilon(1.0e-12)
      : tensor<7x64xf32> -> tensor<7x6xf32>, tensor<7x6xi64>
  return %w, %i : tensor<7x6xf32>, tensor<7x6xi64>
}

func.func @groups_with_bias(%logits: tensor<7x256xf32>, %b: tensor<256xf16>)
    -> (tensor<7x8xf16>, tensor<7x8xi64>) {
  %w, %i = transformer.select_experts %logits bias(%b : tensor<256xf16>)
      top_k(8) score(sigmoid) groups(4 of 8) normalize epsilon(1.0e-20)
      scale(2.5) : tensor<7x256xf32> -> tensor<7x8xf16>, tensor<7x8xi64>
  return %w, %i : tensor<7x8xf16>, tensor<7x8xi64>
}

// The weights are taken from the scores, as the mask changes these.
func.func @groups(%logits: tensor<7x16xf32>)
    -> (tensor<7x4xf32>, tensor<7x4xi64>) {
  %w, %i = transformer.select_experts %logits top_k(4) score(softmax)
      groups(1 of 2) scale(16.0)
      : tensor<7x16xf32> -> tensor<7x4xf32>, tensor<7x4xi64>
  return %w, %i : tensor<7x4xf32>, tensor<7x4xi64>
}

// Groups of one expert are ranked by one score.
func.func @groups_of_one(%logits: tensor<7x16xf32>)
    -> (tensor<7x4xf32>, tensor<7x4xi64>) {
  %w, %i = transformer.select_experts %logits top_k(4) score(sigmoid)
      groups(8 of 16) normalize
      : tensor<7x16xf32> -> tensor<7x4xf32>, tensor<7x4xi64>
  return %w, %i : tensor<7x4xf32>, tensor<7x4xi64>
}

func.func @chosen_first(%logits: tensor<7x32xf16>)
    -> (tensor<7x4xf16>, tensor<7x4xi64>) {
  %w, %i = transformer.select_experts %logits top_k(4) score(softmax_of_chosen)
      : tensor<7x32xf16> -> tensor<7x4xf16>, tensor<7x4xi64>
  return %w, %i : tensor<7x4xf16>, tensor<7x4xi64>
}

func.func @mixture(%logits: tensor<7x32xf32>, %rows: tensor<14x64xf16>)
    -> tensor<7x64xf16> {
  %w, %i = transformer.select_experts %logits top_k(2) score(softmax) normalize
      : tensor<7x32xf32> -> tensor<7x2xf16>, tensor<7x2xi64>
  %sum = transformer.combine_tokens %rows, %w by %i
      : tensor<14x64xf16>, tensor<7x2xf16>, tensor<7x2xi64> -> tensor<7x64xf16>
  return %sum : tensor<7x64xf16>
}

func.func @wide_weights(%rows: tensor<14x64xf16>, %w: tensor<7x2xf32>,
                        %i: tensor<7x2xi64>)
    -> (tensor<7x64xf16>, tensor<7x64xf32>) {
  %narrow = transformer.combine_tokens %rows, %w by %i
      : tensor<14x64xf16>, tensor<7x2xf32>, tensor<7x2xi64> -> tensor<7x64xf16>
  %wide = transformer.combine_tokens %rows, %w by %i
      : tensor<14x64xf16>, tensor<7x2xf32>, tensor<7x2xi64> -> tensor<7x64xf32>
  return %narrow, %wide : tensor<7x64xf16>, tensor<7x64xf32>
}
