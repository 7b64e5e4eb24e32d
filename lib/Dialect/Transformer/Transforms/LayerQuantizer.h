//===- LayerQuantizer.h - Quantizes what a layer reads ----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LAYERQUANTIZER_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LAYERQUANTIZER_H

#include "Quantization.h"

namespace mlir::transformer {

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
