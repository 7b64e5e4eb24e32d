//===- Runner.cpp - One module, lowered and run ---------------------------===//

#include "Runner.h"

#include "tensorcast/Conversion/Passes.h"
#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;

SmallVector<func::FuncOp> tensorcast::getPublicFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration())
      functions.push_back(function);
  return functions;
}

static LogicalResult runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager pm(module.getContext());
  pm.addPass(std::move(pass));
  return pm.run(module);
}

FailureOr<LoweredModule> LoweredModule::lower(ModuleOp original,
                                              const ProbeRequest *request) {
  LoweredModule lowered(original.getLoc());
  lowered.module = original.clone();
  ModuleOp module = *lowered.module;
  auto addProbes = [&]() -> LogicalResult {
    auto function = module.lookupSymbol<func::FuncOp>(request->function);
    SmallVector<Probe> probes = request->find(function);
    lowered.probed = request->function.str();
    lowered.firstProbe = function.getNumResults();
    for (Probe &probe : probes)
      lowered.probeNames.push_back(probe.names);
    return addResults(function, probes);
  };
  if (request && request->beforeInlining && failed(addProbes()))
    return failure();
  if (failed(runPass(module, transformer::createTransformerInlineLayers())))
    return failure();
  if (request && !request->beforeInlining && failed(addProbes()))
    return failure();
  if (failed(runPass(module, createConvertTransformerToLinalg())))
    return failure();

  for (func::FuncOp function : getPublicFunctions(module)) {
    lowered.functions[function.getName()] = getArguments(function);
    SmallVector<std::string> &names = lowered.resultNames[function.getName()];
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto cache = function.getResultAttrOfType<StringAttr>(i, kNameAttrName);
      names.push_back(cache ? ("cache " + cache.getValue()).str()
                            : ("result " + Twine(i)).str());
    }
  }
  return std::move(lowered);
}

/// `3.2e+12`, as people read it.
static std::string formatCount(double count) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", count);
  return text;
}

LogicalResult LoweredModule::checkLimits(const VerifyOptions &options) const {
  WorkEstimate work = estimateWork(*module);
  auto refuse = [&](double needed, StringRef unit, double limit,
                    StringRef option) {
    return mlir::emitError(loc, "expected at most ")
           << formatCount(limit) << " " << unit << " to run, but got "
           << formatCount(needed) << "; run a smaller model (tc-import "
           << "--reduced), a smaller workload, or raise " << option;
  };
  if (!(work.operations <= options.maxOperations))
    return refuse(work.operations, "operations", options.maxOperations,
                  "--max-operations");
  if (!(work.bytes <= options.maxBytes))
    return refuse(work.bytes, "bytes", options.maxBytes, "--max-bytes");
  return success();
}

LogicalResult LoweredModule::compile() {
  FailureOr<Executable> compiled = Executable::compile(*module);
  if (failed(compiled))
    return failure();
  executable.emplace(std::move(*compiled));
  return success();
}

FailureOr<FunctionRun> LoweredModule::run(StringRef function,
                                          const SeededInputs &inputs) {
  std::vector<HostTensor> arguments = inputs.makeAll(functions[function]);
  FailureOr<std::vector<HostTensor>> values =
      executable->run(function, arguments);
  if (failed(values))
    return failure();
  FunctionRun run;
  for (auto [i, value] : llvm::enumerate(*values)) {
    bool isProbe = function == probed && i >= firstProbe &&
                   i < firstProbe + probeNames.size();
    if (isProbe)
      run.probes.push_back({probeNames[i - firstProbe], std::move(value)});
    else
      run.results.push_back({{resultNames[function][i]}, std::move(value)});
  }
  return run;
}
