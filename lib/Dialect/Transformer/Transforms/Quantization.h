//===- Quantization.h - What quantizing ops share ---------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_QUANTIZATION_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_QUANTIZATION_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/GlobPattern.h"

namespace mlir::transformer {

inline constexpr StringLiteral kWeightSuffix = ".weight";

/// Leaves `op` alone and says why.
LogicalResult missQuantization(Operation *op, PatternRewriter &rewriter,
                               StringRef reason);

/// Which weights to quantize, by patterns on their names.
struct NameFilter {
  SmallVector<llvm::GlobPattern> include, exclude;

  bool accepts(StringRef name) const;
  /// Whether it accepts the layer that `weight` belongs to.
  bool accepts(WeightOp weight) const;
};

/// What an action makes of weights and activations.
struct QuantizationScheme {
  Type weightType;
  /// Null if activations stay as they are.
  Type activationType;
  bool isStatic = false;
  /// Elements per scale; one scale per tensor if absent.
  std::optional<int64_t> groupSize;
  /// Whether rows share the scales of their groups.
  bool sharedByRows = false;
  /// Whether weights that make keys of sparse attention stay floats.
  bool floatSparseKeys = false;

  static QuantizationScheme get(MLIRContext *context, LinearAction action,
                                int64_t groupSize);

  IntegerAttr getGroupSizeAttr(Builder &builder) const;
};

/// A quantized weight and its scale.
struct NarrowWeight {
  Value weight, scale;

  /// Declares what `weight` becomes, in front of the insertion point.
  static NarrowWeight declare(PatternRewriter &rewriter, WeightOp weight,
                              const QuantizationScheme &scheme);
};

/// Declares the scale of one tensor.
Value declareScale(PatternRewriter &rewriter, Location loc, const Twine &name);

/// Fills `patterns` with those of latent attention: of its linear layers, and
/// of the attention itself.
void populateQuantizeLatentLayers(RewritePatternSet &patterns,
                                  const QuantizationScheme &scheme,
                                  const NameFilter &filter);
/// Fills `patterns` with those of compressed attention: of its grouped
/// projection, and of what its indexer caches.
void populateQuantizeCompressed(RewritePatternSet &patterns,
                                const QuantizationScheme &scheme,
                                const NameFilter &filter);
void populateQuantizeCompressedCaches(RewritePatternSet &patterns, Type type);

void populateQuantizeLatentAttention(RewritePatternSet &patterns, Type type);

/// The same of the weights of linear attention that is one op.
void populateQuantizeLinearAttention(RewritePatternSet &patterns,
                                     const QuantizationScheme &scheme,
                                     const NameFilter &filter);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_QUANTIZATION_H
