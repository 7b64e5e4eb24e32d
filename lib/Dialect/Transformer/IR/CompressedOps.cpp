//===- CompressedOps.cpp - Compressed attention ---------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsCompressed.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks sizes and element type of a tensor.
static LogicalResult verifyTensor(Operation *op, StringRef name, Value value,
                                  ArrayRef<Dim> dims, Type elementType) {
  if (failed(verifyDims(op, name, getTensor(value), dims)))
    return failure();
  return verifyElementType(op, name, getTensor(value).getElementType(),
                           elementType);
}

/// Checks that a cache has one row of `size` elements per slot.
static LogicalResult verifyRows(Operation *op, StringRef name,
                                KVCacheType cache, int64_t size) {
  if (cache.isShared() && cache.getTokenSize() == size)
    return success();
  return op->emitOpError("expected '")
         << name << "' with rows of " << size << ", but got " << cache;
}

/// Checks a dimension that has a known size.
static FailureOr<int64_t> getKnown(Operation *op, StringRef name,
                                   RankedTensorType type, int64_t dim) {
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  return op->emitOpError("expected dimension ")
         << dim << " of '" << name << "' of known size, but got " << type;
}

/// What `expr` is for the workload of the batch, or the expression.
static Dim getBoundDim(ExprAttr expr, BatchType batch) {
  if (WorkloadAttr workload = batch.getWorkload())
    return Dim(static_cast<int64_t>(evaluate(expr, workload)));
  return Dim(expr);
}

//===----------------------------------------------------------------------===//
// Queries and rows
//===----------------------------------------------------------------------===//

LogicalResult NormalizeOp::verify() {
  if (getInput().getType().getRank() < 1)
    return emitOpError("expected an input of rank at least 1, but got ")
           << getInput().getType();
  return verifyPositive(*this, "eps", getEps());
}

bool NormalizeOp::isLaunchedWhole() { return true; }

SmallVector<Value> NormalizeOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value squares =
      PowOp::create(builder, loc, getInput(), builder.getF64FloatAttr(2.0));
  Value mean = MeanOp::create(builder, loc, squares);
  Value stable = AddScalarOp::create(builder, loc, mean, getEpsAttr());
  Value inverse = RsqrtOp::create(builder, loc, stable);
  return {MulOp::create(builder, loc, getInput(), inverse)};
}

LogicalResult RotatePartOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifyRank(*this, "input", type, 3)))
    return failure();
  FailureOr<int64_t> size = getKnown(*this, "input", type, 2);
  if (failed(size))
    return failure();
  int64_t features = getFeatures();
  if (features > *size || features % 2 != 0)
    return emitOpError("expected an even number of 'features', at most ")
           << *size << ", but got " << features;
  if (getTable().getType().getWidth() != features)
    return emitOpError("expected a table of width ")
           << features << ", as 'features' are, but got "
           << getTable().getType();
  return success();
}

bool RotatePartOp::isLaunchedWhole() { return true; }

/// Negates the second feature of each pair: rotations go the other way between
/// two of these.
static Value mirror(OpBuilder &builder, Location loc, Value heads,
                    RopeStyle style) {
  RankedTensorType type = getTensor(heads);
  SmallVector<Dim> dims = getDims(type);
  int64_t size = dims[2].size, part = size / 2;
  bool isInterleaved = style == RopeStyle::Interleaved;
  if (isInterleaved) {
    part = 1;
    auto pairs = getTensorType({dims[0], dims[1], Dim(size / 2), Dim(2)},
                               type.getElementType());
    heads = ReshapeOp::create(builder, loc, pairs, heads);
  }
  Value first = SliceOp::create(builder, loc, heads, 0, part);
  Value second = SliceOp::create(builder, loc, heads, part, part);
  second = NegOp::create(builder, loc, second.getType(), second);
  Value both = ConcatOp::create(builder, loc, first, second);
  if (!isInterleaved)
    return both;
  return ReshapeOp::create(builder, loc, type, both);
}

SmallVector<Value> RotatePartOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t features = getFeatures();
  int64_t rest = getType().getDimSize(2) - features;
  Value part = getInput();
  if (rest > 0)
    part = SliceOp::create(builder, loc, getInput(), rest, features);
  if (getInverse())
    part = mirror(builder, loc, part, getStyle());
  part = RopeOp::create(builder, loc, part.getType(), part, getTable(),
                        getStyle());
  if (getInverse())
    part = mirror(builder, loc, part, getStyle());
  if (rest == 0)
    return {part};
  Value kept = SliceOp::create(builder, loc, getInput(), 0, rest);
  return {ConcatOp::create(builder, loc, kept, part)};
}

