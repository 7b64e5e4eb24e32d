//===- ContextOps.cpp - Attention over a shared cache ---------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsContext.cpp.inc"

/// Checks that `type`, called `name`, has all sizes but the first as numbers.
static LogicalResult verifyHeads(Operation *op, StringRef name,
                                 RankedTensorType type) {
  if (failed(verifyRank(op, name, type, 3)))
    return failure();
  if (!ShapedType::isDynamic(type.getDimSize(1)) &&
      !ShapedType::isDynamic(type.getDimSize(2)))
    return success();
  return op->emitOpError("expected heads of known number and size, but got '")
         << name << "' of " << type;
}

static LogicalResult verifyFactor(Operation *op, const APFloat &value) {
  double scale = value.convertToDouble();
  if (scale > 0 && std::isfinite(scale))
    return success();
  return op->emitOpError("expected a finite 'scale' above 0, but got ")
         << tensorcast::describeNumber(scale);
}

/// Checks that `result` has the heads of `query`, each of `size` features and
/// the logarithm of its weight.
static LogicalResult verifyPartial(Operation *op, RankedTensorType query,
                                   RankedTensorType result, int64_t size) {
  return verifyDims(
      op, "result", result,
      {getDims(query)[0], Dim(query.getDimSize(1)), Dim(size + 1)});
}

//===----------------------------------------------------------------------===//
// Attention over the tokens that a device keeps
//===----------------------------------------------------------------------===//

LogicalResult PartialAttentionOp::verify() {
  KVCacheType cache = getCache().getType();
  auto query = cast<RankedTensorType>(getQuery().getType());
  if (cache.isShared())
    return emitOpError("expected a cache of keys and values by heads, but got ")
           << cache;
  if (failed(verifyHeads(*this, "query", query)) ||
      failed(verifyElementType(*this, "query", query.getElementType(),
                               cache.getElementType())))
    return failure();
  if (query.getDimSize(2) != cache.getHeadSize())
    return emitOpError("expected 'query' to have heads of size ")
           << cache.getHeadSize() << ", as the cache has, but got "
           << query.getDimSize(2);
  if (query.getDimSize(1) % cache.getNumHeads() != 0)
    return emitOpError("expected the query heads to be a multiple of the "
                       "cache's ")
           << cache.getNumHeads() << " heads, but got " << query.getDimSize(1);
  bool isNarrow = query.getElementTypeBitWidth() <= 8;
  if (isNarrow != static_cast<bool>(getQueryScale()))
    return emitOpError(isNarrow ? "expected 'scales' of queries of "
                                : "expected no 'scales' of queries of ")
           << query.getElementType() << ", but got "
           << (isNarrow ? "none" : "some");
  if (failed(verifyPartial(*this, query, getType(), cache.getHeadSize())))
    return failure();
  return verifyFactor(*this, getScale());
}

LogicalResult PartialLatentAttentionOp::verify() {
  KVCacheType cache = getCache().getType();
  RankedTensorType query = getQuery().getType();
  if (!cache.isShared())
    return emitOpError("expected a cache of one row per token, but got ")
           << cache;
  if (failed(verifyHeads(*this, "query", query)) ||
      failed(verifyElementType(*this, "query", query.getElementType(),
                               cache.getElementType())) ||
      failed(verifyDims(*this, "query", query,
                        {getDims(query)[0], Dim(query.getDimSize(1)),
                         Dim(cache.getTokenSize())})))
    return failure();
  auto rank = static_cast<int64_t>(getRank());
  if (rank > cache.getTokenSize())
    return emitOpError("expected a 'rank' of at most ")
           << cache.getTokenSize() << ", the size of a row, but got " << rank;
  if (failed(verifyPartial(*this, query, getType(), rank)))
    return failure();
  return verifyFactor(*this, getScale());
}

//===----------------------------------------------------------------------===//
// The results of all devices
//===----------------------------------------------------------------------===//

