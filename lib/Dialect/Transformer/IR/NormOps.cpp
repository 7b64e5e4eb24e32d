//===- NormOps.cpp - Normalization ----------------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "Checks.h"
#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsNorm.cpp.inc"

/// Checks that `weight` scales the rows of `input`, and that `eps` keeps the
/// square root away from zero.
static LogicalResult verifyNorm(Operation *op, RankedTensorType input,
                                RankedTensorType weight, double eps) {
  if (input.getRank() < 1)
    return op->emitOpError("expected an input of rank at least 1, but got ")
           << input;
  if (weight.getRank() != 1)
    return op->emitOpError("expected a weight of rank 1, but got ") << weight;
  Dim features = getDims(input).back();
  if (!mayBeEqual(features, getDims(weight).front()))
    return op->emitOpError("expected ")
           << toString(features) << " weights, one per feature, but got "
           << toString(getDims(weight).front());
  if (input.getElementType() != weight.getElementType())
    return op->emitOpError("expected a weight of ")
           << input.getElementType() << ", as the input is, but got "
           << weight.getElementType();
  if (!(eps > 0 && std::isfinite(eps)))
    return op->emitOpError("expected a finite 'eps' above 0, but got ")
           << tensorcast::describeNumber(eps);
  return success();
}

LogicalResult RMSNormOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType weight = getWeight().getType();
  if (getWideWeight() && weight.getElementType().isF32())
    weight = withElementType(weight, input.getElementType());
  return verifyNorm(*this, input, weight, getEps().convertToDouble());
}

bool RMSNormOp::isLaunchedWhole() { return getKernel(); }

SmallVector<Value> RMSNormOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getInput().getType();
  Type wide = withElementType(type, builder.getF32Type());
  // The mean of squares is taken in f32; the weight scales the narrow value,
  // unless it is asked for before.
  Value x = CastOp::create(builder, loc, wide, getInput());
  Value squares = PowOp::create(builder, loc, x, builder.getF64FloatAttr(2.0));
  Value mean = MeanOp::create(builder, loc, squares);
  Value stable = AddScalarOp::create(builder, loc, mean, getEpsAttr());
  Value inverse = RsqrtOp::create(builder, loc, stable);
  Value normalized = MulOp::create(builder, loc, x, inverse);
  if (getWideWeight()) {
    Value scaled = MulOp::create(builder, loc, getWeight(), normalized);
    return {CastOp::create(builder, loc, type, scaled)};
  }
  Value narrow = CastOp::create(builder, loc, type, normalized);
  return {MulOp::create(builder, loc, getWeight(), narrow)};
}

LogicalResult AddRMSNormOp::verify() {
  return verifyNorm(*this, getLhs().getType(), getWeight().getType(),
                    getEps().convertToDouble());
}

SmallVector<Value> AddRMSNormOp::decompose(OpBuilder &builder) {
  Value sum = AddOp::create(builder, getLoc(), getLhs(), getRhs());
  Value norm =
      RMSNormOp::create(builder, getLoc(), sum, getWeight(), getEpsAttr());
  return {sum, norm};
}

//===----------------------------------------------------------------------===//
// Normalization around the mean
//===----------------------------------------------------------------------===//

/// Checks a norm whose rows may be moved by a bias as well.
static LogicalResult verifyLayerNorm(Operation *op, RankedTensorType input,
                                     RankedTensorType weight, Value bias,
                                     double eps) {
  if (failed(verifyNorm(op, input, weight, eps)))
    return failure();
  if (!bias)
    return success();
  auto type = cast<RankedTensorType>(bias.getType());
  if (failed(verifyDims(op, "bias", type, getDims(input).back())))
    return failure();
  return verifyElementType(op, "bias", type.getElementType(),
                           input.getElementType());
}

