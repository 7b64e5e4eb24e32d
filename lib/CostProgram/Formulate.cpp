//===- Formulate.cpp - What a module costs, as formulas -------------------===//
//
// The laws of the cost model, the streams and the liveness of memory are those
// of reports; here they meet expressions that are not evaluated yet.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Report/Pricing.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tensorcast;
using ascend::LaunchOp;
using transformer::ExprAttr;

namespace {
class Formulator {
public:
  Formulator(ModuleOp module, const Pricing &pricing, FeatureSet &features)
      : module(module), pricing(pricing), features(features) {}

  FailureOr<PriceFormulas> run() {
    addAssumptions();
    addSizes();
    if (failed(addKernels()) || failed(addStreams()) || failed(addMemory()))
      return failure();
    return std::move(result);
  }

private:
  //===--------------------------------------------------------------------===//
  // What a batch must have
  //===--------------------------------------------------------------------===//

  /// Adds a reason to have no price, unless it is known that it never applies
  /// or another with the same formula is there.
  void addViolation(Formula formula, const Twine &text) {
    if (formula.isConstant(0))
      return;
    if (!formula.isConstant() && !violated.insert(formula.getNode()).second)
      return;
    result.violations.push_back({formula, text.str()});
  }

  static std::string toText(ExprAttr expr) {
    std::string text;
    llvm::raw_string_ostream os(text);
    transformer::printExprText(os, expr);
    return text;
  }

  void addAssumptions() {
    auto assumed =
        module->getAttrOfType<ArrayAttr>(transformer::kAssumesAttrName);
    if (!assumed)
      return;
    for (auto expr : assumed.getAsRange<ExprAttr>()) {
      Formula isBroken = isZero(features.formulate(expr));
      result.brokenAssumptions.push_back(isBroken);
      addViolation(isBroken, "expected a workload with '" + toText(expr) +
                                 "', which the module was rewritten for");
    }
  }

  /// Sizes of tensors are whole, as binding a workload checks.
  void addSizes() {
    auto add = [&](ExprAttr expr) {
      Formula size = features.formulate(expr);
      FormulaRange range = getRange(size);
      std::string text = "expected a whole size from 0 to 2^53, which '" +
                         toText(expr) + "' is not";
      if (range.least < 0)
        addViolation(isPositive(0 - size), text);
      if (!(range.most <= 0x1p53))
        addViolation(isPositive(size - 0x1p53), text);
      if (!range.isWhole)
        addViolation(isNonZero(size - floor(size)), text);
    };
    AttrTypeWalker walker;
    walker.addWalk([&](transformer::DimsAttr dims) {
      for (ExprAttr expr : dims.getExprs())
        add(expr);
    });
    module.walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            walker.walk(type);
    });
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  /// The formula of an amount, which must not be below 0.
  Formula getAmount(LaunchOp launch, ExprAttr expr) {
    Formula amount = features.formulate(expr);
    if (!(getRange(amount).least >= 0)) {
      // Of what differs by a factor, one is enough.
      Formula missing = getPositivePart(0 - amount);
      addViolation(isPositive(missing),
                   "expected amounts of at least 0 in kernel '" +
                       launch.getKernel() + "', which '" + toText(expr) +
                       "' is not");
    }
    return amount;
  }

  /// How often a launch starts in one run of its function, and the time of all
  /// of these starts.
  FailureOr<LaunchTimeOf<Formula>> measure(LaunchOp launch) {
    auto found = times.find(launch);
    if (found != times.end())
      return found->second;
    const DeviceProfile &device = pricing.kernels[launch.getKernel()];
    FailureOr<ascend::WorkTotal> total =
        ascend::getKnownWork(launch, pricing.device);
    if (failed(total))
      return failure();
    auto work = getWorkAmount<Formula>(
        *total, [&](ExprAttr expr) { return getAmount(launch, expr); });
    SmallVector<Type> missing;
    CostTermsOf<Formula> terms = pricing.model->price(work, device, missing);
    for (Type type : missing)
      if (warned.insert(type).second)
        launch.emitWarning(
            describeMissingRate(type, pricing.device, *pricing.model));
    LaunchTimeOf<Formula> time;
    time.starts = getAmount(launch, launch.getCountExpr());
    time.seconds = time.starts * terms.totalS;
    return times[launch] = time;
  }

