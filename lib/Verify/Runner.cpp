//===- Runner.cpp - One module, lowered and run ---------------------------===//

#include "Runner.h"

#include "LayerFunctions.h"

#include "tensorcast/Conversion/Passes.h"
#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Format.h"

#include <map>

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

/// Dissolves fused kernels: which layer reads a weight is then plain to see.
static LogicalResult dissolveFused(ModuleOp module) {
  transformer::TransformerDecomposeOptions options;
  options.level = transformer::DecomposeLevel::Primitive;
  options.ops = {"fused", "dispatch_ffn_combine"};
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(
      transformer::createTransformerDecompose(options));
  return pm.run(module);
}

LogicalResult LoweredModule::addProbes(const ProbeRequest &request) {
  auto function = module->lookupSymbol<func::FuncOp>(request.function);
  SmallVector<Probe> probes = request.find(function);
  probed = request.function.str();
  firstProbe = function.getNumResults();
  for (Probe &probe : probes)
    probeNames.push_back(probe.names);
  return addResults(function, probes);
}

FailureOr<LoweredModule> LoweredModule::lower(ModuleOp original,
                                              const WholeModel &whole,
                                              const ProbeRequest *request) {
  LoweredModule lowered(original.getLoc());
  lowered.module = original.clone();
  ModuleOp module = *lowered.module;
  if (request && request->beforeInlining && failed(lowered.addProbes(*request)))
    return failure();
  markLayers(module);
  // Those, too, that are fused in other ways than the rest.
  if (failed(runPass(module,
                     transformer::createTransformerInlineLayers({true}))) ||
      failed(dissolveFused(module)))
    return failure();
  if (request && !request->beforeInlining &&
      failed(lowered.addProbes(*request)))
    return failure();
  auto countResults = [&](func::FuncOp function) {
    return function.getName() == lowered.probed ? lowered.firstProbe
                                                : function.getNumResults();
  };
  if (isSharded(module))
    lowered.groupSize =
        module->getAttrOfType<transformer::PlanAttr>(transformer::kPlanAttrName)
            .getTensorParallel();
  if (isSharded(module) && failed(unrollRanks(module, whole, countResults)))
    return failure();
  if (failed(runPass(module, createConvertTransformerToLinalg())))
    return failure();
  // Ranks of a group find the same order of rows; it is compiled once.
  if (isSharded(module) && failed(runPass(module, createCSEPass())))
    return failure();
  outlineLayers(module);
  lowered.describeFunctions();
  return std::move(lowered);
}

void LoweredModule::describeFunctions() {
  for (func::FuncOp function : getPublicFunctions(*module)) {
    functions[function.getName()] = getArguments(function);
    SmallVector<ResultInfo> &infos = resultInfos[function.getName()];
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      ResultInfo &info = infos.emplace_back();
      auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttrName);
      auto kind = function.getResultAttrOfType<StringAttr>(i, kKindAttrName);
      info.part = Part::get(
          function.getResultAttrOfType<DictionaryAttr>(i, kPartAttrName));
      if (kind && kind.getValue() == kKindCache)
        info.name = ("cache " + name.getValue()).str();
      else
        info.name = name ? name.str() : ("result " + Twine(i)).str();
    }
  }
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

//===----------------------------------------------------------------------===//
// Results of ranks
//===----------------------------------------------------------------------===//

namespace {
/// A cache whose heads, or tokens, several ranks have, some the same ones.
struct CacheOfRanks {
  HostTensor whole;
  std::vector<bool> isKnown;

  explicit CacheOfRanks(RankedTensorType type)
      : whole(type), isKnown(type.getNumElements(), false) {}

  /// Writes what is not known yet; what the part should be by what is, if any.
  std::optional<HostTensor> add(const HostTensor &own, const Part &part) {
    ArrayRef<int64_t> shape = own.getType().getShape();
    std::vector<double> values = whole.getValues(), mine = own.getValues();
    bool isCopy = false;
    for (auto [i, value] : llvm::enumerate(mine)) {
      std::optional<int64_t> at = part.locate(static_cast<int64_t>(i), shape);
      if (!at)
        continue;
      int64_t index = *at;
      if (isKnown[index]) {
        isCopy = true;
        value = values[index];
        continue;
      }
      values[index] = value;
      isKnown[index] = true;
    }
    whole.setValues(values);
    if (!isCopy)
      return std::nullopt;
    HostTensor expected(own.getType());
    expected.setValues(mine);
    return expected;
  }
};
} // namespace

FailureOr<FunctionRun> LoweredModule::run(StringRef function,
                                          const SeededInputs &inputs) {
  std::vector<HostTensor> arguments = inputs.makeAll(functions[function]);
  FailureOr<std::vector<HostTensor>> values =
      executable->run(function, arguments);
  if (failed(values))
    return failure();
  FunctionRun run;
  auto getFirst = [&](const ResultInfo &info) {
    return info.part->rank / groupSize * groupSize;
  };
  // By name and the first rank of the group; other groups than that of rank 0
  // have other requests.
  std::map<std::pair<StringRef, int64_t>, HostTensor> firsts;
  llvm::MapVector<std::pair<StringRef, int64_t>, CacheOfRanks> caches;
  for (auto [i, value] : llvm::enumerate(*values)) {
    const ResultInfo &info = resultInfos[function][i];
    bool isProbe = function == probed && i >= firstProbe &&
                   i < firstProbe + probeNames.size();
    if (isProbe) {
      run.probes.push_back({probeNames[i - firstProbe], std::move(value)});
    } else if (!info.part) {
      firsts.try_emplace({info.name, 0}, value);
      run.results.push_back({{info.name}, std::move(value)});
    } else if (info.part->whole.empty()) {
      auto [first, isNew] =
          firsts.try_emplace({info.name, getFirst(info)}, value);
      if (!isNew)
        run.copies.push_back(
            {info.name, info.part->rank, std::move(value), first->second});
    } else {
      auto type = RankedTensorType::get(info.part->whole,
                                        value.getType().getElementType());
      CacheOfRanks &cache =
          caches.try_emplace({info.name, getFirst(info)}, type).first->second;
      if (auto expected = cache.add(value, *info.part))
        run.copies.push_back({info.name, info.part->rank, std::move(value),
                              std::move(*expected)});
    }
  }
  for (auto &[key, cache] : caches)
    if (key.second == 0)
      run.results.push_back({{key.first.str()}, std::move(cache.whole)});
  return run;
}
