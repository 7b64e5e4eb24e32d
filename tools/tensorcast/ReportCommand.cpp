//===- ReportCommand.cpp - tensorcast report, explain and compare ---------===//

#include "Session.h"

#include "tensorcast/Device/DeviceRegistry.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Whether all launches have a cost; none is an error of the caller's.
static bool isPriced(ModuleOp module) {
  return !module
              .walk([](ascend::LaunchOp launch) {
                return launch.getCostAttr() ? WalkResult::advance()
                                            : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Reports a module that has nothing to report.
static LogicalResult checkLowered(ModuleOp module) {
  bool hasLaunches =
      module.walk([](ascend::LaunchOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (hasLaunches)
    return success();
  return mlir::emitError(module.getLoc(),
                         "expected launches of kernels, but found none; run "
                         "tc-opt with --tensorcast-eager or "
                         "--convert-transformer-to-ascend first");
}

LogicalResult mlir::tensorcast::price(ModuleOp module, CommandLine &line) {
  MLIRContext *context = module.getContext();
  transformer::WorkloadAttr workload =
      getWorkload(line, context, transformer::getDataParallel(module));
  bool wantsWorkload = line.getArgs().hasArg(
      OPT_num_queries_eq, OPT_query_length_eq, OPT_context_length_eq,
      OPT_decode, OPT_prefix_cache_hit_rate_eq, OPT_image_batch_size_eq,
      OPT_image_height_eq, OPT_image_width_eq, OPT_more_requests_eq);
  if (wantsWorkload && !workload)
    return failure();
  double reserved = line.getNumber(OPT_reserved_memory_gb_eq, 0);
  if (line.hasError() || failed(checkLowered(module)))
    return failure();
  if (workload) {
    FailureOr<transformer::WorkloadAttr> all =
        addImages(line, module, workload);
    if (failed(all) || failed(transformer::bindWorkload(module, *all)))
      return failure();
  }
  if (!module->hasAttr(transformer::kWorkloadAttrName) &&
      transformer::dependsOnWorkload(module))
    return mlir::emitError(
        module.getLoc(), "expected a workload, but the module is not bound to "
                         "one; add --num-queries and --query-length");
  bool hasOptions = line.getArgs().hasArg(OPT_device_eq, OPT_cost_model_eq,
                                          OPT_kernel_coefficients_eq,
                                          OPT_reserved_memory_gb_eq);
  if (isPriced(module) && !hasOptions && !workload)
    return success();

  ascend::AscendEstimateOptions options;
  options.device = line.getString(OPT_device_eq).str();
  options.costModel = line.getString(OPT_cost_model_eq).str();
  options.reservedMemoryGB = reserved;
  options.kernelCoefficients = line.getString(OPT_kernel_coefficients_eq).str();
  PassManager pm(context);
  pm.addPass(ascend::createAscendEstimate(options));
  return pm.run(module);
}

StringRef mlir::tensorcast::getFile(CommandLine &line) {
  return line.getArgs().hasArg(OPT_INPUT) ? getInput(line, "one .mlir file")
                                          : "-";
}

OwningOpRef<ModuleOp> mlir::tensorcast::readPriced(Session &session,
                                                   CommandLine &line,
                                                   StringRef path) {
  if (line.hasError())
    return {};
  OwningOpRef<ModuleOp> module = session.readModule(path);
  if (!module || failed(price(*module, line)))
    return {};
  return module;
}

int mlir::tensorcast::runReport(CommandLine &line) {
  Session session(line, "tensorcast report");
  line.getChoice(OPT_format_eq, {"table", "json", "csv", "chrome-trace"},
                 "table");
  OwningOpRef<ModuleOp> module;
  if (!line.hasError())
    module = readPriced(session, line, getFile(line));
  if (line.hasError())
    return ExitUsage;
  return !module || failed(session.report(*module)) ? ExitFailure : ExitSuccess;
}

int mlir::tensorcast::runCompare(CommandLine &line) {
  Session session(line, "tensorcast compare");
  line.getChoice(OPT_format_eq, {"table", "json"}, "table");
  std::vector<std::string> paths = line.getArgs().getAllArgValues(OPT_INPUT);
  if (paths.size() != 2)
    line.reportError("expected two .mlir files, before and after, but got " +
                     Twine(paths.size()) + "; try --help");
  else if (paths[0] == "-" && paths[1] == "-")
    line.reportError("expected standard input ('-') at most once, but got it "
                     "before and after");
  if (line.hasError())
    return ExitUsage;
  SmallVector<OwningOpRef<ModuleOp>> modules;
  for (const std::string &path : paths) {
    modules.push_back(readPriced(session, line, path));
    if (!modules.back())
      return line.hasError() ? ExitUsage : ExitFailure;
  }
  return failed(session.compare(*modules[0], *modules[1])) ? ExitFailure
                                                           : ExitSuccess;
}

int mlir::tensorcast::runExplain(CommandLine &line) {
  Session session(line, "tensorcast explain");
  StringRef op = line.getString(OPT_op_eq);
  if (op.empty())
    line.reportError("expected '--op' with the name of a kernel, but got none");
  OwningOpRef<ModuleOp> module;
  if (!line.hasError())
    module = readPriced(session, line, getFile(line));
  if (line.hasError())
    return ExitUsage;
  if (!module)
    return ExitFailure;
  LogicalResult explained = session.write(
      [&](raw_ostream &os) { return explainKernel(os, *module, op); });
  return failed(explained) ? ExitFailure : ExitSuccess;
}
