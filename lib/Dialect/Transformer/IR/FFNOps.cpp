//===- FFNOps.cpp - Feed-forward networks ---------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFFN.cpp.inc"

SmallVector<Value> SwiGLUOp::decompose(OpBuilder &builder) {
  Value gate =
      SiluOp::create(builder, getLoc(), getGate().getType(), getGate());
  return {MulOp::create(builder, getLoc(), gate, getUp())};
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