LogicalResult RoundFeaturesOp::verify() {
  if (failed(verifyRank(*this, "input", getType(), 2)))
    return failure();
  FailureOr<int64_t> size = getKnown(*this, "input", getType(), 1);
  if (failed(size))
    return failure();
  if (static_cast<int64_t>(getFeatures()) <= *size)
    return success();
  return emitOpError("expected at most the ")
         << *size << " 'features' of a row, but got " << getFeatures();
}

LogicalResult TieOp::verify() {
  if (failed(verifyRank(*this, "input", getType(), 2)))
    return failure();
  RankedTensorType other = getOther().getType();
  if (other.getRank() >= 2 && other.getRank() <= 3 &&
      mayBeEqual(getDims(getType())[0], getDims(other)[0]))
    return success();
  return emitOpError("expected 'other' to have rows for the tokens of 'input', "
                     "but got ")
         << other << " for " << getType();
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

LogicalResult AppendWindowOp::verify() {
  RankedTensorType rows = getRows().getType();
  if (failed(verifyRank(*this, "rows", rows, 2)))
    return failure();
  FailureOr<int64_t> size = getKnown(*this, "rows", rows, 1);
  if (failed(size) || failed(verifyRows(*this, "cache", getType(), *size)))
    return failure();
  return verifyElementType(*this, "rows", rows.getElementType(),
                           getType().getElementType());
}

ExprAttr CompressOp::getNumRows(MLIRContext *context, int64_t ratio) {
  auto number = [&](int64_t value) {
    return ExprAttr::constant(context, static_cast<double>(value));
  };
  ExprAttr rows = getFunctionExpr(
      ExprKind::FloorDiv,
      {maxOverRequests(getTotalTokensExpr(context)), number(ratio)});
  return getFunctionExpr(ExprKind::Max, {rows, number(1)});
}

LogicalResult CompressOp::verify() {
  RankedTensorType input = getInput().getType(), norm = getNorm().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "norm", norm, 1)))
    return failure();
  FailureOr<int64_t> size = getKnown(*this, "norm", norm, 0);
  if (failed(size))
    return failure();
  constexpr int64_t maxSize = int64_t(1) << 32;
  if (*size < 1 || *size > maxSize)
    return emitOpError("expected 'norm' of 1 to ")
           << maxSize << " features, but got " << *size;
  int64_t width = *size * getNumParts();
  Type f32 = Float32Type::get(getContext()), element = input.getElementType();
  Dim features = getDims(input)[1];
  if (failed(verifyTensor(*this, "value projection", getValueProjection(),
                          {Dim(width), features}, f32)) ||
      failed(verifyTensor(*this, "gate projection", getGateProjection(),
                          {Dim(width), features}, f32)) ||
      failed(verifyTensor(*this, "positions", getPositions(),
                          {Dim(static_cast<int64_t>(getRatio())), Dim(width)},
                          f32)) ||
      failed(verifyElementType(*this, "norm", norm.getElementType(), element)))
    return failure();
  int64_t rotated = getFeatures();
  if (rotated > *size || rotated % 2 != 0)
    return emitOpError("expected an even number of 'features', at most ")
           << *size << ", but got " << rotated;
  if (getTable().getType().getWidth() != rotated)
    return emitOpError("expected a table of width ")
           << rotated << ", as 'features' are, but got "
           << getTable().getType();
  if (failed(verifyRows(*this, "cache", getCache().getType(), *size)) ||
      failed(verifyRows(*this, "state", getState().getType(), 2 * width)) ||
      failed(verifyElementType(*this, "state",
                               getState().getType().getElementType(), f32)))
    return failure();
  return verifyPositive(*this, "eps", getEps());
}

//===----------------------------------------------------------------------===//
// Which rows
//===----------------------------------------------------------------------===//

ExprAttr PickCompressedOp::getNumPicked(MLIRContext *context, int64_t ratio,
                                        int64_t topK) {
  auto number = [&](int64_t value) {
    return ExprAttr::constant(context, static_cast<double>(value));
  };
  ExprAttr rows = getFunctionExpr(
      ExprKind::FloorDiv,
      {maxOverRequests(getTotalTokensExpr(context)), number(ratio)});
  rows = getFunctionExpr(ExprKind::Min, {rows, number(topK)});
  return getFunctionExpr(ExprKind::Max, {rows, number(1)});
}

