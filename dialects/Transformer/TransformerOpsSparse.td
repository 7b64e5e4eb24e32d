//===- TransformerOpsSparse.td - Attention over picked blocks -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_OPS_SPARSE
#define TENSORCAST_TRANSFORMER_OPS_SPARSE

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Which blocks a token attends to
//===----------------------------------------------------------------------===//

def Transformer_AppendIndexCacheOp : Transformer_Op<"append_index_cache",
    [Pure, AllTypesMatch<["cache", "result"]>]> {
  let summary = "Writes the index keys of the new tokens to their cache.";
  let description = [{
    `result = cache with key[t, 0, :] in the slot of token t`

    `key` is `T x 1 x D`, as rotations of one head are, and the cache has a row of
    `D` per token. The cache is changed in place; `result` is the cache
    afterwards.

    ```mlir
    %full = transformer.append_index_cache %k to %cache of %batch
        : tensor<7x1x128xf16>, !transformer.kv_cache<128xf16, block_size = 128>,
          !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$key, Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch);
  let results = (outs Transformer_KVCacheType:$result);
  let assemblyFormat = [{
    $key `to` $cache `of` $batch attr-dict
    `:` type($key) `,` type($cache) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_BlockIndexerOp : Transformer_CompositeOp<"block_indexer",
    [InferTypeOpAdaptor], ["isLaunchedWhole"]> {
  let summary = "Picks the blocks of cached tokens that a token attends to.";
  let description = [{
    ```
    score[t, h, b] = max_s(query[t, h, :] . key[s, :]), s in block b, up to t
    indices[t, h, :] = the top_k blocks by score, the local ones first
    ```

    where block `b` is the tokens `b * block_size` and so on of the request of
    token `t`, and `key` the rows of the cache. The `local` blocks up to that of
    `t` and the first `initial` ones are picked whatever their score. `query` is
    `T x heads x D`, `indices` is `T x heads x top_k`. Where there are fewer
    blocks to pick, the last indices are those of later ones, which attention
    skips. MiniMax, 2026 (MiniMax-M3).

    ```mlir
    %i = transformer.block_indexer %q, %cache of %batch top_k(16)
        block_size(128) local(1) initial(0)
        : tensor<7x4x128xf16>, !transformer.kv_cache<128xf16, block_size = 128>,
          !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$query, Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch,
                       ConfinedAttr<I64Attr, [IntPositive]>:$top_k,
                       ConfinedAttr<I64Attr, [IntPositive]>:$block_size,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$local,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$initial);
  let results = (outs IndicesTensor:$indices);
  let assemblyFormat = [{
    $query `,` $cache `of` $batch `top_k` `(` $top_k `)`
    `block_size` `(` $block_size `)` `local` `(` $local `)`
    `initial` `(` $initial `)` attr-dict
    `:` type($query) `,` type($cache) `,` type($batch)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// What attention over a cache is made of
//===----------------------------------------------------------------------===//

def Transformer_ReadCacheOp : Transformer_InferredOp<"read_cache"> {
  let summary = "The cached tokens of all requests, one after another.";
  let description = [{
    `result[s, :] = key, or value, of the s-th cached token`

    Requests come one after another, each with all of its tokens: `S = sum(kv)`.
    The result is `S x kv_heads x D`, with heads of values if `values` is given;
    `S x 1 x D` of a cache with one row per token.

    ```mlir
    %keys = transformer.read_cache %cache of %batch
        : !transformer.kv_cache<2x8x128xf16, block_size = 128>, !transformer.batch
    %values = transformer.read_cache %cache of %batch values
        : !transformer.kv_cache<2x8x128xf16, block_size = 128>, !transformer.batch
    ```
  }];
  let arguments = (ins Transformer_KVCacheType:$cache,
                       Transformer_BatchType:$batch, UnitAttr:$values);
  let results = (outs FloatOrByteTensor:$result);
  let assemblyFormat = [{
    $cache `of` $batch (`values` $values^)? attr-dict
    `:` type($cache) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_HeadScoresOp : Transformer_InferredOp<"head_scores"> {
  let summary = "Products of queries and keys, head by head.";
  let description = [{
    `result[t, h, s] = query[t, h, :] . key[s, g(h), :]`

    `query` is `T x heads x D`, `key` is `S x groups x D`, and `g(h)` the group
    that head `h` is in. The result is f32.

    ```mlir
    %s = transformer.head_scores %q, %k
        : tensor<7x64x128xf16>, tensor<20x8x128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$key);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = "$query `,` $key attr-dict `:` type($query) `,` type($key)";
}

def Transformer_HeadMixOp : Transformer_InferredOp<"head_mix"> {
  let summary = "Sums of values by weights, head by head.";
  let description = [{
    `result[t, h, :] = sum_s weights[t, h, s] * value[s, g(h), :]`

    `weights` is `T x heads x S`, `value` is `S x groups x D`. The result is of
    the type of the values.

    ```mlir
    %m = transformer.head_mix %p, %v
        : tensor<7x64x20xf32>, tensor<20x8x128xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$weights, FloatTensor:$value);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $weights `,` $value attr-dict `:` type($weights) `,` type($value)
  }];
}

def Transformer_MaskScoresOp : Transformer_Op<"mask_scores",
    [Pure, AllTypesMatch<["scores", "result"]>]> {
  let summary = "Hides what a token does not attend to.";
  let description = [{
    `result[t, h, s] = scores[t, h, s]`, or minus infinity where `s` is of another
    request than `t`, later than `t`, before the `window` of tokens up to `t`, or
    of none of the `blocks` that `transformer.attention` would look at.

    `scores` is `T x heads x S`, where `S = sum(kv)`.

    ```mlir
    %m = transformer.mask_scores %s of %batch window(128)
        : tensor<7x64x?xf32, #transformer.dims<sum(kv)>>, !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$scores, Transformer_BatchType:$batch,
                       Optional<IndicesTensor>:$blocks,
                       OptionalAttr<I64Attr>:$window,
                       OptionalAttr<I64Attr>:$block_size);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $scores `of` $batch (`window` `(` $window^ `)`)?
    (`blocks` `(` $blocks^ `:` type($blocks) `)`)?
    (`block_size` `(` $block_size^ `)`)? attr-dict
    `:` type($scores) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_PoolScoresOp : Transformer_InferredOp<"pool_scores"> {
  let summary = "The best score of each block of tokens.";
  let description = [{
    `result[t, h, b] = max_s(scores[t, h, s])`, `s` in block `b` of `t`'s request;
    infinity for the `local` blocks up to that of `t` and the first `initial`
    ones, minus infinity where `t` has no such block.

    `scores` is `T x heads x S`, where `S = sum(kv)`, the result
    `T x heads x B` with a column for each block of the longest request, but at
    least `columns`.

    ```mlir
    %p = transformer.pool_scores %s of %batch block_size(4) local(1) initial(0)
        columns(8)
        : tensor<7x4x?xf32, #transformer.dims<sum(kv)>>, !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$scores, Transformer_BatchType:$batch,
                       ConfinedAttr<I64Attr, [IntPositive]>:$block_size,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$local,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$initial,
                       ConfinedAttr<I64Attr, [IntPositive]>:$columns);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $scores `of` $batch `block_size` `(` $block_size `)` `local` `(` $local `)`
    `initial` `(` $initial `)` `columns` `(` $columns `)` attr-dict
    `:` type($scores) `,` type($batch)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_SPARSE
