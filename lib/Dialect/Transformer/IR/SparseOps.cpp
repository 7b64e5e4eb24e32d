//===- SparseOps.cpp - Attention over picked blocks -----------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsSparse.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// `expr` as a size: a number if the batch is bound.
static Dim getSize(BatchType batch, ExprAttr expr) {
  if (WorkloadAttr workload = batch.getWorkload())
    return Dim(static_cast<int64_t>(evaluate(expr, workload)));
  return Dim(expr);
}

/// The cached and new tokens of all requests.
static Dim getAllTokens(BatchType batch) {
  return getSize(batch,
                 sumOverRequests(getTotalTokensExpr(batch.getContext())));
}

//===----------------------------------------------------------------------===//
// Which blocks
//===----------------------------------------------------------------------===//

LogicalResult mlir::transformer::verifyBlocks(Operation *op, Value blocks,
                                              std::optional<int64_t> blockSize,
                                              const Dim &tokens,
                                              int64_t heads) {
  if (static_cast<bool>(blocks) != blockSize.has_value())
    return op->emitOpError("expected 'blocks' and 'block_size' together, but "
                           "got ")
           << (blocks ? "'blocks'" : "'block_size'") << " alone";
  if (!blocks)
    return success();
  if (*blockSize < 1)
    return op->emitOpError("expected 'block_size' of at least 1, but got ")
           << *blockSize;
  RankedTensorType type = getTensor(blocks);
  if (failed(verifyRank(op, "blocks", type, 3)))
    return failure();
  return verifyDims(op, "blocks", type, {tokens, Dim(heads), getDims(type)[2]});
}

/// Checks heads of index queries or keys, and rows of `cache` of their size.
static LogicalResult verifyIndexHeads(Operation *op, StringRef name,
                                      RankedTensorType type,
                                      KVCacheType cache) {
  if (failed(verifyRank(op, name, type, 3)))
    return failure();
  if (!cache.isShared())
    return op->emitOpError("expected a cache of one row per token, but got ")
           << cache;
  if (failed(verifyElementType(op, name, type.getElementType(),
                               cache.getElementType())))
    return failure();
  return verifyDims(
      op, name, type,
      {getDims(type)[0], getDims(type)[1], Dim(cache.getTokenSize())});
}

LogicalResult AppendIndexCacheOp::verify() {
  RankedTensorType key = getKey().getType();
  if (failed(verifyIndexHeads(*this, "key", key, getType())))
    return failure();
  return verifyDims(*this, "key", key,
                    {getDims(key)[0], Dim(1), getDims(key)[2]});
}

LogicalResult BlockIndexerOp::verify() {
  RankedTensorType query = getQuery().getType();
  if (failed(verifyIndexHeads(*this, "query", query, getCache().getType())))
    return failure();
  int64_t forced;
  if (llvm::AddOverflow(static_cast<int64_t>(getLocal()),
                        static_cast<int64_t>(getInitial()), forced) ||
      forced > static_cast<int64_t>(getTopK()))
    return emitOpError("expected 'top_k' of at least the ")
           << getLocal() << " local and " << getInitial()
           << " initial blocks, but got " << getTopK();
  return success();
}

LogicalResult BlockIndexerOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location>,
                                               BlockIndexerOp::Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  SmallVector<Dim> dims = getDims(getTensor(adaptor.getQuery()));
  // The verifier reports what does not fit.
  if (!dims.empty())
    dims.back() = Dim(static_cast<int64_t>(adaptor.getTopK()));
  types.push_back(getTensorType(dims, IntegerType::get(context, 64)));
  return success();
}

bool BlockIndexerOp::isLaunchedWhole() { return true; }

//===----------------------------------------------------------------------===//
// What attention is made of
//===----------------------------------------------------------------------===//

LogicalResult ReadCacheOp::verify() {
  if (!getValues() || !getCache().getType().isShared())
    return success();
  return emitOpError("expected a cache of keys and values by heads, but got ")
         << getCache().getType();
}

LogicalResult ReadCacheOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            ReadCacheOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto cache = cast<KVCacheType>(adaptor.getCache().getType());
  auto batch = cast<BatchType>(adaptor.getBatch().getType());
  int64_t heads = 1, size = cache.getTokenSize();
  if (!cache.isShared()) {
    heads = cache.getNumHeads();
    size = adaptor.getValues() ? cache.getValueSize() : cache.getHeadSize();
  }
  types.push_back(getTensorType({getAllTokens(batch), Dim(heads), Dim(size)},
                                cache.getElementType()));
  return success();
}

