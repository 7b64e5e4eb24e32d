//===- FFNOps.cpp - Feed-forward networks ---------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFFN.cpp.inc"

SmallVector<Value> SwiGLUOp::decompose(OpBuilder &builder) {
  Value gate =
      SiluOp::create(builder, getLoc(), getGate().getType(), getGate());
  return {MulOp::create(builder, getLoc(), gate, getUp())};
}