LogicalResult ExchangeHeadsOp::verify() {
  RankedTensorType input = getInput().getType();
  int64_t count = getRanks().getCount();
  if (failed(verifyHeads(*this, "input", input)))
    return failure();
  int64_t heads = input.getDimSize(1);
  if (heads % count != 0)
    return emitOpError("expected heads for each of ")
           << count << " ranks, but got " << heads;
  return verifyDims(*this, "result", getType(),
                    {Dim(count), getDims(input)[0], Dim(heads / count),
                     Dim(input.getDimSize(2))});
}

LogicalResult MergeAttentionOp::verify() {
  RankedTensorType parts = getParts().getType();
  if (failed(verifyRank(*this, "parts", parts, 4)))
    return failure();
  SmallVector<Dim> dims = getDims(parts);
  if (!dims[3].isStatic() || dims[3].size < 2)
    return emitOpError("expected features and the logarithm of a weight, but "
                       "got ")
           << toString(dims[3]);
  return verifyDims(*this, "result", getType(),
                    {dims[1], dims[2], Dim(dims[3].size - 1)});
}

//===----------------------------------------------------------------------===//
// The weight of latent attention, on queries and results
//===----------------------------------------------------------------------===//

/// Checks a weight that makes keys and values of latents of `rank` for the
/// `heads` of an op whose types are all `elementType`.
static LogicalResult verifyWeight(Operation *op, RankedTensorType weight,
                                  int64_t heads, Type elementType) {
  if (failed(verifyRank(op, "weight", weight, 2)) ||
      failed(verifyElementType(op, "weight", weight.getElementType(),
                               elementType)))
    return failure();
  if (!weight.hasStaticShape() || weight.getDimSize(0) % heads != 0)
    return op->emitOpError("expected 'weight' with rows for ")
           << heads << " heads, but got " << weight;
  return success();
}

int64_t AbsorbQueryOp::getKeySize() {
  int64_t rank = getWeight().getType().getDimSize(1);
  int64_t rotated = getType().getDimSize(2) - rank;
  return getQuery().getType().getDimSize(2) - rotated;
}

LogicalResult AbsorbQueryOp::verify() {
  RankedTensorType query = getQuery().getType();
  RankedTensorType weight = getWeight().getType();
  Type element = query.getElementType();
  if (failed(verifyHeads(*this, "query", query)) ||
      failed(verifyHeads(*this, "result", getType())))
    return failure();
  int64_t heads = query.getDimSize(1);
  if (failed(verifyWeight(*this, weight, heads, element)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               element)) ||
      failed(verifyDims(
          *this, "result", getType(),
          {getDims(query)[0], Dim(heads), Dim(getType().getDimSize(2))})))
    return failure();
  int64_t rotated = getType().getDimSize(2) - weight.getDimSize(1);
  int64_t keySize = getKeySize();
  if (rotated < 0 || keySize < 1)
    return emitOpError("expected a result of latents of 'weight' and at most ")
           << query.getDimSize(2) - 1 << " rotated features, but got "
           << getType();
  int64_t rows = weight.getDimSize(0) / heads;
  if (keySize < rows)
    return success();
  return emitOpError("expected 'weight' with more than ")
         << keySize << " rows per head, for keys and values, but got " << rows;
}

LogicalResult ExpandValuesOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType weight = getWeight().getType();
  Type element = input.getElementType();
  if (failed(verifyHeads(*this, "input", input)) ||
      failed(verifyHeads(*this, "result", getType())))
    return failure();
  int64_t heads = input.getDimSize(1);
  if (failed(verifyWeight(*this, weight, heads, element)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               element)) ||
      failed(verifyDims(
          *this, "input", input,
          {getDims(input)[0], Dim(heads), Dim(weight.getDimSize(1))})) ||
      failed(verifyDims(
          *this, "result", getType(),
          {getDims(input)[0], Dim(heads), Dim(getType().getDimSize(2))})))
    return failure();
  int64_t rows = weight.getDimSize(0) / heads;
  if (getType().getDimSize(2) < rows)
    return success();
  return emitOpError("expected values of fewer than ")
         << rows << " features, the rows of 'weight' per head, but got "
         << getType().getDimSize(2);
}
