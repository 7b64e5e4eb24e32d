//===- TransformerOpsContext.td - Attention over a shared cache -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_CONTEXT
#define TENSORCAST_TRANSFORMER_OPS_CONTEXT

include "TransformerOpsBase.td"

/// Results of a part of the cached tokens, and the logarithm of their weight.
def PartialTensor : DimsTensorOf<[F32]>;

//===----------------------------------------------------------------------===//
// Attention over the tokens that a device keeps
//===----------------------------------------------------------------------===//

def Transformer_PartialAttentionOp : Transformer_Op<"partial_attention",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "Grouped-query attention over one device's cached tokens.";
  let description = [{
    ```
    score[t, h, s] = scale * query[t, h, :] . key[s, g(h), :]
    result[t, h, D] = log(sum_s exp(score[t, h, s]))
    result[t, h, :D] = sum_s exp(score[t, h, s] - result[t, h, D]) * value[s, g(h), :]
    ```

    where `s` runs over those tokens of token `t`'s request up to `t` that this
    device keeps (`share` and `first` of the cache), and `g(h)` is the KV head
    that query head `h` shares. With `T` tokens, `query` is `T x heads x D` and
    `result` is `T x heads x (D + 1)`, in f32. A device that keeps no such token
    has zeros and a logarithm of minus infinity. Queries and caches of 8 bits
    come with `scales`, as in `transformer.quantized_attention`.
    `transformer.merge_attention` puts the results of devices together. Dao et
    al., 2022 (arXiv 2205.14135).

    ```mlir
    %p = transformer.partial_attention %q, %cache of %batch
        scale(0.08838834764831845)
        : tensor<7x16x128xf16>,
          !transformer.kv_cache<2x1x128xf16, block_size = 128, share = 4>,
          !transformer.batch -> tensor<7x16x129xf32>
    ```
  }];
  let arguments = (ins FloatOrByteTensor:$query,
                       Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch,
                       Optional<ScaleTensor>:$queryScale,
                       Optional<ScaleTensor>:$keyScale,
                       Optional<ScaleTensor>:$valueScale, F64Attr:$scale);
  let results = (outs PartialTensor:$result);
  let assemblyFormat = [{
    $query `,` $cache `of` $batch `scale` `(` custom<Decimal>($scale) `)`
    (`scales` `(` $queryScale^ `,` $keyScale `,` $valueScale `)`)? attr-dict
    `:` type($query) `,` type($cache) `,` type($batch) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_PartialLatentAttentionOp : Transformer_Op<
    "partial_latent_attention", [Pure]> {
  let summary = "Attention over the latents that a device keeps.";
  let description = [{
    `transformer.partial_attention` with one KV head for all: the key of a token
    is its whole cached row, and its value the first `rank` features of the row.

    With `T` tokens and rows of `W`, `query` is `T x heads x W`, as
    `transformer.absorb_query` makes it, and `result` is
    `T x heads x (rank + 1)`, in f32.

    ```mlir
    %p = transformer.partial_latent_attention %q, %cache of %batch rank(512)
        scale(0.07216878364870323)
        : tensor<7x32x576xf16>,
          !transformer.kv_cache<576xf16, block_size = 128, share = 4>,
          !transformer.batch -> tensor<7x32x513xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$query, Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch,
                       ConfinedAttr<I64Attr, [IntPositive]>:$rank,
                       F64Attr:$scale);
  let results = (outs PartialTensor:$result);
  let assemblyFormat = [{
    $query `,` $cache `of` $batch `rank` `(` $rank `)`
    `scale` `(` custom<Decimal>($scale) `)` attr-dict
    `:` type($query) `,` type($cache) `,` type($batch) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The results of all devices
//===----------------------------------------------------------------------===//

def Transformer_ExchangeHeadsOp : Transformer_Op<"exchange_heads", [Pure]> {
  let summary = "Gives each device what all have of its own heads.";
  let description = [{
    `result(r)[i, t, h, :] = input(i)[t, r * (heads / n) + h, :]` on rank `r` of
    `n`: an all-to-all.

    With `T` tokens and `W` features, `input` is `T x heads x W` and `result` is
    `n x T x (heads / n) x W`.

    ```mlir
    %parts = transformer.exchange_heads %p over<4>
        : tensor<7x16x129xf32> to tensor<4x7x4x129xf32>
    ```
  }];
  let arguments = (ins PartialTensor:$input, Transformer_RanksAttr:$ranks);
  let results = (outs PartialTensor:$result);
  let assemblyFormat = [{
    $input `over` $ranks attr-dict `:` type($input) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_MergeAttentionOp : Transformer_Op<"merge_attention", [Pure]> {
  let summary = "Puts the attention over parts of the tokens together.";
  let description = [{
    ```
    weight[i, t, h] = exp(parts[i, t, h, D]) / sum_j exp(parts[j, t, h, D])
    result[t, h, :] = sum_i weight[i, t, h] * parts[i, t, h, :D]
    ```

    With `n` parts of `T` tokens, `parts` is `n x T x heads x (D + 1)`, results of
    `transformer.partial_attention`, and `result` is `T x heads x D`: the
    attention over the tokens of all parts.

    ```mlir
    %a = transformer.merge_attention %parts
        : tensor<4x7x4x129xf32> to tensor<7x4x128xf16>
    ```
  }];
  let arguments = (ins PartialTensor:$parts);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $parts attr-dict `:` type($parts) `to` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The weight of latent attention, on queries and results
//===----------------------------------------------------------------------===//

def Transformer_AbsorbQueryOp : Transformer_Op<"absorb_query", [Pure]> {
  let summary = "Multiplies queries by the weight that makes keys.";
  let description = [{
    ```
    result[t, h, :R] = sum_j query[t, h, j] * weight[h * (n + v) + j, :], j < n
    result[t, h, R:] = query[t, h, n:]
    ```

    so that a query meets the cached rows themselves: the first `n` features of
    a query that `transformer.latent_attention` takes, times the matrix that
    makes keys of latents. With `T` tokens, `query` is `T x heads x (n + r)`,
    `weight` is `heads * (n + v) x R`, and `result` is `T x heads x (R + r)`.
    DeepSeek-AI, 2024 (arXiv 2405.04434, 2.1.2).

    ```mlir
    %wide = transformer.absorb_query %q weight(%kvb)
        : tensor<7x8x192xf16>, tensor<2048x512xf16> -> tensor<7x8x576xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$weight);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $query `weight` `(` $weight `)` attr-dict
    `:` type($query) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The features of a query that the weight multiplies (n).
    int64_t getKeySize();
  }];
}

def Transformer_ExpandValuesOp : Transformer_Op<"expand_values", [Pure]> {
  let summary = "Multiplies mixed latents by the weight that makes values.";
  let description = [{
    `result[t, h, j] = sum_c input[t, h, c] * weight[h * (n + v) + n + j, c]`

    With `T` tokens, `input` is `T x heads x R`, `weight` is
    `heads * (n + v) x R`, and `result` is `T x heads x v`: what the values of
    `transformer.latent_attention` would have been mixed to.

    ```mlir
    %a = transformer.expand_values %mixed weight(%kvb)
        : tensor<7x8x512xf16>, tensor<2048x512xf16> -> tensor<7x8x128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `weight` `(` $weight `)` attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_CONTEXT
