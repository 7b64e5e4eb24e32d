//===- DirectWaits.cpp - Streams where few dependences are seen -----------===//
//
// A software stack that orders streams by what it sees in its graph: values of
// single tensors, and who makes them directly.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::ascend;

namespace {
class DirectWaits {
public:
  DirectWaits(ModuleOp module, const DirectWaitOptions &options)
      : module(module), symbols(module), options(options) {}

  void schedule() {
    llvm::SmallPtrSet<Operation *, 8> callees;
    module.walk([&](transformer::LayerOp layer) {
      callees.insert(symbols.lookup(layer.getCallee()));
    });
    // Layers that nothing calls from outside, such as ones that call each
    // other, come last.
    for (bool called : {false, true})
      for (auto function : module.getOps<func::FuncOp>())
        if (callees.contains(function) == called)
          schedule(function, Stream::Compute);
  }

private:
  /// Schedules a function, unless an earlier call has, that starts with
  /// `current` as the current stream; returns the one that it ends with.
  Stream schedule(func::FuncOp function, Stream current) {
    // Calls are followed recursively; what is deeper comes later, on its own.
    static constexpr unsigned maxDepth = 256;
    if (depth == maxDepth)
      return current;
    auto [known, isNew] = lastStreams.try_emplace(function, current);
    if (!isNew)
      return known->second;
    ++depth;
    llvm::DenseMap<Operation *, SmallVector<int64_t>> waits;
    llvm::SmallPtrSet<Operation *, 8> waitedFor;
    function.walk([&](Operation *op) {
      if (!isSeen(op) || readsParts(op))
        return;
      for (OpOperand &operand : op->getOpOperands()) {
        bool hasToWait = false;
        for (Operation *maker : getMakers(operand.get()))
          if (getOwnStream(maker) != getOwnStream(op)) {
            hasToWait = true;
            waitedFor.insert(maker);
          }
        if (hasToWait)
          waits[op].push_back(operand.getOperandNumber());
      }
    });
    function.walk([&](Operation *op) {
      if (auto layer = dyn_cast<transformer::LayerOp>(op)) {
        if (auto callee = symbols.lookup<func::FuncOp>(layer.getCallee()))
          current = schedule(callee, current);
      } else if (isa<LaunchOp, ViewOp>(op)) {
        current = place(op, waits.lookup(op), waitedFor.contains(op), current);
      }
    });
    --depth;
    lastStreams[function] = current;
    return current;
  }

  /// Gives `op` its slot; returns the stream that is current behind it.
  Stream place(Operation *op, ArrayRef<int64_t> waits, bool isWaitedFor,
               Stream current) {
    if (waits.empty() && !isWaitedFor && startsNothing(op))
      return current;
    Stream own = getOwnStream(op);
    if (!options.inPlace) {
      setSlot(op, isSeen(op) ? own : Stream::Compute, waits);
      return Stream::Compute;
    }
    bool hasPlace = isSeen(op) && (isWaitedFor || !waits.empty() ||
                                   own == Stream::Communication);
    setSlot(op, hasPlace ? own : current, waits);
    if (!hasPlace)
      return current;
    return isWaitedFor ? Stream::Compute : own;
  }

  /// What is seen to make `value` within its function: a launch or view, and
  /// what is behind launches that are not there for every batch.
  SmallVector<Operation *, 1> getMakers(Value value) const {
    SmallVector<Operation *, 1> makers;
    Operation *maker = value.getDefiningOp();
    while (maker) {
      if (isSeen(maker))
        makers.push_back(maker);
      if (!isa<LaunchOp>(maker) || !mayStartNothing(maker) ||
          maker->getNumOperands() == 0)
        break;
      maker = maker->getOperand(0).getDefiningOp();
    }
    return makers;
  }

  /// Whether `op` makes one tensor, as the software stack has it.
  bool isSeen(Operation *op) const {
    bool isTensor = op->getNumResults() == 1 &&
                    isa<RankedTensorType>(op->getResultTypes().front());
    if (auto launch = dyn_cast<LaunchOp>(op))
      return !startsNothing(op) &&
             !options.tuples.contains(launch.getKernel()) &&
             (isTensor || options.tensors.contains(launch.getKernel()));
    return isa<ViewOp>(op) && isTensor && !isSplit(op);
  }

  bool readsParts(Operation *op) const {
    auto launch = dyn_cast<LaunchOp>(op);
    return launch && options.partReaders.contains(launch.getKernel());
  }

  /// Whether a view is one of those that split a tensor.
  static bool isSplit(Operation *view) {
    if (view->getNumOperands() != 1)
      return true;
    if (isWhole(view))
      return false;
    return llvm::any_of(view->getOperand(0).getUsers(), [&](Operation *user) {
      return user != view && isa<ViewOp>(user) && !isWhole(user);
    });
  }

  /// Whether a view shows all of its operand.
  static bool isWhole(Operation *view) {
    if (view->getNumOperands() != 1 || view->getNumResults() != 1)
      return false;
    auto operand = dyn_cast<RankedTensorType>(view->getOperandTypes().front());
    auto result = dyn_cast<RankedTensorType>(view->getResultTypes().front());
    return operand && result &&
           transformer::getNumElements(operand) ==
               transformer::getNumElements(result);
  }

  ModuleOp module;
  SymbolTable symbols;
  const DirectWaitOptions &options;
  /// The stream that is current at the end of each function.
  llvm::DenseMap<Operation *, Stream> lastStreams;
  unsigned depth = 0;
};
} // namespace

void mlir::ascend::scheduleByDirectWaits(ModuleOp module,
                                         const DirectWaitOptions &options) {
  DirectWaits(module, options).schedule();
}
