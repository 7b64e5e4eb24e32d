//===- TransformerTypes.td - Batch, cache and rope-table types -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_TYPES
#define TENSORCAST_TRANSFORMER_TYPES

include "TransformerAttributes.td"

def Transformer_BatchType : Transformer_Type<"Batch", "batch"> {
  let summary = "Who is in the step: lengths, positions and cache slots.";
  let description = [{
    Stands for the metadata that a serving stack passes to attention: query and
    sequence lengths, block table, slot mapping. Unbound, its numbers are
    symbols of expressions; bound, it carries the workload.

    ```mlir
    !transformer.batch
    !transformer.batch<#transformer.workload<queries = 2, query_length = 3500>>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::transformer::WorkloadAttr">:$workload);
  let assemblyFormat = "(`<` qualified($workload)^ `>`)?";
}

def Transformer_KVCacheType : Transformer_Type<"KVCache", "kv_cache"> {
  let summary = "Keys and values of one layer.";
  let description = [{
    `shape` is what is stored per token: 2 (key and value) by heads by head
    size, or one size for a row that all heads share, such as a latent of key and
    value. Heads of values that are of another size than those of keys have
    `value_size` features. Tokens are kept in blocks of `block_size`, so that a
    batch of `R` requests occupies `ceil(sum(kv + 1) / block_size)` blocks: one
    slot per request is kept for the next token. With a `window`, only the latest
    tokens are kept: `ceil(sum(min(kv, window) + 1) / block_size)` blocks.

    Where devices take turns to keep tokens, a device has those at the positions
    `first`, `first + share`, `first + 2 * share` and so on of each request.

    ```mlir
    !transformer.kv_cache<2x8x128xf16, block_size = 128>
    !transformer.kv_cache<2x8x192xf16, block_size = 128, value_size = 128, window = 128>
    !transformer.kv_cache<576xf16, block_size = 128>
    !transformer.kv_cache<576xf16, block_size = 128, share = 4, first = 1>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "int64_t":$blockSize,
    "int64_t":$ownValueSize,
    "int64_t":$window,
    "int64_t":$share,
    "int64_t":$first);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
                     "::mlir::Type":$elementType, "int64_t":$blockSize), [{
      return $_get($_ctxt, shape, elementType, blockSize, /*ownValueSize=*/0,
                   /*window=*/0, /*share=*/1, /*first=*/0);
    }]>,
  ];
  let extraClassDeclaration = [{
    /// How many of `tokens` the device that keeps most of them has.
    int64_t getNumKept(int64_t tokens) const;
    /// Whether a token has one row that all heads share.
    bool isShared() const { return getShape().size() == 1; }
    /// Of a cache with heads.
    int64_t getNumHeads() const { return getShape()[1]; }
    int64_t getHeadSize() const { return getShape()[2]; }
    /// Features of a head of values; `ownValueSize` is 0 where they are as many
    /// as those of keys.
    int64_t getValueSize() const {
      return getOwnValueSize() ? getOwnValueSize() : getHeadSize();
    }
    /// Whether only the latest tokens are kept; `window` is 0 if not.
    bool hasWindow() const { return getWindow() != 0; }
    /// Elements per token.
    int64_t getTokenSize() const;
    /// Sizes per token where values and keys are stored alike: those of a head
    /// are the larger ones of the two.
    ::llvm::SmallVector<int64_t> getStoredShape() const;
    /// The cache with one thing different.
    KVCacheType withHeads(int64_t heads) const;
    KVCacheType withElementType(::mlir::Type elementType) const;
    KVCacheType withWindow(int64_t tokens) const;
    /// That of one of `share` devices, which take turns from `first` on.
    KVCacheType withShare(int64_t share, int64_t first) const;
  }];
}

def Transformer_RopeTableType : Transformer_Type<"RopeTable", "rope_table"> {
  let summary = "Cosines and sines of the positions of a step.";
  let description = [{
    Two tensors of tokens by `width`, looked up once and read by every layer. A
    table for images has a row per patch, `patches` for each of their cells.

    ```mlir
    !transformer.rope_table<128xf16>
    !transformer.rope_table<72xf32, patches = 4>
    ```
  }];
  let parameters = (ins "int64_t":$width, "::mlir::Type":$elementType,
                        "int64_t":$patches);
  let builders = [TypeBuilder<(ins "int64_t":$width,
                                   "::mlir::Type":$elementType), [{
    return $_get($_ctxt, width, elementType, /*patches=*/int64_t(0));
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Transformer_StateType : Transformer_Type<"State", "state"> {
  let summary = "What a layer remembers of each request.";
  let description = [{
    `shape` is what is stored per request, however many tokens it has: the state
    of a linear attention, or the last inputs of a convolution.

    ```mlir
    !transformer.state<32x128x128xf32>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements per request.
    int64_t getRequestSize() const;
    /// As large per request, but for the size of its first dimension.
    StateType withFirst(int64_t size) const;
  }];
}

#endif // TENSORCAST_TRANSFORMER_TYPES
