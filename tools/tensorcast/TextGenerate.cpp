//===- TextGenerate.cpp - tensorcast text-generate ------------------------===//
//
// Import, pipeline and report in one go; nothing is computed here.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/Pipelines/Pipelines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Option.h"

using namespace mlir;
using namespace mlir::tensorcast;
using llvm::opt::Arg;

/// Says what happens to options that do nothing here, and refuses what is not
/// built yet.
static void checkReferenceOptions(CommandLine &line) {
  for (const Arg *arg : line.getArgs()) {
    const llvm::opt::Option &option = arg->getOption();
    if (option.matches(OPT_noted_Group)) {
      line.reportNote("'" + getOptionName(*arg) + "' has no effect here: " +
                      getOptTable().getOptionHelpText(option.getID()));
      continue;
    }
    if (!option.matches(OPT_later_Group))
      continue;
    if (arg->getNumValues() == 0) {
      line.reportError("option '" + getOptionName(*arg) + "' is not built yet");
      continue;
    }
    SmallVector<std::string> values = line.getKnownValues(option);
    if (!llvm::is_contained(values, StringRef(arg->getValue())))
      line.reportError(
          "option '" + getOptionName(*arg) + "' is not built yet: expected " +
          llvm::join(values, " or ") + ", but got '" + arg->getValue() + "'");
  }
  if (line.getArgs().hasArg(OPT_fusion_plugin_eq))
    line.reportError(
        "option '--fusion-plugin' is not supported: Python plugins "
        "are not loaded; fusions are pattern files here "
        "('--patterns', not built yet)");
}

/// The model's name, from the front or `--model-id`.
static StringRef getModel(CommandLine &line) {
  if (!line.getArgs().hasArg(OPT_model_id_eq))
    return getInput(line, "one model (a preset, a config.json or a folder "
                          "with one)");
  if (line.getArgs().hasArg(OPT_INPUT))
    line.reportError("expected the model once, but got it in front and with "
                     "'--model-id'");
  return line.getString(OPT_model_id_eq);
}

/// Fills what the pipeline needs from the command line.
static void readOptions(CommandLine &line, transformer::WorkloadAttr workload,
                        EagerOptions &options) {
  if (workload) {
    options.queries = workload.getQueries();
    options.queryLength = workload.getQueryLength();
    options.contextLength = workload.getContextLength();
    options.decode = workload.getDecode();
    options.prefixCacheHitRate = workload.getHitRate();
  }
  auto set = [&](auto &option, llvm::opt::OptSpecifier id) {
    if (line.getArgs().hasArg(id))
      option = line.getString(id).str();
  };
  set(options.device, OPT_device_eq);
  set(options.reference, OPT_reference_eq);
  set(options.kernelSet, OPT_kernel_set_eq);
  set(options.costModel, OPT_cost_model_eq);
  options.quantizeLinearAction =
      line.getChoice(OPT_quantize_linear_action_eq,
                     {"DISABLED", "W8A8_DYNAMIC", "W8A8_STATIC"},
                     "W8A8_DYNAMIC")
          .str();
  options.reservedMemoryGB = line.getNumber(OPT_reserved_memory_gb_eq, 0);
  options.noRepetition = line.hasFlag(OPT_no_repetition);
}

int mlir::tensorcast::runTextGenerate(CommandLine &line) {
  Session session(line, "tensorcast text-generate");
  MLIRContext *context = session.getContext();
  checkReferenceOptions(line);
  StringRef model = getModel(line);
  line.getChoice(OPT_format_eq, {"table", "json", "csv"}, "table");
  int64_t layers = line.getInteger(OPT_num_hidden_layers_override_eq, 0);
  if (layers < 0 || layers > 4096)
    line.reportError("expected '--num-hidden-layers-override' from 0 to 4096, "
                     "but got " +
                     Twine(layers));
  for (auto [id, name] : {std::pair(OPT_num_queries_eq, "--num-queries"),
                          std::pair(OPT_query_length_eq, "--query-length")})
    if (!line.getArgs().hasArg(id))
      line.reportError(Twine("expected '") + name + "', but got none");
  EagerOptions options;
  transformer::WorkloadAttr workload;
  if (!line.hasError())
    workload = getWorkload(line, context);
  readOptions(line, workload, options);
  if (line.hasError())
    return ExitUsage;
  FailureOr<DecoderConfig> config = loadModel(model, context);
  if (!workload || failed(config))
    return ExitFailure;
  if (layers > 0)
    config->numHiddenLayers = layers;

  OwningOpRef<ModuleOp> module = buildModel(*config, context);
  PassManager pm(context);
  buildEagerPipeline(pm, options);
  if (failed(pm.run(*module)) || failed(session.report(*module)))
    return ExitFailure;
  return ExitSuccess;
}
