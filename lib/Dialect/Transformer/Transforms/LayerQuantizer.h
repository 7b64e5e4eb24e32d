//===- LayerQuantizer.h - Quantizes what a layer reads ----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LAYERQUANTIZER_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LAYERQUANTIZER_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/GlobPattern.h"

namespace mlir::transformer {

/// Leaves `op` alone and says why.
LogicalResult missQuantization(Operation *op, PatternRewriter &rewriter,
                               StringRef reason);

/// Which weights to quantize, by patterns on their names.
struct NameFilter {
  SmallVector<llvm::GlobPattern> include, exclude;

  bool accepts(StringRef name) const {
    auto matches = [&](const llvm::GlobPattern &glob) {
      return glob.match(name);
    };
    return (include.empty() || llvm::any_of(include, matches)) &&
           llvm::none_of(exclude, matches);
  }
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

  static QuantizationScheme get(MLIRContext *context, LinearAction action,
                                int64_t groupSize);
};

/// What a quantized layer reads.
struct QuantizedOperands {
  Value input, inputScale, weight, weightScale;
  IntegerAttr groupSize;
};

/// Quantizes the input and the weight of linear layers.
class LayerQuantizer {
public:
  LayerQuantizer(const QuantizationScheme &scheme, const NameFilter &filter)
      : scheme(scheme), filter(filter) {}

  /// What a layer that multiplies `input` by `weight` reads once it is
  /// quantized; fails with a reason if it is to be left alone.
  FailureOr<QuantizedOperands> quantize(Operation *layer, Value input,
                                        Value weight,
                                        PatternRewriter &rewriter) const;

private:
  QuantizationScheme scheme;
  const NameFilter &filter;
};

/// Fills `patterns` with the quantization of experts' layers.
void populateQuantizeExperts(RewritePatternSet &patterns,
                             const LayerQuantizer &quantizer);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LAYERQUANTIZER_H
