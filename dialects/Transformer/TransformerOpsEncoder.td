//===- TransformerOpsEncoder.td - Attention without a cache -*- tablegen -*-===//
//
// Encoders look at whole sequences at once. A step's sequences are padded to the
// longest, so that tensors are `B x S x N x D` or `B x N x S x D`: sequences,
// tokens, heads and features.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_TRANSFORMER_OPS_ENCODER
#define TENSORCAST_TRANSFORMER_OPS_ENCODER

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// What a framework launches
//===----------------------------------------------------------------------===//

def Transformer_PermuteOp : Transformer_InferredOp<"permute"> {
  let summary = "Copies a tensor with its dimensions in another order.";
  let description = [{
    Dimension `i` of `result` is dimension `order[i]` of `input`.

    ```mlir
    %r = transformer.permute %x order[0, 2, 1, 3] : tensor<2x7x8x96xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input, DenseI64ArrayAttr:$order);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = "$input `order` $order attr-dict `:` type($input)";
}

def Transformer_ExpandOp : Transformer_Op<"expand", [Pure, MovesNothing]> {
  let summary = "Sees a tensor repeated where it has one element.";
  let description = [{
    `result[..] = input[..]`, where dimensions of `input` that are 1 may be of
    any size in `result`, without moving data.

    ```mlir
    %r = transformer.expand %sinks : tensor<1x8x1x1xf16> to tensor<2x8x7x1xf16>
    ```
  }];
  let arguments = (ins AnyDimsTensor:$input);
  let results = (outs AnyDimsTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_BatchedMatmulOp : Transformer_InferredOp<"batched_matmul"> {
  let summary = "Multiplies matrices, each with its own.";
  let description = [{
    `result[.., m, n] = sum_k lhs[.., m, k] * rhs[.., k, n]`, or `rhs[.., n, k]` if
    `transposed`. The leading dimensions are the same. With `joined`, products of
    `B x N x S x K` are written as `B x S x N x D`: the heads of a token side by
    side.

    ```mlir
    %scores = transformer.batched_matmul %q, %k transposed
        : tensor<2x8x7x96xf16>, tensor<2x8x7x96xf16>
    %mixed = transformer.batched_matmul %weights, %v joined
        : tensor<2x8x7x7xf16>, tensor<2x8x7x96xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$lhs, FloatTensor:$rhs, UnitAttr:$transposed,
                       UnitAttr:$joined);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`transposed` $transposed^)? (`joined` $joined^)? attr-dict
    `:` type($lhs) `,` type($rhs)
  }];
}

def Transformer_CausalMaskOp : Transformer_Op<"causal_mask", [Pure]> {
  let summary = "What is added to scores so that tokens do not look ahead.";
  let description = [{
    `result[s, t]` is 0 where token `s + T - S` may look at token `t`, and the
    lowest number of its type elsewhere. `result` is `S x T`; the last token of
    both is the same. A token looks at those up to itself; with a `window`, at
    so many of them, the latest.

    ```mlir
    %all = transformer.causal_mask : tensor<7x7xf16>
    %near = transformer.causal_mask window(4) : tensor<7x7xf16>
    ```
  }];
  let arguments = (ins
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$window);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    (`window` `(` $window^ `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_PaddingMaskOp : Transformer_Op<"padding_mask", [Pure]> {
  let summary = "What is added to scores so that nobody looks at padding.";
  let description = [{
    `result[b, 0, 0, t]` is 0 where sequence `b` has a token `t`, and the lowest
    number of its type where it is padded to the longest one. `result` is
    `B x 1 x 1 x S`.

    ```mlir
    %mask = transformer.padding_mask %batch : !transformer.batch
        -> tensor<?x1x1x?xf16, #transformer.dims<sequences, max(q)>>
    ```
  }];
  let arguments = (ins Transformer_BatchType:$batch);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$batch attr-dict `:` type($batch) `->` type($result)";
  let hasVerifier = 1;
}

def Transformer_FirstTokensOp : Transformer_Op<"first_tokens", [Pure,
    MovesNothing]> {
  let summary = "Sees the first token of each sequence.";
  let description = [{
    `result[b, :] = input[b * S, :]`, where the rows of `input` are sequences of
    `S` tokens, padded to the longest one, without moving data. `input` is
    `B * S x H`, `result` is `B x H`.

    ```mlir
    %first = transformer.first_tokens %x : tensor<14x768xf16> -> tensor<2x768xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def Transformer_ScaledDotProductAttentionOp : Transformer_CompositeOp<
    "scaled_dot_product_attention", [InferTypeOpAdaptor,
    AttrSizedOperandSegments]> {
  let summary = "Attention of tokens to keys and values that are tensors.";
  let description = [{
    `result[b, s, n, :] = sum_t softmax_t(scale * query[b, s, n, :] . key[b, t, n, :] + a[b, n, s, t]) * value[b, t, n, :]`

    where `a` is the sum of `mask`, `bias` and the lowest number of their type
    where a token may not look: with `causal`, at later tokens, and with a
    `window`, at those before the latest so many of them, as
    `transformer.causal_mask` says. `mask` and `bias` are aligned with
    `B x N x S x T` at the last dimension, and repeated where they have 1; `mask`
    is the same for all heads. A `sink`, one number per head, joins the softmax
    as the score of a token whose value is zero.

    Layouts are those of fused kernels: `BSND` (sequences, tokens, heads,
    features), `BNSD`, and `BNSD_BSND` for operands of the one and a result of
    the other. A framework launches the permuted copies, both products and what
    is between them one by one. Vaswani et al., 2017 (arXiv 1706.03762).

    ```mlir
    %a = transformer.scaled_dot_product_attention %q, %k, %v
        scale(0.10206207261596577) mask(%mask : tensor<2x1x1x7xf16>)
        : tensor<2x7x8x96xf16>, tensor<2x7x8x96xf16>, tensor<2x7x8x96xf16>
    %b = transformer.scaled_dot_product_attention %q1, %k1, %v1
        scale(0.125) layout(BNSD_BSND) causal window(4)
        : tensor<2x8x7x64xf16>, tensor<2x8x7x64xf16>, tensor<2x8x7x64xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$key, FloatTensor:$value,
                       Optional<FloatTensor>:$mask, Optional<FloatTensor>:$bias,
                       Optional<FloatTensor>:$sink, F64Attr:$scale,
      DefaultValuedProp<EnumProp<Transformer_AttentionLayout>,
                        "::mlir::transformer::AttentionLayout::BSND">:$layout,
                       UnitAttr:$causal,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$window);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value `scale` `(` custom<Decimal>($scale) `)`
    (`layout` `(` $layout^ `)`)? (`causal` $causal^)?
    (`window` `(` $window^ `)`)? (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`sink` `(` $sink^ `:` type($sink) `)`)? attr-dict
    `:` type($query) `,` type($key) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_ENCODER
