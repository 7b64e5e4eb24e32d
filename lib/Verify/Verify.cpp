//===- Verify.cpp - Proof by execution ------------------------------------===//

#include "tensorcast/Verify/Verify.h"

#include "Bisection.h"
#include "Matching.h"
#include "Runner.h"

#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// What is asked for where weights have less than 8 bits.
static constexpr double cosineOfFewBits = 0.98;

bool VerifyReport::isEqual() const {
  return llvm::all_of(
      results, [](const ResultComparison &result) { return result.isEqual; });
}

namespace {
/// The comparison of two modules.
class Verification {
public:
  Verification(ModuleOp before, ModuleOp after, const VerifyOptions &options)
      : before(before), after(after), options(options),
        inputs(options.seed, findWorkload()) {}

  FailureOr<VerifyReport> run() {
    if (failed(checkFunctions(before, after)))
      return failure();
    if (failed(describeWhole()))
      return failure();
    FailureOr<LoweredModule> lhs = LoweredModule::lower(before, whole);
    if (failed(lhs) || failed(lhs->checkLimits(options)))
      return failure();
    FailureOr<LoweredModule> rhs = LoweredModule::lower(after, whole);
    if (failed(rhs) || failed(rhs->checkLimits(options)))
      return failure();
    if (failed(lhs->compile()) || failed(rhs->compile()))
      return failure();

    report.workload = findWorkload();
    for (auto &[name, arguments] : lhs->getFunctions()) {
      SmallVector<ArgumentInfo> &others = rhs->getFunctions()[name];
      if (failed(matchArguments(after.lookupSymbol<func::FuncOp>(name),
                                arguments, others, inputs, report)))
        return failure();
    }
    setTolerance();
    for (auto &[name, arguments] : lhs->getFunctions())
      if (failed(calibrateScales(name, arguments, rhs->getFunctions()[name])) ||
          failed(runFunction(name, *lhs, *rhs)))
        return failure();
    if (report.results.empty())
      return mlir::emitError(before.getLoc(),
                             "expected results to compare, but the functions "
                             "return none");
    return std::move(report);
  }

private:
  /// What a sharded module has parts of is in the other module.
  LogicalResult describeWhole() {
    if (!isSharded(before) && !isSharded(after))
      return success();
    if (isSharded(before) && isSharded(after))
      return describeParts();
    ModuleOp module = isSharded(before) ? after : before;
    FailureOr<LoweredModule> lowered = LoweredModule::lower(module, whole);
    if (failed(lowered))
      return failure();
    whole.add(module);
    for (auto &[name, arguments] : lowered->getFunctions())
      whole.add(arguments);
    auto plan = (module == before ? after : before)
                    ->getAttrOfType<PlanAttr>(kPlanAttrName);
    report.numRanks = plan.getDevices();
    return success();
  }

  /// Of two modules of one plan, each device has the same parts.
  LogicalResult describeParts() {
    auto plan = before->getAttrOfType<PlanAttr>(kPlanAttrName);
    auto other = after->getAttrOfType<PlanAttr>(kPlanAttrName);
    if (plan != other)
      return mlir::emitError(after.getLoc(),
                             "expected two modules of one plan, or one that is "
                             "not sharded, but got ")
             << plan << " and " << other;
    OwningOpRef<ModuleOp> inlined = before.clone();
    PassManager pm(before.getContext());
    pm.addPass(transformer::createTransformerInlineLayers({true}));
    if (failed(pm.run(*inlined)))
      return failure();
    whole.addParts(*inlined);
    report.numRanks = plan.getDevices();
    report.bothSharded = true;
    return success();
  }

  /// The workload of both modules; null if functions have different ones.
  WorkloadAttr findWorkload() {
    for (ModuleOp module : {before, after})
      if (auto bound = module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName))
        return bound;
    llvm::SmallSetVector<WorkloadAttr, 2> found;
    for (auto function : before.getOps<func::FuncOp>())
      for (Type type : function.getArgumentTypes())
        if (auto batch = dyn_cast<BatchType>(type))
          found.insert(batch.getWorkload());
    return found.size() == 1 ? found.front() : WorkloadAttr();
  }

  /// What rounding to narrow numbers leaves is expected.
  void setTolerance() {
    Tolerance &tolerance = options.tolerance;
    tolerance.ignoreError = report.isQuantized();
    if (report.quantizedBits.value_or(8) < 8)
      tolerance.cosine = cosineOfFewBits;
    tolerance.cosine = options.minCosine.value_or(tolerance.cosine);
    report.minCosine = tolerance.cosine;
  }

