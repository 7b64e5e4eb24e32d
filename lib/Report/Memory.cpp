//===- Memory.cpp - What a step occupies on the device --------------------===//
//
// Weights and caches belong to calls of layers; activations live from the op
// that makes them to their last use, through views.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Report/Formulas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Bytes of the blocks that a cache occupies: slots of each request are kept
/// for tokens to come, and the pool is not rounded per request. A window has
/// its slots from the first token on; compressed rows stand for several tokens.
static ExprAttr getCacheBytes(KVCacheOp op) {
  KVCacheType cache = op.getType();
  MLIRContext *context = cache.getContext();
  double spare = static_cast<double>(op.getSpare().value_or(1));
  auto number = [&](int64_t value) {
    return ExprAttr::constant(context, static_cast<double>(value));
  };
  ExprAttr kept = getTotalTokensExpr(context);
  if (cache.hasWindow())
    kept = getFunctionExpr(ExprKind::Min, {kept, number(cache.getWindow())});
  ExprAttr slots = sumOverRequests(kept + spare);
  if (op.getWindow())
    slots = getSequencesExpr(context) * number(*op.getWindow());
  if (op.getRatio())
    slots =
        getFunctionExpr(ExprKind::FloorDiv, {slots, number(*op.getRatio())});
  double blockSize = cache.getBlockSize();
  ExprAttr blocks = getFunctionExpr(
      ExprKind::CeilDiv, {slots, ExprAttr::constant(context, blockSize)});
  // Devices that take turns to keep tokens share the blocks.
  if (cache.getShare() != 1)
    blocks = getFunctionExpr(
        ExprKind::CeilDiv,
        {blocks,
         ExprAttr::constant(context, static_cast<double>(cache.getShare()))});
  double tokenBytes = *getElementBytes(cache.getElementType()) *
                      static_cast<double>(cache.getTokenSize());
  return blocks * (blockSize * tokenBytes);
}

/// Bytes of what a layer remembers of the requests of a step.
static ExprAttr getStateBytes(StateOp op) {
  StateType state = op.getType();
  return getSequencesExpr(op.getContext()) *
         (*getElementBytes(state.getElementType()) *
          static_cast<double>(state.getRequestSize()));
}

/// What a size is: a number for a workload, or a formula for any.
template <typename Number> using Evaluator = function_ref<Number(ExprAttr)>;

namespace {
/// Finds the most that the activations of a function occupy at one time.
template <typename Number> class Liveness {
public:
  Liveness(SymbolTable &symbols, Evaluator<Number> evaluate)
      : symbols(symbols), evaluate(evaluate) {}

  /// The peak of a function and of the layers that it calls, beyond its
  /// arguments, which its caller holds.
  Number getPeak(func::FuncOp function) {
    auto found = peaks.find(function);
    if (found != peaks.end())
      return found->second;
    Number peak = 0;
    if (!function.getBody().empty())
      peak = measure(function.getBody().front());
    return peaks[function] = peak;
  }

  /// Bytes of an activation; weights, caches and metadata are none.
  Number getBytes(Value value) {
    if (value.getDefiningOp<WeightOp>() ||
        !isa<RankedTensorType>(value.getType()))
      return 0;
    ExprAttr bytes = getByteSize(value.getType());
    return bytes ? evaluate(bytes) : Number(0);
  }

private:
  Number measure(Block &block) {
    // The values whose memory each view names.
    llvm::DenseMap<Value, llvm::SetVector<Value>> viewed;
    auto addRoots = [&](Value value, llvm::SetVector<Value> &roots) {
      auto found = viewed.find(value);
      if (found == viewed.end())
        roots.insert(value);
      else
        roots.insert_range(found->second);
    };
    // The last op that needs each buffer; views need those behind them.
    llvm::DenseMap<Value, Operation *> lastUse;
    for (Operation &op : block) {
      llvm::SetVector<Value> roots;
      for (Value operand : op.getOperands())
        addRoots(operand, roots);
      if (isa<ascend::ViewOp>(op))
        for (Value result : op.getResults())
          viewed[result] = roots;
      else
        for (Value root : roots)
          lastUse[root] = &op;
    }
    llvm::DenseMap<Operation *, SmallVector<Value>> freedAfter;
    for (Operation &op : block)
      for (Value result : op.getResults())
        if (Operation *last = lastUse.lookup(result))
          freedAfter[last].push_back(result);

    Number live = 0, peak = 0;
    for (Operation &op : block) {
      if (isa<ascend::ViewOp>(op))
        continue;
      Number results = 0, inner = 0;
      for (Value result : op.getResults())
        results += getBytes(result);
      // What a layer returns is made inside of it.
      if (FlatSymbolRefAttr callee = getCallee(&op))
        inner = getPeak(symbols.lookup<func::FuncOp>(callee.getAttr()));
      peak = tensorcast::max(peak, live + tensorcast::max(results, inner));
      live += results;
      for (Value dead : freedAfter.lookup(&op))
        live -= getBytes(dead);
      for (Value result : op.getResults())
        if (!lastUse.contains(result))
          live -= getBytes(result);
    }
    return peak;
  }

  SymbolTable &symbols;
  Evaluator<Number> evaluate;
  llvm::DenseMap<Operation *, Number> peaks;
};
} // namespace

/// Bytes of the weights that one run of a function declares.
static double getWeightBytes(func::FuncOp function) {
  double bytes = 0;
  llvm::SmallPtrSet<Attribute, 16> names;
  function.walk([&](WeightOp weight) {
    if (!names.insert(weight.getNameAttr()).second)
      return;
    bytes += getByteSize(weight.getType()).getValue();
  });
  return bytes;
}

