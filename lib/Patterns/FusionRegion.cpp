//===- FusionRegion.cpp - Which ops may become one kernel -----------------===//

#include "tensorcast/Patterns/FusionRegion.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Why `op` cannot be part of a kernel.
static std::optional<std::string> findObstacle(Operation *op) {
  if (isa_and_nonnull<FusedOp>(op->getParentOp()))
    return "'" + op->getName().getStringRef().str() + "' is fused already";
  if (isa<KVCacheOp, LayerOp, StageOp, StateOp, WeightOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return "'" + op->getName().getStringRef().str() +
           "' computes nothing that a kernel could";
  return std::nullopt;
}

std::optional<std::string>
mlir::tensorcast::findFusionRegion(ArrayRef<Operation *> ops,
                                   FusionRegion &region) {
  llvm::SmallSetVector<Operation *, 8> set;
  for (Operation *op : ops) {
    if (!op)
      return std::string("a value to fuse is no result of an op");
    if (std::optional<std::string> obstacle = findObstacle(op))
      return obstacle;
    if (op->getBlock() != ops.front()->getBlock())
      return std::string("the ops are in different blocks");
    set.insert(op);
  }
  region.ops = set.takeVector();
  llvm::sort(region.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  // Ops in between that need a result move behind the kernel, unless the kernel
  // needs what they make.
  llvm::SmallPtrSet<Operation *, 8> members(region.ops.begin(),
                                            region.ops.end());
  llvm::SmallPtrSet<Operation *, 8> dependent;
  auto needs = [](Operation *op, auto &definitions) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return definitions.contains(operand.getDefiningOp());
    });
  };
  Operation *last = region.ops.back();
  for (Operation *op = region.ops.front(); op != last->getNextNode();
       op = op->getNextNode()) {
    if (members.contains(op)) {
      if (needs(op, dependent))
        return "'" + op->getName().getStringRef().str() +
               "' needs the result of an op outside, which needs that of "
               "another op to fuse";
      continue;
    }
    if (!needs(op, members) && !needs(op, dependent))
      continue;
    dependent.insert(op);
    region.later.push_back(op);
  }

  llvm::SmallSetVector<Value, 8> inputs;
  for (Operation *op : region.ops) {
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        region.results.push_back(result);
  }
  region.inputs = inputs.takeVector();
  return std::nullopt;
}
