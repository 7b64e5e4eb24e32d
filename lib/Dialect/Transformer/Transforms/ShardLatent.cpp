//===- ShardLatent.cpp - Latent attention on part of the heads ------------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

/// Heads of queries are not repeated on devices.
static LogicalResult checkHeads(Operation *op, int64_t heads,
                                const ShardState &state) {
  int64_t count = state.plan.getSize(ShardGroup::Tensor);
  if (heads % count == 0)
    return success();
  return op->emitOpError("expected 'tp' to divide the ")
         << heads << " heads, but got " << count;
}

LogicalResult mlir::transformer::shardLatentProjection(LatentProjectionOp op,
                                                       ShardState &state) {
  RankedTensorType query = op.getQuery().getType();
  if (failed(checkHeads(op, query.getDimSize(1), state)))
    return failure();
  int64_t heads = op.getQueryUp().getType().getDimSize(0) / op.getHeadSize();
  state.retype(op.getQuery(), withDim(query, 1, Dim(heads)));
  return success();
}

LogicalResult mlir::transformer::shardLatentAttention(LatentAttentionOp op,
                                                      ShardState &state) {
  RankedTensorType result = op.getType();
  if (failed(checkHeads(op, result.getDimSize(1), state)))
    return failure();
  int64_t heads = getTensor(op.getQuery()).getDimSize(1);
  state.retype(op.getResult(), withDim(result, 1, Dim(heads)));
  return success();
}