/// Bytes of the caches that one run of a function declares, of those that are
/// auxiliary or of the others; states count with the latter.
template <typename Number>
static Number getCacheBytes(func::FuncOp function, Evaluator<Number> evaluate,
                            bool auxiliary) {
  Number bytes = 0;
  llvm::SmallPtrSet<Attribute, 2> names;
  function.walk([&](KVCacheOp cache) {
    if (cache.getAuxiliary() == auxiliary &&
        names.insert(cache.getNameAttr()).second)
      bytes += evaluate(getCacheBytes(cache));
  });
  function.walk([&](StateOp state) {
    if (!auxiliary && !state.getUncounted() &&
        names.insert(state.getNameAttr()).second)
      bytes += evaluate(getStateBytes(state));
  });
  return bytes;
}

/// What one run of `root` needs, or of all functions that nothing calls. Caches
/// have no size without a batch.
template <typename Number>
static FailureOr<MemoryUseOf<Number>> measure(ModuleOp module,
                                              func::FuncOp root, bool hasBatch,
                                              Evaluator<Number> evaluate) {
  auto runs = countRuns(module, root);
  auto sets = countWeightSets(module, root);
  if (failed(runs) || failed(sets))
    return failure();
  SymbolTable symbols(module);
  Liveness<Number> liveness(symbols, evaluate);
  MemoryUseOf<Number> memory;
  Number auxiliaryBytes = 0;
  for (auto [function, times] : *sets)
    memory.weightsBytes += times * getWeightBytes(function);
  for (auto [function, times] : *runs) {
    if (hasBatch) {
      memory.kvCacheBytes +=
          times * getCacheBytes(function, evaluate, /*auxiliary=*/false);
      auxiliaryBytes +=
          times * getCacheBytes(function, evaluate, /*auxiliary=*/true);
    }
    if (root && function != root)
      continue;
    // Arguments of a function that no layer calls are there all the time.
    Number arguments = 0;
    if (root || !function.isPrivate())
      for (Value argument : function.getArguments())
        arguments += liveness.getBytes(argument);
    memory.activationBytes = tensorcast::max(
        memory.activationBytes, arguments + liveness.getPeak(function));
  }
  memory.activationBytes += auxiliaryBytes;
  if (auto reserved =
          module->getAttrOfType<IntegerAttr>(ascend::kReservedBytesAttrName))
    memory.reservedBytes = static_cast<double>(reserved.getInt());
  return memory;
}

size_t mlir::tensorcast::findLargest(ArrayRef<MemoryUse> stages) {
  auto getBytes = [](const MemoryUse &use) {
    return use.weightsBytes + use.kvCacheBytes + use.activationBytes;
  };
  // Of equal ones the first.
  return std::max_element(stages.begin(), stages.end(),
                          [&](const MemoryUse &lhs, const MemoryUse &rhs) {
                            return getBytes(lhs) < getBytes(rhs);
                          }) -
         stages.begin();
}

/// What is beside stages would be on none of their devices.
static LogicalResult checkBesideStages(func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (isa<LayerOp, WeightOp, KVCacheOp, StateOp>(op))
      return op.emitOpError("expected to be in a stage, as @")
             << function.getName() << " runs stages";
  return success();
}

/// What each stage needs, in order.
template <typename Number>
static FailureOr<SmallVector<MemoryUseOf<Number>>>
measureEachStage(ModuleOp module, bool hasBatch, Evaluator<Number> evaluate) {
  SymbolTable symbols(module);
  SmallVector<MemoryUseOf<Number>> stages;
  WalkResult result = module.walk([&](StageOp stage) {
    FailureOr<MemoryUseOf<Number>> memory =
        measure(module, symbols.lookup<func::FuncOp>(stage.getCallee()),
                hasBatch, evaluate);
    if (failed(memory) ||
        failed(checkBesideStages(cast<func::FuncOp>(stage->getParentOp()))))
      return WalkResult::interrupt();
    stages.push_back(*memory);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return stages;
}

FailureOr<SmallVector<MemoryUse>>
mlir::tensorcast::measureStages(ModuleOp module) {
  auto workload = module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName);
  return measureEachStage<double>(
      module, static_cast<bool>(workload),
      [&](ExprAttr expr) { return evaluate(expr, workload); });
}

FailureOr<MemoryUse> mlir::tensorcast::measureMemory(ModuleOp module) {
  FailureOr<SmallVector<MemoryUse>> stages = measureStages(module);
  if (failed(stages))
    return failure();
  if (!stages->empty())
    return (*stages)[findLargest(*stages)];
  auto workload = module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName);
  return measure<double>(
      module, /*root=*/{}, static_cast<bool>(workload),
      [&](ExprAttr expr) { return evaluate(expr, workload); });
}

FailureOr<SmallVector<MemoryUseOf<Formula>>>
mlir::tensorcast::formulateMemory(ModuleOp module,
                                  function_ref<Formula(ExprAttr)> formulate) {
  auto stages = measureEachStage<Formula>(module, /*hasBatch=*/true, formulate);
  if (failed(stages) || !stages->empty())
    return stages;
  FailureOr<MemoryUseOf<Formula>> memory =
      measure<Formula>(module, /*root=*/{}, /*hasBatch=*/true, formulate);
  if (failed(memory))
    return failure();
  return SmallVector<MemoryUseOf<Formula>>{*memory};
}
