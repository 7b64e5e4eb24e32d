//===- TransformerOpsHyper.td - Hyper-connections ----------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_HYPER
#define TENSORCAST_TRANSFORMER_OPS_HYPER

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Several residual streams in place of one
//===----------------------------------------------------------------------===//

def Transformer_RepeatStreamsOp : Transformer_Op<"repeat_streams", [Pure]> {
  let summary = "Copies the hidden state into several streams.";
  let description = [{
    `result[t, s, :] = input[t, :]`

    `input` is `T x H`, `result` is `T x n x H`: where the streams of
    hyper-connections begin.

    ```mlir
    %streams = transformer.repeat_streams %x
        : tensor<7x4096xf16> to tensor<7x4x4096xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_HyperInputOp : Transformer_CompositeOp<"hyper_input", [],
    ["isLaunchedWhole"]> {
  let summary = "Makes the input of a block, and how its output is spread.";
  let description = [{
    ```
    mixes = matmul(flat streams in f32, projection) * inverse_rms(streams)
    input, post, comb = mix_streams(mixes, streams)
    ```

    `streams` is `T x n x H`, `projection` is `n * (n + 2) x n * H`, `scale` is
    `3` and `base` is `n * (n + 2)`, all in f32; `input` is `T x H`, `post` is
    `T x n` and `comb` is `T x n x n`, the latter two in f32: see
    `transformer.mix_streams`. Xie et al., 2025 (arXiv 2512.24880).

    ```mlir
    %x, %post, %comb = transformer.hyper_input %streams, %fn, %scale, %base
        iterations(20) eps(1.0e-6) norm_eps(1.0e-6)
        : (tensor<7x4x4096xf16>, tensor<24x16384xf32>, tensor<3xf32>,
           tensor<24xf32>)
        -> (tensor<7x4096xf16>, tensor<7x4xf32>, tensor<7x4x4xf32>)
    ```
  }];
  let arguments = (ins FloatTensor:$streams, FloatTensor:$projection,
      FloatTensor:$scale, FloatTensor:$base,
      ConfinedAttr<I64Attr, [IntPositive]>:$iterations, F64Attr:$eps,
      F64Attr:$norm_eps);
  let results = (outs FloatTensor:$input, FloatTensor:$post, FloatTensor:$comb);
  let assemblyFormat = [{
    $streams `,` $projection `,` $scale `,` $base `iterations` `(` $iterations `)`
    `eps` `(` custom<Decimal>($eps) `)`
    `norm_eps` `(` custom<Decimal>($norm_eps) `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Transformer_InverseRMSOp : Transformer_CompositeOp<"inverse_rms", [],
    ["isLaunchedWhole"]> {
  let summary = "Takes the inverse root mean square of all streams of a token.";
  let description = [{
    `result[t, 0] = 1 / sqrt(mean_{s, i}(streams[t, s, i]^2) + eps)`, in f32

    `streams` is `T x n x H`, `result` is `T x 1`.

    ```mlir
    %r = transformer.inverse_rms %streams eps(1.0e-6)
        : tensor<7x4x4096xf16> -> tensor<7x1xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$streams, F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $streams `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` type($streams) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_MixStreamsOp : Transformer_CompositeOp<"mix_streams", [],
    ["isLaunchedWhole"]> {
  let summary = "Weighs the streams of each token by what was made of them.";
  let description = [{
    With `n` streams and `m = mixes[t, :]`:

    ```
    pre[s] = sigmoid(m[s] * scale[0] + base[s]) + eps
    post[t, s] = 2 * sigmoid(m[n + s] * scale[1] + base[n + s])
    c[r, s] = softmax_s(m[2n + n * r + s] * scale[2] + base[2n + n * r + s]) + eps
    c[r, s] = c[r, s] / (sum_r c[r, s] + eps)
    (iterations - 1) times: c[r, s] = c[r, s] / (sum_s c[r, s] + eps), then
                            c[r, s] = c[r, s] / (sum_r c[r, s] + eps)
    comb[t, :, :] = c
    input[t, :] = sum_s pre[s] * streams[t, s, :]
    ```

    The iterations make rows and columns of `comb` add up to 1 (Sinkhorn and
    Knopp, 1967), so that streams are mixed without growing. All of it is in
    f32; shapes as in `transformer.hyper_input`. Xie et al., 2025
    (arXiv 2512.24880).

    ```mlir
    %x, %post, %comb = transformer.mix_streams %mixes, %streams, %scale, %base
        iterations(20) eps(1.0e-6)
        : (tensor<7x24xf32>, tensor<7x4x4096xf16>, tensor<3xf32>, tensor<24xf32>)
        -> (tensor<7x4096xf16>, tensor<7x4xf32>, tensor<7x4x4xf32>)
    ```
  }];
  let arguments = (ins FloatTensor:$mixes, FloatTensor:$streams,
      FloatTensor:$scale, FloatTensor:$base,
      ConfinedAttr<I64Attr, [IntPositive]>:$iterations, F64Attr:$eps);
  let results = (outs FloatTensor:$input, FloatTensor:$post, FloatTensor:$comb);
  let assemblyFormat = [{
    $mixes `,` $streams `,` $scale `,` $base `iterations` `(` $iterations `)`
    `eps` `(` custom<Decimal>($eps) `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Transformer_HyperOutputOp : Transformer_CompositeOp<"hyper_output",
    [AllTypesMatch<["streams", "result"]>], ["isLaunchedWhole"]> {
  let summary = "Mixes the streams, and adds the output of a block to each.";
  let description = [{
    `result[t, s, :] = post[t, s] * output[t, :] + sum_r comb[t, r, s] * streams[t, r, :]`

    in f32, rounded once. `output` is `T x H`; shapes as in
    `transformer.hyper_input`, which made `post` and `comb`. It stands where
    other models add the residual. Xie et al., 2025 (arXiv 2512.24880).

    ```mlir
    %next = transformer.hyper_output %y, %streams, %post, %comb
        : tensor<7x4096xf16>, tensor<7x4x4096xf16>, tensor<7x4xf32>,
          tensor<7x4x4xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$output, FloatTensor:$streams,
                       FloatTensor:$post, FloatTensor:$comb);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $output `,` $streams `,` $post `,` $comb attr-dict
    `:` type($output) `,` type($streams) `,` type($post) `,` type($comb)
  }];
  let hasVerifier = 1;
}

def Transformer_HyperHeadOp : Transformer_CompositeOp<"hyper_head", [],
    ["isLaunchedWhole"]> {
  let summary = "Makes one hidden state of the streams.";
  let description = [{
    ```
    mixes = matmul(flat streams in f32, projection) * inverse_rms(streams)
    result[t, :] = sum_s (sigmoid(mixes[t, s] * scale[0] + base[s]) + eps) * streams[t, s, :]
    ```

    `streams` is `T x n x H`, `projection` is `n x n * H`, `scale` is `1` and
    `base` is `n`, all in f32; `result` is `T x H`. Xie et al., 2025
    (arXiv 2512.24880).

    ```mlir
    %x = transformer.hyper_head %streams, %fn, %scale, %base eps(1.0e-6)
        norm_eps(1.0e-6)
        : tensor<7x4x4096xf16>, tensor<4x16384xf32>, tensor<1xf32>,
          tensor<4xf32> -> tensor<7x4096xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$streams, FloatTensor:$projection,
      FloatTensor:$scale, FloatTensor:$base, F64Attr:$eps, F64Attr:$norm_eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $streams `,` $projection `,` $scale `,` $base
    `eps` `(` custom<Decimal>($eps) `)`
    `norm_eps` `(` custom<Decimal>($norm_eps) `)` attr-dict
    `:` type($streams) `,` type($projection) `,` type($scale) `,` type($base)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_HYPER
