//===- TransformerOpsLatent.td - Latent attention ----------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_LATENT
#define TENSORCAST_TRANSFORMER_OPS_LATENT

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// From hidden states to queries and latents
//===----------------------------------------------------------------------===//

def FloatOrQuantizedTensor : DimsTensorOf<
    [AnyFloat, I8, I<4>, F8E4M3FN, F8E5M2, F4E2M1FN]>;

def Transformer_LatentProjectionOp : Transformer_CompositeOp<
    "latent_projection"> {
  let summary = "Makes queries, and what is cached of keys and values.";
  let description = [{
    What comes before multi-head latent attention, in one kernel:

    ```
    query_latent = rms_norm(linear(input, query_down), query_norm)
    query = linear(query_latent, query_up), the last features of each head rotated
    latent, rope_key = split(linear(input, latent_down))
    latent = rms_norm(latent, latent_norm); rope_key = rope(rope_key)
    ```

    With `T` tokens of `H` features, heads of `head_size`, of which the table's
    width `r` is rotated, and ranks `L` (queries) and `R` (keys and values):
    `query_down` is `L x H`, `query_up` is `heads * head_size x L`,
    `latent_down` is `R + r x H`; `query` is `T x heads x head_size`, `latent` is
    `T x R`, `rope_key` is `T x r` and `query_latent` is `T x L`. DeepSeek-AI,
    2024 (arXiv 2405.04434).

    ```mlir
    %q, %c, %k, %ql = transformer.latent_projection %x, %rope
        query(%qa, %qn, %qb) latent(%kva, %kvn) head_size(192) eps(1.0e-6)
        : (tensor<7x7168xf16>, !transformer.rope_table<64xf16>,
           tensor<1536x7168xf16>, tensor<1536xf16>, tensor<24576x1536xf16>,
           tensor<576x7168xf16>, tensor<512xf16>)
        -> (tensor<7x128x192xf16>, tensor<7x512xf16>, tensor<7x64xf16>,
            tensor<7x1536xf16>)
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_RopeTableType:$table,
      FloatTensor:$queryDown, FloatTensor:$queryNorm, FloatTensor:$queryUp,
      FloatTensor:$latentDown, FloatTensor:$latentNorm,
      ConfinedAttr<I64Attr, [IntPositive]>:$head_size, F64Attr:$eps,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs FloatTensor:$query, FloatTensor:$latent,
                      FloatTensor:$rope_key, FloatTensor:$query_latent);
  let assemblyFormat = [{
    $input `,` $table `query` `(` $queryDown `,` $queryNorm `,` $queryUp `)`
    `latent` `(` $latentDown `,` $latentNorm `)` `head_size` `(` $head_size `)`
    `eps` `(` custom<Decimal>($eps) `)` (`style` `(` $style^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Transformer_QuantizedLatentProjectionOp : Transformer_CompositeOp<
    "quantized_latent_projection", [AttrSizedOperandSegments]> {
  let summary = "Makes queries and latents with quantized weights.";
  let description = [{
    `transformer.latent_projection` whose three linear layers have quantized
    weights, with scales as in `transformer.quantized_linear`. What they read is
    quantized to `activation` in the same kernel, with scales found on the way,
    or with those under `input_scales`: of `input` and of `query_latent`. Without
    `activation`, only weights are quantized.

    ```mlir
    %q, %c, %k, %ql = transformer.quantized_latent_projection %x, %rope
        query(%qa, %qn, %qb) latent(%kva, %kvn) scales(%s0, %s1, %s2)
        activation(i8) head_size(192) eps(1.0e-6)
        : (tensor<7x7168xf16>, !transformer.rope_table<64xf16>,
           tensor<1536x7168xi8>, tensor<1536xf16>, tensor<24576x1536xi8>,
           tensor<576x7168xi8>, tensor<512xf16>, tensor<f32>, tensor<f32>,
           tensor<f32>)
        -> (tensor<7x128x192xf16>, tensor<7x512xf16>, tensor<7x64xf16>,
            tensor<7x1536xf16>)
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_RopeTableType:$table,
      QuantizedTensor:$queryDown, FloatTensor:$queryNorm,
      QuantizedTensor:$queryUp, QuantizedTensor:$latentDown,
      FloatTensor:$latentNorm, GroupScaleTensor:$queryDownScale,
      GroupScaleTensor:$queryUpScale, GroupScaleTensor:$latentDownScale,
      Optional<ScaleTensor>:$inputScale,
      Optional<ScaleTensor>:$queryLatentScale,
      OptionalAttr<TypeAttr>:$activation, OptionalAttr<I64Attr>:$group_size,
      ConfinedAttr<I64Attr, [IntPositive]>:$head_size, F64Attr:$eps,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs FloatTensor:$query, FloatTensor:$latent,
                      FloatTensor:$rope_key, FloatTensor:$query_latent);
  let assemblyFormat = [{
    $input `,` $table `query` `(` $queryDown `,` $queryNorm `,` $queryUp `)`
    `latent` `(` $latentDown `,` $latentNorm `)`
    `scales` `(` $queryDownScale `,` $queryUpScale `,` $latentDownScale `)`
    (`input_scales` `(` $inputScale^ `,` $queryLatentScale `)`)?
    (`activation` `(` $activation^ `)`)? (`group_size` `(` $group_size^ `)`)?
    `head_size` `(` $head_size `)` `eps` `(` custom<Decimal>($eps) `)`
    (`style` `(` $style^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Attention over cached latents
//===----------------------------------------------------------------------===//

def Transformer_AppendLatentCacheOp : Transformer_Op<"append_latent_cache",
    [Pure, AllTypesMatch<["cache", "result"]>]> {
  let summary = "Writes the latents of the new tokens to the cache.";
  let description = [{
    `result = cache with latent[t, :] ++ rope_key[t, :] in the slot of token t`

    `latent` is `T x R` and `rope_key` is `T x r`; the cache has rows of `R + r`.
    It is changed in place; `result` is the cache afterwards.

    ```mlir
    %full = transformer.append_latent_cache %c, %k to %cache of %batch
        : tensor<7x512xf16>, tensor<7x64xf16>,
          !transformer.kv_cache<576xf16, block_size = 128>, !transformer.batch
    ```
  }];
  let arguments = (ins FloatOrByteTensor:$latent, FloatOrByteTensor:$rope_key,
                       Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch);
  let results = (outs Transformer_KVCacheType:$result);
  let assemblyFormat = [{
    $latent `,` $rope_key `to` $cache `of` $batch attr-dict
    `:` type($latent) `,` type($rope_key) `,` type($cache) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_LatentAttentionOp : Transformer_Op<"latent_attention", [Pure]> {
  let summary = "Multi-head latent attention over cached latents.";
  let description = [{
    `result[t, h, :] = sum_s softmax_s(scale * query[t, h, :] . key[s, h, :]) * value[s, h, :]`

    where `s` runs over the cached tokens of token `t`'s request up to `t`. Keys
    and values of head `h` are made of what is cached of token `s`:
    `key_value = weight[h] * latent[s, :]`,
    `key[s, h, :] = key_value[:n] ++ rope_key[s, :]`,
    `value[s, h, :] = key_value[n:]`.

    `query` is `T x heads x (n + r)`, the cache has rows of `R + r`, `weight` is
    `heads * (n + v) x R`, `result` is `T x heads x v`. With `indices`
    (`T x K`), `s` runs only over those of the first `K` indices of token `t`
    that are not after it: sparse attention.

    Kernels choose, per request, to make keys and values of all cached latents
    or to multiply queries and results by the weight instead (absorbed, for few
    new tokens). DeepSeek-AI, 2024 (arXiv 2405.04434).

    ```mlir
    %a = transformer.latent_attention %q, %cache of %batch weight(%kvb)
        scale(0.07216878364870323)
        : tensor<7x128x192xf16>, !transformer.kv_cache<576xf16, block_size = 128>,
          !transformer.batch, tensor<32768x512xf16> -> tensor<7x128x128xf16>
    %s = transformer.latent_attention %q, %cache of %batch weight(%kvb)
        indices(%i : tensor<7x2048xi64>) scale(0.07216878364870323)
        : tensor<7x128x192xf16>, !transformer.kv_cache<576xf16, block_size = 128>,
          !transformer.batch, tensor<32768x512xf16> -> tensor<7x128x128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$query, Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch, FloatTensor:$weight,
                       Optional<IndicesTensor>:$indices, F64Attr:$scale);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $cache `of` $batch `weight` `(` $weight `)`
    (`indices` `(` $indices^ `:` type($indices) `)`)?
    `scale` `(` custom<Decimal>($scale) `)` attr-dict
    `:` type($query) `,` type($cache) `,` type($batch) `,` type($weight)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_QuantizedLatentAttentionOp : Transformer_Op<
    "quantized_latent_attention", [Pure]> {
  let summary = "Latent attention on 8-bit queries, latents and weights.";
  let description = [{
    `transformer.latent_attention` of queries, cached rows and the weight times
    their `scales`, in this order; the result is a float. Shapes as there.

    ```mlir
    %a = transformer.quantized_latent_attention %q, %cache of %batch weight(%kvb)
        scale(0.07216878364870323) scales(%qs, %cs, %ws)
        : tensor<7x128x192xi8>, !transformer.kv_cache<576xi8, block_size = 128>,
          !transformer.batch, tensor<32768x512xi8> -> tensor<7x128x128xf16>
    ```
  }];
  let arguments = (ins DimsTensorOf<[I8, F8E4M3FN]>:$query,
                       Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch,
                       DimsTensorOf<[I8, F8E4M3FN]>:$weight,
                       Optional<IndicesTensor>:$indices,
                       ScaleTensor:$queryScale, ScaleTensor:$cacheScale,
                       ScaleTensor:$weightScale,
                       F64Attr:$scale);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $cache `of` $batch `weight` `(` $weight `)`
    (`indices` `(` $indices^ `:` type($indices) `)`)?
    `scale` `(` custom<Decimal>($scale) `)`
    `scales` `(` $queryScale `,` $cacheScale `,` $weightScale `)` attr-dict
    `:` type($query) `,` type($cache) `,` type($batch) `,` type($weight)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Which cached tokens sparse attention looks at
//===----------------------------------------------------------------------===//

def Transformer_LightningIndexerOp : Transformer_Op<"lightning_indexer",
    [Pure, AttrSizedOperandSegments, AllTypesMatch<["cache", "cache_after"]>]> {
  let summary = "Picks the cached tokens that a token attends to.";
  let description = [{
    ```
    key = layer_norm(linear(input, key_down), norm), the first features rotated
    cache_after = cache with key[t, :] in the slot of token t
    query = linear(query_latent, query_up), the first features of each head rotated
    share = linear(input, head_weights)
    score[t, s] = sum_h share[t, h] * max(query[t, h, :] . key[s, :], 0)
    indices[t, :] = the top_k tokens s up to t by score
    ```

    With `T` tokens of `H` features, queries of rank `L` and `heads` heads of
    `D`: `query_up` is `heads * D x L`, `key_down` is `D x H`, `head_weights` is
    `heads x H`, the norm has `D` weights and biases, the cache rows of `D`;
    `indices` is `T x min(top_k, max(kv))`. Where fewer tokens are there to pick,
    the last indices are those of later tokens, which attention skips. Constant
    factors of the scores are left out, as the order does not depend on them.
    Weights of 8 or 4 bits come with `scales`: all of them, or `query_up` alone.
    DeepSeek-AI, 2025 (DeepSeek-V3.2).

    ```mlir
    %i, %full = transformer.lightning_indexer %x, %ql, %rope to %cache of %batch
        query(%wq) key(%wk) head_weights(%ww) norm(%nw, %nb) top_k(2048)
        eps(1.0e-6)
        : (tensor<7x7168xf16>, tensor<7x1536xf16>, !transformer.rope_table<64xf16>,
           !transformer.kv_cache<128xf16, block_size = 128>, !transformer.batch,
           tensor<8192x1536xf16>, tensor<128x7168xf16>, tensor<64x7168xf16>,
           tensor<128xf16>, tensor<128xf16>)
        -> (tensor<7x?xi64, #transformer.dims<min(2048, max(kv))>>,
            !transformer.kv_cache<128xf16, block_size = 128>)
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$queryLatent,
      Transformer_RopeTableType:$table, Transformer_KVCacheType:$cache,
      Transformer_BatchType:$batch, FloatOrQuantizedTensor:$queryUp,
      FloatOrQuantizedTensor:$keyDown, FloatOrQuantizedTensor:$headWeights,
      FloatTensor:$normWeight, FloatTensor:$normBias,
      Optional<GroupScaleTensor>:$queryUpScale,
      Optional<GroupScaleTensor>:$keyDownScale,
      Optional<GroupScaleTensor>:$headWeightsScale,
      OptionalAttr<I64Attr>:$group_size,
      ConfinedAttr<I64Attr, [IntPositive]>:$top_k, F64Attr:$eps,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs IndicesTensor:$indices,
                      Transformer_KVCacheType:$cache_after);
  let assemblyFormat = [{
    $input `,` $queryLatent `,` $table `to` $cache `of` $batch
    `query` `(` $queryUp `)` `key` `(` $keyDown `)`
    `head_weights` `(` $headWeights `)` `norm` `(` $normWeight `,` $normBias `)`
    (`scales` `(` $queryUpScale^
        (`,` $keyDownScale^ `,` $headWeightsScale)? `)`)?
    (`group_size` `(` $group_size^ `)`)? `top_k` `(` $top_k `)`
    `eps` `(` custom<Decimal>($eps) `)` (`style` `(` $style^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many tokens are picked: top_k, or all where requests have fewer.
    static ExprAttr getNumPicked(::mlir::MLIRContext *context, int64_t topK);
  }];
}

//===----------------------------------------------------------------------===//
// Weights that a kernel reads in another type than they are kept in
//===----------------------------------------------------------------------===//

def Transformer_LoadWeightOp : Transformer_Op<"load_weight",
    [Pure, MovesNothing]> {
  let summary = "Converts a quantized weight when the model is loaded.";
  let description = [{
    `result = weight * scale`, or, for a result of 8 bits,
    `round(weight * scale / result_scale)`; when the model is loaded and not in a
    step. Scales as in `transformer.quantized_linear`. Reports count what is kept,
    `weight`; the copy that the kernels read is beside it.

    ```mlir
    %wide = transformer.load_weight %w scale(%s : tensor<f32>)
        : tensor<32768x512xi8> to tensor<32768x512xf16>
    ```
  }];
  let arguments = (ins QuantizedTensor:$weight, GroupScaleTensor:$scale,
                       Optional<ScaleTensor>:$resultScale,
                       OptionalAttr<I64Attr>:$group_size);
  let results = (outs FloatOrByteTensor:$result);
  let assemblyFormat = [{
    $weight `scale` `(` $scale `:` type($scale) `)`
    (`result_scale` `(` $resultScale^ `)`)? (`group_size` `(` $group_size^ `)`)?
    attr-dict `:` type($weight) `to` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_LATENT
