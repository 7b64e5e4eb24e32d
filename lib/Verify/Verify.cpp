//===- Verify.cpp - Proof by execution ------------------------------------===//

#include "tensorcast/Verify/Verify.h"

#include "Bisection.h"
#include "Runner.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"
#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

bool VerifyReport::isEqual() const {
  return llvm::all_of(
      results, [](const ResultComparison &result) { return result.isEqual; });
}

//===----------------------------------------------------------------------===//
// Before the run
//===----------------------------------------------------------------------===//

/// Whether something in `module` has no size or workload yet.
static bool isUnbound(ModuleOp module) {
  if (module->hasAttr(kWorkloadAttrName))
    return false;
  auto isOpen = [](Type type) {
    if (auto batch = dyn_cast<BatchType>(type))
      return !batch.getWorkload();
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa_and_nonnull<DimsAttr>(tensor.getEncoding());
  };
  WalkResult result = module.walk([&](Operation *op) {
    bool found = llvm::any_of(op->getResultTypes(), isOpen);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        found |= llvm::any_of(block.getArgumentTypes(), isOpen);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult tensorcast::bindBoth(ModuleOp before, ModuleOp after,
                                   WorkloadAttr workload) {
  ModuleOp modules[] = {before, after};
  for (ModuleOp module : modules)
    if (auto bound = module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName))
      workload = bound;
  for (ModuleOp module : modules)
    if (isUnbound(module) && failed(bindWorkload(module, workload)))
      return failure();
  return success();
}

LogicalResult tensorcast::widenToF32(ModuleOp module) {
  WalkResult result = module.walk([](arith::ConstantOp op) {
    Type type = getElementTypeOrSelf(op.getType());
    if (!type.isF16() && !type.isBF16())
      return WalkResult::advance();
    op.emitOpError("expected no constants of half precision to compute in f32, "
                   "but got ")
        << op.getType();
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> Type {
    bool isHalf = type.isF16() || type.isBF16();
    return isHalf ? Float32Type::get(type.getContext()) : type;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

/// Checks that the types of a function are those of its counterpart.
static LogicalResult checkTypes(func::FuncOp before, func::FuncOp after,
                                StringRef what, TypeRange expected,
                                TypeRange got) {
  auto note = [&](InFlightDiagnostic diag) -> LogicalResult {
    diag.attachNote(before.getLoc()) << "the function before is here";
    return diag;
  };
  if (expected.size() != got.size())
    return note(after.emitOpError("expected ")
                << expected.size() << " " << what << "s of @" << after.getName()
                << ", as before, but got " << got.size());
  for (auto [index, types] : llvm::enumerate(llvm::zip(expected, got))) {
    auto [want, have] = types;
    if (want != have)
      return note(after.emitOpError("expected ")
                  << what << " " << index << " of @" << after.getName()
                  << " of type " << want << ", as before, but got " << have);
  }
  return success();
}

static LogicalResult checkFunctions(ModuleOp before, ModuleOp after) {
  SmallVector<func::FuncOp> functions = getPublicFunctions(before);
  if (functions.empty())
    return mlir::emitError(before.getLoc(),
                           "expected a public function to run, but got none");
  for (func::FuncOp function : functions) {
    auto other = after.lookupSymbol<func::FuncOp>(function.getSymNameAttr());
    if (!other || !other.isPublic() || other.isDeclaration())
      return mlir::emitError(after.getLoc(), "expected a public function @")
             << function.getName() << ", as before, but got none";
    if (failed(checkTypes(function, other, "argument",
                          function.getArgumentTypes(),
                          other.getArgumentTypes())) ||
        failed(checkTypes(function, other, "result", function.getResultTypes(),
                          other.getResultTypes())))
      return failure();
  }
  for (func::FuncOp function : getPublicFunctions(after))
    if (!before.lookupSymbol<func::FuncOp>(function.getSymNameAttr()))
      return function.emitOpError("expected only functions that are there "
                                  "before, but got @")
             << function.getName();
  return success();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

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
      if (failed(matchArguments(name, arguments, others)))
        return failure();
    }
    if (report.isQuantized)
      options.tolerance.ignoreError = true;
    for (auto &[name, arguments] : lhs->getFunctions())
      if (failed(calibrate(name, arguments, rhs->getFunctions()[name])) ||
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
    pm.addPass(transformer::createTransformerInlineLayers());
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

  /// Compares what two functions take; the second is called with the arguments
  /// of the first, and weights by name.
  LogicalResult matchArguments(StringRef function,
                               ArrayRef<ArgumentInfo> arguments,
                               SmallVectorImpl<ArgumentInfo> &others) {
    llvm::StringMap<RankedTensorType> types, otherTypes;
    for (const ArgumentInfo &info : arguments)
      types[info.name] = info.type;
    llvm::StringMap<ArrayRef<int64_t>> shapes;
    for (const ArgumentInfo &info : arguments)
      shapes[info.name] = info.getWholeShape();
    for (auto [index, info] : llvm::enumerate(others)) {
      if (!info.isDeclared && index < arguments.size())
        info = arguments[index];
      otherTypes[info.name] = info.type;
    }
    auto isScale = [](StringRef name) { return name.ends_with("_scale"); };
    // Weights that one side joins have one scale on both.
    for (ArrayRef<ArgumentInfo> infos : {arguments, ArrayRef(others)})
      for (const ArgumentInfo &info : infos)
        if (!info.joined.empty())
          inputs.setJoined(info.joined);
    for (const ArgumentInfo &info : others) {
      RankedTensorType type = types.lookup(info.name);
      // Parts of ranks have scales of their own.
      report.isQuantized |= report.numRanks > 1 && !report.bothSharded &&
                            info.kind == kKindWeight &&
                            isQuantizedType(info.type.getElementType());
      if (!info.isDeclared || (type && type == info.type))
        continue;
      if (!type) {
        if (!isScale(info.name) && info.kind == kKindWeight)
          report.unmatchedWeights.push_back(info.name);
        continue;
      }
      if (shapes[info.name] != info.getWholeShape() && !isScale(info.name))
        return mlir::emitError(after.getLoc(), "expected ")
               << info.kind << " '" << info.name << "' of @" << function
               << " of type " << type << ", as before, but got " << info.type;
      report.isQuantized |= isQuantizedType(type.getElementType()) !=
                            isQuantizedType(info.type.getElementType());
    }
    for (const ArgumentInfo &info : arguments)
      if (info.isDeclared && info.kind == kKindWeight && !isScale(info.name) &&
          !otherTypes.count(info.name))
        report.unmatchedWeights.push_back(info.name);
    return success();
  }

  /// Static activation scales come from running the side whose linear layer is
  /// not quantized.
  LogicalResult calibrate(StringRef function, ArrayRef<ArgumentInfo> arguments,
                          ArrayRef<ArgumentInfo> others) {
    auto needsScale = [](const ArgumentInfo &info) {
      return isCalibratedScale(info.name);
    };
    ModuleOp source;
    if (llvm::any_of(others, needsScale))
      source = before;
    else if (llvm::any_of(arguments, needsScale))
      source = after;
    if (!source || !report.isQuantized)
      return success();
    ProbeRequest request = {function, /*beforeInlining=*/false,
                            findScaledValues};
    FailureOr<LoweredModule> lowered =
        LoweredModule::lower(source, whole, &request);
    if (failed(lowered) || failed(lowered->checkLimits(options)) ||
        failed(lowered->compile()))
      return failure();
    FailureOr<FunctionRun> run = lowered->run(function, inputs);
    if (failed(run))
      return failure();
    llvm::StringMap<double> ranges;
    for (const NamedTensor &probe : run->probes) {
      double largest = 0;
      for (double value : probe.tensor.getValues())
        largest = std::max(largest, std::abs(value));
      double &range = ranges[probe.names.front()];
      range = std::max(range, largest);
    }
    for (const auto &entry : ranges)
      if (entry.getValue() > 0)
        inputs.setRange(entry.getKey(), entry.getValue());
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
  return Verification(before, after, options).run();
}
