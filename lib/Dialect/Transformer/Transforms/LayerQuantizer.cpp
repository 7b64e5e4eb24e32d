//===- LayerQuantizer.cpp - Quantizes what a layer reads ------------------===//

#include "LayerQuantizer.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::transformer;

static constexpr StringLiteral weightSuffix = ".weight";

LogicalResult mlir::transformer::missQuantization(Operation *op,
                                                  PatternRewriter &rewriter,
                                                  StringRef reason) {
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name(op->getName().stripDialect())
                     .category("quantize"))
      << "not quantized" << remark::reason("{0}", reason.str());
  return rewriter.notifyMatchFailure(op, reason);
}

QuantizationScheme QuantizationScheme::get(MLIRContext *context,
                                           LinearAction action,
                                           int64_t groupSize) {
  Builder builder(context);
  Type i8 = builder.getI8Type(), i4 = builder.getIntegerType(4);
  switch (action) {
  case LinearAction::Disabled:
    return {};
  case LinearAction::W8A16Static:
  case LinearAction::W8A16Dynamic:
    return {i8, {}, true, {}};
  case LinearAction::W8A8Static:
    return {i8, i8, true, {}};
  case LinearAction::W8A8Dynamic:
    return {i8, i8, false, {}};
  case LinearAction::W4A8Static:
    return {i4, i8, true, {}};
  case LinearAction::W4A8Dynamic:
    return {i4, i8, false, {}};
  case LinearAction::FP8:
    return {builder.getType<Float8E4M3FNType>(),
            builder.getType<Float8E4M3FNType>(),
            false,
            {}};
  case LinearAction::MXFP4:
    return {builder.getType<Float4E2M1FNType>(),
            builder.getType<Float4E2M1FNType>(), false, groupSize};
  }
}

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
  StringRef name = declared.getName();
  name.consume_back(weightSuffix);
  if (!filter.accepts(name))
    return rewriter.notifyMatchFailure(layer, "excluded by its name");

  Location loc = layer->getLoc();
  auto declare = [&](StringRef suffix, Type type) -> Value {
    bool isScalar = cast<RankedTensorType>(type).getRank() == 0;
    return WeightOp::create(
        rewriter, loc, type, rewriter.getStringAttr(name + suffix),
        isScalar ? ShardingAttr() : declared.getShardingAttr());
  };
  QuantizedOperands operands;
  if (scheme.groupSize)
    operands.groupSize = rewriter.getI64IntegerAttr(*scheme.groupSize);
  RankedTensorType weightType =
      withElementType(declared.getType(), scheme.weightType);
  operands.weight = declare(weightSuffix, weightType);
  operands.weightScale =
      declare(".weight_scale", getScaleType(weightType, scheme.groupSize,
                                            scheme.sharedByRows));
  operands.input = input;
  if (!scheme.activationType)
    return operands;
  RankedTensorType type = withElementType(
      cast<RankedTensorType>(input.getType()), scheme.activationType);
  if (scheme.isStatic) {
    operands.inputScale = findScale(layer, input);
    if (!operands.inputScale)
      operands.inputScale = declare(".input_scale", getScaleType(type, {}));
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
