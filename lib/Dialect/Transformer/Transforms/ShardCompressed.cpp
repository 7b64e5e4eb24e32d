//===- ShardCompressed.cpp - Compressed attention on part of the heads ----===//
//
// Heads of queries, of the indexer and groups of the output projection are
// split; rows and caches, which all heads share, are not.
//
//===----------------------------------------------------------------------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

/// Heads, or groups, are not repeated on devices.
static LogicalResult checkDivides(Operation *op, int64_t count, StringRef what,
                                  const ShardState &state) {
  if (count % state.plan.tensor == 0)
    return success();
  return op->emitOpError("expected 'tp' to divide the ")
         << count << " " << what << ", but got " << state.plan.tensor;
}

LogicalResult mlir::transformer::shardWindowAttention(WindowAttentionOp op,
                                                      ShardState &state) {
  // The result is as the query was.
  int64_t heads = op.getType().getDimSize(1);
  if (failed(checkDivides(op, heads, "heads", state)))
    return failure();
  RankedTensorType query = getTensor(op.getQuery());
  state.retype(op.getResult(), query);
  if (query.getDimSize(1) == heads)
    return success();
  // Every device has all sinks, and reads those of its heads.
  RankedTensorType sink = op.getSink().getType();
  op.getSinkMutable().assign(OwnRowsOp::create(
      state.builder, op.getLoc(), withDim(sink, 0, Dim(query.getDimSize(1))),
      op.getSink(), state.exchanges.getRanks(state.plan.tensor), /*dim=*/0));
  return success();
}

/// Heads of a query before sharding, which rotations pass on.
static int64_t getOldHeads(Value query, const ShardState &state) {
  while (auto rotation = query.getDefiningOp<RotatePartOp>())
    query = rotation.getInput();
  return state.getOldTensor(query).getDimSize(1);
}

LogicalResult mlir::transformer::shardPickCompressed(PickCompressedOp op,
                                                     ShardState &state) {
  int64_t heads = getOldHeads(op.getQuery(), state);
  if (failed(checkDivides(op, heads, "heads of the indexer", state)))
    return failure();
  // The scores of all heads decide.
  if (getTensor(op.getQuery()).getDimSize(1) != heads)
    op.setRanksAttr(state.exchanges.getRanks(state.plan.tensor));
  return success();
}

LogicalResult mlir::transformer::shardGroupedProjection(GroupedProjectionOp op,
                                                        ShardState &state) {
  RankedTensorType before = state.getOldTensor(op.getInput());
  RankedTensorType weight = op.getWeight().getType();
  int64_t groups = before.getDimSize(1) / weight.getDimSize(1);
  if (failed(
          checkDivides(op, groups, "groups of the output projection", state)))
    return failure();
  state.retype(op.getResult(), withDim(op.getType(), 1, getDims(weight)[0]));
  return success();
}
