//===- PipelineOps.cpp - Stages of a pipeline -----------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsPipeline.cpp.inc"

LogicalResult StageOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyCall(*this, getCalleeAttr(), "stage", symbolTable);
}

LogicalResult SendReceiveOp::verify() {
  if (getFrom() == getTo())
    return emitOpError("expected two devices, but got ")
           << getFrom() << " twice";
  for (int64_t device : {getFrom(), getTo()})
    if (device > WorkloadAttr::kMaxTokens)
      return emitOpError("expected a device up to ")
             << WorkloadAttr::kMaxTokens << ", but got " << device;
  return success();
}