LogicalResult LayerNormOp::verify() {
  return verifyLayerNorm(*this, getInput().getType(), getWeight().getType(),
                         getBias(), getEps().convertToDouble());
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value mean = MeanOp::create(builder, loc, getInput());
  Value centered = SubOp::create(builder, loc, getInput(), mean);
  Value squares =
      PowOp::create(builder, loc, centered, builder.getF64FloatAttr(2.0));
  Value variance = MeanOp::create(builder, loc, squares);
  Value stable = AddScalarOp::create(builder, loc, variance, getEpsAttr());
  Value deviation = SqrtOp::create(builder, loc, stable.getType(), stable);
  Value normalized = DivOp::create(builder, loc, centered, deviation);
  Value scaled = MulOp::create(builder, loc, normalized, getWeight());
  if (!getBias())
    return {scaled};
  return {AddOp::create(builder, loc, scaled, getBias())};
}

LogicalResult AddLayerNormOp::verify() {
  return verifyLayerNorm(*this, getLhs().getType(), getWeight().getType(),
                         getBias(), getEps().convertToDouble());
}

SmallVector<Value> AddLayerNormOp::decompose(OpBuilder &builder) {
  Value sum = AddOp::create(builder, getLoc(), getLhs(), getRhs());
  Value norm = LayerNormOp::create(builder, getLoc(), sum, getWeight(),
                                   getBias(), getEpsAttr());
  return {sum, norm};
}

//===----------------------------------------------------------------------===//
// Normalization with quantization of the result
//===----------------------------------------------------------------------===//

/// Checks what a norm adds when it quantizes its result.
template <typename NormOp>
static LogicalResult verifyQuantizedNorm(NormOp op, RankedTensorType input) {
  if (failed(verifyNorm(op, input, op.getWeight().getType(),
                        op.getEps().convertToDouble())) ||
      failed(verifyQuantized(op, input, op.getResult().getType())))
    return failure();
  bool isDynamic = static_cast<bool>(op.getResultScale());
  if (isDynamic == static_cast<bool>(op.getScale()))
    return op.emitOpError("expected a scale either as operand or as result, "
                          "but got ")
           << (isDynamic ? "both" : "neither");
  if (isDynamic)
    return verifyScale(op, "scale", input,
                       cast<RankedTensorType>(op.getResultScale().getType()),
                       op.getGroupSize());
  if (op.getGroupSize())
    return op.emitOpError(
               "expected no 'group_size' for a known scale, but got ")
           << *op.getGroupSize();
  return success();
}

/// Quantizes `norm` as `op` says; the scale comes second if it is found.
template <typename NormOp>
static SmallVector<Value> buildQuantize(OpBuilder &builder, NormOp op,
                                        Value norm) {
  Type type = op.getResult().getType();
  if (op.getScale())
    return {
        QuantizeOp::create(builder, op.getLoc(), type, norm, op.getScale())};
  auto quantize = DynamicQuantizeOp::create(builder, op.getLoc(), type,
                                            op.getResultScale().getType(), norm,
                                            op.getGroupSizeAttr());
  return {quantize.getResult(), quantize.getScale()};
}

LogicalResult RMSNormQuantizeOp::verify() {
  return verifyQuantizedNorm(*this, getInput().getType());
}

SmallVector<Value> RMSNormQuantizeOp::decompose(OpBuilder &builder) {
  Value norm = RMSNormOp::create(builder, getLoc(), getInput(), getWeight(),
                                 getEpsAttr());
  return buildQuantize(builder, *this, norm);
}

LogicalResult AddRMSNormQuantizeOp::verify() {
  return verifyQuantizedNorm(*this, getLhs().getType());
}

SmallVector<Value> AddRMSNormQuantizeOp::decompose(OpBuilder &builder) {
  auto norm = AddRMSNormOp::create(builder, getLoc(), getLhs(), getRhs(),
                                   getWeight(), getEpsAttr());
  SmallVector<Value> results{norm.getSum()};
  llvm::append_range(results, buildQuantize(builder, *this, norm.getNorm()));
  return results;
}
