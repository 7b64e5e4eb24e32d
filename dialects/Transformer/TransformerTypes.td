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

    ```mlir
    !transformer.kv_cache<2x8x128xf16, block_size = 128>
    !transformer.kv_cache<2x8x192xf16, block_size = 128, value_size = 128, window = 128>
    !transformer.kv_cache<576xf16, block_size = 128>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "int64_t":$blockSize,
    "int64_t":$ownValueSize,
    "int64_t":$window);
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
                     "::mlir::Type":$elementType, "int64_t":$blockSize), [{
      return $_get($_ctxt, shape, elementType, blockSize, 0, 0);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
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
    KVCacheType withElements(::mlir::Type type) const;
    KVCacheType withWindow(int64_t tokens) const;
  }];
}

def Transformer_RopeTableType : Transformer_Type<"RopeTable", "rope_table"> {
  let summary = "Cosines and sines of the positions of a step.";
  let description = [{
    Two tensors of tokens by `width`, looked up once and read by every layer.

    ```mlir
    !transformer.rope_table<128xf16>
    ```
  }];
  let parameters = (ins "int64_t":$width, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // TENSORCAST_TRANSFORMER_TYPES
