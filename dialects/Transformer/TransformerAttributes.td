//===- TransformerAttributes.td - Expressions, dims, workloads -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_ATTRIBUTES
#define TENSORCAST_TRANSFORMER_ATTRIBUTES

include "TransformerDialect.td"
include "TransformerEnums.td"
include "mlir/IR/TensorEncoding.td"

//===----------------------------------------------------------------------===//
// Expressions over the batch
//===----------------------------------------------------------------------===//

def Transformer_ExprAttr : Transformer_Attr<"Expr", "expr"> {
  let summary = "A number that depends on who is in the batch.";
  let description = [{
    A sum of products over *features* of the batch. Per request, `q` is the
    number of new tokens and `kv` the number of tokens it attends to (cached
    and new). A feature sums or maximizes an expression in `q` and `kv` over
    the requests:

    - `sum(e)`, of which `tokens` is short for `sum(q)` and `sequences` for
      `sum(1)`; `max(e)` with one argument is the maximum over the requests;
    - `decode` is 1 for a request in decode and 0 for one in prefill; outside of
      sums and maxima it is 1 if all requests are in decode;
    - `images` is the number of images that the step looks at, none in a decode
      step, and `image_rows` and `image_columns` are the cells of each.

    Functions: `ceildiv(a, b)`, `floordiv(a, b)`, `mod(a, b)`, `min(a, b)`,
    `max(a, b)`, `div(a, b)`, `log2(a)`, and the comparisons `eq`, `ne`, `lt`, `le`, which
    yield 0 or 1. Expressions are kept in a normal form (products expanded,
    terms ordered, equal terms merged), so equal polynomials are equal
    attributes. Values are doubles; integers are exact up to 2^53.

    ```mlir
    #flops = #transformer.expr<16384 * sum(q * kv) + 2 * tokens>
    ```
  }];
  let parameters = (ins
    "::mlir::transformer::ExprKind":$kind,
    "uint64_t":$bits,
    ArrayRefParameter<"::mlir::transformer::ExprAttr">:$operands);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The number `value` as an expression.
    static ExprAttr constant(::mlir::MLIRContext *context, double value);

    /// The value of a constant, the coefficient of a product.
    double getValue() const;

    /// Whether the value is the same for every workload.
    bool isConstant() const { return getKind() == ExprKind::Constant; }
    bool isConstant(double value) const {
      return isConstant() && getValue() == value;
    }
  }];
}

def Transformer_DimsAttr : Transformer_Attr<"Dims", "dims", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Says what the `?` of a tensor type are.";
  let description = [{
    The encoding of a tensor whose sizes depend on the batch: one expression
    per dynamic dimension, in order. `transformer-bind-workload` replaces the
    dynamic dimensions by numbers and drops the encoding.

    ```mlir
    #tokens = #transformer.dims<tokens>
    // tensor<?x5120xf16, #tokens> has one row per new token.
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::transformer::ExprAttr">:$exprs);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// What is run
//===----------------------------------------------------------------------===//

def Transformer_ImagesAttr : Transformer_Attr<"Images", "images"> {
  let summary = "The images of a request.";
  let description = [{
    `count` images of `rows` by `columns` cells each, which take `tokens` tokens
    of the request: one per cell, and markers.

    ```mlir
    #one = #transformer.images<count = 1, rows = 32, columns = 32, tokens = 1026>
    ```
  }];
  let parameters = (ins "int64_t":$count, "int64_t":$rows, "int64_t":$columns,
                        "int64_t":$tokens);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The same without an attribute.
    ::mlir::tensorcast::RequestImages getImages() const {
      return {getCount(), getRows(), getColumns(), getTokens()};
    }
    /// Cells of all images.
    int64_t getNumCells() const { return getCount() * getRows() * getColumns(); }
  }];
}

def Transformer_ImageRuleAttr : Transformer_Attr<"ImageRule", "image_rule"> {
  let summary = "How a model cuts images into cells.";
  let description = [{
    The module attribute `transformer.images` of a model that sees. A cell is a
    square of `merge` by `merge` patches of `patch` by `patch` pixels. By `cut`:

    - `nearest`: the sides are rounded to whole cells (ties to even); an image
      beyond `max_pixels` or below `min_pixels` is scaled to them first;
    - `up`: an image is scaled down to `max_pixels`, and the sides are rounded up;
    - `tiles`: the image is scaled to the grid of at most `max_tiles` square
      tiles of `tile` pixels that is most like it; each tile is an image for the
      tower, and if there are several, so is the whole, in the size of a tile.

    Each image takes `markers` tokens beside those of its cells.

    ```mlir
    #rule = #transformer.image_rule<cut = nearest, patch = 16, merge = 2,
        min_pixels = 65536, max_pixels = 16777216, markers = 2>
    #tiles = #transformer.image_rule<cut = tiles, patch = 14, merge = 2,
        tile = 448, max_tiles = 12, markers = 2>
    ```
  }];
  let parameters = (ins
    EnumParameter<Transformer_ImageCut>:$cut, "int64_t":$patch, "int64_t":$merge,
    DefaultValuedParameter<"int64_t", "0">:$min_pixels,
    DefaultValuedParameter<"int64_t", "0">:$max_pixels,
    DefaultValuedParameter<"int64_t", "0">:$tile,
    DefaultValuedParameter<"int64_t", "0">:$max_tiles,
    DefaultValuedParameter<"int64_t", "0">:$markers);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Most images of a request, and the longest side of one, that are accepted.
    static constexpr int64_t kMaxImages = 1024, kMaxSide = 32768;

    /// `count` images of a request of these pixels; reports what cannot be cut.
    ::mlir::FailureOr<ImagesAttr>
    cut(int64_t count, int64_t height, int64_t width,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def Transformer_RequestsAttr : Transformer_Attr<"Requests", "requests"> {
  let summary = "Requests of a step that are alike.";
  let description = [{
    What `#transformer.workload` says of its own requests, of others that are in
    the same step.

    ```mlir
    #decoding = #transformer.requests<queries = 64, query_length = 1,
                                      context_length = 4096, decode = true>
    ```
  }];
  let parameters = (ins
    "int64_t":$queries,
    "int64_t":$query_length,
    DefaultValuedParameter<"int64_t", "0">:$context_length,
    DefaultValuedParameter<"bool", "false">:$decode,
    OptionalParameter<"::mlir::FloatAttr">:$prefix_cache_hit_rate);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::tensorcast::RequestGroup getGroup() const;
    static RequestsAttr get(::mlir::MLIRContext *context,
                            const ::mlir::tensorcast::RequestGroup &group);
  }];
}