  /// Static scales of activations come from running the side whose linear
  /// layers are not quantized.
  LogicalResult calibrateScales(StringRef function,
                                ArrayRef<ArgumentInfo> arguments,
                                ArrayRef<ArgumentInfo> others) {
    auto needsScale = [](const ArgumentInfo &info) {
      return isCalibratedScale(info.name);
    };
    if (!report.isQuantized())
      return success();
    if (llvm::any_of(others, needsScale))
      return calibrate(before, function, whole, options, inputs);
    if (llvm::any_of(arguments, needsScale))
      return calibrate(after, function, whole, options, inputs);
    return success();
  }

  LogicalResult runFunction(StringRef function, LoweredModule &lhs,
                            LoweredModule &rhs) {
    FailureOr<FunctionRun> left = lhs.run(function, inputs);
    if (failed(left))
      return failure();
    FailureOr<FunctionRun> right = rhs.run(function, inputs);
    if (failed(right))
      return failure();
    llvm::StringMap<const HostTensor *> others;
    for (const NamedTensor &result : right->results)
      others[result.names.front()] = &result.tensor;
    bool isEqual = true;
    for (const NamedTensor &result : left->results) {
      const std::string &name = result.names.front();
      const HostTensor *other = others.lookup(name);
      if (!other ||
          other->getType().getShape() != result.tensor.getType().getShape())
        return mlir::emitError(after.getLoc(), "expected ")
               << name << " of @" << function << " of type "
               << result.tensor.getType() << ", as before, but got "
               << (other ? "another shape" : "none");
      isEqual &= compareResult(function, name, result.tensor, *other);
      others.erase(name);
    }
    if (!others.empty())
      return mlir::emitError(after.getLoc(), "expected results of @")
             << function << " that are there before, but got "
             << others.begin()->getKey();
    for (const FunctionRun &run : {std::cref(*left), std::cref(*right)})
      for (const RankCopy &copy : run.copies)
        isEqual &= compareCopy(function, copy);
    if (isEqual || report.first)
      return success();
    FailureOr<FirstDifference> first = findFirstDifference(
        before, after, function, lhs.getFunctions()[function], inputs, whole,
        options);
    if (failed(first))
      return failure();
    report.first = std::move(*first);
    return success();
  }

  /// Ranks that have the same must agree; only those that do not are reported.
  bool compareCopy(StringRef function, const RankCopy &copy) {
    ResultComparison result;
    result.function = function.str();
    result.name = copy.name + " on rank " + std::to_string(copy.rank);
    result.type = copy.own.getType();
    result.difference = compare(copy.first, copy.own);
    Tolerance tolerance = options.tolerance;
    // Heads that several ranks have are quantized by each with a scale of its
    // own, where they are joined with what only that rank has.
    tolerance.ignoreError &= StringRef(copy.name).starts_with("cache ");
    Type type = result.type.getElementType();
    result.errorLimit = tolerance.getLimit(type);
    result.isEqual = isWithin(result.difference, type, tolerance);
    if (!result.isEqual)
      report.results.push_back(result);
    return result.isEqual;
  }

  bool compareResult(StringRef function, StringRef name, const HostTensor &lhs,
                     const HostTensor &rhs) {
    ResultComparison result;
    result.function = function.str();
    result.name = name.str();
    result.type = lhs.getType();
    auto isNarrow = [](const HostTensor &tensor) {
      return isQuantizedType(tensor.getType().getElementType());
    };
    StringRef cache = name;
    if (isNarrow(lhs) != isNarrow(rhs) && cache.consume_front("cache "))
      result.difference =
          isNarrow(lhs) ? compare(inputs.dequantizeCache(cache, lhs), rhs)
                        : compare(lhs, inputs.dequantizeCache(cache, rhs));
    else
      result.difference = compare(lhs, rhs);
    Type type = lhs.getType().getElementType();
    result.errorLimit = options.tolerance.getLimit(type);
    result.isEqual = isWithin(result.difference, type, options.tolerance);
    report.results.push_back(result);
    return result.isEqual;
  }

  ModuleOp before, after;
  VerifyOptions options;
  SeededInputs inputs;
  WholeModel whole;
  VerifyReport report;
};
} // namespace

FailureOr<VerifyReport> tensorcast::verifyEqual(ModuleOp before, ModuleOp after,
                                                const VerifyOptions &options) {
  // All stages of a pipeline run in one module, on the devices of one stage.
  OwningOpRef<ModuleOp> wholeBefore = before.clone();
  OwningOpRef<ModuleOp> wholeAfter = after.clone();
  if (failed(joinStages(*wholeBefore)) || failed(joinStages(*wholeAfter)))
    return failure();
  return Verification(*wholeBefore, *wholeAfter, options).run();
}
