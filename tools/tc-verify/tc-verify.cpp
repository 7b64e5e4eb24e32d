//===- tc-verify.cpp - Compares modules by running them -------------------===//

#include "Modules.h"

#include "tensorcast/CommandLine/CommandLine.h"
#include "tensorcast/CommandLine/DiagnosticPrinter.h"
#include "tensorcast/CommandLine/InputModule.h"
#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/InitAll.h"
#include "tensorcast/Support/SourceCheck.h"
#include "tensorcast/Verify/Executable.h"
#include "tensorcast/Verify/Verify.h"

#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

enum OptionID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

using namespace llvm::opt;
static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

namespace {
struct VerifyOptTable : GenericOptTable {
  VerifyOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}
};

/// What the command line asks for.
struct Request {
  std::vector<std::string> files;
  int64_t queries, queryLength;
  std::optional<int64_t> contextLength;
  bool decode, isF32, isJson;
  VerifyOptions options;
};
} // namespace

static constexpr StringLiteral overview =
    "Runs two modules on the same values and compares what they compute. With "
    "one file and --pipeline, compares it before and after the passes.\n\n"
    "Exit status: 0 if equal, 1 if they differ or cannot be run, 2 for bad "
    "usage.";

/// A number that is at least 0.
static double getLimit(CommandLine &line, OptSpecifier id, double fallback) {
  double value = line.getNumber(id, fallback);
  if (value < 0)
    line.reportError("expected at least 0 for '" +
                     Twine(getOptionName(*line.getArgs().getLastArg(id))) +
                     "', but got " + Twine(line.getString(id)));
  return value;
}

static Request readRequest(CommandLine &line) {
  Request request;
  request.files = line.getArgs().getAllArgValues(OPT_INPUT);
  bool hasPipeline = line.getArgs().hasArg(OPT_pipeline_eq);
  size_t numFiles = request.files.size();
  if (numFiles == 1 && !hasPipeline)
    line.reportError("expected a second file, or '--pipeline' to compare '" +
                     Twine(request.files.front()) +
                     "' before and after, but got none");
  else if (numFiles != 1 && numFiles != 2)
    line.reportError("expected two .mlir files, or one and '--pipeline', but "
                     "got " +
                     Twine(numFiles) + " files; try --help");
  request.queries = line.getInteger(OPT_num_queries_eq, 2);
  request.queryLength = line.getInteger(OPT_query_length_eq, 5);
  if (line.getArgs().hasArg(OPT_context_length_eq))
    request.contextLength = line.getInteger(OPT_context_length_eq, 3);
  request.decode = line.hasFlag(OPT_decode);
  request.isF32 = line.hasFlag(OPT_f32);
  request.isJson =
      line.getChoice(OPT_format_eq, {"text", "json"}, "text") == "json";
  VerifyOptions &options = request.options;
  options.seed = static_cast<uint64_t>(line.getInteger(OPT_seed_eq, 0));
  if (line.getArgs().hasArg(OPT_tolerance_eq))
    options.tolerance.error = getLimit(line, OPT_tolerance_eq, 0);
  if (line.getArgs().hasArg(OPT_min_cosine_eq))
    options.minCosine = getLimit(line, OPT_min_cosine_eq, 0);
  // Above 1 nothing would be equal to itself.
  if (options.minCosine.value_or(0) > 1)
    line.reportError("expected at most 1 for '--min-cosine', but got " +
                     Twine(line.getString(OPT_min_cosine_eq)));
  options.maxOperations =
      getLimit(line, OPT_max_operations_eq, options.maxOperations);
  options.maxBytes = getLimit(line, OPT_max_bytes_eq, options.maxBytes);
  return request;
}

static LogicalResult write(const VerifyReport &report, bool isJson,
                           StringRef path, MLIRContext *context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isJson)
    printJson(os, report);
  else
    printText(os, report);
  return writeFile(path, text, context);
}

/// The images of the step: what the options say, or one small image for a model
/// that has to look at some.
static FailureOr<transformer::ImagesAttr> getImages(CommandLine &line,
                                                    ModuleOp module) {
  auto rule = module->getAttrOfType<transformer::ImageRuleAttr>(
      transformer::kImagesAttrName);
  bool hasTower = transformer::looksAtImages(module);
  int64_t cell = rule && hasTower ? rule.getPatch() * rule.getMerge() : 0;
  return transformer::cutImages(
      module, line.getInteger(OPT_image_batch_size_eq, hasTower ? 1 : 0),
      line.getInteger(OPT_image_height_eq, 2 * cell),
      line.getInteger(OPT_image_width_eq, 3 * cell));
}

/// Tokens that are cached already: a few, for a model that has caches.
static int64_t getDefaultContext(ModuleOp module) {
  bool hasCaches =
      module
          .walk([](Operation *op) {
            return isa<transformer::KVCacheOp, transformer::StateOp>(op)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  return hasCaches ? 3 : 0;
}

static int verify(CommandLine &line, const Request &request,
                  llvm::SourceMgr &sourceManager, MLIRContext *context) {
  OwningOpRef<ModuleOp> before =
      readModule(request.files.front(), sourceManager, context);
  if (!before)
    return ExitFailure;
  FailureOr<transformer::ImagesAttr> images = getImages(line, *before);
  if (failed(images))
    return ExitFailure;
  auto emit = [&] { return emitError(UnknownLoc::get(context)); };
  auto workload = WorkloadAttr::getChecked(
      emit, context, request.queries, request.queryLength,
      request.contextLength.value_or(getDefaultContext(*before)),
      request.decode, /*data_parallel=*/int64_t(1), FloatAttr(), *images,
      ArrayAttr());
  if (!workload)
    return ExitFailure;
  OwningOpRef<ModuleOp> after =
      request.files.size() == 1
          ? OwningOpRef<ModuleOp>(before->clone())
          : readModule(request.files.back(), sourceManager, context);
  if (!after)
    return ExitFailure;
  if (line.getArgs().hasArg(OPT_pipeline_eq) &&
      failed(runPipeline(*after, line.getString(OPT_pipeline_eq))))
    return ExitFailure;
  if (failed(bindBoth(*before, *after, workload)))
    return ExitFailure;
  if (request.isF32 &&
      (failed(widenToF32(*before)) || failed(widenToF32(*after))))
    return ExitFailure;
  FailureOr<VerifyReport> report =
      verifyEqual(*before, *after, request.options);
  if (failed(report) || failed(write(*report, request.isJson,
                                     line.getString(OPT_output, "-"), context)))
    return ExitFailure;
  return report->isEqual() ? ExitSuccess : ExitFailure;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installFatalErrorHandlers();
  VerifyOptTable table;
  CommandLine line("tc-verify", table, Visibility(DefaultVis), llvm::errs());
  if (failed(line.parse(ArrayRef<const char *>(argv, argc).drop_front())))
    return ExitUsage;
  if (line.hasFlag(OPT_help)) {
    table.printHelp(llvm::outs(), "tc-verify BEFORE.mlir AFTER.mlir [options]",
                    overview.data());
    return ExitSuccess;
  }
  if (line.hasFlag(OPT_version)) {
    llvm::outs() << "tc-verify " TENSORCAST_VERSION "\n";
    return ExitSuccess;
  }
  Request request = readRequest(line);
  if (line.hasError())
    return ExitUsage;

  DialectRegistry registry;
  registerAllDialects(registry);
  registerExecutionDialects(registry);
  registerAllPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sourceManager;
  DiagnosticPrinter printer(&context, "tc-verify", sourceManager, llvm::errs());
  return verify(line, request, sourceManager, &context);
}