LogicalResult PickCompressedOp::verify() {
  RankedTensorType query = getQuery().getType();
  if (failed(verifyRank(*this, "query", query, 3)))
    return failure();
  FailureOr<int64_t> size = getKnown(*this, "query", query, 2);
  if (failed(size))
    return failure();
  SmallVector<Dim> dims = getDims(query);
  Dim count = getBoundDim(getNumPicked(getContext(), getRatio(), getTopK()),
                          getBatch().getType());
  if (failed(verifyTensor(*this, "share", getShare(), {dims[0], dims[1]},
                          query.getElementType())) ||
      failed(verifyRows(*this, "cache", getCache().getType(), *size)))
    return failure();
  return verifyDims(*this, "indices", getIndices().getType(), {dims[0], count});
}

bool PickCompressedOp::isLaunchedWhole() { return true; }

SmallVector<Value> PickCompressedOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Dim rows = getBoundDim(CompressOp::getNumRows(getContext(), getRatio()),
                         getBatch().getType());
  RankedTensorType type = getTensorType(
      {getDims(getQuery().getType())[0], rows}, builder.getF32Type());
  Value scores =
      ScoreCompressedOp::create(builder, loc, type, getQuery(), getShare(),
                                getCache(), getBatch(), getRatioAttr());
  if (getRanks())
    scores = AllReduceOp::create(builder, loc, type, scores, getRanksAttr());
  return {TopCompressedOp::create(builder, loc, getIndices().getType(), scores,
                                  getBatch(), getRatioAttr())};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LogicalResult WindowAttentionOp::verify() {
  RankedTensorType query = getType();
  if (failed(verifyRank(*this, "query", query, 3)))
    return failure();
  FailureOr<int64_t> heads = getKnown(*this, "query", query, 1);
  FailureOr<int64_t> size = getKnown(*this, "query", query, 2);
  if (failed(heads) || failed(size))
    return failure();
  Dim tokens = getDims(query)[0];
  Type element = query.getElementType();
  if (failed(verifyTensor(*this, "rows", getRows(), {tokens, Dim(*size)},
                          element)) ||
      failed(verifyTensor(*this, "sink", getSink(), {Dim(*heads)},
                          Float32Type::get(getContext()))) ||
      failed(
          verifyRows(*this, "window_cache", getWindowCache().getType(), *size)))
    return failure();
  if (static_cast<bool>(getCompressed()) != getRatio().has_value())
    return emitOpError("expected 'ratio' and 'compressed' together, but got ")
           << (getRatio() ? "'ratio'" : "'compressed'") << " alone";
  if (getIndices() && !getCompressed())
    return emitOpError("expected 'compressed' rows for the 'indices', but got "
                       "none");
  if (getCompressed() &&
      failed(verifyRows(*this, "compressed",
                        cast<KVCacheType>(getCompressed().getType()), *size)))
    return failure();
  if (getIndices()) {
    RankedTensorType indices = getTensor(getIndices());
    if (failed(verifyRank(*this, "indices", indices, 2)) ||
        failed(verifyDims(*this, "indices", indices,
                          {tokens, getDims(indices)[1]})))
      return failure();
  }
  return verifyPositive(*this, "scale", getScale());
}

int64_t GroupedProjectionOp::getNumGroups() {
  return getInput().getType().getDimSize(1) /
         getWeight().getType().getDimSize(1);
}

LogicalResult GroupedProjectionOp::verify() {
  RankedTensorType input = getInput().getType(), weight = getWeight().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "weight", weight, 2)))
    return failure();
  FailureOr<int64_t> features = getKnown(*this, "input", input, 1);
  FailureOr<int64_t> inner = getKnown(*this, "weight", weight, 1);
  FailureOr<int64_t> rows = getKnown(*this, "weight", weight, 0);
  if (failed(features) || failed(inner) || failed(rows))
    return failure();
  if (*inner < 1 || *features % *inner != 0)
    return emitOpError("expected an input of whole groups of ")
           << *inner << " features, but got " << *features;
  int64_t groups = *features / *inner;
  if (groups < 1 || *rows % groups != 0)
    return emitOpError("expected a weight of rows for ")
           << groups << " groups, but got " << *rows;
  return verifyTensor(*this, "result", getResult(),
                      {getDims(input)[0], Dim(*rows)}, input.getElementType());
}