def Transformer_WorkloadAttr : Transformer_Attr<"Workload", "workload"> {
  let summary = "The requests of one step.";
  let description = [{
    `queries` requests, each with `query_length` tokens to run after
    `context_length` tokens that are in the KV cache already. With a prefix
    cache hit rate `h`, `floor(query_length * h)` of the tokens are found in the
    cache: per request `q = query_length - floor(query_length * h)` and
    `kv = context_length + query_length`. In a `decode` step every token yields
    logits, in a prefill step the last token of each request does. With
    `data_parallel` groups of devices, each has `ceil(queries / data_parallel)`
    of the requests. Each request has `images` in front of its query, whose
    tokens are part of the query in a prefill step, and in the cache in a decode
    step. In a mixed batch, `others` are requests of other kinds in the same
    step, each kind spread over the groups of devices.

    ```mlir
    #workload = #transformer.workload<queries = 2, query_length = 3500>
    #mixed = #transformer.workload<queries = 2, query_length = 512,
        others = [#transformer.requests<queries = 64, query_length = 1,
                                        context_length = 4096, decode = true>]>
    ```
  }];
  let parameters = (ins
    "int64_t":$queries,
    "int64_t":$query_length,
    DefaultValuedParameter<"int64_t", "0">:$context_length,
    DefaultValuedParameter<"bool", "false">:$decode,
    DefaultValuedParameter<"int64_t", "1">:$data_parallel,
    OptionalParameter<"::mlir::FloatAttr">:$prefix_cache_hit_rate,
    OptionalParameter<"::mlir::transformer::ImagesAttr">:$images,
    OptionalParameter<"::mlir::ArrayAttr">:$others);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The requests of all kinds.
    ::mlir::tensorcast::Workload getWorkload() const;
    /// What a workload is as an attribute; null, with an error, if no step may
    /// have it.
    static WorkloadAttr
    getChecked(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
               ::mlir::MLIRContext *context,
               const ::mlir::tensorcast::Workload &workload,
               int64_t dataParallel);

    /// Tokens of a request that stand for its images.
    int64_t getImageTokens() const;
    /// Images that one device looks at in the step.
    int64_t getNumImages() const;
    /// Whether there are requests of several kinds; what is said of one below is
    /// then said of the first kind.
    bool isMixed() const { return static_cast<bool>(getOthers()); }

    /// Longest query and context, and most tokens in a step, that are accepted;
    /// beyond them counts would leave the range in which doubles are exact.
    static constexpr int64_t kMaxTokens = int64_t(1) << 31;

    /// Requests that one device works on.
    int64_t getRequests() const;
    /// New tokens per request (q).
    int64_t getNewTokens() const;
    /// Tokens that a request attends to (kv).
    int64_t getTotalTokens() const;
    /// The share of the query that a prefix cache holds, 0 if none.
    double getHitRate() const;
  }];
}

def Transformer_ShardingAttr : Transformer_Attr<"Sharding", "sharding"> {
  let summary = "How a weight may be split over devices.";
  let description = [{
    The role of a weight, which an importer knows: its *columns* (outputs of the
    layer) or *rows* (inputs) are split over a group of devices, in pieces of
    `unit`, such as a head.

    ```mlir
    #q_proj = #transformer.sharding<column, tensor, unit = 128>
    ```
  }];
  let parameters = (ins
    EnumParameter<Transformer_ShardKind>:$kind,
    EnumParameter<Transformer_ShardGroup>:$group,
    DefaultValuedParameter<"int64_t", "1">:$unit);
  let assemblyFormat = "`<` $kind `,` $group (`,` `unit` `=` $unit^)? `>`";
  let genVerifyDecl = 1;
}

