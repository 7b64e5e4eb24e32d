//===- TransformerPasses.td - Passes of the transformer dialect -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_PASSES
#define TENSORCAST_TRANSFORMER_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def TransformerDedupLayers : Pass<"transformer-dedup-layers", "::mlir::ModuleOp"> {
  let summary = "Merges structurally equal layer functions.";
  let description = [{
    Layers that compute the same become calls of one function, so that later
    passes do one layer's work for all of them. Two functions are equal if they
    have the same types and the same ops with the same attributes in the same
    order; names of functions, locations and discardable attributes are ignored.
    The function of the first layer of each group stays.

    Needs nothing before it. Afterwards no two layer functions are equal; the
    module means the same and has the same price. A remark of category `dedup`
    names each group and its count, and for each further group the first
    difference to the largest one.
  }];
}

def TransformerSpecializeLayers : Pass<"transformer-specialize-layers",
                                       "::mlir::ModuleOp"> {
  let summary = "Gives single layers a function of their own.";
  let description = [{
    Copies the function that the named layers call, one copy for each of them,
    so that a later pass can treat the layer apart. The inverse of
    `transformer-dedup-layers` for these layers.

    Needs nothing before it. An unknown layer is an error that lists the nearest
    name; a layer that already has a function to itself is left alone.
  }];
  let options = [
    ListOption<"layers", "layers", "std::string",
               "Names of layers, such as model.layers.7; all if none is given.">,
  ];
}

def TransformerInlineLayers : Pass<"transformer-inline-layers",
                                   "::mlir::ModuleOp"> {
  let summary = "Dissolves layers into the function that calls them.";
  let description = [{
    Replaces each `transformer.layer` by the body of its function. Weights and
    caches get the layer's name in front of their own, and locations name the
    layer that the op came from. Functions that no layer calls any more are
    erased.

    Needs nothing before it; fusing across the edge of a layer needs this.
  }];
}

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

def TransformerBindWorkload : Pass<"transformer-bind-workload",
                                   "::mlir::ModuleOp"> {
  let summary = "Puts numbers for the expressions over the batch.";
  let description = [{
    Evaluates every expression of types and attributes at the workload, makes
    shapes static, and records the workload in the module attribute
    `transformer.workload`. Works on every form of a module, lowered or not.

    Needs a module that is not bound yet.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"queries", "queries", "int64_t", /*default=*/"0",
           "Requests in the step (1 or more).">,
    Option<"queryLength", "query-length", "int64_t", /*default=*/"0",
           "New tokens of each request (1 or more).">,
    Option<"contextLength", "context-length", "int64_t", /*default=*/"0",
           "Tokens of each request that are in the cache already.">,
    Option<"decode", "decode", "bool", /*default=*/"false",
           "Whether every token yields logits.">,
    Option<"prefixCacheHitRate", "prefix-cache-hit-rate", "double",
           /*default=*/"0.0",
           "Share of a prefill query that the prefix cache holds, 0 to below 1.">,
  ];
}

//===----------------------------------------------------------------------===//
// Rewriting ops
//===----------------------------------------------------------------------===//

def TransformerDecompose
    : Pass<"transformer-decompose", "::mlir::func::FuncOp"> {
  let summary = "Expands composite ops to what a framework launches.";
  let description = [{
    Replaces composite ops by the ops that they stand for. At level `framework`,
    the eager form, ops that a framework launches as one kernel stay: linear
    layers, embeddings, attention over a cache. Level `primitive` expands every
    op that has an expansion.

    Needs nothing before it. Afterwards no op that the options name is left;
    running it twice changes nothing.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"level", "level", "::mlir::transformer::DecomposeLevel",
           /*default=*/"::mlir::transformer::DecomposeLevel::Framework",
           "How far to expand.", [{::llvm::cl::values(
             clEnumValN(::mlir::transformer::DecomposeLevel::Framework,
                        "framework", "to what a framework launches"),
             clEnumValN(::mlir::transformer::DecomposeLevel::Primitive,
                        "primitive", "to primitive ops only"))}]>,
    ListOption<"ops", "ops", "std::string",
               "Names of composite ops, such as rms_norm; all if none is given.">,
  ];
}

def TransformerQuantize
    : Pass<"transformer-quantize", "::mlir::func::FuncOp"> {
  let summary = "Quantizes the linear layers of decoder layers.";
  let description = [{
    Replaces `transformer.linear` by a quantization of the activation and a
    `transformer.quantized_linear` with an 8-bit weight and one scale per
    tensor: `W8A8_DYNAMIC` finds the scale of the activation at run time,
    `W8A8_STATIC` has it as a weight.

    By default every linear layer of functions that layers call is quantized
    (`model.layers.7.self_attn.q_proj`), and what lies outside of layers, such
    as the head, is not. Needs linear layers whose weight is a
    `transformer.weight`; others are left alone, with a remark of category
    `quantize`.
  }];
  let options = [
    Option<"action", "linear-action", "std::string",
           /*default=*/"\"W8A8_DYNAMIC\"",
           "DISABLED, W8A8_DYNAMIC or W8A8_STATIC.">,
    ListOption<"include", "include", "std::string",
               "Quantize only weights whose name matches one of these patterns "
               "(`*` stands for any text).">,
    ListOption<"exclude", "exclude", "std::string",
               "Leave out weights whose name matches one of these patterns.">,
  ];
}

#endif // TENSORCAST_TRANSFORMER_PASSES
