//===- ShardStorage.cpp - What a device holds of weights and caches -------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

FailureOr<int64_t> mlir::transformer::getUnitsPart(Operation *op, int64_t size,
                                                   int64_t unit,
                                                   int64_t count) {
  if (unit == 1)
    return llvm::divideCeil(size, count);
  if (size % unit != 0)
    return op->emitOpError("expected a multiple of ")
           << unit << " to split, but got " << size;
  int64_t units = size / unit;
  if (units % count != 0 && count % units != 0)
    return op->emitOpError("expected ")
           << count << " devices to divide the " << units
           << " heads or be divided by them";
  return std::max<int64_t>(units / count, 1) * unit;
}

LogicalResult mlir::transformer::shardWeight(WeightOp weight,
                                             ShardState &state) {
  ShardingAttr sharding = weight.getShardingAttr();
  int64_t count = sharding ? state.plan.getSize(sharding.getGroup()) : 1;
  RankedTensorType type = weight.getType();
  int64_t dim = sharding && sharding.getKind() == ShardKind::Row ? 1 : 0;
  // The matrices and biases of experts are in stacks, of which each device has
  // a part.
  if (sharding && sharding.getGroup() == ShardGroup::Expert &&
      state.placement && type.getRank() >= 2) {
    type = withDim(type, 0, Dim(state.placement.getNumLocal()));
    weight.getResult().setType(type);
    ++dim;
    // Rows meet in a sum, to which one device adds the bias.
    if (dim >= type.getRank())
      return success();
  }
  if (count == 1)
    return success();
  if (dim >= type.getRank())
    return weight.emitOpError("expected rows to split, but got ") << type;
  FailureOr<int64_t> part =
      getUnitsPart(weight, type.getDimSize(dim), sharding.getUnit(), count);
  if (failed(part))
    return failure();
  weight.getResult().setType(withDim(type, dim, Dim(*part)));
  return success();
}

LogicalResult mlir::transformer::shardCache(KVCacheOp cache,
                                            ShardState &state) {
  KVCacheType type = cache.getType();
  int64_t context = state.plan.context;
  // Each device needs all of what the heads share.
  if (type.isShared()) {
    cache.getResult().setType(type.withShare(context, /*first=*/0));
    return success();
  }
  // Devices that share tokens keep the heads of all of them.
  int64_t groups =
      std::max<int64_t>(state.plan.getSize(ShardGroup::Tensor) / context, 1);
  if (context > 1 && type.getNumHeads() < groups)
    return cache.emitOpError("expected at least 'tp' / 'dcp' = ")
           << groups << " heads, of which " << context
           << " devices each share the tokens, but got " << type.getNumHeads();
  FailureOr<int64_t> heads =
      getUnitsPart(cache, type.getNumHeads() * type.getHeadSize(),
                   type.getHeadSize(), groups);
  if (failed(heads))
    return failure();
  cache.getResult().setType(
      type.withHeads(*heads / type.getHeadSize()).withShare(context, 0));
  return success();
}
