//===- ShardVision.cpp - A vision tower on part of the heads --------------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

/// Whether `value` is what one layer makes with weights side by side, each of
/// which is split.
static bool isOfJoinedWeights(Value value) {
  auto linear = value.getDefiningOp<LinearOp>();
  return linear && linear.getWeight().getDefiningOp<ConcatWeightsOp>();
}

LogicalResult mlir::transformer::shardSlice(SliceOp slice, ShardState &state) {
  Value input = slice.getInput();
  if (!isOfJoinedWeights(input))
    return success();
  int64_t before = state.getOldTensor(input).getShape().back();
  int64_t after = getTensor(input).getShape().back();
  if (before == after)
    return success();
  // Offsets and sizes are whole parts, and parts shrink alike.
  int64_t offset = static_cast<int64_t>(slice.getOffset());
  int64_t size = static_cast<int64_t>(slice.getSize());
  if (before % after != 0 || offset % (before / after) != 0 ||
      size % (before / after) != 0)
    return slice.emitOpError("expected parts of ")
           << before << " features that shrink to " << after
           << " alike, but got " << size << " from " << offset;
  slice.setOffset(offset / (before / after));
  slice.setSize(size / (before / after));
  return success();
}

LogicalResult mlir::transformer::shardImageAttention(ImageAttentionOp attention,
                                                     const ShardState &state) {
  int64_t heads = state.getOldTensor(attention.getQuery()).getDimSize(1);
  if (heads % state.plan.vision == 0)
    return success();
  return attention.emitOpError("expected 'vision-tp' to divide the ")
         << heads << " heads, but got " << state.plan.vision;
}