/// Checks that `heads` query heads share `groups` heads of keys or values.
static LogicalResult checkGroups(std::optional<Location> loc, const Dim &heads,
                                 const Dim &groups) {
  if (heads.isStatic() && groups.isStatic() && groups.size > 0 &&
      heads.size % groups.size == 0)
    return success();
  return emitOptionalError(loc,
                           "expected heads that are a multiple of those "
                           "of keys and values, but got ",
                           toString(heads), " and ", toString(groups));
}

/// Checks the ranks of two operands.
static LogicalResult checkRanks(std::optional<Location> loc,
                                RankedTensorType lhs, RankedTensorType rhs) {
  if (lhs.getRank() == 3 && rhs.getRank() == 3)
    return success();
  return emitOptionalError(loc, "expected tensors of rank 3, but got ", lhs,
                           " and ", rhs);
}

LogicalResult HeadScoresOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             HeadScoresOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType query = getTensor(adaptor.getQuery());
  RankedTensorType key = getTensor(adaptor.getKey());
  if (failed(checkRanks(loc, query, key)))
    return failure();
  SmallVector<Dim> left = getDims(query), right = getDims(key);
  if (failed(checkGroups(loc, left[1], right[1])))
    return failure();
  if (!mayBeEqual(left[2], right[2]))
    return emitOptionalError(loc, "expected heads of one size, but got ",
                             toString(left[2]), " and ", toString(right[2]));
  Type element = query.getElementType();
  if (!element.isF64())
    element = Float32Type::get(context);
  types.push_back(getTensorType({left[0], left[1], right[0]}, element));
  return success();
}

LogicalResult HeadMixOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          HeadMixOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType weights = getTensor(adaptor.getWeights());
  RankedTensorType value = getTensor(adaptor.getValue());
  if (failed(checkRanks(loc, weights, value)))
    return failure();
  SmallVector<Dim> left = getDims(weights), right = getDims(value);
  if (failed(checkGroups(loc, left[1], right[1])))
    return failure();
  if (!mayBeEqual(left[2], right[0]))
    return emitOptionalError(loc, "expected a weight for each value, but got ",
                             toString(left[2]), " and ", toString(right[0]));
  types.push_back(
      getTensorType({left[0], left[1], right[2]}, value.getElementType()));
  return success();
}

/// Checks scores of tokens by heads by all cached tokens.
static LogicalResult verifyScores(Operation *op, RankedTensorType scores,
                                  BatchType batch) {
  if (failed(verifyRank(op, "scores", scores, 3)))
    return failure();
  return verifyDims(
      op, "scores", scores,
      {getDims(scores)[0], getDims(scores)[1], getAllTokens(batch)});
}

LogicalResult MaskScoresOp::verify() {
  RankedTensorType scores = getScores().getType();
  if (failed(verifyScores(*this, scores, getBatch().getType())))
    return failure();
  if (getWindow() && *getWindow() < 1)
    return emitOpError("expected a 'window' of at least 1 token, but got ")
           << *getWindow();
  int64_t heads = scores.getDimSize(1);
  int64_t groups = heads;
  if (getBlocks() && getTensor(getBlocks()).getRank() == 3) {
    groups = getTensor(getBlocks()).getDimSize(1);
    if (ShapedType::isDynamic(groups) || ShapedType::isDynamic(heads) ||
        groups < 1 || heads % groups != 0)
      return emitOpError("expected heads that are a multiple of those of "
                         "'blocks', but got ")
             << scores << " and " << getBlocks().getType();
  }
  return verifyBlocks(*this, getBlocks(), getBlockSize(), getDims(scores)[0],
                      groups);
}

LogicalResult PoolScoresOp::verify() {
  return verifyScores(*this, getScores().getType(), getBatch().getType());
}

LogicalResult PoolScoresOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>,
                                             PoolScoresOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType scores = getTensor(adaptor.getScores());
  auto number = [&](uint64_t value) {
    return ExprAttr::constant(context, static_cast<double>(value));
  };
  ExprAttr blocks = getFunctionExpr(
      ExprKind::CeilDiv, {maxOverRequests(getTotalTokensExpr(context)),
                          number(adaptor.getBlockSize())});
  blocks =
      getFunctionExpr(ExprKind::Max, {blocks, number(adaptor.getColumns())});
  SmallVector<Dim> dims = getDims(scores);
  // The verifier reports what does not fit.
  if (!dims.empty())
    dims.back() =
        getSize(cast<BatchType>(adaptor.getBatch().getType()), blocks);
  types.push_back(getTensorType(dims, scores.getElementType()));
  return success();
}
