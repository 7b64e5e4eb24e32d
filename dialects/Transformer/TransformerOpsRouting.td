//===- TransformerOpsRouting.td - Who goes to which expert -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_ROUTING
#define TENSORCAST_TRANSFORMER_OPS_ROUTING

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

def Transformer_SoftmaxOp : Transformer_CompositeOp<"softmax",
    [SameOperandsAndResultType], ["isLaunchedWhole"]> {
  let summary = "Makes probabilities of each row.";
  let description = [{
    `result[.., i] = exp(input[.., i] - max(input[.., :])) / sum of these`

    ```mlir
    %p = transformer.softmax %logits : tensor<7x128xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Transformer_TopKOp : Transformer_InferredOp<"top_k"> {
  let summary = "Finds the largest elements of each row.";
  let description = [{
    `values[.., :]` are the `count` largest of `input[.., :]`, largest first;
    `indices[.., :]` say where they are. Of equal ones the first comes first.

    ```mlir
    %values, %indices = transformer.top_k %scores count(8) : tensor<7x128xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input,
                       ConfinedAttr<I64Attr, [IntPositive]>:$count);
  let results = (outs FloatTensor:$values, IndicesTensor:$indices);
  let assemblyFormat = "$input `count` `(` $count `)` attr-dict `:` type($input)";
}

def Transformer_TakeOp : Transformer_InferredOp<"take"> {
  let summary = "Picks elements of each row.";
  let description = [{
    `result[.., j] = input[.., indices[.., j]]`

    ```mlir
    %weights = transformer.take %scores by %indices
        : tensor<7x256xf32>, tensor<7x8xi64>
    ```
  }];
  let arguments = (ins FloatTensor:$input, IndicesTensor:$indices);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `by` $indices attr-dict `:` type($input) `,` type($indices)
  }];
}

