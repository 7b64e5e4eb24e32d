//===- Bisection.cpp - Where two modules first differ ---------------------===//

#include "Bisection.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// A value of the first module that differs from all of the second with its
/// name and type.
struct Mismatch {
  std::string name;
  Difference difference;
  std::optional<double> errorLimit;
};

class Bisection {
public:
  Bisection(ModuleOp before, ModuleOp after, StringRef function,
            ArrayRef<ArgumentInfo> arguments, const SeededInputs &inputs,
            const WholeModel &whole, const VerifyOptions &options)
      : before(before), after(after), function(function), arguments(arguments),
        inputs(inputs), whole(whole), options(options) {}

  FailureOr<FirstDifference> find() {
    FirstDifference first;
    first.function = function.str();
    FailureOr<std::optional<Mismatch>> layer =
        compareProbes({function, /*beforeInlining=*/true, findLayerResults});
    if (failed(layer))
      return failure();
    if (*layer) {
      first.layer = (*layer)->name;
      first.difference = (*layer)->difference;
      first.errorLimit = (*layer)->errorLimit;
    }
    StringRef layerName = StringRef(first.layer).split('#').first;
    auto findOps = [&](func::FuncOp op) { return findOpsNear(op, layerName); };
    FailureOr<std::optional<Mismatch>> op =
        compareProbes({function, /*beforeInlining=*/false, findOps});
    if (failed(op))
      return failure();
    if (!*op)
      return first;
    StringRef name = (*op)->name;
    if (first.layer.empty())
      first.layer = findLayerOf(name);
    name.consume_front(first.layer);
    name.consume_front(".");
    first.op = name.str();
    first.difference = (*op)->difference;
    first.errorLimit = (*op)->errorLimit;
    return first;
  }

private:
  /// Runs both modules with probes and compares them, in order of the first.
  FailureOr<std::optional<Mismatch>>
  compareProbes(const ProbeRequest &request) {
    FailureOr<FunctionRun> lhs = run(before, request);
    if (failed(lhs))
      return failure();
    FailureOr<FunctionRun> rhs = run(after, request);
    if (failed(rhs))
      return failure();
    llvm::StringMap<SmallVector<const HostTensor *>> candidates;
    for (const NamedTensor &probe : rhs->probes)
      for (const std::string &name : probe.names)
        candidates[name].push_back(&probe.tensor);
    // Of the ops of one name the last has what the name stands for.
    llvm::StringMap<const NamedTensor *> last;
    for (const NamedTensor &probe : lhs->probes)
      for (const std::string &name : probe.names)
        last[name] = &probe;
    for (const NamedTensor &probe : lhs->probes)
      for (const std::string &name : probe.names)
        if (last[name] == &probe)
          if (auto mismatch = match(name, probe.tensor, candidates[name]))
            return mismatch;
    return std::optional<Mismatch>();
  }

  FailureOr<FunctionRun> run(ModuleOp module, const ProbeRequest &request) {
    FailureOr<LoweredModule> lowered =
        LoweredModule::lower(module, whole, &request);
    if (failed(lowered) || failed(lowered->checkLimits(options)) ||
        failed(lowered->compile()))
      return failure();
    adoptArguments(lowered->getFunctions()[function]);
    return lowered->run(function, inputs);
  }

  /// Both modules are called with the same, whatever they use it for.
  void adoptArguments(SmallVectorImpl<ArgumentInfo> &infos) const {
    for (auto [info, known] : llvm::zip(infos, arguments))
      if (!info.isDeclared && !known.isDeclared)
        info = known;
  }

  /// A fused op has several results under all of its names, so one that agrees
  /// is enough; none of the type says nothing.
  std::optional<Mismatch> match(StringRef name, const HostTensor &value,
                                ArrayRef<const HostTensor *> others) const {
    std::optional<Mismatch> nearest;
    for (const HostTensor *other : others) {
      if (other->getType() != value.getType())
        continue;
      Difference difference = compare(value, *other);
      Type type = value.getType().getElementType();
      if (isWithin(difference, type, options.tolerance))
        return std::nullopt;
      if (!nearest || difference.getRelativeError() <
                          nearest->difference.getRelativeError())
        nearest = {name.str(), difference, options.tolerance.getLimit(type)};
    }
    return nearest;
  }

  /// The layer that an op belongs to by its name, where only one of the modules
  /// has layers.
  std::string findLayerOf(StringRef name) const {
    std::string found;
    for (ModuleOp module : {before, after})
      module.walk([&](transformer::LayerOp layer) {
        StringRef rest = name;
        if (rest.consume_front(layer.getName()) && rest.starts_with("."))
          found = layer.getName().str();
      });
    return found;
  }

  /// The ops of `layer`, or all if it is empty.
  static SmallVector<Probe> findOpsNear(func::FuncOp op, StringRef layer) {
    SmallVector<Probe> probes = findOpResults(op);
    if (layer.empty())
      return probes;
    llvm::erase_if(probes, [&](const Probe &probe) {
      return llvm::none_of(probe.names, [&](StringRef name) {
        return name.consume_front(layer) &&
               (name.empty() || name.starts_with("."));
      });
    });
    return probes;
  }

  ModuleOp before, after;
  StringRef function;
  ArrayRef<ArgumentInfo> arguments;
  const SeededInputs &inputs;
  const WholeModel &whole;
  const VerifyOptions &options;
};
} // namespace

FailureOr<FirstDifference> tensorcast::findFirstDifference(
    ModuleOp before, ModuleOp after, StringRef function,
    ArrayRef<ArgumentInfo> arguments, const SeededInputs &inputs,
    const WholeModel &whole, const VerifyOptions &options) {
  return Bisection(before, after, function, arguments, inputs, whole, options)
      .find();
}
