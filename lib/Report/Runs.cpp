//===- Runs.cpp - How often functions and kernels run ---------------------===//

#include "tensorcast/Report/Report.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::LayerOp;
using transformer::WorkloadAttr;

namespace {
/// Follows calls of layers from their callers, each function once.
class RunCounter {
public:
  /// Counts every call, or only the first of those with one name, which share
  /// their weights; of the run of one function if there is a `root`.
  RunCounter(ModuleOp module, bool onlyFirst, func::FuncOp root)
      : module(module), symbols(module), onlyFirst(onlyFirst), root(root) {}

  FailureOr<SmallVector<std::pair<func::FuncOp, double>>> run() {
    if (failed(checkPlaces()))
      return failure();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (failed(visit(function)))
        return failure();
    llvm::DenseMap<Operation *, double> runs;
    if (root)
      runs[root] = 1;
    for (func::FuncOp function : llvm::reverse(order)) {
      // A function that nothing calls is where a run starts.
      double times = runs.try_emplace(function, root ? 0 : 1).first->second;
      llvm::SmallPtrSet<Attribute, 16> names;
      function.walk([&](Operation *op) {
        auto layer = dyn_cast<LayerOp>(op);
        if (onlyFirst && layer && !names.insert(layer.getNameAttr()).second)
          return;
        if (FlatSymbolRefAttr callee = transformer::getCallee(op))
          runs[symbols.lookup<func::FuncOp>(callee.getAttr())] += times;
      });
    }
    SmallVector<std::pair<func::FuncOp, double>> result;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      result.emplace_back(function, runs.lookup(function));
    return result;
  }

private:
  /// Refuses what is not known to run once per run of its function.
  LogicalResult checkPlaces() {
    WalkResult result = module.walk([&](Operation *op) {
      if (!isa<ascend::LaunchOp, LayerOp, transformer::StageOp,
               transformer::StateOp, transformer::WeightOp,
               transformer::KVCacheOp>(op))
        return WalkResult::advance();
      auto function = dyn_cast<func::FuncOp>(op->getParentOp());
      if (function && function->getParentOp() == module &&
          function.getBody().hasOneBlock())
        return WalkResult::advance();
      op->emitOpError("expected to be in a function of one block in the "
                      "outermost module, whose runs can be counted");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Orders callees before callers.
  LogicalResult visit(func::FuncOp function) {
    auto [state, isNew] = states.try_emplace(function, Open);
    if (!isNew)
      return state->second == Done
                 ? success()
                 : LogicalResult(
                       mlir::emitError(
                           function.getLoc(),
                           "expected layers that do not call themselves, but @")
                       << function.getName() << " does");
    // Calls are followed recursively, here and where memory is measured.
    static constexpr unsigned maxDepth = 256;
    if (++depth > maxDepth)
      return mlir::emitError(function.getLoc(),
                             "expected layers that call layers at most ")
             << maxDepth << " deep, but @" << function.getName()
             << " is deeper";
    WalkResult result = function.walk([&](Operation *op) {
      FlatSymbolRefAttr symbol = transformer::getCallee(op);
      if (!symbol)
        return WalkResult::advance();
      auto callee = symbols.lookup<func::FuncOp>(symbol.getAttr());
      if (callee.isExternal()) {
        op->emitOpError("expected a function with a body, but @")
            << callee.getName() << " has none";
        return WalkResult::interrupt();
      }
      return failed(visit(callee)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    --depth;
    states[function] = Done;
    order.push_back(function);
    return success();
  }

  enum State { Open, Done };

  ModuleOp module;
  SymbolTable symbols;
  bool onlyFirst;
  func::FuncOp root;
  llvm::DenseMap<Operation *, State> states;
  SmallVector<func::FuncOp> order;
  unsigned depth = 0;
};
} // namespace

FailureOr<SmallVector<std::pair<func::FuncOp, double>>>
mlir::tensorcast::countRuns(ModuleOp module, func::FuncOp root) {
  return RunCounter(module, /*onlyFirst=*/false, root).run();
}

FailureOr<SmallVector<std::pair<func::FuncOp, double>>>
mlir::tensorcast::countWeightSets(ModuleOp module, func::FuncOp root) {
  return RunCounter(module, /*onlyFirst=*/true, root).run();
}

FailureOr<double> mlir::tensorcast::countStarts(ascend::LaunchOp launch,
                                                double runs,
                                                WorkloadAttr workload) {
  double starts = runs * transformer::evaluate(launch.getCountExpr(), workload);
  if (starts >= 0 && std::isfinite(starts))
    return starts;
  return launch.emitOpError("expected a finite number of starts of at least 0, "
                            "but got ")
         << describeNumber(starts);
}
