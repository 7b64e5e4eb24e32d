//===- TransformerOpsVision.td - Images in front of a decoder -*- tablegen -*-===//
//
// Images are grids of patches. All images of a step have one size: `images`,
// `image_rows` and `image_columns` of #transformer.expr say how many there are,
// and how many cells each has; a cell of `merge` x `merge` patches becomes one
// token of the decoder. Patches are packed: image by image, cell by cell (row by
// row of the grid), and row by row within a cell, so that the patches of a cell
// are neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_TRANSFORMER_OPS_VISION
#define TENSORCAST_TRANSFORMER_OPS_VISION

include "TransformerOpsBase.td"

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

def Transformer_ConvolvePatchesOp : Transformer_CompositeOp<"convolve_patches",
    [], ["isLaunchedWhole"]> {
  let summary = "A convolution whose windows do not overlap.";
  let description = [{
    `result[p, n] = sum_k patches[p, k] * weight[n, k] (+ bias[n])`

    `patches` is `P x K`, where `K` counts the elements of a window (channels by
    frames by height by width), `weight` is `N x K`, `bias` is `N`, and `result`
    is `P x N`.

    ```mlir
    %x = transformer.convolve_patches %pixels, %kernel
        bias(%bias : tensor<1152xf16>)
        : tensor<4096x1536xf16>, tensor<1152x1536xf16> -> tensor<4096x1152xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$patches, FloatTensor:$weight,
                       Optional<FloatTensor>:$bias);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $patches `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($patches) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Positions on the grid
//===----------------------------------------------------------------------===//

def Transformer_GridNeighborsOp : Transformer_Op<"grid_neighbors", [Pure]> {
  let summary = "Where the patches of images lie on a square table.";
  let description = [{
    A table of `side` by `side` positions is stretched over the grid of each
    image. Patch `p` lies between `N` of its positions: with form `bilinear`, 4,
    where the corners of the table and of the grid meet; with form `bicubic`, 16,
    where their edges meet (cubic convolution with a = -0.75; Keys, 1981). With
    form `exact` it lies on one, and the grid is the table.

    `indices` is `N * P` (neighbour by neighbour, `row * side + column`),
    `weights` is `N x P x 1`, and the weights of a patch add up to 1.

    ```mlir
    %indices, %weights = transformer.grid_neighbors %batch side(48) merge(2)
        : !transformer.batch<#transformer.workload<queries = 1, query_length = 8,
          images = #transformer.images<count = 1, rows = 2, columns = 2, tokens = 4>>>
       -> tensor<64xi64>, tensor<4x16x1xf32>
    ```
  }];
  let arguments = (ins Transformer_BatchType:$batch,
      ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<65536>]>:$side,
      ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<64>]>:$merge,
      DefaultValuedProp<EnumProp<Transformer_GridForm>,
                        "::mlir::transformer::GridForm::Bilinear">:$form);
  let results = (outs IndicesTensor:$indices, FloatTensor:$weights);
  let assemblyFormat = [{
    $batch `side` `(` $side `)` `merge` `(` $merge `)` (`form` `(` $form^ `)`)?
    attr-dict `:` type($batch) `->` type($indices) `,` type($weights)
  }];
  let hasVerifier = 1;
}

def Transformer_GridEmbeddingOp
    : Transformer_CompositeOp<"grid_embedding"> {
  let summary = "Interpolates a table of positions over the grid of each image.";
  let description = [{
    `result[p, :] = sum_n weights[n, p] * table[indices[n, p], :]`, of the
    neighbours of `transformer.grid_neighbors`.

    `table` is `side^2 x H`, `result` is `P x H`. The sum is taken in f32.

    ```mlir
    %positions = transformer.grid_embedding %table of %batch merge(2)
        : tensor<2304x1152xf16>, !transformer.batch<#transformer.workload<
          queries = 1, query_length = 8, images = #transformer.images<count = 1,
          rows = 2, columns = 2, tokens = 4>>> -> tensor<16x1152xf16>
    ```
  }];
  let arguments = (ins FloatTensor:$table, Transformer_BatchType:$batch,
      ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<64>]>:$merge,
      DefaultValuedProp<EnumProp<Transformer_GridForm>,
                        "::mlir::transformer::GridForm::Bilinear">:$form);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $table `of` $batch `merge` `(` $merge `)` (`form` `(` $form^ `)`)? attr-dict
    `:` type($table) `,` type($batch) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Positions along an edge of the table.
    int64_t getSide();
  }];
}

