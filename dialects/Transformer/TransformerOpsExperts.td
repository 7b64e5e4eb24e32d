//===- TransformerOpsExperts.td - Mixtures of experts ------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_EXPERTS
#define TENSORCAST_TRANSFORMER_OPS_EXPERTS

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Tokens of a device
//===----------------------------------------------------------------------===//

class Transformer_TokenDomainOp<string mnemonic>
    : Transformer_Op<mnemonic, [Pure, MovesNothing, SameOperandsAndResultType]> {
  let arguments = (ins AnyDimsTensor:$input);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Transformer_SpreadTokensOp : Transformer_TokenDomainOp<"spread_tokens"> {
  let summary = "Marks where tokens are divided among the devices of experts.";
  let description = [{
    `result = input`: what follows works on each token by itself, so that
    devices may share the tokens. `transformer-shard` replaces it by what the
    plan needs; without one it is nothing.

    ```mlir
    %mine = transformer.spread_tokens %hidden : tensor<7x2048xf16>
    ```
  }];
}

def Transformer_CollectTokensOp : Transformer_TokenDomainOp<"collect_tokens"> {
  let summary = "Marks where the tokens come together again.";
  let description = [{
    `result = input`: the end of what began with `transformer.spread_tokens`.

    ```mlir
    %hidden = transformer.collect_tokens %mine : tensor<7x2048xf16>
    ```
  }];
}

def Transformer_PadRowsOp : Transformer_Op<"pad_rows", [Pure]> {
  let summary = "Adds rows of zeros up to a multiple.";
  let description = [{
    `result` has `multiple * ceil(rows / multiple)` rows. Where that is the
    number of rows already, nothing is started for it.

    ```mlir
    %even = transformer.pad_rows %x multiple(4)
        : tensor<7x2048xf16> to tensor<8x2048xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input,
                       ConfinedAttr<I64Attr, [IntPositive]>:$multiple);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $input `multiple` `(` $multiple `)` attr-dict
    `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rows of experts
//===----------------------------------------------------------------------===//

def Transformer_PermuteTokensOp : Transformer_Op<"permute_tokens", [Pure]> {
  let summary = "Copies each token once per chosen expert, expert by expert.";
  let description = [{
    `result[p(t, j), :] = input[t, :]`, where `p` numbers the pairs of a token
    `t` and its choice `j` by `ids[t, j]`, then by `t` and `j`.

    `input` is `T x H`, `ids` is `T x k`, `result` is `T * k x H`.

    ```mlir
    %rows = transformer.permute_tokens %x by %ids
        : tensor<7x2048xf16>, tensor<7x8xi64> -> tensor<56x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, IndicesTensor:$ids);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `by` $ids attr-dict `:` type($input) `,` type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_UnpermuteTokensOp : Transformer_Op<"unpermute_tokens", [Pure]> {
  let summary = "Puts the rows of experts back in the order of tokens.";
  let description = [{
    `result[t, j, :] = input[p(t, j), :]`, with `p` as in
    `transformer.permute_tokens`: `input` is `T * k x H`, `result` is
    `T x k x H`.

    ```mlir
    %choices = transformer.unpermute_tokens %rows by %ids
        : tensor<56x2048xf16>, tensor<7x8xi64> -> tensor<7x8x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, IndicesTensor:$ids);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `by` $ids attr-dict `:` type($input) `,` type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_CombineTokensOp : Transformer_CompositeOp<"combine_tokens"> {
  let summary = "Sums the results of each token's experts by their weights.";
  let description = [{
    `result[t, :] = sum_j weights[t, j] * input[p(t, j), :]`, with `p` as in
    `transformer.permute_tokens`. Weights of f32 make products and sum f32.

    ```mlir
    %y = transformer.combine_tokens %rows, %weights by %ids
        : tensor<56x2048xf16>, tensor<7x8xf16>, tensor<7x8xi64>
       -> tensor<7x2048xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weights,
                       IndicesTensor:$ids);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weights `by` $ids attr-dict
    `:` type($input) `,` type($weights) `,` type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

class Transformer_ExpertExchangeOp<string mnemonic>
    : Transformer_Op<mnemonic, [Pure]> {
  let arguments = (ins FloatTensor:$input, IndicesTensor:$ids,
                       Transformer_PlacementAttr:$placement);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `by` $ids `placement` `` $placement attr-dict
    `:` type($input) `,` type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_DispatchTokensOp
    : Transformer_ExpertExchangeOp<"dispatch_tokens"> {
  let summary = "Sends rows to the devices that hold their experts.";
  let description = [{
    An all-to-all: `input` has this device's rows in the order of experts (see
    `transformer.permute_tokens`), `result` the rows of this device's experts
    from all devices, expert by expert. Its size is that of choices which are
    spread evenly: of `n` rows each of the `E` experts gets `n / E`, and the
    first `n mod E` one more.

    ```mlir
    %received = transformer.dispatch_tokens %rows by %ids
        placement<experts = 128, devices = 8>
        : tensor<512x2048xf16>, tensor<64x8xi64> -> tensor<512x2048xf16>
    ```
  }];
}

def Transformer_ReturnTokensOp : Transformer_ExpertExchangeOp<"return_tokens"> {
  let summary = "Sends the results of experts back to where tokens came from.";
  let description = [{
    The inverse of `transformer.dispatch_tokens`.

    ```mlir
    %rows = transformer.return_tokens %received by %ids
        placement<experts = 128, devices = 8>
        : tensor<512x2048xf16>, tensor<64x8xi64> -> tensor<512x2048xf16>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

def Transformer_GroupedLinearOp : Transformer_Op<"grouped_linear", [Pure]> {
  let summary = "Multiplies the rows of each expert by its weight matrix.";
  let description = [{
    `result[r, n] = sum_k input[r, k] * weight[e(r), n, k] (+ bias[e(r), n])`,
    where `e(r)` is the expert whose rows `r` is among. With `swiglu`, the first half of the
    products is the gate of the second: `result = silu(first) * second`, half as
    wide.

    `input` is `R x K`, `weight` is `E x N x K` and `bias` `E x N` (of the
    experts that this device holds), `ids` are the choices of this device's
    tokens.

    ```mlir
    %y = transformer.grouped_linear %rows, %w by %ids placement<experts = 128>
        : tensor<56x2048xf16>, tensor<128x768x2048xf16>, tensor<7x8xi64>
       -> tensor<56x768xf16>
    %z = transformer.grouped_linear %rows, %w by %ids placement<experts = 128>
        bias(%b : tensor<128x768xf16>)
        : tensor<56x2048xf16>, tensor<128x768x2048xf16>, tensor<7x8xi64>
       -> tensor<56x768xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight,
                       IndicesTensor:$ids, Optional<FloatTensor>:$bias,
                       Transformer_PlacementAttr:$placement, UnitAttr:$swiglu);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `by` $ids `placement` `` $placement
    (`bias` `(` $bias^ `:` type($bias) `)`)? (`swiglu` $swiglu^)? attr-dict `:` type($input) `,` type($weight) `,` type($ids)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_QuantizedGroupedLinearOp
    : Transformer_Op<"quantized_grouped_linear", [Pure]> {
  let summary = "The linear layers of experts with quantized weights.";
  let description = [{
    `transformer.grouped_linear` of `input * input_scale` and
    `weight * weight_scale`; scales as in `transformer.quantized_linear`, for
    the whole weight or per group of a row. With `swiglu`, the result may be
    quantized again in the same kernel, to groups with a scale each.

    ```mlir
    %y = transformer.quantized_grouped_linear %rows, %w by %ids
        placement<experts = 128> weight_scale(%ws : tensor<f32>)
        input_scale(%xs : tensor<f32>)
        : tensor<56x2048xi8>, tensor<128x768x2048xi8>, tensor<7x8xi64>
       -> tensor<56x768xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input, QuantizedTensor:$weight,
                       IndicesTensor:$ids, Optional<GroupScaleTensor>:$inputScale,
                       GroupScaleTensor:$weightScale,
                       Transformer_PlacementAttr:$placement,
                       OptionalAttr<I64Attr>:$group_size, UnitAttr:$swiglu);
  let results = (outs AnyDimsTensor:$result, Optional<GroupScaleTensor>:$scale);
  let assemblyFormat = [{
    $input `,` $weight `by` $ids `placement` `` $placement
    `weight_scale` `(` $weightScale `:` type($weightScale) `)`
    (`input_scale` `(` $inputScale^ `:` type($inputScale) `)`)?
    (`group_size` `(` $group_size^ `)`)? (`swiglu` $swiglu^)? attr-dict
    `:` type($input) `,` type($weight) `,` type($ids)
    `->` type($result) (`,` type($scale)^)?
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_EXPERTS
