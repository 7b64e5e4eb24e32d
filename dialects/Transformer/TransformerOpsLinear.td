//===- TransformerOpsLinear.td - Linear layers, embeddings -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_LINEAR
#define TENSORCAST_TRANSFORMER_OPS_LINEAR

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Embedding and selection of rows
//===----------------------------------------------------------------------===//

def Transformer_EmbeddingOp : Transformer_CompositeOp<"embedding", [],
    ["isLaunchedWhole"]> {
  let summary = "Looks up the embedding of each token.";
  let description = [{
    `result[t, :] = table[ids[t], :]`

    `ids` is `T`, `table` is `V x H` (vocabulary by features), `result` is
    `T x H`. Only the rows in use are read.

    With `first_row`, `table` is the part of a longer one that begins at this
    row: `result[t, :] = table[ids[t] - first_row, :]`, or zeros where that is
    not in the part. The sum over the devices that have the parts is the lookup
    in all of the table.

    ```mlir
    %hidden = transformer.embedding %ids, %table
        : tensor<7xi64>, tensor<151936x5120xf16> -> tensor<7x5120xf16>
    %share = transformer.embedding %ids, %part first_row(37984)
        : tensor<7xi64>, tensor<37984x5120xf16> -> tensor<7x5120xf16>
    ```
  }];
  let arguments = (ins IndicesTensor:$ids, FloatTensor:$table,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$first_row);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $ids `,` $table (`first_row` `(` $first_row^ `)`)? attr-dict
    `:` type($ids) `,` type($table) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_LastTokensOp : Transformer_Op<"last_tokens", [Pure]> {
  let summary = "Keeps the tokens whose logits are needed.";
  let description = [{
    Prefill: `result[r, :] = input[last token of request r, :]`, a gather.
    Decode: `result = input`, without a launch.

    `input` is `T x H`; `result` has `sequences` rows in prefill and `tokens`
    rows in decode. With `select(copied)`, the rows are copied in decode as
    well, as stacks do that check drafts; with `select(last)`, decode keeps the
    last token of each request too.

    ```mlir
    #kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
    %last = transformer.last_tokens %hidden of %batch
        : tensor<?x5120xf16, #transformer.dims<tokens>>, !transformer.batch
       -> tensor<?x5120xf16, #kept>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_BatchType:$batch,
      DefaultValuedProp<EnumProp<Transformer_TokenSelection>,
                        "::mlir::transformer::TokenSelection::Needed">:$select);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `of` $batch (`select` `(` $select^ `)`)? attr-dict
    `:` type($input) `,` type($batch) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Linear layers
//===----------------------------------------------------------------------===//

def Transformer_LinearOp : Transformer_CompositeOp<"linear", [],
    ["isLaunchedWhole"]> {
  let summary = "Multiplies rows by a weight matrix, and adds a bias.";
  let description = [{
    `result[t, n] = sum_k input[t, k] * weight[n, k] (+ bias[n])`

    `input` is `T x K`, `weight` is `N x K` (outputs by inputs, as Hugging Face
    keeps it), `bias` is `N`, `result` is `T x N`. With `all_reduce`, the
    products are summed over these devices in the same kernel, before the bias.

    ```mlir
    %q = transformer.linear %x, %w
        : tensor<7x5120xf16>, tensor<8192x5120xf16> -> tensor<7x8192xf16>
    %k = transformer.linear %x, %u bias(%b : tensor<1024xf16>)
        : tensor<7x5120xf16>, tensor<1024x5120xf16> -> tensor<7x1024xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight,
                       Optional<FloatTensor>:$bias,
                       OptionalAttr<Transformer_RanksAttr>:$all_reduce);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`all_reduce` $all_reduce^)? attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_QuantizedLinearOp : Transformer_Op<"quantized_linear",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "A linear layer with a quantized weight.";
  let description = [{
    `result[t, n] = sum_k input_scale * input[t, k] * weight_scale * weight[n, k]
                  (+ bias[n])`

    Shapes as in `transformer.linear`. The weight has 8 or 4 bits; so has the
    input, unless it is a float without a scale (only weights are quantized).
    Integer products are summed in 32 bits. Scales are per tensor, or per
    `group_size` elements of a row: `T x ceil(K / group_size)` and
    `N x ceil(K / group_size)` in f8E8M0FNU, as MX formats have them (OCP
    Microscaling Formats 1.0).

    ```mlir
    %y = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>)
        input_scale(%xs : tensor<f32>) : tensor<7x5120xi8>, tensor<8192x5120xi8> -> tensor<7x8192xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input, QuantizedTensor:$weight,
                       Optional<GroupScaleTensor>:$inputScale,
                       GroupScaleTensor:$weightScale,
                       Optional<FloatTensor>:$bias,
                       OptionalAttr<I64Attr>:$group_size,
                       OptionalAttr<Transformer_RanksAttr>:$all_reduce);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `weight_scale` `(` $weightScale `:` type($weightScale) `)`
    (`input_scale` `(` $inputScale^ `:` type($inputScale) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`group_size` `(` $group_size^ `)`)? (`all_reduce` $all_reduce^)? attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_ConcatWeightsOp : Transformer_InferredOp<"concat_weights", [MovesNothing]> {
  let summary = "Lays weights of linear layers with one input side by side.";
  let description = [{
    `result[n, ..] = weights[i][n - offset_i, ..]`: joined at dimension `dim`
    (the first if it is left out), when the model is loaded and not in a step.

    ```mlir
    %w = transformer.concat_weights %wq, %wk
        : tensor<8192x5120xi8>, tensor<1024x5120xi8>
    ```
  }];
  let arguments = (ins Variadic<AnyDimsTensor>:$weights,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$dim);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $weights (`dim` `(` $dim^ `)`)? attr-dict `:` type($weights)
  }];
}

//===----------------------------------------------------------------------===//
// Quantization of activations
//===----------------------------------------------------------------------===//

def Transformer_QuantizeOp : Transformer_Op<"quantize", [Pure]> {
  let summary = "Quantizes to 8 bits with a known scale.";
  let description = [{
    `result[..] = clamp(round(input[..] / scale))`

    `scale` is a scalar from calibration; `result` has the shape of `input`.

    ```mlir
    %q = transformer.quantize %x, %scale : tensor<7x5120xf16> to tensor<7x5120xi8>
    ```
  }];
  let arguments = (ins FloatTensor:$input, ScaleTensor:$scale);
  let results = (outs QuantizedTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_DynamicQuantizeOp : Transformer_Op<"dynamic_quantize", [Pure]> {
  let summary = "Quantizes with a scale found on the way.";
  let description = [{
    `scale = max(abs(input)) / largest; result[..] = round(input[..] / scale)`

    One scale for the whole tensor, or, with `group_size`, one power of two per
    so many elements of a row. `result` has the shape of `input`.

    ```mlir
    %q, %scale = transformer.dynamic_quantize %x
        : tensor<7x5120xf16> to tensor<7x5120xi8>, tensor<f32>
    %m, %scales = transformer.dynamic_quantize %x group_size(32)
        : tensor<7x5120xf16> to tensor<7x5120xf4E2M1FN>, tensor<7x160xf8E8M0FNU>
    ```
  }];
  let arguments = (ins FloatTensor:$input, OptionalAttr<I64Attr>:$group_size);
  let results = (outs QuantizedTensor:$result, GroupScaleTensor:$scale);
  let assemblyFormat = [{
    $input (`group_size` `(` $group_size^ `)`)? attr-dict
    `:` type($input) `to` type($result) `,` type($scale)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_LINEAR
