//===- TransformerEnums.td - Closed sets of names ----------*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_ENUMS
#define TENSORCAST_TRANSFORMER_ENUMS

include "mlir/IR/EnumAttr.td"

/// The nodes of a workload expression. The spelling is the textual form of the
/// functions; sums, products and constants are written with operators.
def Transformer_ExprKind : I32Enum<"ExprKind", "node of a workload expression", [
  I32EnumCase<"Constant", 0, "constant">,
  I32EnumCase<"NewTokens", 1, "q">,
  I32EnumCase<"TotalTokens", 2, "kv">,
  I32EnumCase<"Decode", 3, "decode">,
  I32EnumCase<"SumOverRequests", 4, "sum">,
  I32EnumCase<"MaxOverRequests", 5, "max_over_requests">,
  I32EnumCase<"CeilDiv", 6, "ceildiv">,
  I32EnumCase<"FloorDiv", 7, "floordiv">,
  I32EnumCase<"Mod", 8, "mod">,
  I32EnumCase<"Min", 9, "min">,
  I32EnumCase<"Max", 10, "max">,
  I32EnumCase<"Log2", 11, "log2">,
  I32EnumCase<"Equal", 12, "eq">,
  I32EnumCase<"NotEqual", 13, "ne">,
  I32EnumCase<"Less", 14, "lt">,
  I32EnumCase<"LessOrEqual", 15, "le">,
  I32EnumCase<"Divide", 16, "div">,
  I32EnumCase<"Product", 17, "product">,
  I32EnumCase<"Sum", 18, "plus">,
  I32EnumCase<"Images", 19, "images">,
  I32EnumCase<"ImageRows", 20, "image_rows">,
  I32EnumCase<"ImageColumns", 21, "image_columns">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// The group of devices that shares a linear layer: its size is an option of
/// `transformer-shard`.
def Transformer_ShardGroup : I32Enum<"ShardGroup", "devices that share a weight", [
  I32EnumCase<"Tensor", 0, "tensor">,
  I32EnumCase<"Output", 1, "output">,
  I32EnumCase<"MLP", 2, "mlp">,
  I32EnumCase<"Head", 3, "head">,
  I32EnumCase<"Embedding", 4, "embedding">,
  I32EnumCase<"Expert", 5, "expert">,
  I32EnumCase<"SharedExpert", 6, "shared_expert">,
  I32EnumCase<"Vision", 7, "vision">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// How a weight is split over its group.
def Transformer_ShardKind : I32Enum<"ShardKind", "how a weight is split", [
  I32EnumCase<"Column", 0, "column">,
  I32EnumCase<"Row", 1, "row">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// Which features of a head are rotated with each other.
def Transformer_RopeStyle : I32Enum<"RopeStyle", "half, interleaved, half_table or complex", [
  I32EnumCase<"Half", 0, "half">,
  I32EnumCase<"Interleaved", 1, "interleaved">,
  I32EnumCase<"HalfTable", 2, "half_table">,
  I32EnumCase<"Complex", 3, "complex">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// How a GELU is computed.
def Transformer_GeluForm : I32Enum<"GeluForm", "erf or tanh", [
  I32EnumCase<"Erf", 0, "erf">,
  I32EnumCase<"Tanh", 1, "tanh">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// How a table of positions is stretched over the grid of an image.
def Transformer_GridForm : I32Enum<"GridForm", "bilinear, bicubic or exact", [
  I32EnumCase<"Bilinear", 0, "bilinear">,
  I32EnumCase<"Bicubic", 1, "bicubic">,
  I32EnumCase<"Exact", 2, "exact">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// How an image is cut into cells.
def Transformer_ImageCut : I32Enum<"ImageCut", "nearest, up or tiles", [
  I32EnumCase<"Nearest", 0, "nearest">,
  I32EnumCase<"Up", 1, "up">,
  I32EnumCase<"Tiles", 2, "tiles">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// Layouts of attention without a cache, as fused kernels call them: B
/// sequences, S tokens, N heads, D features.
def Transformer_AttentionLayout : I32Enum<"AttentionLayout", "BSND, BNSD or BNSD_BSND", [
  I32EnumCase<"BSND", 0>,
  I32EnumCase<"BNSD", 1>,
  I32EnumCase<"BNSD_BSND", 2>
]> {
  let cppNamespace = "::mlir::transformer";
}

/// Which tokens go on to the head.
def Transformer_TokenSelection : I32Enum<"TokenSelection", "tokens with logits", [
  I32EnumCase<"Needed", 0, "needed">,
  I32EnumCase<"Copied", 1, "copied">,
  I32EnumCase<"Last", 2, "last">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// How a router makes scores of logits.
def Transformer_ScoreFunction : I32Enum<"ScoreFunction", "softmax, sigmoid, softmax_of_chosen or sqrt_softplus", [
  I32EnumCase<"Softmax", 0, "softmax">,
  I32EnumCase<"Sigmoid", 1, "sigmoid">,
  I32EnumCase<"SoftmaxOfChosen", 2, "softmax_of_chosen">,
  I32EnumCase<"SqrtSoftplus", 3, "sqrt_softplus">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// How far `transformer-decompose` expands.
def Transformer_DecomposeLevel : I32Enum<"DecomposeLevel", "how far to decompose", [
  I32EnumCase<"Framework", 0, "framework">,
  I32EnumCase<"Primitive", 1, "primitive">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// What happens to the weights and activations of a linear layer.
def Transformer_LinearAction : I32Enum<"LinearAction", "quantization of a linear layer", [
  I32EnumCase<"Disabled", 0, "DISABLED">,
  I32EnumCase<"W8A16Static", 1, "W8A16_STATIC">,
  I32EnumCase<"W8A16Dynamic", 2, "W8A16_DYNAMIC">,
  I32EnumCase<"W8A8Static", 3, "W8A8_STATIC">,
  I32EnumCase<"W8A8Dynamic", 4, "W8A8_DYNAMIC">,
  I32EnumCase<"W4A8Static", 5, "W4A8_STATIC">,
  I32EnumCase<"W4A8Dynamic", 6, "W4A8_DYNAMIC">,
  I32EnumCase<"FP8", 7, "FP8">,
  I32EnumCase<"MXFP4", 8, "MXFP4">
]> {
  let cppNamespace = "::mlir::transformer";
}

/// What happens to queries, keys, values and the KV cache.
def Transformer_AttentionAction : I32Enum<"AttentionAction", "quantization of attention", [
  I32EnumCase<"Disabled", 0, "DISABLED">,
  I32EnumCase<"INT8", 1, "INT8">,
  I32EnumCase<"FP8", 2, "FP8">
]> {
  let cppNamespace = "::mlir::transformer";
}

#endif // TENSORCAST_TRANSFORMER_ENUMS
