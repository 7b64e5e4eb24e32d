//===- LinalgBuilders.cpp - Loops over tensors ----------------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

RankedTensorType tensorcast::getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Type tensorcast::getComputeType(Type type) {
  if (isa<IntegerType>(type))
    return IntegerType::get(type.getContext(), 32);
  if (type.getIntOrFloatBitWidth() > 32)
    return type;
  return Float32Type::get(type.getContext());
}

Value tensorcast::roundTo(OpBuilder &builder, Location loc, Value value,
                          Type type) {
  if (value.getType() == type)
    return value;
  if (isNarrowFloat(value.getType()))
    return roundTo(builder, loc, decodeNarrow(builder, loc, value), type);
  if (isNarrowFloat(type))
    return encodeNarrow(builder, loc,
                        roundTo(builder, loc, value, builder.getF32Type()),
                        cast<FloatType>(type));
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  // Two narrow types of one width meet in the wide one.
  if (value.getType().getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth())
    value = widen(builder, loc, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value tensorcast::widen(OpBuilder &builder, Location loc, Value value) {
  Type type = getComputeType(value.getType());
  if (value.getType() == type)
    return value;
  if (isNarrowFloat(value.getType()))
    return decodeNarrow(builder, loc, value);
  return arith::ExtFOp::create(builder, loc, type, value);
}

Value tensorcast::convertTo(OpBuilder &builder, Location loc, Value value,
                            Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(value.getType()))
    return roundTo(builder, loc, value, type);
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value tensorcast::makeScalar(OpBuilder &builder, Location loc, Type type,
                             double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  return arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A tensor of `shape` to be written over.
static Value makeEmpty(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

static Value makeFilled(OpBuilder &builder, Location loc,
                        ArrayRef<int64_t> shape, Type elementType,
                        double value) {
  Value scalar = makeScalar(builder, loc, elementType, value);
  Value empty = makeEmpty(builder, loc, shape, elementType);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

/// Indexes a tensor of `shape` by loops over `rank` dimensions, aligned at the
/// last one; a dimension of 1 stays at 0.
static AffineMap getBroadcastMap(MLIRContext *context, ArrayRef<int64_t> shape,
                                 int64_t rank) {
  SmallVector<AffineExpr> exprs;
  for (auto [index, size] : llvm::enumerate(shape)) {
    unsigned dim = rank - shape.size() + index;
    exprs.push_back(size == 1 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  }
  return AffineMap::get(rank, 0, exprs, context);
}

Value tensorcast::buildElementwise(OpBuilder &builder, Location loc,
                                   RankedTensorType type, ValueRange inputs,
                                   ScalarBody body) {
  int64_t rank = type.getRank();
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(
        getBroadcastMap(context, getTensorType(input).getShape(), rank));
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  Type elementType = type.getElementType();
  Value empty = makeEmpty(builder, loc, type.getShape(), elementType);
  auto build = [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
    SmallVector<Value> scalars;
    for (Value scalar : args.drop_back())
      scalars.push_back(isa<FloatType>(scalar.getType())
                            ? widen(inner, innerLoc, scalar)
                            : scalar);
    Value result = body(inner, innerLoc, scalars);
    if (isa<FloatType>(elementType))
      result = roundTo(inner, innerLoc, result, elementType);
    linalg::YieldOp::create(inner, innerLoc, result);
  };
  return linalg::GenericOp::create(builder, loc, type, inputs, empty, maps,
                                   iterators, build)
      .getResult(0);
}

Value tensorcast::buildByIndex(OpBuilder &builder, Location loc,
                               RankedTensorType type, ScalarBody body) {
  auto build = [&](OpBuilder &inner, Location innerLoc, ValueRange) {
    SmallVector<Value> indices;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      indices.push_back(linalg::IndexOp::create(inner, innerLoc, dim));
    return body(inner, innerLoc, indices);
  };
  return buildElementwise(builder, loc, type, {}, build);
}

Value tensorcast::buildRowReduction(OpBuilder &builder, Location loc,
                                    Value input, double start,
                                    ScalarBody body) {
  RankedTensorType type = getTensorType(input);
  MLIRContext *context = builder.getContext();
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  AffineMap all = AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<AffineExpr> exprs(all.getResults());
  exprs.back() = getAffineConstantExpr(0, context);
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  Value init = makeFilled(builder, loc, shape,
                          getComputeType(type.getElementType()), start);
  auto build = [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
    Value element = widen(inner, innerLoc, args[0]);
    linalg::YieldOp::create(inner, innerLoc,
                            body(inner, innerLoc, {args[1], element}));
  };
  AffineMap maps[] = {all, AffineMap::get(rank, 0, exprs, context)};
  return linalg::GenericOp::create(builder, loc, init.getType(), input, init,
                                   maps, iterators, build)
      .getResult(0);
}

Value tensorcast::buildContraction(OpBuilder &builder, Location loc,
                                   ArrayRef<int64_t> shape, Value lhs,
                                   Value rhs, ArrayRef<AffineMap> maps,
                                   ArrayRef<IteratorType> iterators) {
  Type type = getComputeType(getTensorType(lhs).getElementType());
  Type other = getComputeType(getTensorType(rhs).getElementType());
  if (isa<FloatType>(other))
    type = other;
  Value init = makeFilled(builder, loc, shape, type, 0);
  auto build = [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
    Value left = convertTo(inner, innerLoc, args[0], type);
    Value right = convertTo(inner, innerLoc, args[1], type), sum = args[2];
    if (isa<FloatType>(type)) {
      Value product = arith::MulFOp::create(inner, innerLoc, left, right);
      sum = arith::AddFOp::create(inner, innerLoc, sum, product);
    } else {
      Value product = arith::MulIOp::create(inner, innerLoc, left, right);
      sum = arith::AddIOp::create(inner, innerLoc, sum, product);
    }
    linalg::YieldOp::create(inner, innerLoc, sum);
  };
  return linalg::GenericOp::create(builder, loc, init.getType(),
                                   ValueRange{lhs, rhs}, init, maps, iterators,
                                   build)
      .getResult(0);
}

Value tensorcast::buildContraction(OpBuilder &builder, Location loc,
                                   ArrayRef<int64_t> shape, Value lhs,
                                   Value rhs, unsigned numLoops,
                                   ArrayRef<ArrayRef<unsigned>> maps) {
  SmallVector<AffineMap> affine;
  for (ArrayRef<unsigned> loops : maps) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(getAffineDimExpr(loop, builder.getContext()));
    affine.push_back(AffineMap::get(numLoops, 0, exprs, builder.getContext()));
  }
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return buildContraction(builder, loc, shape, lhs, rhs, affine, iterators);
}

Value tensorcast::buildMatmul(OpBuilder &builder, Location loc, Value lhs,
                              Value rhs, bool transposed) {
  AffineExpr m, n, k;
  bindDims(builder.getContext(), m, n, k);
  auto map = [&](AffineExpr first, AffineExpr second) {
    return AffineMap::get(3, 0, {first, second}, builder.getContext());
  };
  AffineMap maps[] = {map(m, k), transposed ? map(n, k) : map(k, n), map(m, n)};
  int64_t shape[] = {getTensorType(lhs).getDimSize(0),
                     getTensorType(rhs).getDimSize(transposed ? 0 : 1)};
  return buildContraction(builder, loc, shape, lhs, rhs, maps,
                          {IteratorType::parallel, IteratorType::parallel,
                           IteratorType::reduction});
}

Value tensorcast::buildRound(OpBuilder &builder, Location loc,
                             RankedTensorType type, Value input) {
  if (input.getType() == type)
    return input;
  return buildElementwise(
      builder, loc, type, input,
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

//===----------------------------------------------------------------------===//
// Moving data
//===----------------------------------------------------------------------===//

Value tensorcast::buildReshape(OpBuilder &builder, Location loc, Value input,
                               ArrayRef<int64_t> shape) {
  RankedTensorType type = getTensorType(input);
  if (type.getShape() == shape)
    return input;
  // Through one dimension, which any two shapes share.
  auto allOf = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  auto flat =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  if (type.getRank() > 1)
    input = tensor::CollapseShapeOp::create(builder, loc, input,
                                            allOf(type.getRank()));
  else if (type.getRank() == 0)
    input = tensor::ExpandShapeOp::create(builder, loc, flat, input,
                                          ArrayRef<ReassociationIndices>{});
  auto result = RankedTensorType::get(shape, type.getElementType());
  if (shape.size() > 1)
    return tensor::ExpandShapeOp::create(builder, loc, result, input,
                                         allOf(shape.size()));
  if (shape.empty())
    return tensor::CollapseShapeOp::create(builder, loc, result, input,
                                           ArrayRef<ReassociationIndices>{});
  return input;
}

static SmallVector<OpFoldResult> getIndices(OpBuilder &builder,
                                            ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult {
    return builder.getIndexAttr(value);
  });
}

Value tensorcast::buildSlice(OpBuilder &builder, Location loc, Value input,
                             ArrayRef<int64_t> offsets,
                             ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  return tensor::ExtractSliceOp::create(
      builder, loc, input, getIndices(builder, offsets),
      getIndices(builder, sizes), getIndices(builder, strides));
}

Value tensorcast::buildInsert(OpBuilder &builder, Location loc, Value part,
                              Value target, ArrayRef<int64_t> offsets) {
  ArrayRef<int64_t> sizes = getTensorType(part).getShape();
  SmallVector<int64_t> strides(sizes.size(), 1);
  return tensor::InsertSliceOp::create(
      builder, loc, part, target, getIndices(builder, offsets),
      getIndices(builder, sizes), getIndices(builder, strides));
}

Value tensorcast::buildConcat(OpBuilder &builder, Location loc,
                              ValueRange inputs, int64_t dim) {
  SmallVector<int64_t> shape(getTensorType(inputs[0]).getShape());
  shape[dim] = 0;
  for (Value input : inputs)
    shape[dim] += getTensorType(input).getDimSize(dim);
  Value result =
      makeEmpty(builder, loc, shape, getTensorType(inputs[0]).getElementType());
  SmallVector<int64_t> offsets(shape.size(), 0);
  for (Value input : inputs) {
    result = buildInsert(builder, loc, input, result, offsets);
    offsets[dim] += getTensorType(input).getDimSize(dim);
  }
  return result;
}

Value tensorcast::buildGather(OpBuilder &builder, Location loc, Value table,
                              Value indices, std::optional<int64_t> firstRow) {
  RankedTensorType type = getTensorType(table);
  int64_t rows = type.getDimSize(0);
  auto result = RankedTensorType::get(
      {getTensorType(indices).getDimSize(0), type.getDimSize(1)},
      type.getElementType());
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    Value index =
        tensor::ExtractOp::create(inner, innerLoc, indices, at.take_front());
    index = arith::IndexCastOp::create(inner, innerLoc, inner.getIndexType(),
                                       index);
    if (firstRow)
      index = arith::SubIOp::create(
          inner, innerLoc, index,
          arith::ConstantIndexOp::create(inner, innerLoc, *firstRow));
    Value wanted = index;
    // Whatever the data, no read leaves the table.
    Value first = arith::ConstantIndexOp::create(inner, innerLoc, 0);
    Value last = arith::ConstantIndexOp::create(inner, innerLoc, rows - 1);
    index = arith::MaxSIOp::create(inner, innerLoc, index, first);
    index = arith::MinSIOp::create(inner, innerLoc, index, last);
    Value element = tensor::ExtractOp::create(inner, innerLoc, table,
                                              ValueRange{index, at[1]});
    if (!firstRow)
      return element;
    Value isInPart = arith::CmpIOp::create(
        inner, innerLoc, arith::CmpIPredicate::eq, index, wanted);
    Value zero = makeScalar(inner, innerLoc, type.getElementType(), 0);
    return arith::SelectOp::create(inner, innerLoc, isInPart, element, zero);
  };
  return buildByIndex(builder, loc, result, body);
}
