//===- JoinStages.cpp - Dissolve the stages of a pipeline -----------------===//

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERJOINSTAGES
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

static LogicalResult checkCallee(StageOp stage, func::FuncOp callee) {
  if (!callee.getBody().hasOneBlock())
    return stage.emitOpError("expected a function of one block to join, but @")
           << callee.getName() << " has "
           << callee.getBody().getBlocks().size();
  if (callee.walk([](StageOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return stage.emitOpError("expected stages that run no stages, but @")
           << callee.getName() << " does";
  return success();
}

static void inlineStage(StageOp stage, func::FuncOp callee) {
  Block &body = callee.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), stage.getInputs());
  OpBuilder builder(stage);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(stage.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  stage.erase();
}

/// Weights of one name are one weight.
static void mergeWeights(func::FuncOp function) {
  llvm::DenseMap<std::pair<Attribute, Type>, WeightOp> known;
  for (auto weight : llvm::make_early_inc_range(function.getOps<WeightOp>())) {
    auto [first, isNew] =
        known.try_emplace({weight.getNameAttr(), weight.getType()}, weight);
    if (isNew || first->second.getShardingAttr() != weight.getShardingAttr())
      continue;
    weight.replaceAllUsesWith(first->second.getResult());
    weight.erase();
  }
}

/// Numbers the devices of one stage without gaps. Only the copies of a
/// tensor-parallel group that gather tokens are apart by those of other stages:
/// where experts are spread over devices, no copies do.
static void closeGaps(ModuleOp module, PlanAttr plan) {
  int64_t tensor = plan.getTensorParallel();
  int64_t step = tensor * plan.getPipelineParallel();
  if (plan.getExpertParallel() > 1)
    return;
  module.walk([&](Operation *op) {
    auto ranks = op->getAttrOfType<RanksAttr>("ranks");
    if (ranks && ranks.getStep() == step)
      op->setAttr("ranks",
                  RanksAttr::get(op->getContext(), ranks.getCount(), tensor));
  });
}

/// Makes the plan that of one stage's devices.
static void leaveOneStage(ModuleOp module) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  if (!plan || plan.getPipelineParallel() == 1)
    return;
  closeGaps(module, plan);
  if (plan.getStageDevices() == 1) {
    module->removeAttr(kPlanAttrName);
    return;
  }
  module->setAttr(kPlanAttrName,
                  PlanAttr::get(module.getContext(), plan.getStageDevices(),
                                plan.getDataParallel(), plan.getOutput(),
                                plan.getMlp(), plan.getHead(),
                                plan.getExpertParallel(),
                                plan.getExpertTensor(), plan.getSharedExpert(),
                                /*pipeline_parallel=*/1, plan.getVision()));
}

LogicalResult mlir::transformer::joinStages(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<StageOp> stages;
  llvm::SetVector<func::FuncOp> callees, callers;
  WalkResult found = module.walk([&](StageOp stage) {
    auto caller = dyn_cast<func::FuncOp>(stage->getParentOp());
    if (!caller || caller->getParentOp() != module) {
      stage.emitOpError("expected to be in a function of the outermost module");
      return WalkResult::interrupt();
    }
    stages.push_back(stage);
    callers.insert(caller);
    auto callee = symbols.lookup<func::FuncOp>(stage.getCallee());
    callees.insert(callee);
    return failed(checkCallee(stage, callee)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
  });
  if (found.wasInterrupted())
    return failure();
  for (StageOp stage : stages)
    inlineStage(stage, symbols.lookup<func::FuncOp>(stage.getCallee()));
  module.walk([](SendReceiveOp transfer) {
    transfer.replaceAllUsesWith(transfer.getInput());
    transfer.erase();
  });
  for (func::FuncOp caller : callers)
    mergeWeights(caller);
  for (func::FuncOp callee : callees)
    if (callee.isPrivate() && SymbolTable::symbolKnownUseEmpty(callee, module))
      callee.erase();
  leaveOneStage(module);
  return success();
}

namespace {
class TransformerJoinStagesPass
    : public transformer::impl::TransformerJoinStagesBase<
          TransformerJoinStagesPass> {
public:
  void runOnOperation() override {
    if (failed(joinStages(getOperation())))
      signalPassFailure();
  }
};
} // namespace
