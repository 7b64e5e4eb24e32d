//===- Checks.cpp - What several verifiers check --------------------------===//

#include "Checks.h"

#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

LogicalResult mlir::transformer::verifyRank(Operation *op, StringRef name,
                                            RankedTensorType type,
                                            int64_t rank) {
  if (type.getRank() == rank)
    return success();
  return op->emitOpError("expected '")
         << name << "' of rank " << rank << ", but got " << type;
}

LogicalResult mlir::transformer::verifyDims(Operation *op, StringRef name,
                                            RankedTensorType type,
                                            ArrayRef<Dim> expected) {
  if (failed(verifyRank(op, name, type, expected.size())))
    return failure();
  for (auto [index, got] : llvm::enumerate(getDims(type)))
    if (!mayBeEqual(got, expected[index]))
      return op->emitOpError("expected dimension ")
             << index << " of '" << name << "' to be "
             << toString(expected[index]) << ", but got " << toString(got);
  return success();
}

LogicalResult mlir::transformer::verifyElementType(Operation *op,
                                                   StringRef name, Type got,
                                                   Type expected) {
  if (got == expected)
    return success();
  return op->emitOpError("expected '")
         << name << "' of " << expected << ", but got " << got;
}

LogicalResult mlir::transformer::verifyPositive(Operation *op, StringRef name,
                                                const APFloat &value) {
  double number = value.convertToDouble();
  if (number > 0 && std::isfinite(number))
    return success();
  return op->emitOpError("expected a finite '")
         << name << "' above 0, but got " << tensorcast::describeNumber(number);
}

LogicalResult mlir::transformer::verifyQuantized(Operation *op,
                                                 RankedTensorType input,
                                                 RankedTensorType result) {
  RankedTensorType expected = withElementType(input, result.getElementType());
  if (result == expected)
    return success();
  return op->emitOpError("expected a quantized result of ")
         << expected << ", the input's sizes, but got " << result;
}

RankedTensorType
mlir::transformer::getScaleType(RankedTensorType data,
                                std::optional<int64_t> groupSize,
                                bool sharedByRows) {
  MLIRContext *context = data.getContext();
  if (!groupSize)
    return RankedTensorType::get({}, Float32Type::get(context));
  SmallVector<Dim> dims = getDims(data);
  if (!dims.empty() && dims.back().isStatic())
    dims.back() = Dim(llvm::divideCeil(dims.back().size, *groupSize));
  ArrayRef<Dim> kept = dims;
  if (sharedByRows)
    kept = kept.take_back();
  return getTensorType(kept, Float8E8M0FNUType::get(context));
}

LogicalResult mlir::transformer::verifyScale(Operation *op, StringRef name,
                                             RankedTensorType data,
                                             RankedTensorType scale,
                                             std::optional<int64_t> groupSize) {
  if (groupSize && *groupSize < 1)
    return op->emitOpError("expected 'group_size' of at least 1, but got ")
           << *groupSize;
  RankedTensorType expected = getScaleType(data, groupSize);
  if (scale == expected ||
      (groupSize && scale == getScaleType(data, groupSize, true)))
    return success();
  return op->emitOpError("expected the ")
         << name << " to be " << expected << ", but got " << scale;
}
