//===- SumBuilders.cpp - Sums over an index, counts and ranks -------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using utils::IteratorType;

Value tensorcast::buildSum(OpBuilder &builder, Location loc,
                           RankedTensorType type, int64_t count,
                           ScalarBody body) {
  int64_t rank = type.getRank();
  MLIRContext *context = builder.getContext();
  Type elementType = type.getElementType();
  Value zero = makeScalar(builder, loc, elementType, 0);
  Value empty =
      tensor::EmptyOp::create(builder, loc, type.getShape(), elementType);
  Value init = linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  // Nobody reads it: it says how far the last loop goes.
  Value range =
      tensor::EmptyOp::create(builder, loc, {count}, builder.getI8Type());
  AffineMap maps[] = {
      AffineMap::get(rank + 1, 0, getAffineDimExpr(rank, context)),
      AffineMap::getMultiDimIdentityMap(rank + 1, context)
          .getMajorSubMap(rank)};
  if (rank == 0)
    maps[1] = AffineMap::get(1, 0, context);
  SmallVector<IteratorType> iterators(rank + 1, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  auto build = [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
    SmallVector<Value> at;
    for (int64_t dim = 0; dim <= rank; ++dim)
      at.push_back(linalg::IndexOp::create(inner, innerLoc, dim));
    Value term = body(inner, innerLoc, at), sum;
    if (isa<FloatType>(elementType))
      sum = arith::AddFOp::create(inner, innerLoc, args[1], term);
    else
      sum = arith::AddIOp::create(inner, innerLoc, args[1], term);
    linalg::YieldOp::create(inner, innerLoc, sum);
  };
  return linalg::GenericOp::create(builder, loc, type, range, init, maps,
                                   iterators, build)
      .getResult(0);
}

Value tensorcast::readIndex(OpBuilder &builder, Location loc, Value indices,
                            ValueRange at, int64_t size) {
  Value index = tensor::ExtractOp::create(builder, loc, indices, at);
  index =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
  // Whatever the data, no read leaves the tensor.
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  Value last = arith::ConstantIndexOp::create(builder, loc, size - 1);
  index = arith::MaxSIOp::create(builder, loc, index, first);
  return arith::MinSIOp::create(builder, loc, index, last);
}

/// A 64-bit integer: `value` where `condition` holds, else 0.
static Value buildIf(OpBuilder &builder, Location loc, Value condition,
                     Value value) {
  Value zero = makeScalar(builder, loc, builder.getI64Type(), 0);
  return arith::SelectOp::create(builder, loc, condition, value, zero);
}

static Value toInteger(OpBuilder &builder, Location loc, Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

Value tensorcast::buildRanks(OpBuilder &builder, Location loc, Value input,
                             bool ascending) {
  RankedTensorType type = getTensorType(input);
  bool isFloat = isa<FloatType>(type.getElementType());
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    SmallVector<Value> place(at.drop_back());
    Value own = tensor::ExtractOp::create(inner, innerLoc, input, place);
    Value position = place.back();
    place.back() = at.back();
    Value other = tensor::ExtractOp::create(inner, innerLoc, input, place);
    if (isFloat) {
      own = widen(inner, innerLoc, own);
      other = widen(inner, innerLoc, other);
    }
    Value isAhead, isEqual;
    if (isFloat) {
      isAhead = arith::CmpFOp::create(
          inner, innerLoc, ascending ? CmpFPredicate::OLT : CmpFPredicate::OGT,
          other, own);
      isEqual = arith::CmpFOp::create(inner, innerLoc, CmpFPredicate::OEQ,
                                      other, own);
    } else {
      isAhead = arith::CmpIOp::create(
          inner, innerLoc, ascending ? CmpIPredicate::slt : CmpIPredicate::sgt,
          other, own);
      isEqual =
          arith::CmpIOp::create(inner, innerLoc, CmpIPredicate::eq, other, own);
    }
    Value isEarlier = arith::CmpIOp::create(inner, innerLoc, CmpIPredicate::ult,
                                            at.back(), position);
    isEqual = arith::AndIOp::create(inner, innerLoc, isEqual, isEarlier);
    isAhead = arith::OrIOp::create(inner, innerLoc, isAhead, isEqual);
    Value one = makeScalar(inner, innerLoc, inner.getI64Type(), 1);
    return buildIf(inner, innerLoc, isAhead, one);
  };
  auto ranks = RankedTensorType::get(type.getShape(), builder.getI64Type());
  return buildSum(builder, loc, ranks, type.getShape().back(), body);
}

Value tensorcast::buildInverse(OpBuilder &builder, Location loc, Value ranks,
                               int64_t count) {
  SmallVector<int64_t> shape(getTensorType(ranks).getShape());
  int64_t size = shape.back();
  shape.back() = count;
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    SmallVector<Value> place(at.drop_back());
    Value wanted = toInteger(inner, innerLoc, place.back());
    place.back() = at.back();
    Value rank = tensor::ExtractOp::create(inner, innerLoc, ranks, place);
    Value isHere =
        arith::CmpIOp::create(inner, innerLoc, CmpIPredicate::eq, rank, wanted);
    return buildIf(inner, innerLoc, isHere,
                   toInteger(inner, innerLoc, at.back()));
  };
  return buildSum(builder, loc,
                  RankedTensorType::get(shape, builder.getI64Type()), size,
                  body);
}

Value tensorcast::buildTake(OpBuilder &builder, Location loc, Value input,
                            Value indices) {
  RankedTensorType type = getTensorType(input);
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    SmallVector<Value> place(at);
    place.back() =
        readIndex(inner, innerLoc, indices, at, type.getShape().back());
    return tensor::ExtractOp::create(inner, innerLoc, input, place);
  };
  return buildByIndex(builder, loc,
                      RankedTensorType::get(getTensorType(indices).getShape(),
                                            type.getElementType()),
                      body);
}
