//===- EncoderOps.cpp - What encoders launch ------------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsEncoder.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Moving data, and seeing it in another shape
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          PermuteOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensor(adaptor.getInput());
  SmallVector<Dim> dims = getDims(input), permuted;
  llvm::SmallBitVector seen(dims.size());
  for (int64_t dim : adaptor.getOrder()) {
    bool isNew =
        dim >= 0 && dim < static_cast<int64_t>(dims.size()) && !seen.test(dim);
    if (!isNew)
      return emitOptionalError(loc, "expected 'order' to name each of ",
                               dims.size(), " dimensions once, but got ", dim);
    seen.set(dim);
    permuted.push_back(dims[dim]);
  }
  if (permuted.size() != dims.size())
    return emitOptionalError(loc, "expected 'order' to name each of ",
                             dims.size(), " dimensions once, but got ",
                             permuted.size(), " of them");
  types.push_back(getTensorType(permuted, input.getElementType()));
  return success();
}

LogicalResult ExpandOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  if (failed(verifyRank(*this, "result", result, input.getRank())) ||
      failed(verifyElementType(*this, "result", result.getElementType(),
                               input.getElementType())))
    return failure();
  for (auto [from, to] : llvm::zip(getDims(input), getDims(result)))
    if (!from.isOne() && !mayBeEqual(from, to))
      return emitOpError("expected sizes that are those of the input where "
                         "these are not 1, but got ")
             << input << " to " << result;
  return success();
}

LogicalResult FirstTokensOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "result", result, 2)) ||
      failed(verifyElementType(*this, "result", result.getElementType(),
                               input.getElementType())))
    return failure();
  Dim rows = getDims(input)[0], sequences = getDims(result)[0];
  if (rows.isStatic() && sequences.isStatic() &&
      (sequences.size == 0 || rows.size % sequences.size != 0))
    return emitOpError("expected sequences of one length, but got ")
           << rows.size << " rows of " << sequences.size << " sequences";
  return verifyDims(*this, "result", result, {sequences, getDims(input)[1]});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult
BatchedMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                  BatchedMatmulOp::Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = getTensor(adaptor.getLhs());
  RankedTensorType rhs = getTensor(adaptor.getRhs());
  int64_t rank = lhs.getRank();
  if (rank < 3 || rhs.getRank() != rank)
    return emitOptionalError(loc,
                             "expected operands of one rank of at least 3, but "
                             "got ",
                             lhs, " and ", rhs);
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(
        loc, "expected operands of one element type, but got ",
        lhs.getElementType(), " and ", rhs.getElementType());
  SmallVector<Dim> left = getDims(lhs), right = getDims(rhs);
  for (int64_t i = 0; i + 2 < rank; ++i) {
    if (!mayBeEqual(left[i], right[i]))
      return emitOptionalError(
          loc, "expected leading sizes that are equal, but got ", lhs, " and ",
          rhs);
    if (!left[i].isStatic() && !left[i].expr)
      left[i] = right[i];
  }
  if (adaptor.getTransposed())
    std::swap(right[rank - 2], right[rank - 1]);
  if (!mayBeEqual(left[rank - 1], right[rank - 2]))
    return emitOptionalError(
        loc, "expected inner sizes that are equal, but got ",
        toString(left[rank - 1]), " and ", toString(right[rank - 2]));
  left[rank - 1] = right[rank - 1];
  if (adaptor.getJoined()) {
    if (rank != 4)
      return emitOptionalError(
          loc, "expected operands of rank 4 where heads are joined, but got ",
          lhs);
    std::swap(left[1], left[2]);
  }
  types.push_back(getTensorType(left, lhs.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

LogicalResult CausalMaskOp::verify() {
  if (failed(verifyRank(*this, "result", getType(), 2)))
    return failure();
  Dim tokens = getDims(getType())[0], keys = getDims(getType())[1];
  if (tokens.isStatic() && keys.isStatic() && tokens.size > keys.size)
    return emitOpError("expected at least as many columns as rows, but got ")
           << getType();
  return success();
}

LogicalResult PaddingMaskOp::verify() {
  if (failed(verifyRank(*this, "result", getType(), 4)))
    return failure();
  SmallVector<Dim> dims = getDims(getType());
  return verifyDims(*this, "result", getType(), {dims[0], 1, 1, dims[3]});
}
