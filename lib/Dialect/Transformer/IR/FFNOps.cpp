//===- FFNOps.cpp - Feed-forward networks ---------------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFFN.cpp.inc"

SmallVector<Value> SwiGLUOp::decompose(OpBuilder &builder) {
  Value gate =
      SiluOp::create(builder, getLoc(), getGate().getType(), getGate());
  return {MulOp::create(builder, getLoc(), gate, getUp())};
}

LogicalResult ClampedSwiGLUOp::verify() {
  double limit = getLimit().convertToDouble();
  if (limit > 0 && std::isfinite(limit))
    return success();
  return emitOpError("expected a finite 'limit' above 0, but got ")
         << tensorcast::describeNumber(limit);
}

bool ClampedSwiGLUOp::isLaunchedWhole() { return getWhole(); }

SmallVector<Value> ClampedSwiGLUOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getType();
  RankedTensorType wide = withElementType(type, builder.getF32Type());
  auto convert = [&](Value value, RankedTensorType to) -> Value {
    if (value.getType() == to)
      return value;
    return CastOp::create(builder, loc, to, value);
  };
  Value gate = MinScalarOp::create(builder, loc, convert(getGate(), wide),
                                   getLimitAttr());
  gate = convert(gate, type);
  Value up =
      MinScalarOp::create(builder, loc, convert(getUp(), wide), getLimitAttr());
  double limit = getLimit().convertToDouble();
  up = MaxScalarOp::create(builder, loc, up, builder.getF64FloatAttr(-limit));
  up = convert(up, type);
  Value steep = MulScalarOp::create(builder, loc, gate, getSlopeAttr());
  Value open = SigmoidOp::create(builder, loc, steep.getType(), steep);
  Value gated = MulOp::create(builder, loc, gate, open);
  Value above =
      AddScalarOp::create(builder, loc, up, builder.getF64FloatAttr(1.0));
  return {MulOp::create(builder, loc, above, gated)};
}

LogicalResult LimitedSwiGLUOp::verify() {
  double limit = getLimit().convertToDouble();
  if (limit > 0 && std::isfinite(limit))
    return success();
  return emitOpError("expected a finite 'limit' above 0, but got ")
         << tensorcast::describeNumber(limit);
}

bool LimitedSwiGLUOp::isLaunchedWhole() { return true; }

SmallVector<Value> LimitedSwiGLUOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value gate = MinScalarOp::create(builder, loc, getGate(), getLimitAttr());
  Value up = MinScalarOp::create(builder, loc, getUp(), getLimitAttr());
  double limit = getLimit().convertToDouble();
  up = MaxScalarOp::create(builder, loc, up, builder.getF64FloatAttr(-limit));
  return {SwiGLUOp::create(builder, loc, getType(), gate, up)};
}

SmallVector<Value> GeluOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value x = getInput(), bent;
  auto scale = [&](Value value, double factor) -> Value {
    return MulScalarOp::create(builder, loc, value,
                               builder.getF64FloatAttr(factor));
  };
  if (getForm() == GeluForm::Erf) {
    bent = ErfOp::create(builder, loc, x.getType(),
                         scale(x, 1 / llvm::numbers::sqrt2));
  } else {
    Value cube = PowOp::create(builder, loc, x, builder.getF64FloatAttr(3.0));
    Value sum =
        AddOp::create(builder, loc, x, scale(cube, kGeluCubeCoefficient));
    bent =
        TanhOp::create(builder, loc, x.getType(), scale(sum, kGeluTanhFactor));
  }
  Value gate =
      AddScalarOp::create(builder, loc, bent, builder.getF64FloatAttr(1.0));
  return {scale(MulOp::create(builder, loc, x, gate), 0.5)};
}
