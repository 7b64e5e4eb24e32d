//===- DistributionOps.cpp - Exchange between devices ---------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsDistribution.cpp.inc"

/// Checks that input and result differ in `dim` only.
template <typename ResizingOp>
static LogicalResult verifyOtherDims(ResizingOp op) {
  RankedTensorType input = op.getInput().getType(), result = op.getType();
  int64_t dim = op.getDim();
  if (input.getRank() != result.getRank() ||
      input.getElementType() != result.getElementType())
    return op.emitOpError("expected a result of the input's rank and element "
                          "type, but got ")
           << result << " of " << input;
  if (dim >= input.getRank())
    return op.emitOpError("expected 'dim' below ")
           << input.getRank() << ", but got " << dim;
  SmallVector<Dim> from = getDims(input), to = getDims(result);
  for (int64_t index = 0; index < input.getRank(); ++index)
    if (index != dim && !mayBeEqual(from[index], to[index]))
      return op.emitOpError("expected sizes that differ in dimension ")
             << dim << " only, but got " << input << " and " << result;
  return success();
}

/// Checks that the parts of all ranks make up the whole in `dim`.
template <typename ResizingOp>
static LogicalResult verifyParts(ResizingOp op, RankedTensorType whole,
                                 RankedTensorType part) {
  if (failed(verifyOtherDims(op)))
    return failure();
  int64_t dim = op.getDim(), count = op.getRanks().getCount();
  Dim all = getDims(whole)[dim], one = getDims(part)[dim];
  if (all.isStatic() && one.isStatic() &&
      one.size != static_cast<int64_t>(llvm::divideCeil(all.size, count)))
    return op.emitOpError("expected parts of ")
           << llvm::divideCeil(all.size, count) << " of " << all.size << " for "
           << count << " ranks, but got " << one.size;
  return success();
}

LogicalResult AllGatherOp::verify() {
  // Groups that spread their tokens over each other gather more or fewer rows
  // than one of them has.
  if (getDim() == 0)
    return verifyOtherDims(*this);
  return verifyParts(*this, getType(), getInput().getType());
}

LogicalResult ReduceScatterOp::verify() {
  return verifyParts(*this, getInput().getType(), getType());
}

LogicalResult OwnRowsOp::verify() { return verifyOtherDims(*this); }

LogicalResult OwnFeaturesOp::verify() {
  return verifyParts(*this, getInput().getType(), getType());
}
