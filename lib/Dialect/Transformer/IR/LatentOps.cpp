//===- LatentOps.cpp - Latent attention -----------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "Checks.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLatent.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Sums and products of sizes; the largest number where they pass it, which no
/// size is.
static int64_t addSizes(int64_t lhs, int64_t rhs) {
  int64_t sum;
  return llvm::AddOverflow(lhs, rhs, sum) ? INT64_MAX : sum;
}
static int64_t multiplySizes(int64_t lhs, int64_t rhs) {
  int64_t product;
  return llvm::MulOverflow(lhs, rhs, product) ? INT64_MAX : product;
}

/// Checks tensors that a kernel reads or writes as they are: dimensions, and
/// the element type.
static LogicalResult verifyTensor(Operation *op, StringRef name, Value value,
                                  ArrayRef<Dim> dims, Type elementType) {
  if (failed(verifyDims(op, name, getTensor(value), dims)))
    return failure();
  if (!elementType)
    return success();
  return verifyElementType(op, name, getTensor(value).getElementType(),
                           elementType);
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// Checks what both forms share; `weightType` is null where weights are
/// quantized, of any type.
template <typename ProjectionOp>
static LogicalResult verifyProjection(ProjectionOp op, Type weightType) {
  RankedTensorType input = op.getInput().getType();
  RankedTensorType down = op.getQueryDown().getType();
  RankedTensorType up = op.getQueryUp().getType();
  RankedTensorType latentDown = op.getLatentDown().getType();
  for (auto [name, type] : {std::pair("input", input),
                            {"query_down", down},
                            {"query_up", up},
                            {"latent_down", latentDown}})
    if (failed(verifyRank(op, name, type, 2)))
      return failure();
  int64_t width = op.getTable().getType().getWidth();
  int64_t headSize = op.getHeadSize();
  if (headSize < width)
    return op.emitOpError("expected a 'head_size' of at least ")
           << width << ", the table's width, but got " << headSize;
  Dim tokens = getDims(input)[0], features = getDims(input)[1];
  Dim rank = getDims(down)[0], wide = getDims(up)[0];
  Dim latent = getDims(latentDown)[0];
  if (!wide.isStatic() || wide.size % headSize != 0)
    return op.emitOpError("expected 'query_up' to have rows for heads of ")
           << headSize << ", but got " << toString(wide);
  if (!latent.isStatic() || latent.size <= width)
    return op.emitOpError("expected 'latent_down' to have more than ")
           << width << " rows, the table's width, but got " << toString(latent);
  Dim latentRank(latent.size - width);
  Type element = input.getElementType();
  if (failed(verifyElementType(
          op, "table", op.getTable().getType().getElementType(), element)) ||
      failed(verifyTensor(op, "query_down", op.getQueryDown(), {rank, features},
                          weightType)) ||
      failed(
          verifyTensor(op, "query_norm", op.getQueryNorm(), {rank}, element)) ||
      failed(verifyTensor(op, "query_up", op.getQueryUp(), {wide, rank},
                          weightType)) ||
      failed(verifyTensor(op, "latent_down", op.getLatentDown(),
                          {latent, features}, weightType)) ||
      failed(verifyTensor(op, "latent_norm", op.getLatentNorm(), {latentRank},
                          element)) ||
      failed(verifyTensor(op, "query", op.getQuery(),
                          {tokens, Dim(wide.size / headSize), Dim(headSize)},
                          element)) ||
      failed(verifyTensor(op, "latent", op.getLatent(), {tokens, latentRank},
                          element)) ||
      failed(verifyTensor(op, "rope_key", op.getRopeKey(), {tokens, Dim(width)},
                          element)) ||
      failed(verifyTensor(op, "query_latent", op.getQueryLatent(),
                          {tokens, rank}, element)))
    return failure();
  return verifyPositive(op, "eps", op.getEps());
}

LogicalResult LatentProjectionOp::verify() {
  return verifyProjection(*this, getInput().getType().getElementType());
}

LogicalResult QuantizedLatentProjectionOp::verify() {
  if (failed(verifyProjection(*this, /*weightType=*/{})))
    return failure();
  std::tuple<StringRef, RankedTensorType, RankedTensorType> weights[] = {
      {"scale of 'query_down'", getQueryDown().getType(),
       getQueryDownScale().getType()},
      {"scale of 'query_up'", getQueryUp().getType(),
       getQueryUpScale().getType()},
      {"scale of 'latent_down'", getLatentDown().getType(),
       getLatentDownScale().getType()}};
  for (auto [name, weight, scale] : weights)
    if (failed(verifyScale(*this, name, weight, scale, getGroupSize())))
      return failure();
  if (!getInputScale())
    return success();
  if (!getActivation())
    return emitOpError("expected no 'input_scales' where only weights are "
                       "quantized, but got some");
  if (getGroupSize())
    return emitOpError("expected no 'input_scales' beside 'group_size', as "
                       "scales of groups are found on the way");
  return success();
}

//===----------------------------------------------------------------------===//
// Attention over a cache
//===----------------------------------------------------------------------===//

/// Checks that a token has one row of `size` in `cache`, of any size if absent.
static LogicalResult verifyRows(Operation *op, KVCacheType cache,
                                std::optional<int64_t> size) {
  if (!cache.isShared())
    return op->emitOpError("expected a cache of one row per token, but got ")
           << cache;
  if (size && cache.getTokenSize() != *size)
    return op->emitOpError("expected a cache of rows of ")
           << *size << ", but got " << cache;
  return success();
}

/// Checks that `cache` holds all tokens.
static LogicalResult verifyWhole(Operation *op, KVCacheType cache) {
  if (cache.getShare() == 1)
    return success();
  return op->emitOpError("expected a cache of all tokens, but got ") << cache;
}

LogicalResult AppendLatentCacheOp::verify() {
  RankedTensorType latent = getTensor(getLatent()),
                   key = getTensor(getRopeKey());
  Type element = getType().getElementType();
  if (failed(verifyRank(*this, "latent", latent, 2)) ||
      failed(verifyTensor(*this, "rope_key", getRopeKey(),
                          {getDims(latent)[0], getDims(key).back()},
                          element)) ||
      failed(
          verifyElementType(*this, "latent", latent.getElementType(), element)))
    return failure();
  if (!getDims(latent)[1].isStatic() || !getDims(key)[1].isStatic())
    return emitOpError("expected features of known number, but got ")
           << latent << " and " << key;
  return verifyRows(*this, getType(),
                    addSizes(latent.getDimSize(1), key.getDimSize(1)));
}

template <typename AttentionLikeOp>
static LogicalResult verifyLatentAttention(AttentionLikeOp op) {
  RankedTensorType query = getTensor(op.getQuery()), result = op.getType();
  RankedTensorType weight = getTensor(op.getWeight());
  KVCacheType cache = op.getCache().getType();
  if (failed(verifyRows(op, cache, std::nullopt)) ||
      failed(verifyWhole(op, cache)) ||
      failed(verifyRank(op, "query", query, 3)) ||
      failed(verifyRank(op, "weight", weight, 2)) ||
      failed(verifyRank(op, "result", result, 3)) ||
      failed(verifyElementType(op, "query", query.getElementType(),
                               cache.getElementType())) ||
      failed(verifyElementType(op, "weight", weight.getElementType(),
                               cache.getElementType())))
    return failure();
  for (auto [name, type] : {std::pair("query", query), {"result", result}})
    if (ShapedType::isDynamic(type.getDimSize(1)) ||
        ShapedType::isDynamic(type.getDimSize(2)))
      return op.emitOpError(
                 "expected heads of known number and size, but got '")
             << name << "' of " << type;
  int64_t heads = query.getDimSize(1), valueSize = result.getDimSize(2);
  int64_t rank = weight.getDimSize(1);
  int64_t width = cache.getTokenSize() - rank;
  int64_t rest = query.getDimSize(2) - width;
  if (ShapedType::isDynamic(rank) || width < 1 || rest < 0)
    return op.emitOpError("expected cached rows of a latent of 'weight' and a "
                          "rotated key of at most ")
           << query.getDimSize(2) << " features, but got " << cache << " and "
           << weight;
  if (failed(verifyDims(
          op, "weight", weight,
          {Dim(multiplySizes(heads, addSizes(rest, valueSize))), Dim(rank)})) ||
      failed(verifyDims(op, "result", result,
                        {getDims(query)[0], Dim(heads), Dim(valueSize)})))
    return failure();
  if (op.getIndices()) {
    RankedTensorType indices = getTensor(op.getIndices());
    if (failed(verifyRank(op, "indices", indices, 2)) ||
        failed(verifyDims(op, "indices", indices,
                          {getDims(query)[0], getDims(indices)[1]})))
      return failure();
  }
  return verifyPositive(op, "scale", op.getScale());
}

LogicalResult LatentAttentionOp::verify() {
  if (failed(verifyLatentAttention(*this)))
    return failure();
  return verifyElementType(*this, "result", getType().getElementType(),
                           getTensor(getQuery()).getElementType());
}

LogicalResult QuantizedLatentAttentionOp::verify() {
  return verifyLatentAttention(*this);
}

//===----------------------------------------------------------------------===//
// Which tokens
//===----------------------------------------------------------------------===//

ExprAttr LightningIndexerOp::getNumPicked(MLIRContext *context, int64_t topK) {
  return getFunctionExpr(
      ExprKind::Min, {ExprAttr::constant(context, static_cast<double>(topK)),
                      maxOverRequests(getTotalTokensExpr(context))});
}

LogicalResult LightningIndexerOp::verify() {
  RankedTensorType input = getInput().getType(), key = getTensor(getKeyDown());
  RankedTensorType queryLatent = getQueryLatent().getType();
  RankedTensorType headWeights = getTensor(getHeadWeights());
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "query_latent", queryLatent, 2)) ||
      failed(verifyRank(*this, "key", key, 2)) ||
      failed(verifyRank(*this, "head_weights", headWeights, 2)))
    return failure();
  int64_t size = key.getDimSize(0), heads = headWeights.getDimSize(0);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(heads))
    return emitOpError("expected heads of known number and size, but got ")
           << key << " and " << headWeights;
  int64_t width = getTable().getType().getWidth();
  if (size < width)
    return emitOpError("expected keys of at least ")
           << width << " features, the table's width, but got " << size;
  Dim tokens = getDims(input)[0], features = getDims(input)[1];
  Type element = input.getElementType();
  auto weightType = [&](Value weight, Value scale) {
    return scale ? getTensor(weight).getElementType() : element;
  };
  WorkloadAttr workload = getBatch().getType().getWorkload();
  ExprAttr picked = getNumPicked(getContext(), getTopK());
  Dim count = workload ? Dim(static_cast<int64_t>(evaluate(picked, workload)))
                       : Dim(picked);
  if (failed(verifyTensor(*this, "query_latent", getQueryLatent(),
                          {tokens, getDims(queryLatent)[1]}, element)) ||
      failed(verifyTensor(
          *this, "query", getQueryUp(),
          {Dim(multiplySizes(heads, size)), getDims(queryLatent)[1]},
          weightType(getQueryUp(), getQueryUpScale()))) ||
      failed(verifyTensor(*this, "key", getKeyDown(), {Dim(size), features},
                          weightType(getKeyDown(), getKeyDownScale()))) ||
      failed(verifyTensor(
          *this, "head_weights", getHeadWeights(), {Dim(heads), features},
          weightType(getHeadWeights(), getHeadWeightsScale()))) ||
      failed(verifyTensor(*this, "norm weight", getNormWeight(), {Dim(size)},
                          element)) ||
      failed(verifyTensor(*this, "norm bias", getNormBias(), {Dim(size)},
                          element)) ||
      failed(
          verifyTensor(*this, "indices", getIndices(), {tokens, count}, {})) ||
      failed(verifyRows(*this, getCache().getType(), size)) ||
      failed(verifyWhole(*this, getCache().getType())))
    return failure();
  std::tuple<StringRef, Value, Value> weights[] = {
      {"scale of 'query'", getQueryUp(), getQueryUpScale()},
      {"scale of 'key'", getKeyDown(), getKeyDownScale()},
      {"scale of 'head_weights'", getHeadWeights(), getHeadWeightsScale()}};
  for (auto [name, weight, scale] : weights)
    if (scale && failed(verifyScale(*this, name, getTensor(weight),
                                    getTensor(scale), getGroupSize())))
      return failure();
  return verifyPositive(*this, "eps", getEps());
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

LogicalResult LoadWeightOp::verify() {
  RankedTensorType weight = getWeight().getType();
  if (failed(verifyScale(*this, "scale", weight, getScale().getType(),
                         getGroupSize())))
    return failure();
  RankedTensorType expected =
      withElementType(weight, getType().getElementType());
  if (getType() != expected)
    return emitOpError("expected a result of ")
           << expected << ", the weight's sizes, but got " << getType();
  bool isNarrow = getType().getElementTypeBitWidth() <= 8;
  if (isNarrow == static_cast<bool>(getResultScale()))
    return success();
  return emitOpError(isNarrow ? "expected a 'result_scale' for a result of "
                              : "expected no 'result_scale' for a result of ")
         << getType().getElementType() << ", but got "
         << (isNarrow ? "none" : "one");
}