def Transformer_RanksAttr : Transformer_Attr<"Ranks", "ranks"> {
  let summary = "Devices that exchange data.";
  let description = [{
    `count` devices, numbered 0, `step`, 2 * `step`, and so on: the group of
    device 0, which stands for all. Tensor-parallel neighbours have step 1.

    ```mlir
    #neighbours = #transformer.ranks<8>
    #replicas = #transformer.ranks<4, step = 8>
    ```
  }];
  let parameters = (ins
    "int64_t":$count, DefaultValuedParameter<"int64_t", "1">:$step);
  let assemblyFormat = "`<` $count (`,` `step` `=` $step^)? `>`";
  let genVerifyDecl = 1;
}

def Transformer_PlacementAttr : Transformer_Attr<"Placement", "placement"> {
  let summary = "Which devices hold which experts.";
  let description = [{
    `experts` experts (with copies, if some are held twice) in order over
    `devices` devices, numbered 0, `step`, 2 * `step`, and so on; where they do
    not divide, the first devices hold one more. Device 0 stands for all. The
    last `shared` devices hold no routed expert: they run the shared expert,
    which every token chooses last, for equal shares of the tokens, and
    `holds_shared` says that the device which stands for all is one of them.

    ```mlir
    #alone = #transformer.placement<experts = 128>
    #spread = #transformer.placement<experts = 256, devices = 16>
    #groups = #transformer.placement<experts = 256, devices = 4, step = 4>
    ```
  }];
  let parameters = (ins "int64_t":$experts,
    DefaultValuedParameter<"int64_t", "1">:$devices,
    DefaultValuedParameter<"int64_t", "1">:$step,
    DefaultValuedParameter<"int64_t", "0">:$shared,
    DefaultValuedParameter<"bool", "false">:$holds_shared);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The experts that the device which stands for all holds.
    int64_t getNumLocal() const;
    RanksAttr getRanks() const;
  }];
}

def Transformer_PlanAttr : Transformer_Attr<"Plan", "plan"> {
  let summary = "How many devices run the model, and how requests are spread.";
  let description = [{
    The module attribute `transformer.plan`, which `transformer-shard` leaves:
    `devices` run the model together; `data_parallel` groups of them share the
    requests, and the devices of a group share each layer (tensor parallel).
    `output`, `mlp` and `head` are the numbers of devices that share the
    attention output, the MLP and the head, where they are others. Of the
    mixtures of experts, `expert_parallel` devices share the experts,
    `expert_tensor` neighbours the matrices of each, and `shared_expert` devices
    those of the shared expert. With `pipeline_parallel` stages, each has its
    share of the layers and of the devices, and groups are of devices of one
    stage. `vision` devices share the tower that looks at images.

    ```mlir
    #plan = #transformer.plan<devices = 16, data_parallel = 2>
    #other_groups = #transformer.plan<devices = 16, data_parallel = 2, mlp = 4>
    #experts = #transformer.plan<devices = 16, data_parallel = 4, expert_parallel = 16>
    #stages = #transformer.plan<devices = 32, data_parallel = 1, pipeline_parallel = 4>
    ```
  }];
  let parameters = (ins "int64_t":$devices, "int64_t":$data_parallel,
    DefaultValuedParameter<"int64_t", "0">:$output,
    DefaultValuedParameter<"int64_t", "0">:$mlp,
    DefaultValuedParameter<"int64_t", "0">:$head,
    DefaultValuedParameter<"int64_t", "1">:$expert_parallel,
    DefaultValuedParameter<"int64_t", "1">:$expert_tensor,
    DefaultValuedParameter<"int64_t", "1">:$shared_expert,
    DefaultValuedParameter<"int64_t", "1">:$pipeline_parallel,
    DefaultValuedParameter<"int64_t", "1">:$vision);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Devices that run one stage.
    int64_t getStageDevices() const {
      return getDevices() / getPipelineParallel();
    }
    /// Devices that share each layer.
    int64_t getTensorParallel() const {
      return getStageDevices() / getDataParallel();
    }
    /// Devices that share a weight of `group`.
    int64_t getGroupSize(ShardGroup group) const;
  }];
}

def Transformer_ModelAttr : Transformer_Attr<"Model", "model"> {
  let summary = "Which model a module holds.";
  let description = [{
    The module attribute `transformer.model`: the model's name, the element type
    of its activations and unquantized weights, and the family it is of, if that
    is known (`model_type` of a Hugging Face config).

    ```mlir
    #model = #transformer.model<"Qwen/Qwen3-32B", dtype = f16>
    #known = #transformer.model<"Qwen/Qwen3-32B", dtype = f16, family = "qwen3">
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "::mlir::Type":$dtype,
                        OptionalParameter<"::mlir::StringAttr">:$family);
  let assemblyFormat = [{
    `<` $name `,` `dtype` `=` $dtype (`,` `family` `=` $family^)? `>`
  }];
}

#endif // TENSORCAST_TRANSFORMER_ATTRIBUTES
