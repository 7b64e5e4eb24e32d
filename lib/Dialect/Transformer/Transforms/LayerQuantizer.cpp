//===- LayerQuantizer.cpp - Quantizes what a layer reads ------------------===//

#include "LayerQuantizer.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

/// Layers that read one tensor have its one scale.
static Value findScale(Operation *layer, Value input) {
  for (Operation *user : input.getUsers())
    if (auto quantize = dyn_cast<QuantizeOp>(user);
        quantize && quantize->getBlock() == layer->getBlock() &&
        quantize->isBeforeInBlock(layer))
      return quantize.getScale();
  return {};
}

FailureOr<QuantizedOperands>
LayerQuantizer::quantize(Operation *layer, Value input, Value weight,
                         PatternRewriter &rewriter) const {
  if (isa_and_nonnull<FusedOp>(layer->getParentOp()))
    return missQuantization(
        layer, rewriter,
        "it is part of a fused kernel; quantize a model before patterns are "
        "applied");
  auto declared = weight.getDefiningOp<WeightOp>();
  if (!declared)
    return missQuantization(layer, rewriter,
                            "its weight is computed, not declared");
  if (!filter.accepts(declared))
    return rewriter.notifyMatchFailure(layer, "excluded by its name");

  Location loc = layer->getLoc();
  QuantizedOperands operands;
  operands.groupSize = scheme.getGroupSizeAttr(rewriter);
  auto [narrow, weightScale] =
      NarrowWeight::declare(rewriter, declared, scheme);
  operands.weight = narrow;
  operands.weightScale = weightScale;
  operands.input = input;
  if (!scheme.activationType)
    return operands;
  RankedTensorType type = withElementType(
      cast<RankedTensorType>(input.getType()), scheme.activationType);
  if (scheme.isStatic) {
    StringRef name = declared.getName();
    name.consume_back(kWeightSuffix);
    operands.inputScale = findScale(layer, input);
    if (!operands.inputScale)
      operands.inputScale = declareScale(rewriter, loc, name + ".input_scale");
    operands.input =
        QuantizeOp::create(rewriter, loc, type, input, operands.inputScale);
    return operands;
  }
  auto quantize = DynamicQuantizeOp::create(
      rewriter, loc, type,
      getScaleType(type, scheme.groupSize, scheme.sharedByRows), input,
      operands.groupSize);
  operands.input = quantize.getResult();
  operands.inputScale = quantize.getScale();
  return operands;
}
