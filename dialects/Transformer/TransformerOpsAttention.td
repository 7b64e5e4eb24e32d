//===- TransformerOpsAttention.td - Attention and positions -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_ATTENTION
#define TENSORCAST_TRANSFORMER_OPS_ATTENTION

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Rotary position embedding
//===----------------------------------------------------------------------===//

def Transformer_RopeTableOp : Transformer_CompositeOp<"rope_table",
    [AllTypesMatch<["cos", "sin"]>]> {
  let summary = "Looks up cosines and sines for the positions of the step.";
  let description = [{
    `result.cos[t, :] = cos[positions[t], :]; result.sin[t, :] = sin[positions[t], :]`

    `positions` is `T`; `cos` and `sin` are positions by width.

    ```mlir
    %rope = transformer.rope_table %positions, %cos, %sin
        : tensor<7xi64>, tensor<40960x128xf16> -> !transformer.rope_table<128xf16>
    ```
  }];
  let arguments = (ins IndicesTensor:$positions, FloatTensor:$cos,
                       FloatTensor:$sin);
  let results = (outs Transformer_RopeTableType:$result);
  let assemblyFormat = [{
    $positions `,` $cos `,` $sin attr-dict
    `:` type($positions) `,` type($cos) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_RopePackOp : Transformer_Op<"rope_pack", [Pure, MovesNothing,
    AllTypesMatch<["cos", "sin"]>]> {
  let summary = "Makes a rope table of its two tensors.";
  let description = [{
    `result.cos = cos; result.sin = sin`, without moving data. Both are
    tokens by width.

    ```mlir
    %rope = transformer.rope_pack %cos, %sin
        : tensor<7x128xf16> -> !transformer.rope_table<128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$cos, FloatTensor:$sin);
  let results = (outs Transformer_RopeTableType:$result);
  let assemblyFormat = [{
    $cos `,` $sin attr-dict `:` type($cos) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_RopePartsOp : Transformer_Op<"rope_parts", [Pure, MovesNothing,
    AllTypesMatch<["cos", "sin"]>]> {
  let summary = "The cosines and sines of a rope table.";
  let description = [{
    `cos = table.cos; sin = table.sin`, seen as tokens by 1 (every head) by
    width, without moving data.

    ```mlir
    %cos, %sin = transformer.rope_parts %rope
        : !transformer.rope_table<128xf16> -> tensor<7x1x128xf16>
    ```
  }];
  let arguments = (ins Transformer_RopeTableType:$table);
  let results = (outs FloatTensor:$cos, FloatTensor:$sin);
  let assemblyFormat = [{
    $table attr-dict `:` type($table) `->` type($cos)
  }];
  let hasVerifier = 1;
}

def Transformer_RopeOp : Transformer_CompositeOp<"rope",
    [AllTypesMatch<["input", "result"]>], ["isLaunchedWhole"]> {
  let summary = "Rotates the heads by their position.";
  let description = [{
    `result = input * cos + rotate(input) * sin` over the first `r` features of
    each head; features beyond the table's width `r` pass. Style `half`:
    `rotate(x) = concat(-x[.., r/2:], x[.., :r/2])`. Style `interleaved`:
    `rotate(x)[.., 2i] = -x[.., 2i+1]` and `rotate(x)[.., 2i+1] = x[.., 2i]`.
    Style `half_table` is `half` over whole heads, with a table of `r = D / 2`
    that counts for both halves `a` and `b` of a head:
    `result = concat(a * cos - b * sin, b * cos + a * sin)`. Style `complex` is
    `interleaved` as a product of complex numbers, which a framework launches as
    one kernel.

    `input` is `T x heads x D`. A table of f32 for 16-bit heads has the products
    and the sum in f32. Su et al., 2021 (arXiv 2104.09864).

    ```mlir
    %rotated = transformer.rope %q, %rope
        : tensor<7x64x128xf16>, !transformer.rope_table<128xf16>
    %pairs = transformer.rope %q, %rope style(interleaved)
        : tensor<7x64x128xf16>, !transformer.rope_table<128xf16>
    %halves = transformer.rope %q, %narrow style(half_table)
        : tensor<7x64x128xf16>, !transformer.rope_table<64xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_RopeTableType:$table,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $table (`style` `(` $style^ `)`)? attr-dict
    `:` type($input) `,` type($table)
  }];
  let hasVerifier = 1;
}

def Transformer_RopePairOp : Transformer_CompositeOp<"rope_pair",
    [AllTypesMatch<["query", "rotated_query"]>,
     AllTypesMatch<["key", "rotated_key"]>]> {
  let summary = "Rotates queries and keys in one kernel.";
  let description = [{
    `rotated_query = rope(query, table); rotated_key = rope(key, table)`

    The table is read once for both. Shapes and styles as in
    `transformer.rope`.

    ```mlir
    %q1, %k1 = transformer.rope_pair %q, %k, %rope : tensor<7x64x128xf16>,
        tensor<7x8x128xf16>, !transformer.rope_table<128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$key,
                       Transformer_RopeTableType:$table,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs FloatTensor:$rotated_query, FloatTensor:$rotated_key);
  let assemblyFormat = [{
    $query `,` $key `,` $table (`style` `(` $style^ `)`)? attr-dict
    `:` type($query) `,` type($key) `,` type($table)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Attention over a cache
//===----------------------------------------------------------------------===//

def Transformer_AppendCacheOp : Transformer_Op<"append_cache", [Pure,
    AllTypesMatch<["cache", "result"]>]> {
  let summary = "Writes the keys and values of the new tokens to the cache.";
  let description = [{
    `result = cache with key[t, :], value[t, :] in the slot of token t`

    `key` is `T x kv_heads x D`, and so is `value`, unless the cache has a
    `value_size`; the type of such values is written behind that of the keys. The
    cache is changed in place; `result` is the cache afterwards.

    ```mlir
    %full = transformer.append_cache %k, %v to %cache of %batch
        : tensor<7x8x128xf16>, !transformer.kv_cache<2x8x128xf16, block_size = 128>,
          !transformer.batch
    %hybrid = transformer.append_cache %k1, %v1 to %cache1 of %batch
        : tensor<7x8x192xf16>, tensor<7x8x128xf16>,
          !transformer.kv_cache<2x8x192xf16, block_size = 128, value_size = 128>,
          !transformer.batch
    ```
  }];
  let arguments = (ins FloatOrByteTensor:$key,
                       FloatOrByteTensor:$value,
                       Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch);
  let results = (outs Transformer_KVCacheType:$result);
  let assemblyFormat = [{
    $key `,` $value `to` $cache `of` $batch attr-dict
    `:` custom<AppendedTypes>(type($key), type($value), type($cache)) `,`
    type($batch)
  }];
  let hasVerifier = 1;
}

/// What limits attention over a cache, and what joins its softmax.
defvar attentionLimits = [{
    (`window` `(` $window^ `)`)? (`sink` `(` $sink^ `:` type($sink) `)`)?
    (`blocks` `(` $blocks^ `:` type($blocks) `)`)?
    (`block_size` `(` $block_size^ `)`)? attr-dict
}];

def Transformer_AttentionOp : Transformer_CompositeOp<"attention",
    [InferTypeOpAdaptor, AttrSizedOperandSegments], ["isLaunchedWhole"]> {
  let summary = "Grouped-query attention over the KV cache.";
  let description = [{
    `result[t, h, :] = sum_s softmax_s(scale * query[t, h, :] . key[s, g(h), :]) * value[s, g(h), :]`

    where `s` runs over the cached tokens of token `t`'s request up to `t`, and
    `g(h)` is the KV head that query head `h` shares. `query` is `T x heads x D`,
    and so is the result, unless the cache has a `value_size`, which is then that
    of its heads. Ainslie et al., 2023 (arXiv 2305.13245).

    With a `window`, `s` runs over the latest tokens up to `t`, so many of them.
    A `sink`, one number per head, joins the softmax as the score of a token
    whose value is zero (OpenAI, 2025; arXiv 2508.10925):
    `softmax_s(x) = exp(x[s]) / (exp(sink[h]) + sum_r exp(x[r]))`. With `blocks`,
    `T x kv_heads x K`, `s` runs over the tokens up to `t` of the blocks of
    `block_size` tokens of the request that `blocks[t, g(h), :]` names.

    ```mlir
    %a = transformer.attention %q, %cache of %batch scale(0.08838834764831845)
        : tensor<7x64x128xf16>, !transformer.kv_cache<2x8x128xf16, block_size = 128>,
          !transformer.batch
    %b = transformer.attention %q, %latest of %batch scale(0.08838834764831845)
        window(128) sink(%sink : tensor<64xf16>)
        : tensor<7x64x128xf16>,
          !transformer.kv_cache<2x8x128xf16, block_size = 128, window = 128>,
          !transformer.batch
    %c = transformer.attention %q, %cache of %batch scale(0.08838834764831845)
        blocks(%picked : tensor<7x8x16xi64>) block_size(128)
        : tensor<7x64x128xf16>, !transformer.kv_cache<2x8x128xf16, block_size = 128>,
          !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$query, Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch,
                       Optional<FloatTensor>:$sink,
                       Optional<IndicesTensor>:$blocks, F64Attr:$scale,
                       OptionalAttr<I64Attr>:$window,
                       OptionalAttr<I64Attr>:$block_size);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = !strconcat([{
    $query `,` $cache `of` $batch `scale` `(` custom<Decimal>($scale) `)`
  }], attentionLimits, [{
    `:` type($query) `,` type($cache) `,` type($batch)
  }]);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$cache,
                   "::mlir::Value":$batch, "::mlir::FloatAttr":$scale), [{
      build($_builder, $_state, query, cache, batch, /*sink=*/::mlir::Value(),
            /*blocks=*/::mlir::Value(), scale, /*window=*/::mlir::IntegerAttr(),
            /*block_size=*/::mlir::IntegerAttr());
    }]>
  ];
  let hasVerifier = 1;
}

def Transformer_QuantizedAttentionOp : Transformer_Op<"quantized_attention",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "Grouped-query attention on 8-bit queries, keys and values.";
  let description = [{
    `transformer.attention` of `query * query_scale` and of the cached keys and
    values times their scales; the result is a float, and so is a `sink`. Shapes
    and limits as there.

    ```mlir
    %a = transformer.quantized_attention %q, %cache of %batch
        scale(0.08838834764831845) scales(%qs, %ks, %vs)
        : tensor<7x64x128xi8>, !transformer.kv_cache<2x8x128xi8, block_size = 128>,
          !transformer.batch -> tensor<7x64x128xf16>
    ```
  }];
  let arguments = (ins DimsTensorOf<[I8, F8E4M3FN]>:$query,
                       Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch, ScaleTensor:$queryScale,
                       ScaleTensor:$keyScale, ScaleTensor:$valueScale,
                       Optional<FloatTensor>:$sink,
                       Optional<IndicesTensor>:$blocks, F64Attr:$scale,
                       OptionalAttr<I64Attr>:$window,
                       OptionalAttr<I64Attr>:$block_size);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = !strconcat([{
    $query `,` $cache `of` $batch `scale` `(` custom<Decimal>($scale) `)`
    `scales` `(` $queryScale `,` $keyScale `,` $valueScale `)`
  }], attentionLimits, [{
    `:` type($query) `,` type($cache) `,` type($batch) `->` type($result)
  }]);
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_ATTENTION
