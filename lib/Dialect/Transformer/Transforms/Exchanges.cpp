//===- Exchanges.cpp - Sizes of parts, and exchanges of them --------------===//

#include "Sharding.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

RankedTensorType mlir::transformer::getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

RankedTensorType mlir::transformer::withDim(RankedTensorType type, int64_t dim,
                                            Dim size) {
  SmallVector<Dim> dims = getDims(type);
  dims[dim] = size;
  return getTensorType(dims, type.getElementType());
}

Dim mlir::transformer::divideDim(const Dim &dim, int64_t count) {
  if (dim.isStatic())
    return Dim(llvm::divideCeil(dim.size, count));
  if (!dim.expr)
    return dim;
  ExprAttr divisor =
      ExprAttr::constant(dim.expr.getContext(), static_cast<double>(count));
  return Dim(getFunctionExpr(ExprKind::CeilDiv, {dim.expr, divisor}));
}

Dim mlir::transformer::multiplyDim(const Dim &dim, int64_t count) {
  if (dim.isStatic())
    return Dim(dim.size * count);
  return dim.expr ? Dim(dim.expr * static_cast<double>(count)) : dim;
}

RanksAttr Exchanges::getRanks(int64_t count) const {
  return RanksAttr::get(builder.getContext(), count, 1);
}

Value Exchanges::allGather(Location loc, Value input, int64_t dim,
                           int64_t count, Dim size) {
  if (count == 1)
    return input;
  return AllGatherOp::create(builder, loc, withDim(getTensor(input), dim, size),
                             input, getRanks(count), dim);
}

Value Exchanges::ownRows(Location loc, Value input, int64_t count) {
  if (count == 1)
    return input;
  RankedTensorType type = getTensor(input);
  return OwnRowsOp::create(builder, loc,
                           withDim(type, 0, divideDim(getDims(type)[0], count)),
                           input, getRanks(count), 0);
}

Value Exchanges::spreadTokens(Location loc, Value input, int64_t count) {
  input = ownRows(loc, input, tensor);
  Dim rows = getDims(getTensor(input))[0];
  return allGather(loc, input, 0, count, multiplyDim(rows, count));
}

Value Exchanges::collectTokens(Location loc, Value input, int64_t count,
                               Dim rows) {
  input = ownRows(loc, input, count);
  return allGather(loc, input, 0, tensor, rows);
}