def Transformer_MaskGroupsOp : Transformer_Op<"mask_groups", [Pure,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "Sets the scores of groups that were not chosen to zero.";
  let description = [{
    `result[t, e] = input[t, e]` if the group of `e` is among `chosen[t, :]`,
    else 0. The elements of a row are in `groups` groups of one size.

    ```mlir
    %kept = transformer.mask_groups %scores by %chosen groups(8)
        : tensor<7x256xf32>, tensor<7x4xi64>
    ```
  }];
  let arguments = (ins FloatTensor:$input, IndicesTensor:$chosen,
                       ConfinedAttr<I64Attr, [IntPositive]>:$groups);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `by` $chosen `groups` `(` $groups `)` attr-dict
    `:` type($input) `,` type($chosen)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

def Transformer_SoftplusOp : Transformer_CompositeOp<"softplus",
    [SameOperandsAndResultType], ["isLaunchedWhole"]> {
  let summary = "Applies the smooth ramp.";
  let description = [{
    `result = max(input, 0) + log(1 + exp(-|input|))`

    ```mlir
    %r = transformer.softplus %logits : tensor<7x256xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Transformer_LogOp : Transformer_Op<"log", [Pure,
    SameOperandsAndResultType]> {
  let summary = "Takes the natural logarithm.";
  let description = [{
    `result = log(input)`

    ```mlir
    %r = transformer.log %x : tensor<7x256xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Transformer_LookUpExpertsOp : Transformer_Op<"look_up_experts", [Pure]> {
  let summary = "Looks up the experts of each token by its id.";
  let description = [{
    `result[t, :] = table[tokens[t], :]`, as 64-bit integers

    `table` is `V x k`, `tokens` is `T`, `result` is `T x k`.

    ```mlir
    %ids = transformer.look_up_experts %table by %tokens
        : tensor<129280x6xi32>, tensor<7xi64> -> tensor<7x6xi64>
    ```
  }];
  let arguments = (ins DimsTensorOf<[I32]>:$table, IndicesTensor:$tokens);
  let results = (outs IndicesTensor:$result);
  let assemblyFormat = [{
    $table `by` $tokens attr-dict `:` type($table) `,` type($tokens)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_SelectExpertsOp : Transformer_CompositeOp<"select_experts",
    [AttrSizedOperandSegments], ["isLaunchedWhole"]> {
  let summary = "Chooses the experts of each token and their weights.";
  let description = [{
    Scores are `score(logits)`: `softmax` over the experts, or `sigmoid`; with
    `softmax_of_chosen`, experts are chosen by their logits, and the weights are
    the softmax over the logits of those that a token has chosen; with
    `sqrt_softplus`, scores are `sqrt(softplus(logits))`. With
    `bias`, experts are chosen by `scores + bias`, and weighted by `scores`.
    With `groups(n of m)`, only the experts of the `n` groups (of `m`) with the
    largest sums of two scores can be chosen. The weights of the `top_k` chosen
    ones are divided by `max(sum, epsilon)` (softmax) or `sum + epsilon`
    (others) if `normalize`, and multiplied by `scale`. With `hash`, a table of
    `V x top_k` says which experts a token has, by its id, and scores are their
    weights only.

    `logits` is `T x E` in f32 (`softmax_of_chosen`: of any type), `weights` is `T x top_k` in f32 or rounded to
    another type, `ids` is `T x top_k`.

    `gating_kernel` says that the model's router yields logits and leaves the
    choice to its caller, so that serving stacks run it as one kernel; without
    it, the choice is part of the router, and launched piece by piece. Routing
    by groups: DeepSeek-AI, 2024 (arXiv 2412.19437).

    ```mlir
    %weights, %ids = transformer.select_experts %logits top_k(8) score(softmax)
        normalize : tensor<7x128xf32> -> tensor<7x8xf16>, tensor<7x8xi64>
    %w, %i = transformer.select_experts %logits bias(%b : tensor<128xf32>)
        top_k(8) score(sigmoid) groups(4 of 8) normalize epsilon(1.0e-20)
        scale(2.5) : tensor<7x128xf32> -> tensor<7x8xf32>, tensor<7x8xi64>
    %u, %j = transformer.select_experts %narrow top_k(4)
        score(softmax_of_chosen)
        : tensor<7x32xf16> -> tensor<7x4xf16>, tensor<7x4xi64>
    %h, %l = transformer.select_experts %hashed
        hash(%table by %tokens : tensor<129280x6xi32>, tensor<7xi64>) top_k(6)
        score(sqrt_softplus) normalize scale(1.5) gating_kernel
        : tensor<7x256xf32> -> tensor<7x6xf16>, tensor<7x6xi64>
    ```
  }];
  let arguments = (ins FloatTensor:$logits,
      Optional<FloatTensor>:$bias, Optional<DimsTensorOf<[I32]>>:$table,
      Optional<IndicesTensor>:$tokens,
      ConfinedAttr<I64Attr, [IntPositive]>:$top_k,
      DefaultValuedProp<EnumProp<Transformer_ScoreFunction>,
                        "::mlir::transformer::ScoreFunction::Softmax">:$score,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$top_groups,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$groups,
      UnitAttr:$normalize, OptionalAttr<F64Attr>:$epsilon,
      OptionalAttr<F64Attr>:$scale, UnitAttr:$gating_kernel);
  let results = (outs FloatTensor:$weights, IndicesTensor:$ids);
  let assemblyFormat = [{
    $logits (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`hash` `(` $table^ `by` $tokens `:` type($table) `,` type($tokens) `)`)?
    `top_k` `(` $top_k `)`
    `score` `(` $score `)` (`groups` `(` $top_groups^ `of` $groups `)`)?
    (`normalize` $normalize^)? (`epsilon` `(` custom<Decimal>($epsilon)^ `)`)?
    (`scale` `(` custom<Decimal>($scale)^ `)`)?
    (`gating_kernel` $gating_kernel^)? attr-dict
    `:` type($logits) `->` type($weights) `,` type($ids)
  }];
  let hasVerifier = 1;
}

def Transformer_AddSharedChoiceOp : Transformer_Op<"add_shared_choice", [Pure]> {
  let summary = "Makes the shared expert the last choice of every token.";
  let description = [{
    `all_weights = concat(weights, 1); all_ids = concat(ids, E)`, where `E`
    stands for the shared expert, behind the routed ones. It is on devices of
    its own (`shared` of #transformer.placement), so that tokens go there as
    they go to the experts that they have chosen.

    `weights` and `ids` are `T x k`, the results `T x k + 1`; `all_weights` may
    be wider than `weights`.

    ```mlir
    %w, %i = transformer.add_shared_choice %weights, %ids
        : tensor<7x8xf16>, tensor<7x8xi64> -> tensor<7x9xf16>, tensor<7x9xi64>
    ```
  }];
  let arguments = (ins FloatTensor:$weights, IndicesTensor:$ids);
  let results = (outs FloatTensor:$all_weights, IndicesTensor:$all_ids);
  let assemblyFormat = [{
    $weights `,` $ids attr-dict `:` type($weights) `,` type($ids)
    `->` type($all_weights) `,` type($all_ids)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_ROUTING
