//===- RankTensors.cpp - Ranges of tensors that ranks exchange ------------===//

#include "RankTensors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// A range of one dimension, all of the others.
struct DimRange {
  DimRange(OpBuilder &builder, ArrayRef<int64_t> shape, int64_t dim,
           int64_t offset, int64_t size) {
    for (int64_t extent : shape) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(builder.getIndexAttr(extent));
      strides.push_back(builder.getIndexAttr(1));
    }
    offsets[dim] = builder.getIndexAttr(offset);
    sizes[dim] = builder.getIndexAttr(size);
  }

  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

Value tensorcast::sliceRange(OpBuilder &builder, Location loc, Value input,
                             int64_t dim, int64_t offset, int64_t size) {
  auto type = cast<RankedTensorType>(input.getType());
  if (offset == 0 && size == type.getDimSize(dim))
    return input;
  DimRange range(builder, type.getShape(), dim, offset, size);
  return tensor::ExtractSliceOp::create(builder, loc, input, range.offsets,
                                        range.sizes, range.strides);
}

Value tensorcast::insertRange(OpBuilder &builder, Location loc, Value part,
                              Value target, int64_t dim, int64_t offset) {
  auto type = cast<RankedTensorType>(part.getType());
  DimRange range(builder, type.getShape(), dim, offset, type.getDimSize(dim));
  return tensor::InsertSliceOp::create(
      builder, loc, part, target, range.offsets, range.sizes, range.strides);
}

Value tensorcast::concatRows(OpBuilder &builder, Location loc,
                             ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = 0;
  for (Value part : parts)
    shape[0] += cast<RankedTensorType>(part.getType()).getDimSize(0);
  Value all =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  int64_t offset = 0;
  for (Value part : parts) {
    all = insertRange(builder, loc, part, all, 0, offset);
    offset += cast<RankedTensorType>(part.getType()).getDimSize(0);
  }
  return all;
}
