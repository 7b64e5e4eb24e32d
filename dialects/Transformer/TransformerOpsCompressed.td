//===- TransformerOpsCompressed.td - Compressed attention --*- tablegen -*-===//
//
// Attention over the latest tokens and over compressed rows of older ones, with
// one row that is key and value of all heads: DeepSeek-V4.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_TRANSFORMER_OPS_COMPRESSED
#define TENSORCAST_TRANSFORMER_OPS_COMPRESSED

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Queries and rows
//===----------------------------------------------------------------------===//

def Transformer_NormalizeOp : Transformer_CompositeOp<"normalize",
    [SameOperandsAndResultType], ["isLaunchedWhole"]> {
  let summary = "Scales each row by the inverse of its root mean square.";
  let description = [{
    `result[.., i] = input[.., i] / sqrt(mean_i(input[.., i]^2) + eps)`

    A `transformer.rms_norm` without a weight, each step of which is in the
    type of `input`.

    ```mlir
    %n = transformer.normalize %q eps(1.0e-6) : tensor<7x64x512xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, F64Attr:$eps);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `eps` `(` custom<Decimal>($eps) `)` attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Transformer_RotatePartOp : Transformer_CompositeOp<"rotate_part",
    [AllTypesMatch<["input", "result"]>], ["isLaunchedWhole"]> {
  let summary = "Rotates the last features of each head, in place.";
  let description = [{
    `result = input`, the last `features` of each head rotated as
    `transformer.rope` does, or back if `inverse`.

    `input` and `result` are `T x heads x D`; the table's width is `features`.
    Kernels rotate in place.

    ```mlir
    %r = transformer.rotate_part %q, %rope features(64)
        : tensor<7x64x512xf16>, !transformer.rope_table<64xf16>
    %b = transformer.rotate_part %o, %rope features(64) inverse style(interleaved)
        : tensor<7x64x512xf16>, !transformer.rope_table<64xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_RopeTableType:$table,
      ConfinedAttr<I64Attr, [IntPositive]>:$features, UnitAttr:$inverse,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $table `features` `(` $features `)` (`inverse` $inverse^)?
    (`style` `(` $style^ `)`)? attr-dict `:` type($input) `,` type($table)
  }];
  let hasVerifier = 1;
}

