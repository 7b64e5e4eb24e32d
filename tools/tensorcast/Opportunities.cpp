//===- Opportunities.cpp - tensorcast opportunities -----------------------===//

#include "tensorcast/Opportunities/Opportunities.h"

#include "Session.h"
#include "tensorcast/Conversion/Passes.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tensorcast;

static bool hasLaunches(ModuleOp module) {
  return module.walk([](ascend::LaunchOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Adds the passes that make priced launches of a module, as the options and
/// the attributes of `module` say.
static void addPricing(PassManager &pm, CommandLine &line, ModuleOp module,
                       bool compiled) {
  std::string date = line.getString(OPT_reference_eq, "2026.08").str();
  auto getName = [&](OptionID id, StringRef attribute, StringRef prefix) {
    if (line.getArgs().hasArg(id))
      return line.getString(id).str();
    if (auto name = module->getAttrOfType<StringAttr>(attribute))
      return name.str();
    return (prefix + date).str();
  };
  ConvertTransformerToAscendOptions convert;
  convert.kernelSet =
      getName(OPT_kernel_set_eq, ascend::kKernelSetAttrName, "reference-");
  convert.compiled = compiled;
  pm.addPass(createConvertTransformerToAscend(convert));
  ascend::AscendEstimateOptions estimate;
  estimate.device = line.getString(OPT_device_eq).str();
  estimate.defaultDevice = "TEST_DEVICE";
  estimate.costModel =
      getName(OPT_cost_model_eq, ascend::kCostModelAttrName, "tensorcast-");
  estimate.kernelCoefficients =
      line.getString(OPT_kernel_coefficients_eq).str();
  pm.addPass(ascend::createAscendEstimate(estimate));
}

/// Records the device and the names that `addPricing` takes, and reports those
/// that do not exist.
static LogicalResult recordMachine(PassManager &pm, ModuleOp module) {
  OwningOpRef<ModuleOp> empty = ModuleOp::create(module.getLoc());
  (*empty)->setAttrs(module->getAttrDictionary());
  if (failed(pm.run(*empty)))
    return failure();
  module->setAttrs((*empty)->getAttrDictionary());
  return success();
}

int mlir::tensorcast::listOpportunities(Session &session, CommandLine &line,
                                        ModuleOp module, bool compiled) {
  StringRef format = line.getChoice(OPT_format_eq, {"table", "json"}, "table");
  int64_t top = line.getInteger(OPT_top_eq, 10),
          maxOps = line.getInteger(OPT_max_ops_eq, 3),
          rank = line.getInteger(OPT_rank_eq, 1);
  auto check = [&](StringRef name, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high)
      line.reportError("expected '" + name + "' from " + Twine(low) + " to " +
                       Twine(high) + ", but got " + Twine(value));
  };
  check("--top", top, 1, 1000);
  check("--max-ops", maxOps, 2, 6);
  check("--rank", rank, 1, 1000);
  StringRef path = line.getString(OPT_emit_pdll_eq);
  if (path.empty() && line.getArgs().hasArg(OPT_rank_eq))
    line.reportError("expected '--emit-pdll' beside '--rank', but got none");
  if (line.hasError())
    return ExitUsage;

  PassManager pm(module.getContext());
  addPricing(pm, line, module, compiled);
  if (failed(recordMachine(pm, module)))
    return ExitFailure;
  OpportunityOptions options;
  options.maxOps = maxOps;
  // A function alone does not know the layers that it calls.
  pm.enableVerifier(false);
  auto price = [&](ModuleOp scratch) { return pm.run(scratch); };
  options.price = price;
  FailureOr<OpportunityList> list = findOpportunities(module, options);
  if (failed(list))
    return ExitFailure;
  if (!path.empty()) {
    if (list->chains.size() < size_t(rank)) {
      mlir::emitError(module.getLoc(), "expected '--rank' up to ")
          << list->chains.size() << ", as there are no more chains, but got "
          << rank;
      return ExitFailure;
    }
    if (failed(session.write(path, [&](raw_ostream &os) {
          return printPattern(os, list->chains[rank - 1], list->totalS);
        })))
      return ExitFailure;
  }
  return failed(session.write([&](raw_ostream &os) {
    if (format == "json")
      printOpportunitiesJson(os, *list, top);
    else
      printOpportunities(os, *list, top);
    return success();
  }))
             ? ExitFailure
             : ExitSuccess;
}

/// Binds the workload of the options to ops, which need one to have a price.
static LogicalResult bind(ModuleOp module, CommandLine &line) {
  transformer::WorkloadAttr workload = getWorkload(
      line, module.getContext(), transformer::getDataParallel(module));
  if (line.hasError())
    return failure();
  if (workload)
    return transformer::bindWorkload(module, workload);
  if (!module->hasAttr(transformer::kWorkloadAttrName) &&
      transformer::dependsOnWorkload(module))
    return mlir::emitError(
        module.getLoc(), "expected a workload, but the module is not bound to "
                         "one; add --num-queries and --query-length");
  return success();
}

int mlir::tensorcast::runOpportunities(CommandLine &line) {
  Session session(line, "tensorcast opportunities");
  StringRef file = getFile(line);
  OwningOpRef<ModuleOp> module;
  if (!line.hasError())
    module = session.readModule(file);
  if (line.hasError())
    return ExitUsage;
  if (!module ||
      failed(hasLaunches(*module) ? price(*module, line) : bind(*module, line)))
    return line.hasError() ? ExitUsage : ExitFailure;
  return listOpportunities(session, line, *module, /*compiled=*/true);
}
