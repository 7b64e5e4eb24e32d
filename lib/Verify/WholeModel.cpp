//===- WholeModel.cpp - What ranks have parts of --------------------------===//

#include "RankParts.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

bool tensorcast::isStackOfExperts(WeightOp weight) {
  ShardingAttr sharding = weight.getShardingAttr();
  return sharding && sharding.getGroup() == ShardGroup::Expert &&
         weight.getType().getRank() == 3;
}

void WholeModel::add(ArrayRef<ArgumentInfo> arguments) {
  for (const ArgumentInfo &info : arguments)
    if (info.isDeclared)
      shapes[info.name] = SmallVector<int64_t>(info.type.getShape());
}

void WholeModel::add(ModuleOp module) {
  module.walk([&](WeightOp weight) {
    auto users = weight->getUsers();
    if (llvm::any_of(users, llvm::IsaPred<EmbeddingOp>) &&
        llvm::any_of(users, llvm::IsaPred<LinearOp>))
      tiedTable = weight.getName().str();
  });
}

/// How often `weight` fits into the whole, and where it is cut; 1 if devices
/// have copies of it.
static std::pair<int64_t, int64_t> getSplit(WeightOp weight, PlanAttr plan) {
  // The matrices of a stack are behind its first dimension.
  int64_t first = isStackOfExperts(weight) ? 1 : 0;
  if (ShardingAttr sharding = weight.getShardingAttr())
    return {plan.getGroupSize(sharding.getGroup()),
            first + (sharding.getKind() == ShardKind::Column ? 0 : 1)};
  bool isPart = llvm::any_of(weight->getUsers(), [](Operation *user) {
    return user->hasAttr("first_row");
  });
  return {isPart ? plan.getTensorParallel() : 1, 0};
}

void WholeModel::addParts(ModuleOp module) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  module.walk([&](WeightOp weight) {
    SmallVector<int64_t> shape(weight.getType().getShape());
    auto [count, dim] = getSplit(weight, plan);
    bool isCopy = count == 1 || dim >= static_cast<int64_t>(shape.size());
    if (!isCopy)
      shape[dim] *= count;
    if (isStackOfExperts(weight) && plan.getExpertParallel() > 1) {
      shape[0] *= plan.getExpertParallel();
      isCopy = false;
    }
    // A device may have a part for one use, and all of it for another.
    if (isCopy || !this->shapes.count(weight.getName()))
      this->shapes[weight.getName()] = shape;
  });
  module.walk([&](StateOp state) {
    bool isSplit = static_cast<bool>(state.getShardingAttr());
    for (Operation *user : state->getUsers())
      for (Type operand : user->getOperandTypes())
        if (auto batch = dyn_cast<BatchType>(operand)) {
          SmallVector<int64_t> &shape = this->shapes[state.getName()];
          shape = {batch.getWorkload().getRequests()};
          llvm::append_range(shape, state.getType().getShape());
          shape[1] *= isSplit ? plan.getTensorParallel() : 1;
        }
  });
  module.walk([&](KVCacheOp cache) {
    KVCacheType type = cache.getType();
    for (Operation *user : cache->getUsers())
      if (type.isShared()) {
        for (Type operand : user->getOperandTypes())
          if (auto batch = dyn_cast<BatchType>(operand))
            this->shapes[cache.getName()] = {
                batch.getWorkload().getRequests(),
                batch.getWorkload().getTotalTokens(), type.getTokenSize()};
      } else if (auto append = dyn_cast<AppendCacheOp>(user)) {
        WorkloadAttr workload = append.getBatch().getType().getWorkload();
        this->shapes[cache.getName()] = {
            workload.getRequests(), workload.getTotalTokens(), 2,
            type.getNumHeads() * plan.getTensorParallel() / type.getShare(),
            type.getStoredShape().back()};
      }
  });
}
