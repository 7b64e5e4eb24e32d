//===- Schedule.cpp - Give launches streams -------------------------------===//

#include "Schedule.h"

#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

namespace mlir::ascend {
#define GEN_PASS_DEF_ASCENDSCHEDULE
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::ascend

using namespace mlir;
using namespace mlir::ascend;

Stream mlir::ascend::getOwnStream(Operation *op) {
  auto launch = dyn_cast<LaunchOp>(op);
  return launch && isExchange(launch) ? Stream::Communication : Stream::Compute;
}

bool mlir::ascend::startsNothing(Operation *op) {
  auto launch = dyn_cast<LaunchOp>(op);
  return isa<ViewOp>(op) || (launch && launch.getCountExpr().isConstant(0));
}

bool mlir::ascend::mayStartNothing(Operation *op) {
  auto launch = dyn_cast<LaunchOp>(op);
  return startsNothing(op) || (launch && !launch.getCountExpr().isConstant());
}

void mlir::ascend::setSlot(Operation *op, Stream stream,
                           ArrayRef<int64_t> waits) {
  auto slot = SlotAttr::get(op->getContext(), stream, waits);
  if (auto view = dyn_cast<ViewOp>(op))
    view.setSlotAttr(slot);
  else if (stream != Stream::Compute || !waits.empty())
    cast<LaunchOp>(op).setSlotAttr(slot);
}

//===----------------------------------------------------------------------===//
// All dependences
//===----------------------------------------------------------------------===//

namespace {
/// Finds the streams that each value may come from, through views and layers.
class DataFlow {
public:
  explicit DataFlow(ModuleOp module) : module(module), symbols(module) {}

  void schedule() {
    // Streams are only ever added, so this ends.
    do {
      changed = false;
      module.walk([&](Operation *op) { visit(op); });
    } while (changed);
    module.walk([&](LaunchOp launch) {
      if (startsNothing(launch))
        return;
      Stream stream = getOwnStream(launch);
      SmallVector<int64_t> waits;
      for (OpOperand &operand : launch->getOpOperands())
        if (origins.lookup(operand.get()) & ~getBit(stream))
          waits.push_back(operand.getOperandNumber());
      setSlot(launch, stream, waits);
    });
  }

private:
  static unsigned getBit(Stream stream) {
    return 1u << static_cast<unsigned>(stream);
  }

  void visit(Operation *op) {
    if (auto layer = dyn_cast<transformer::LayerOp>(op)) {
      auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
      if (!callee || callee.isExternal())
        return;
      Region &body = callee.getBody();
      for (auto [operand, argument] :
           llvm::zip(layer->getOperands(), body.getArguments()))
        add(argument, origins.lookup(operand));
      for (auto [result, returned] :
           llvm::zip(layer->getResults(), body.back().back().getOperands()))
        add(result, origins.lookup(returned));
    } else if (isa<LaunchOp, ViewOp>(op)) {
      unsigned streams = 0;
      if (!startsNothing(op))
        streams |= getBit(getOwnStream(op));
      if (mayStartNothing(op))
        for (Value operand : op->getOperands())
          streams |= origins.lookup(operand);
      for (Value result : op->getResults())
        add(result, streams);
    }
  }

  void add(Value value, unsigned streams) {
    unsigned &known = origins[value];
    changed |= (streams & ~known) != 0;
    known |= streams;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Value, unsigned> origins;
  bool changed = false;
};
} // namespace

void mlir::ascend::scheduleByDataFlow(ModuleOp module) {
  DataFlow(module).schedule();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class AscendSchedulePass
    : public ascend::impl::AscendScheduleBase<AscendSchedulePass> {
public:
  using AscendScheduleBase::AscendScheduleBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool exchanges = false;
    WalkResult result = module.walk([&](Operation *op) {
      if (auto launch = dyn_cast<LaunchOp>(op)) {
        launch.removeSlotAttr();
        exchanges |= isExchange(launch);
      } else if (auto view = dyn_cast<ViewOp>(op)) {
        view.removeSlotAttr();
      } else if (isa<transformer::CompositeOpInterface>(op)) {
        op->emitOpError("expected only launches to schedule; run "
                        "convert-transformer-to-ascend first");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    module->removeAttr(kStreamRuleAttrName);
    if (!exchanges)
      return;
    module->setAttr(kStreamRuleAttrName,
                    StreamRuleAttr::get(&getContext(), rule));
    if (rule == StreamRule::DataFlow)
      return scheduleByDataFlow(module);
    DirectWaitOptions options;
    options.inPlace = rule == StreamRule::DirectWaitsInPlace;
    options.tuples.insert(tuples.begin(), tuples.end());
    options.tensors.insert(tensors.begin(), tensors.end());
    options.partReaders.insert(partReaders.begin(), partReaders.end());
    scheduleByDirectWaits(module, options);
  }
};
} // namespace