def Transformer_RoundFeaturesOp : Transformer_Op<"round_features",
    [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Rounds the first features of each row to 8 bits.";
  let description = [{
    `result[t, i] = scale[t] * round(input[t, i] / scale[t])` to f8E4M3FN for the
    first `features`, where `scale[t]` takes the largest of them to 448;
    `result[t, i] = input[t, i]` for the rest. What is cached is what a kernel
    of 8 bits would read.

    `input` and `result` are `T x D`.

    ```mlir
    %r = transformer.round_features %kv features(448) : tensor<7x512xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input,
                       ConfinedAttr<I64Attr, [IntPositive]>:$features);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `features` `(` $features `)` attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def Transformer_TieOp : Transformer_Op<"tie",
    [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Lets a value wait for another one.";
  let description = [{
    `result = input`, not before `other` is there. Models tie values so, by
    adding zero times another one, to keep the order of their kernels; layers
    that read `input` and `result` are not merged.

    ```mlir
    %late = transformer.tie %x to %q
        : tensor<7x4096xf16>, tensor<7x64x512xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$other);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `to` $other attr-dict `:` type($input) `,` type($other)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

def Transformer_AppendWindowOp : Transformer_Op<"append_window",
    [Pure, AllTypesMatch<["cache", "result"]>]> {
  let summary = "Writes the rows of the new tokens to the cache of a window.";
  let description = [{
    `result = cache with rows[t, :] in the slot of token t`, where a new token
    takes the slot of the one that left the window.

    `rows` is `T x D`, the cache has rows of `D` and slots for `window` tokens
    of each request. `compressed` says that the layer attends to compressed rows
    too: some stacks leave a part of the writes out then.

    ```mlir
    %full = transformer.append_window %kv to %cache of %batch window(128)
        : tensor<7x512xf16>, !transformer.kv_cache<512xf16, block_size = 128>,
          !transformer.batch
    ```
  }];
  let arguments = (ins FloatTensor:$rows, Transformer_KVCacheType:$cache,
      Transformer_BatchType:$batch,
      ConfinedAttr<I64Attr, [IntPositive]>:$window, UnitAttr:$compressed);
  let results = (outs Transformer_KVCacheType:$result);
  let assemblyFormat = [{
    $rows `to` $cache `of` $batch `window` `(` $window `)`
    (`compressed` $compressed^)? attr-dict
    `:` type($rows) `,` type($cache) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_CompressOp : Transformer_Op<"compress", [Pure,
    AllTypesMatch<["cache", "cache_after"]>,
    AllTypesMatch<["state", "state_after"]>]> {
  let summary = "Makes one row of each group of tokens, and caches it.";
  let description = [{
    With `c = 2` if `overlap`, else 1, for each group `g` of `ratio` tokens that
    the step completes:

    ```
    values[s, :] = matmul(input[s, :], value_projection)
    scores[s, :] = matmul(input[s, :], gate_projection) + positions[s mod ratio, :]
    row[g, i] = sum_s softmax_s(scores[s, j]) * values[s, j]
    cache_after[g, :] = rope(rms_norm(row[g, :], norm)), the last features rotated
    ```

    where `s` runs over the tokens of the group, with `j = (c - 1) * D + i`, and
    if `overlap` also over those of the group before it, with `j = i`. The rows
    are rotated by the angles of the token that completes the group.

    `input` is `T x H`; the projections are `c * D x H`, `positions` is
    `ratio x c * D`, all in f32; `norm` is `D`, the cache has rows of `D`. The
    `state` keeps values and scores (without `positions`) of the tokens of open
    groups: rows of `2 * c * D` in f32. `rotated` says that the kernel turns the
    rows by a Hadamard matrix; as queries are turned too, no product of them
    changes, and the meaning leaves it out. DeepSeek-AI, 2026 (DeepSeek-V4).

    ```mlir
    %rows, %rest = transformer.compress %x, %rope to %cache, %state of %batch
        value(%wv) gate(%wg) positions(%p) norm(%n) ratio(4) overlap features(64)
        eps(1.0e-6)
        : (tensor<7x4096xf16>, !transformer.rope_table<64xf16>,
           !transformer.kv_cache<512xf16, block_size = 128>,
           !transformer.kv_cache<2048xf32, block_size = 128>,
           !transformer.batch, tensor<1024x4096xf32>, tensor<1024x4096xf32>,
           tensor<4x1024xf32>, tensor<512xf16>)
        -> (!transformer.kv_cache<512xf16, block_size = 128>,
            !transformer.kv_cache<2048xf32, block_size = 128>)
    ```
  }];
  let arguments = (ins FloatTensor:$input, Transformer_RopeTableType:$table,
      Transformer_KVCacheType:$cache, Transformer_KVCacheType:$state,
      Transformer_BatchType:$batch, FloatTensor:$valueProjection,
      FloatTensor:$gateProjection, FloatTensor:$positions, FloatTensor:$norm,
      ConfinedAttr<I64Attr, [IntMinValue<2>]>:$ratio, UnitAttr:$overlap,
      ConfinedAttr<I64Attr, [IntPositive]>:$features, UnitAttr:$rotated,
      F64Attr:$eps,
      DefaultValuedProp<EnumProp<Transformer_RopeStyle>,
                        "::mlir::transformer::RopeStyle::Half">:$style);
  let results = (outs Transformer_KVCacheType:$cache_after,
                      Transformer_KVCacheType:$state_after);
  let assemblyFormat = [{
    $input `,` $table `to` $cache `,` $state `of` $batch
    `value` `(` $valueProjection `)` `gate` `(` $gateProjection `)`
    `positions` `(` $positions `)` `norm` `(` $norm `)` `ratio` `(` $ratio `)`
    (`overlap` $overlap^)? `features` `(` $features `)` (`rotated` $rotated^)?
    `eps` `(` custom<Decimal>($eps) `)` (`style` `(` $style^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows that make one compressed row, in groups of `ratio`.
    int64_t getNumParts() { return getOverlap() ? 2 : 1; }
    /// Compressed rows that a request has: of the longest one, and at least 1.
    static ExprAttr getNumRows(::mlir::MLIRContext *context, int64_t ratio);
  }];
}

//===----------------------------------------------------------------------===//
// Which compressed rows attention looks at
//===----------------------------------------------------------------------===//

def Transformer_PickCompressedOp : Transformer_CompositeOp<"pick_compressed", [],
    ["isLaunchedWhole"]> {
  let summary = "Picks the compressed rows that a token attends to.";
  let description = [{
    ```
    score[t, g] = sum_h share[t, h] * max(query[t, h, :] . cache[g, :], 0)
    indices[t, :] = the top_k complete groups g by score
    ```

    A group of `ratio` tokens is complete for token `t` if `t` is its last one
    or comes after it. `query` is `T x heads x D`, `share` is `T x heads`, the
    cache has rows of `D`; `indices` is
    `T x max(min(top_k, floor(max(kv) / ratio)), 1)`. Where fewer groups are
    complete, the last indices are those of later ones, which attention skips.
    Scores are summed over the devices `over` which heads are split.
    DeepSeek-AI, 2026 (DeepSeek-V4).

    ```mlir
    %i = transformer.pick_compressed %q, %s, %cache of %batch ratio(4) top_k(512)
        : tensor<7x64x128xf16>, tensor<7x64xf16>,
          !transformer.kv_cache<128xf16, block_size = 128>, !transformer.batch
       -> tensor<7x?xi64, #transformer.dims<max(1, min(512, floordiv(max(kv), 4)))>>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$share,
      Transformer_KVCacheType:$cache, Transformer_BatchType:$batch,
      ConfinedAttr<I64Attr, [IntMinValue<2>]>:$ratio,
      ConfinedAttr<I64Attr, [IntPositive]>:$top_k,
      OptionalAttr<Transformer_RanksAttr>:$ranks);
  let results = (outs IndicesTensor:$indices);
  let assemblyFormat = [{
    $query `,` $share `,` $cache `of` $batch `ratio` `(` $ratio `)`
    `top_k` `(` $top_k `)` (`over` `` $ranks^)? attr-dict
    `:` type($query) `,` type($share) `,` type($cache) `,` type($batch)
    `->` type($indices)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many rows are picked.
    static ExprAttr getNumPicked(::mlir::MLIRContext *context, int64_t ratio,
                                 int64_t topK);
  }];
}

def Transformer_ScoreCompressedOp : Transformer_Op<"score_compressed", [Pure]> {
  let summary = "Scores the compressed rows for each token.";
  let description = [{
    `scores[t, g] = sum_h share[t, h] * max(query[t, h, :] . cache[g, :], 0)`

    The first half of `transformer.pick_compressed`: `scores` is `T x max(1,
    floor(max(kv) / ratio))` in f32, with the heads of this device alone.

    ```mlir
    %s = transformer.score_compressed %q, %w, %cache of %batch ratio(4)
        : tensor<2x4x8xf16>, tensor<2x4xf16>,
          !transformer.kv_cache<8xf16, block_size = 128>, !transformer.batch
       -> tensor<2x5xf32>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$share,
      Transformer_KVCacheType:$cache, Transformer_BatchType:$batch,
      ConfinedAttr<I64Attr, [IntMinValue<2>]>:$ratio);
  let results = (outs FloatTensor:$scores);
  let assemblyFormat = [{
    $query `,` $share `,` $cache `of` $batch `ratio` `(` $ratio `)` attr-dict
    `:` type($query) `,` type($share) `,` type($cache) `,` type($batch)
    `->` type($scores)
  }];
}

def Transformer_TopCompressedOp : Transformer_Op<"top_compressed", [Pure]> {
  let summary = "Finds the complete groups with the largest scores.";
  let description = [{
    `indices[t, :]` are the groups `g` of `ratio` tokens that are complete for
    token `t`, by `scores[t, g]`; where there are too few, later ones follow. The
    second half of `transformer.pick_compressed`.

    ```mlir
    %i = transformer.top_compressed %s of %batch ratio(4)
        : tensor<2x5xf32>, !transformer.batch -> tensor<2x3xi64>
    ```
  }];
  let arguments = (ins FloatTensor:$scores, Transformer_BatchType:$batch,
      ConfinedAttr<I64Attr, [IntMinValue<2>]>:$ratio);
  let results = (outs IndicesTensor:$indices);
  let assemblyFormat = [{
    $scores `of` $batch `ratio` `(` $ratio `)` attr-dict
    `:` type($scores) `,` type($batch) `->` type($indices)
  }];
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def Transformer_WindowAttentionOp : Transformer_Op<"window_attention",
    [Pure, AttrSizedOperandSegments, AllTypesMatch<["query", "result"]>]> {
  let summary = "Attention over a window and compressed rows, with a sink.";
  let description = [{
    `result[t, h, :] = sum_s w[s] * row[s, :]`, where
    `w[s] = exp(scale * query[t, h, :] . row[s, :]) / (exp(sink[h]) + sum_s exp(..))`

    and `s` runs over the last `window` tokens of the request up to `t`, and
    over the `compressed` rows, of `ratio` tokens each, that are complete for
    `t`: all of them, or those among `indices`. The sink takes a share of the
    weights and has no row.

    `query` and `result` are `T x heads x D`; `rows` (`T x D`) are those of the
    new tokens, which `window_cache` need not have all of; both caches have rows
    of `D`; `sink` is `heads` in f32, `indices` is `T x K`. DeepSeek-AI, 2026
    (DeepSeek-V4); sinks: Xiao et al., 2023 (arXiv 2309.17453).

    ```mlir
    %w = transformer.window_attention %q, %kv, %window of %batch sink(%s)
        window(128) scale(0.044194173824159216)
        : (tensor<7x64x512xf16>, tensor<7x512xf16>,
           !transformer.kv_cache<512xf16, block_size = 128>, !transformer.batch,
           tensor<64xf32>) -> tensor<7x64x512xf16>
    %c = transformer.window_attention %q, %kv, %window of %batch sink(%s)
        compressed(%rows) indices(%i) window(128) ratio(4)
        scale(0.044194173824159216)
        : (tensor<7x64x512xf16>, tensor<7x512xf16>,
           !transformer.kv_cache<512xf16, block_size = 128>, !transformer.batch,
           tensor<64xf32>, !transformer.kv_cache<512xf16, block_size = 128>,
           tensor<7x512xi64>) -> tensor<7x64x512xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$rows,
      Transformer_KVCacheType:$windowCache, Transformer_BatchType:$batch,
      FloatTensor:$sink, Optional<Transformer_KVCacheType>:$compressed,
      Optional<IndicesTensor>:$indices,
      ConfinedAttr<I64Attr, [IntPositive]>:$window,
      OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<2>]>>:$ratio,
      F64Attr:$scale);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $rows `,` $windowCache `of` $batch `sink` `(` $sink `)`
    (`compressed` `(` $compressed^ `)`)? (`indices` `(` $indices^ `)`)?
    `window` `(` $window `)` (`ratio` `(` $ratio^ `)`)?
    `scale` `(` custom<Decimal>($scale) `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Transformer_GroupedProjectionOp : Transformer_Op<"grouped_projection",
    [Pure]> {
  let summary = "Multiplies each group of features by a matrix of its own.";
  let description = [{
    `result[t, g * R + n] = sum_k input[t, g * K + k] * weight[g * R + n, k]`

    `input` is `T x G * K`, `weight` is `G * R x K`, `result` is `T x G * R`: the
    first, low-rank half of an output projection in `G` groups. DeepSeek-AI,
    2026 (DeepSeek-V4).

    ```mlir
    %y = transformer.grouped_projection %x, %w
        : tensor<7x32768xf16>, tensor<8192x4096xf16> -> tensor<7x8192xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$input, FloatTensor:$weight);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many groups there are.
    int64_t getNumGroups();
  }];
}

#endif // TENSORCAST_TRANSFORMER_OPS_COMPRESSED