def Transformer_GridAnglesOp : Transformer_Op<"grid_angles", [Pure]> {
  let summary = "The angles by which the row and column of a patch turn features.";
  let description = [{
    `result[p, 0, i] = row(p) * theta ^ (-i / F); result[p, 1, i] = column(p) *
    theta ^ (-i / F)`, where `row` and `column` count patches of the image.

    `result` is `P x 2 x F`.

    ```mlir
    %angles = transformer.grid_angles %batch theta(10000.0) merge(2)
        : !transformer.batch<#transformer.workload<queries = 1, query_length = 8,
          images = #transformer.images<count = 1, rows = 2, columns = 2, tokens = 4>>>
       -> tensor<16x2x18xf32>
    ```
  }];
  let arguments = (ins Transformer_BatchType:$batch, F64Attr:$theta,
      ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<64>]>:$merge);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $batch `theta` `(` custom<Decimal>($theta) `)` `merge` `(` $merge `)`
    attr-dict `:` type($batch) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Transformer_GridRopeOp : Transformer_CompositeOp<"grid_rope"> {
  let summary = "Cosines and sines for the place of each patch on its image.";
  let description = [{
    `result.cos = cos(a ++ a); result.sin = sin(a ++ a)`, where `a` are the angles
    of `transformer.grid_angles`: those of the row, then those of the column. The
    first quarter of a head is turned by the row, the next by the column, and the
    second half as the first. With `interleaved`, each angle stands twice in
    succession instead, for the style of `transformer.rope` that turns
    neighbours.

    The table has a row per patch, `merge^2` for each cell; its width is a
    multiple of 4.

    ```mlir
    %rope = transformer.grid_rope %batch theta(10000.0) merge(2)
        : !transformer.batch<#transformer.workload<queries = 1, query_length = 8,
          images = #transformer.images<count = 1, rows = 2, columns = 2, tokens = 4>>>
       -> !transformer.rope_table<72xf32, patches = 4>
    ```
  }];
  let arguments = (ins Transformer_BatchType:$batch, F64Attr:$theta,
      ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<64>]>:$merge,
      UnitAttr:$interleaved);
  let results = (outs Transformer_RopeTableType:$result);
  let assemblyFormat = [{
    $batch `theta` `(` custom<Decimal>($theta) `)` `merge` `(` $merge `)`
    (`interleaved` $interleaved^)? attr-dict `:` type($batch) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Attention, and the way into the decoder
//===----------------------------------------------------------------------===//

def Transformer_ImageAttentionOp : Transformer_Op<"image_attention", [Pure,
    AllTypesMatch<["query", "key", "value", "result"]>]> {
  let summary = "Attention among the patches of each image.";
  let description = [{
    `result[p, h, :] = sum_s softmax_s(scale * query[p, h, :] . key[s, h, :]) * value[s, h, :]`

    where `s` runs over all patches of the image that `p` is of; `merge` says how
    many patches an image has. All tensors are `P x heads x D`.

    ```mlir
    %a = transformer.image_attention %q, %k, %v of %batch scale(0.125) merge(2)
        : tensor<16x16x64xf16>, !transformer.batch<#transformer.workload<
          queries = 1, query_length = 8, images = #transformer.images<count = 1,
          rows = 2, columns = 2, tokens = 4>>>
    ```
  }];
  let arguments = (ins FloatTensor:$query, FloatTensor:$key, FloatTensor:$value,
                       Transformer_BatchType:$batch, F64Attr:$scale,
      ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<64>]>:$merge);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value `of` $batch
    `scale` `(` custom<Decimal>($scale) `)` `merge` `(` $merge `)` attr-dict
    `:` type($query) `,` type($batch)
  }];
  let hasVerifier = 1;
}

def Transformer_PlaceImagesOp : Transformer_Op<"place_images", [Pure,
    AllTypesMatch<["hidden", "result"]>]> {
  let summary = "Puts what was seen in images where the text has room for it.";
  let description = [{
    `result = hidden`, but in the rows of tokens that stand for cells of images
    `result[t, :] = features[cell(t), :]`, or with `add`
    `result[t, :] = hidden[t, :] + features[cell(t), :]`.

    The tokens of its images come first in each request: half of the markers of
    begin and end, the cells in order, the other markers. `hidden` is `T x H`,
    `features` has a row per cell.

    ```mlir
    %x = transformer.place_images %features in %hidden of %batch
        : tensor<4x4096xf16>, tensor<12x4096xf16>, !transformer.batch<
          #transformer.workload<queries = 1, query_length = 8,
          images = #transformer.images<count = 1, rows = 2, columns = 2, tokens = 4>>>
    ```
  }];
  let arguments = (ins FloatTensor:$features, FloatTensor:$hidden,
                       Transformer_BatchType:$batch, UnitAttr:$add);
  let results = (outs FloatTensor:$result);
  let assemblyFormat = [{
    $features `in` $hidden `of` $batch (`add` $add^)? attr-dict
    `:` type($features) `,` type($hidden) `,` type($batch)
  }];
  let hasVerifier = 1;
}

#endif // TENSORCAST_TRANSFORMER_OPS_VISION
