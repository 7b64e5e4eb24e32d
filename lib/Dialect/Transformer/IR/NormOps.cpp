//===- NormOps.cpp - Normalization ----------------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

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
    return op->emitOpError("expected a finite 'eps' above 0, but got ") << eps;
  return success();
}

LogicalResult RMSNormOp::verify() {
  return verifyNorm(*this, getInput().getType(), getWeight().getType(),
                    getEps().convertToDouble());
}

SmallVector<Value> RMSNormOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getInput().getType();
  Type wide = withElementType(type, builder.getF32Type());
  // The mean of squares is taken in f32; the weight scales the narrow value.
  Value x = CastOp::create(builder, loc, wide, getInput());
  Value squares = PowOp::create(builder, loc, x, builder.getF64FloatAttr(2.0));
  Value mean = MeanOp::create(builder, loc, squares);
  Value stable = AddScalarOp::create(builder, loc, mean, getEpsAttr());
  Value inverse = RsqrtOp::create(builder, loc, stable);
  Value normalized = MulOp::create(builder, loc, x, inverse);
  Value narrow = CastOp::create(builder, loc, type, normalized);
  return {MulOp::create(builder, loc, getWeight(), narrow)};
}
