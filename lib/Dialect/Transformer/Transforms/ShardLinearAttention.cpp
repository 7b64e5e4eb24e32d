//===- ShardLinearAttention.cpp - Delta nets on part of the heads ---------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

LogicalResult mlir::transformer::shardState(StateOp op, ShardState &state) {
  ShardingAttr sharding = op.getShardingAttr();
  int64_t count = sharding ? state.plan.getSize(sharding.getGroup()) : 1;
  if (count == 1)
    return success();
  StateType type = op.getType();
  FailureOr<int64_t> part =
      getUnitsPart(op, type.getShape().front(), sharding.getUnit(), count);
  if (failed(part))
    return failure();
  state.retype(op.getResult(), type.withFirst(*part));
  return success();
}

LogicalResult mlir::transformer::shardDeltaGating(DeltaGatingOp op,
                                                  ShardState &state) {
  // A head's state is on one device, so that heads cannot be repeated.
  int64_t heads = state.getOldTensor(op.getQuery()).getDimSize(1);
  if (heads % state.plan.tensor != 0)
    return op.emitOpError("expected 'tp' to divide the ")
           << heads << " key heads of linear attention, but got "
           << state.plan.tensor;
  SmallVector<Type> types = DeltaGatingOp::getResultTypesFor(
      getTensor(op.getQuery()), getTensor(op.getStrength()));
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    state.retype(result, type);
  return success();
}

void mlir::transformer::keepLinearAttentionWhole(func::FuncOp function) {
  function.walk([](LinearAttentionOp op) {
    for (Value operand : op->getOperands()) {
      if (auto weight = operand.getDefiningOp<WeightOp>())
        weight.removeShardingAttr();
      if (auto declared = operand.getDefiningOp<StateOp>())
        declared.removeShardingAttr();
    }
  });
}
