//===- SamplingOps.cpp - From logits to tokens ----------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsSampling.cpp.inc"

/// The number of requests.
static Dim getNumRequests(BatchType batch) {
  ExprAttr requests = getSequencesExpr(batch.getContext());
  if (WorkloadAttr workload = batch.getWorkload())
    return Dim(static_cast<int64_t>(evaluate(requests, workload)));
  return Dim(requests);
}

LogicalResult SampleTokensOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits().getType(), 2)))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getNumRequests(getBatch().getType())});
}

LogicalResult ShiftTokensOp::verify() {
  if (failed(verifyRank(*this, "ids", getIds().getType(), 1)))
    return failure();
  return verifyDims(*this, "next", getNext().getType(),
                    {getNumRequests(getBatch().getType())});
}
