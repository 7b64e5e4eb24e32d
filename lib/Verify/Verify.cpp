//===- Verify.cpp - Proof by execution ------------------------------------===//

#include "tensorcast/Verify/Verify.h"

#include "Bisection.h"
#include "Runner.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

bool VerifyReport::isEqual() const {
  return llvm::all_of(
      results, [](const ResultComparison &result) { return result.isEqual; });
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
    FailureOr<LoweredModule> lhs = LoweredModule::lower(before);
    if (failed(lhs) || failed(lhs->checkLimits(options)))
      return failure();
    FailureOr<LoweredModule> rhs = LoweredModule::lower(after);
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
    return std::move(report);
  }

private:
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

  static bool isQuantizedType(Type type) {
    return type.getIntOrFloatBitWidth() <= 8;
  }

  /// Compares what two functions take; the second is called with the arguments
  /// of the first, and weights by name.
  LogicalResult matchArguments(StringRef function,
                               ArrayRef<ArgumentInfo> arguments,
                               SmallVectorImpl<ArgumentInfo> &others) {
    llvm::StringMap<RankedTensorType> types, otherTypes;
    for (const ArgumentInfo &info : arguments)
      types[info.name] = info.type;
    for (auto [index, info] : llvm::enumerate(others)) {
      if (!info.isDeclared && index < arguments.size())
        info = arguments[index];
      otherTypes[info.name] = info.type;
    }
    auto isScale = [](StringRef name) { return name.ends_with("_scale"); };
    for (const ArgumentInfo &info : others) {
      RankedTensorType type = types.lookup(info.name);
      if (!info.isDeclared || (type && type == info.type))
        continue;
      if (!type) {
        if (!isScale(info.name) && info.kind == kKindWeight)
          report.unmatchedWeights.push_back(info.name);
        continue;
      }
      if (type.getShape() != info.type.getShape())
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
      return StringRef(info.name).ends_with(".input_scale");
    };
    ModuleOp source;
    if (llvm::any_of(others, needsScale))
      source = before;
    else if (llvm::any_of(arguments, needsScale))
      source = after;
    if (!source || !report.isQuantized)
      return success();
    ProbeRequest request = {function, /*beforeInlining=*/false,
                            findLinearInputs};
    FailureOr<LoweredModule> lowered = LoweredModule::lower(source, &request);
    if (failed(lowered) || failed(lowered->checkLimits(options)) ||
        failed(lowered->compile()))
      return failure();
    FailureOr<FunctionRun> run = lowered->run(function, inputs);
    if (failed(run))
      return failure();
    for (const NamedTensor &probe : run->probes) {
      double largest = 0;
      for (double value : probe.tensor.getValues())
        largest = std::max(largest, std::abs(value));
      if (largest > 0)
        inputs.setInputRange(probe.names.front(), largest);
    }
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
    if (isEqual || report.first)
      return success();
    FailureOr<FirstDifference> first = findFirstDifference(
        before, after, function, lhs.getFunctions()[function], inputs, options);
    if (failed(first))
      return failure();
    report.first = std::move(*first);
    return success();
  }

  bool compareResult(StringRef function, StringRef name, const HostTensor &lhs,
                     const HostTensor &rhs) {
    ResultComparison result;
    result.function = function.str();
    result.name = name.str();
    result.type = lhs.getType();
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
  VerifyReport report;
};
} // namespace

FailureOr<VerifyReport> tensorcast::verifyEqual(ModuleOp before, ModuleOp after,
                                                const VerifyOptions &options) {
  return Verification(before, after, options).run();
}
