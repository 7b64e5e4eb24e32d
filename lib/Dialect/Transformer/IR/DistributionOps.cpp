//===- DistributionOps.cpp - Exchange between devices ---------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsDistribution.cpp.inc"

/// Checks that `whole` and `part` differ in `dim` only, where `whole` is at
/// most as long as `count` parts and needs all of them.
template <typename ResizingOp>
static LogicalResult verifyParts(ResizingOp op, RankedTensorType whole,
                                 RankedTensorType part) {
  int64_t dim = op.getDim(), count = op.getRanks().getCount();
  if (whole.getRank() != part.getRank() ||
      whole.getElementType() != part.getElementType())
    return op.emitOpError("expected a result of the input's rank and element "
                          "type, but got ")
           << op.getType() << " of " << op.getInput().getType();
  if (dim >= whole.getRank())
    return op.emitOpError("expected 'dim' below ")
           << whole.getRank() << ", but got " << dim;
  SmallVector<Dim> wholeDims = getDims(whole), partDims = getDims(part);
  for (auto [index, dims] : llvm::enumerate(llvm::zip(wholeDims, partDims)))
    if (static_cast<int64_t>(index) != dim &&
        !mayBeEqual(std::get<0>(dims), std::get<1>(dims)))
      return op.emitOpError("expected sizes that differ in dimension ")
             << dim << " only, but got " << op.getInput().getType() << " and "
             << op.getType();
  const Dim &all = wholeDims[dim], &one = partDims[dim];
  if (all.isStatic() && one.isStatic() &&
      one.size != static_cast<int64_t>(llvm::divideCeil(all.size, count)))
    return op.emitOpError("expected parts of ")
           << llvm::divideCeil(all.size, count) << " of " << all.size << " for "
           << count << " ranks, but got " << one.size;
  return success();
}

LogicalResult AllGatherOp::verify() {
  // Fewer devices may be behind a token dimension than its parts stand for.
  if (getDim() == 0 && getType().getRank() > 0)
    return verifyElementType(*this, "result", getType().getElementType(),
                             getInput().getType().getElementType());
  return verifyParts(*this, getType(), getInput().getType());
}

LogicalResult ReduceScatterOp::verify() {
  return verifyParts(*this, getInput().getType(), getType());
}

LogicalResult OwnRowsOp::verify() {
  if (getType().getRank() != getInput().getType().getRank())
    return emitOpError("expected a result of the input's rank, but got ")
           << getType();
  return verifyElementType(*this, "result", getType().getElementType(),
                           getInput().getType().getElementType());
}

LogicalResult OwnFeaturesOp::verify() {
  return verifyParts(*this, getInput().getType(), getType());
}
