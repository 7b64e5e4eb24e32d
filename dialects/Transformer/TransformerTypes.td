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
    value. Tokens are kept in blocks of `block_size`, so that a batch of `R`
    requests occupies `ceil(sum(kv + 1) / block_size)` blocks: one slot per
    request is kept for the next token.

    ```mlir
    !transformer.kv_cache<2x8x128xf16, block_size = 128>
    !transformer.kv_cache<576xf16, block_size = 128>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "int64_t":$blockSize);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether a token has one row that all heads share.
    bool isShared() const { return getShape().size() == 1; }
    /// Of a cache with heads.
    int64_t getNumHeads() const { return getShape()[1]; }
    int64_t getHeadSize() const { return getShape()[2]; }
    /// Elements per token.
    int64_t getTokenSize() const;
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

#endif // TENSORCAST_TRANSFORMER_TYPES