  LogicalResult addKernels() {
    auto runs = countRuns(module);
    if (failed(runs))
      return failure();
    using Summands = SmallVector<std::pair<Formula, double>>;
    std::map<KernelName, std::pair<Summands, Summands>> kernels;
    for (auto [function, number] : *runs) {
      WalkResult walked = function.walk([&, number = number](LaunchOp launch) {
        FailureOr<LaunchTimeOf<Formula>> time = measure(launch);
        if (failed(time))
          return WalkResult::interrupt();
        if (isKnown(time->starts, 0))
          return WalkResult::advance();
        auto &[calls, seconds] =
            kernels[{launch.getKernel().str(),
                     launch.getReferenceName().value_or("").str()}];
        calls.emplace_back(time->starts, number);
        seconds.emplace_back(time->seconds, number);
        return WalkResult::advance();
      });
      if (walked.wasInterrupted())
        return failure();
    }
    Summands all;
    for (auto &[kernel, summands] : kernels) {
      result.kernels.push_back(kernel);
      Formula seconds = addUp(0, summands.second);
      result.kernelTimes.push_back({addUp(0, summands.first), seconds});
      all.emplace_back(seconds, 1);
    }
    result.kernelTimeS = addUp(0, all);
    return success();
  }

  LogicalResult addStreams() {
    auto end = formulateTimeline(
        module, [&](LaunchOp launch) { return measure(launch); });
    if (failed(end))
      return failure();
    // Sums in another order are rounded otherwise.
    result.executionTimeS =
        *end ? min(**end, result.kernelTimeS) : result.kernelTimeS;
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  LogicalResult addMemory() {
    auto stages = formulateMemory(
        module, [&](ExprAttr expr) { return features.formulate(expr); });
    if (failed(stages))
      return failure();
    auto getBytes = [](const MemoryUseOf<Formula> &use) {
      return use.weightsBytes + use.kvCacheBytes + use.activationBytes;
    };
    MemoryUseOf<Formula> &largest = result.memory = stages->front();
    for (const MemoryUseOf<Formula> &stage : ArrayRef(*stages).drop_front()) {
      // Of equal ones the first.
      Formula isLarger = isPositive(getBytes(stage) - getBytes(largest));
      for (auto field : {&MemoryUseOf<Formula>::weightsBytes,
                         &MemoryUseOf<Formula>::kvCacheBytes,
                         &MemoryUseOf<Formula>::activationBytes})
        largest.*field = select(isLarger, stage.*field, largest.*field);
    }
    return success();
  }

  ModuleOp module;
  const Pricing &pricing;
  FeatureSet &features;
  PriceFormulas result;
  llvm::DenseMap<Operation *, LaunchTimeOf<Formula>> times;
  llvm::DenseSet<unsigned> violated;
  llvm::SmallPtrSet<Type, 2> warned;
};
} // namespace

FailureOr<PriceFormulas>
mlir::tensorcast::formulatePrice(ModuleOp module, FeatureSet &features) {
  if (auto workload = module->getAttrOfType<transformer::WorkloadAttr>(
          transformer::kWorkloadAttrName))
    return mlir::emitError(module.getLoc(),
                           "expected a module without a workload, but it is "
                           "bound to ")
           << workload;
  if (failed(ascend::checkLowered(module)))
    return failure();
  bool hasLaunches =
      module.walk([](LaunchOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!hasLaunches)
    return mlir::emitError(module.getLoc(),
                           "expected launches of kernels, but found none; run "
                           "tc-opt with --tensorcast-eager or "
                           "--convert-transformer-to-ascend first");
  FailureOr<Pricing> pricing = Pricing::get(module);
  if (failed(pricing))
    return failure();
  return Formulator(module, *pricing, features).run();
}
