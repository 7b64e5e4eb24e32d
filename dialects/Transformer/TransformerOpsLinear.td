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

    ```mlir
    %hidden = transformer.embedding %ids, %table
        : tensor<7xi64>, tensor<151936x5120xf16> -> tensor<7x5120xf16>
    ```
  }];
  let arguments = (ins IndicesTensor:$ids, FloatTensor:$table);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $ids `,` $table attr-dict `:` type($ids) `,` type($table) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_LastTokensOp : Transformer_Op<"last_tokens", [Pure]> {
  let summary = "Keeps the tokens whose logits are needed.";
  let description = [{
    Prefill: `result[r, :] = input[last token of request r, :]`, a gather.
    Decode: `result = input`, without a launch.

    `input` is `T x H`; `result` has `sequences` rows in prefill and `tokens`
    rows in decode.

    ```mlir
    #kept = #transformer.dims<sequences - decode * sequences + decode * tokens>
    %last = transformer.last_tokens %hidden of %batch
        : tensor<?x5120xf16, #transformer.dims<tokens>>, !transformer.batch
       -> tensor<?x5120xf16, #kept>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_BatchType:$batch);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `of` $batch attr-dict `:` type($input) `,` type($batch)
    `->` type($result)
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
    keeps it), `bias` is `N`, `result` is `T x N`.

    ```mlir
    %q = transformer.linear %x, %w
        : tensor<7x5120xf16>, tensor<8192x5120xf16> -> tensor<7x8192xf16>
    %k = transformer.linear %x, %u bias(%b : tensor<1024xf16>)
        : tensor<7x5120xf16>, tensor<1024x5120xf16> -> tensor<7x1024xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight,
                       Optional<FloatTensor>:$bias);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_QuantizedLinearOp : Transformer_Op<"quantized_linear", [Pure]> {
  let summary = "A linear layer on 8-bit operands.";
  let description = [{
    `result[t, n] = input_scale * weight_scale
                  * sum_k input[t, k] * weight[n, k] (+ bias[n])`

    Shapes as in `transformer.linear`; the products are summed in 32-bit
    integers, the result is of the model's element type. Scales are per tensor.

    ```mlir
    %y = transformer.quantized_linear %x, %w scales(%xs, %ws)
        : tensor<7x5120xi8>, tensor<8192x5120xi8> -> tensor<7x8192xf16>
    ```
  }];
  let arguments = (ins ByteTensor:$input, ByteTensor:$weight,
                       ScaleTensor:$inputScale, ScaleTensor:$weightScale,
                       Optional<FloatTensor>:$bias);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `scales` `(` $inputScale `,` $weightScale `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
      "::mlir::Value":$weight, "::mlir::Value":$inputScale,
      "::mlir::Value":$weightScale, "::mlir::Value":$bias)>];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Quantization of activations
//===----------------------------------------------------------------------===//

def Transformer_QuantizeOp : Transformer_InferredOp<"quantize"> {
  let summary = "Quantizes to 8 bits with a known scale.";
  let description = [{
    `result[..] = clamp(round(input[..] / scale), -128, 127)`

    `scale` is a scalar from calibration; `result` has the shape of `input`.

    ```mlir
    %q = transformer.quantize %x, %scale : tensor<7x5120xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, ScaleTensor:$scale);
  let results = (outs ByteTensor:$result);
  let assemblyFormat = "$input `,` $scale attr-dict `:` type($input)";
}

def Transformer_DynamicQuantizeOp : Transformer_InferredOp<"dynamic_quantize"> {
  let summary = "Quantizes to 8 bits with a scale found on the way.";
  let description = [{
    `scale = max(abs(input)) / 127; result[..] = round(input[..] / scale)`

    One scale for the whole tensor; `result` has the shape of `input`.

    ```mlir
    %q, %scale = transformer.dynamic_quantize %x : tensor<7x5120xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs ByteTensor:$result, ScaleTensor:$scale);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // TENSORCAST_TRANSFORMER_OPS_LINEAR
