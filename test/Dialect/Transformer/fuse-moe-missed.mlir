// What only resembles a choice of experts, or a sum of their results, stays.
// RUN: tc-opt %s > %t.whole
// RUN: tc-opt %s --transformer-fuse-moe | diff %t.whole -
// RUN: tc-opt %s --transformer-fuse-moe --verify-diagnostics --remarks-filter=fuse-moe --remark-policy=all

func.func @limited_sum_of_sigmoid(%logits: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.sigmoid %logits : tensor<7x16xf32>
  // expected-remark @below {{the sum of sigmoid scores is limited by epsilon}}
  %values, %ids = transformer.top_k %scores count(2) : tensor<7x16xf32>
  %sum = transformer.sum %values dim(1) : tensor<7x2xf32>
  %limited = transformer.max_scalar %sum, 1.0e-20 : tensor<7x1xf32>
  %weights = transformer.div %values, %limited : tensor<7x2xf32>, tensor<7x1xf32>
  return %weights, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @raised_sum_of_softmax(%logits: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.softmax %logits : tensor<7x16xf32>
  // expected-remark @below {{epsilon is added to the sum of softmax scores}}
  %values, %ids = transformer.top_k %scores count(2) : tensor<7x16xf32>
  %sum = transformer.sum %values dim(1) : tensor<7x2xf32>
  %raised = transformer.add_scalar %sum, 1.0e-20 : tensor<7x1xf32>
  %weights = transformer.div %values, %raised : tensor<7x2xf32>, tensor<7x1xf32>
  return %weights, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @other_divisor(%logits: tensor<7x16xf32>, %other: tensor<7x2xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.softmax %logits : tensor<7x16xf32>
  // expected-remark @below {{the sum of weights is not what divides them}}
  %values, %ids = transformer.top_k %scores count(2) : tensor<7x16xf32>
  %sum = transformer.sum %values dim(1) : tensor<7x2xf32>
  %weights = transformer.div %other, %sum : tensor<7x2xf32>, tensor<7x1xf32>
  return %weights, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @read_scores(%logits: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>, tensor<7x16xf32>) {
  %scores = transformer.softmax %logits : tensor<7x16xf32>
  // expected-remark @below {{the scores have another reader}}
  %values, %ids = transformer.top_k %scores count(2) : tensor<7x16xf32>
  return %values, %ids, %scores
      : tensor<7x2xf32>, tensor<7x2xi64>, tensor<7x16xf32>
}

func.func @read_weights(%logits: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>, tensor<7x2xf32>) {
  %scores = transformer.softmax %logits : tensor<7x16xf32>
  // expected-remark @below {{the weights have another reader}}
  %values, %ids = transformer.top_k %scores count(2) : tensor<7x16xf32>
  %sum = transformer.sum %values dim(1) : tensor<7x2xf32>
  %weights = transformer.div %values, %sum : tensor<7x2xf32>, tensor<7x1xf32>
  return %weights, %ids, %values
      : tensor<7x2xf32>, tensor<7x2xi64>, tensor<7x2xf32>
}

func.func @biased_weights(%logits: tensor<7x16xf32>, %bias: tensor<16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.sigmoid %logits : tensor<7x16xf32>
  %ranked = transformer.add %scores, %bias : tensor<7x16xf32>, tensor<16xf32>
  // expected-remark @below {{the weights are not the scores of the chosen experts}}
  %values, %ids = transformer.top_k %ranked count(2) : tensor<7x16xf32>
  return %values, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @bias_of_tokens(%logits: tensor<7x16xf32>, %bias: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.sigmoid %logits : tensor<7x16xf32>
  %ranked = transformer.add %scores, %bias : tensor<7x16xf32>, tensor<7x16xf32>
  // expected-remark @below {{what is added to the scores is not one value per expert}}
  %values, %ids = transformer.top_k %ranked count(2) : tensor<7x16xf32>
  %weights = transformer.take %scores by %ids : tensor<7x16xf32>, tensor<7x2xi64>
  return %weights, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @narrow(%logits: tensor<7x16xf16>)
    -> (tensor<7x2xf16>, tensor<7x2xi64>) {
  %scores = transformer.softmax %logits : tensor<7x16xf16>
  // expected-remark @below {{scores are not of f32}}
  %values, %ids = transformer.top_k %scores count(2) : tensor<7x16xf16>
  return %values, %ids : tensor<7x2xf16>, tensor<7x2xi64>
}

// Chosen among 4 groups of 4, kept as 8 groups of 2.
func.func @other_groups(%logits: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.sigmoid %logits : tensor<7x16xf32>
  %grouped = transformer.reshape %scores : tensor<7x16xf32> to tensor<7x4x4xf32>
  %best, %places = transformer.top_k %grouped count(2) : tensor<7x4x4xf32>
  %sums = transformer.sum %best dim(2) : tensor<7x4x2xf32>
  %flat = transformer.reshape %sums : tensor<7x4x1xf32> to tensor<7x4xf32>
  %most, %chosen = transformer.top_k %flat count(2) : tensor<7x4xf32>
  %kept = transformer.mask_groups %scores by %chosen groups(8)
      : tensor<7x16xf32>, tensor<7x2xi64>
  // expected-remark @below {{the groups that are chosen are of another size}}
  %values, %ids = transformer.top_k %kept count(2) : tensor<7x16xf32>
  %weights = transformer.take %scores by %ids : tensor<7x16xf32>, tensor<7x2xi64>
  return %weights, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @groups_by_three(%logits: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %scores = transformer.sigmoid %logits : tensor<7x16xf32>
  %grouped = transformer.reshape %scores : tensor<7x16xf32> to tensor<7x4x4xf32>
  %best, %places = transformer.top_k %grouped count(3) : tensor<7x4x4xf32>
  %sums = transformer.sum %best dim(2) : tensor<7x4x3xf32>
  %flat = transformer.reshape %sums : tensor<7x4x1xf32> to tensor<7x4xf32>
  %most, %chosen = transformer.top_k %flat count(2) : tensor<7x4xf32>
  %kept = transformer.mask_groups %scores by %chosen groups(4)
      : tensor<7x16xf32>, tensor<7x2xi64>
  // expected-remark @below {{groups are not chosen by their two largest scores}}
  %values, %ids = transformer.top_k %kept count(2) : tensor<7x16xf32>
  %weights = transformer.take %scores by %ids : tensor<7x16xf32>, tensor<7x2xi64>
  return %weights, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

// Nothing is chosen by scores.
func.func @plain_top_k(%x: tensor<7x16xf32>)
    -> (tensor<7x2xf32>, tensor<7x2xi64>) {
  %values, %ids = transformer.top_k %x count(2) : tensor<7x16xf32>
  return %values, %ids : tensor<7x2xf32>, tensor<7x2xi64>
}

func.func @sum_of_features(%rows: tensor<14x64xf16>, %w: tensor<7x2xf16>,
                           %i: tensor<7x2xi64>) -> tensor<7x2xf16> {
  %parts = transformer.unpermute_tokens %rows by %i
      : tensor<14x64xf16>, tensor<7x2xi64> -> tensor<7x2x64xf16>
  %factors = transformer.reshape %w : tensor<7x2xf16> to tensor<7x2x1xf16>
  %product = transformer.mul %parts, %factors
      : tensor<7x2x64xf16>, tensor<7x2x1xf16>
  // expected-remark @below {{the sum is not over the choices of a token}}
  %sum = transformer.sum %product dim(2) : tensor<7x2x64xf16>
  %flat = transformer.reshape %sum : tensor<7x2x1xf16> to tensor<7x2xf16>
  return %flat : tensor<7x2xf16>
}

func.func @read_rows(%rows: tensor<14x64xf16>, %w: tensor<7x2xf16>,
                     %i: tensor<7x2xi64>)
    -> (tensor<7x64xf16>, tensor<7x2x64xf16>) {
  %parts = transformer.unpermute_tokens %rows by %i
      : tensor<14x64xf16>, tensor<7x2xi64> -> tensor<7x2x64xf16>
  %factors = transformer.reshape %w : tensor<7x2xf16> to tensor<7x2x1xf16>
  %product = transformer.mul %parts, %factors
      : tensor<7x2x64xf16>, tensor<7x2x1xf16>
  // expected-remark @below {{the rows have another reader}}
  %sum = transformer.sum %product dim(1) : tensor<7x2x64xf16>
  %flat = transformer.reshape %sum : tensor<7x1x64xf16> to tensor<7x64xf16>
  return %flat, %parts : tensor<7x64xf16>, tensor<7x2x64xf16>
}

func.func @weights_of_features(%rows: tensor<14x64xf16>,
                               %w: tensor<7x2x64xf16>, %i: tensor<7x2xi64>)
    -> tensor<7x64xf16> {
  %parts = transformer.unpermute_tokens %rows by %i
      : tensor<14x64xf16>, tensor<7x2xi64> -> tensor<7x2x64xf16>
  %product = transformer.mul %parts, %w
      : tensor<7x2x64xf16>, tensor<7x2x64xf16>
  // expected-remark @below {{the factor is not one weight per choice}}
  %sum = transformer.sum %product dim(1) : tensor<7x2x64xf16>
  %flat = transformer.reshape %sum : tensor<7x1x64xf16> to tensor<7x64xf16>
  return %flat : tensor<7x64xf16>
}
