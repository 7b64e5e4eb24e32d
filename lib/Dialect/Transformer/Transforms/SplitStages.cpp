//===- SplitStages.cpp - Cut a model into stages --------------------------===//
//
// The function that calls the layers becomes one that calls stages, each a
// function with its share of the ops. What a stage needs of an earlier one is
// sent from stage to stage in between.
//
//===----------------------------------------------------------------------===//

#include "StagePlan.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERSPLITSTAGES
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// The ops of one stage and what it exchanges with others.
struct Stage {
  SmallVector<Operation *> ops;
  /// Arguments of the model, and values of earlier stages.
  llvm::SetVector<Value> inputs;
  /// Values that later stages or the model's caller need.
  SmallVector<Value> outputs;
};

/// Rewrites the function that calls the layers.
class StageSplitter {
public:
  StageSplitter(const StagePlan &plan, int64_t step, SymbolTable &symbols)
      : plan(plan), step(step), symbols(symbols), function(plan.getFunction()),
        body(function.getBody().front()), builder(body.getTerminator()) {}

  void run() {
    SmallVector<Operation *> old;
    for (Operation &op : body.without_terminator())
      old.push_back(&op);
    for (int64_t index = 0; index < plan.getNumStages(); ++index)
      stages.push_back(describe(index));
    for (int64_t index = 0; index < plan.getNumStages(); ++index) {
      call(index);
      if (index + 1 < plan.getNumStages())
        sendOn(index);
    }
    for (OpOperand &operand : body.getTerminator()->getOpOperands())
      operand.set(getCurrent(operand.get()));
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  Stage describe(int64_t index) {
    Stage stage;
    for (Operation &op : body.without_terminator()) {
      if (!plan.runs(index, &op))
        continue;
      stage.ops.push_back(&op);
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentBlock() == &body && !makes(index, operand))
            stage.inputs.insert(operand);
      });
      if (plan.getHome(&op) == index)
        for (Value result : op.getResults())
          if (llvm::any_of(result.getUsers(), [&](Operation *user) {
                return isNeededElsewhere(&op, user);
              }))
            stage.outputs.push_back(result);
    }
    return stage;
  }

  /// Whether the stage itself makes `value`.
  bool makes(int64_t index, Value value) const {
    Operation *op = value.getDefiningOp();
    return op && plan.runs(index, op);
  }

  /// Whether `user` is where `op` is not, in another stage or the caller.
  bool isNeededElsewhere(Operation *op, Operation *user) const {
    user = body.findAncestorOpInBlock(*user);
    return user == body.getTerminator() || plan.isSent(op, user);
  }

  func::FuncOp outline(int64_t index) {
    const Stage &stage = stages[index];
    auto types = [](auto values) {
      return llvm::map_to_vector(values,
                                 [](Value value) { return value.getType(); });
    };
    auto type = builder.getFunctionType(types(stage.inputs.getArrayRef()),
                                        types(ArrayRef(stage.outputs)));
    auto outlined = func::FuncOp::create(
        function.getLoc(), "stage_" + std::to_string(index), type);
    outlined.setPrivate();
    // What is told about the model is told about its stages.
    outlined->setDiscardableAttrs(function->getDiscardableAttrDictionary());
    symbols.insert(outlined, function->getIterator());
    OpBuilder inner = OpBuilder::atBlockBegin(outlined.addEntryBlock());
    IRMapping mapping;
    mapping.map(stage.inputs.getArrayRef(), outlined.getArguments());
    for (Operation *op : stage.ops)
      inner.clone(*op, mapping);
    func::ReturnOp::create(inner, function.getLoc(),
                           llvm::map_to_vector(stage.outputs, [&](Value value) {
                             return mapping.lookup(value);
                           }));
    return outlined;
  }

  void call(int64_t index) {
    const Stage &stage = stages[index];
    func::FuncOp outlined = outline(index);
    auto op = StageOp::create(
        builder, NameLoc::get(outlined.getSymNameAttr()),
        outlined.getResultTypes(), FlatSymbolRefAttr::get(outlined),
        llvm::map_to_vector(stage.inputs,
                            [&](Value value) { return getCurrent(value); }));
    for (auto [value, result] : llvm::zip(stage.outputs, op.getResults())) {
      current[value] = result;
      made.push_back(value);
    }
  }

  /// Sends what later stages need of this and earlier ones to the next one.
  void sendOn(int64_t index) {
    for (Value value : made) {
      bool isNeeded = llvm::any_of(
          ArrayRef(stages).drop_front(index + 1),
          [&](const Stage &later) { return later.inputs.contains(value); });
      if (isNeeded)
        current[value] =
            SendReceiveOp::create(builder, value.getLoc(), getCurrent(value),
                                  index * step, (index + 1) * step);
    }
  }

  /// `value` where the last stage that has been called, or the next one, has
  /// it.
  Value getCurrent(Value value) const {
    auto found = current.find(value);
    return found == current.end() ? value : found->second;
  }

  const StagePlan &plan;
  /// Devices from one stage to the next.
  int64_t step;
  SymbolTable &symbols;
  func::FuncOp function;
  Block &body;
  OpBuilder builder;
  SmallVector<Stage> stages;
  /// What stages have made for others, in their order.
  SmallVector<Value> made;
  llvm::DenseMap<Value, Value> current;
};

class TransformerSplitStagesPass
    : public transformer::impl::TransformerSplitStagesBase<
          TransformerSplitStagesPass> {
public:
  using TransformerSplitStagesBase::TransformerSplitStagesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkLayers(module)) || failed(checkNotSplit(module)))
      return signalPassFailure();
    FailureOr<int64_t> numStages = getNumStages();
    if (failed(numStages))
      return signalPassFailure();
    if (*numStages == 1)
      return;
    FailureOr<StagePlan> stages = StagePlan::get(module, *numStages);
    if (failed(stages))
      return signalPassFailure();
    auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
    if (!plan) {
      plan = PlanAttr::get(&getContext(), *numStages, /*data_parallel=*/1,
                           /*output=*/0, /*mlp=*/0, /*head=*/0,
                           /*expert_parallel=*/1, /*expert_tensor=*/1,
                           /*shared_expert=*/1, *numStages,
                           /*vision=*/1);
      module->setAttr(kPlanAttrName, plan);
    }
    SymbolTable symbols(module);
    StageSplitter(*stages, plan.getTensorParallel(), symbols).run();
  }

private:
  static LogicalResult checkNotSplit(ModuleOp module) {
    WalkResult result = module.walk([](StageOp stage) {
      stage.emitOpError("expected a model that is not split into stages yet");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Stages that the option and the plan agree on.
  FailureOr<int64_t> getNumStages() {
    auto plan = getOperation()->getAttrOfType<PlanAttr>(kPlanAttrName);
    // Beyond this there are more stages than layers that fit in memory.
    constexpr int64_t most = 1 << 20;
    if (stages < 0 || stages > most)
      return mlir::emitError(getOperation().getLoc(),
                             "expected 'stages' from 1 to ")
             << most << ", or 0 for those of the plan, but got "
             << stages.getValue();
    if (!plan)
      return std::max<int64_t>(stages, 1);
    int64_t planned = plan.getPipelineParallel();
    if (stages != 0 && stages != planned)
      return mlir::emitError(getOperation().getLoc(), "expected the ")
             << planned << " stages of the module's plan, but got "
             << stages.getValue();
    return planned;
  }
};
} // namespace
