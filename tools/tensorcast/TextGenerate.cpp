//===- TextGenerate.cpp - tensorcast text-generate ------------------------===//
//
// Import, pipeline and report in one go; nothing is computed here.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/Pipelines/Pipelines.h"
#include "tensorcast/Report/FusionReport.h"
#include "tensorcast/Support/Wording.h"

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
        "are not loaded; fusions are pattern files here ('--patterns')");
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

/// The passes that `--compilation-config` switches on; reports those that are
/// not built.
static SmallVector<std::string> getCompilationConfig(CommandLine &line) {
  StringRef known[] = {kMatmulAllReducePass, kSequenceParallelPass,
                       kMultistreamPass, kDispatchFFNCombinePass};
  SmallVector<std::string> passes;
  for (std::string name :
       line.getArgs().getAllArgValues(OPT_compilation_config_eq)) {
    std::replace(name.begin(), name.end(), '_', '-');
    if (!StringRef(name).starts_with("enable-"))
      name = "enable-" + name;
    if (!llvm::is_contained(known, name)) {
      line.reportError(unknownName("compilation-config name", name, known));
      continue;
    }
    passes.push_back(name);
  }
  if (!passes.empty() && !line.hasFlag(OPT_compile))
    line.reportError("expected '--compile' beside '--compilation-config', but "
                     "got none");
  return passes;
}

/// Notes that `--compilation-config` asked for a split of tokens in vain.
static void noteSequenceParallelism(CommandLine &line, ModuleOp module) {
  auto plan =
      module->getAttrOfType<transformer::PlanAttr>(transformer::kPlanAttrName);
  bool isShared = plan && plan.getTensorParallel() > 1;
  bool isSplit =
      module
          .walk([&](Operation *op) {
            auto exchange = dyn_cast<ascend::CollectiveOp>(op);
            auto launch = dyn_cast<ascend::LaunchOp>(op);
            // Sparse attention is given to every device in full.
            bool found =
                (exchange &&
                 exchange.getKind() == ascend::CollectiveKind::ReduceScatter) ||
                (launch && isShared &&
                 launch.getKernel().ends_with("sparse_latent_attention"));
            return found ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!isSplit)
    line.reportNote(
        Twine("'") + kSequenceParallelPass +
        "' has no effect here: it needs '--tp-size' above 1, and with kernels "
        "of the reference '--word-embedding-tp row', norms that are not fused "
        "with a quantization, and tokens that tp divides");
}

/// Groups and their numbers must make up all devices.
static void checkGroups(CommandLine &line) {
  for (OptionID id :
       {OPT_num_devices_eq, OPT_tp_size_eq, OPT_dp_size_eq, OPT_pp_size_eq,
        OPT_o_proj_tp_size_eq, OPT_mlp_tp_size_eq, OPT_lmhead_tp_size_eq,
        OPT_ep_size_eq, OPT_moe_tp_size_eq, OPT_moe_dp_size_eq, OPT_dcp_size_eq,
        OPT_vision_tp_size_eq})
    if (const Arg *arg = line.getArgs().getLastArg(id);
        arg && line.getInteger(id, 1) < 1)
      line.reportError("expected '" + getOptionName(*arg) +
                       "' of at least 1, but got " + arg->getValue());
  // Groups are of devices of one stage.
  int64_t devices = line.getInteger(OPT_num_devices_eq, 1) /
                    std::max<int64_t>(line.getInteger(OPT_pp_size_eq, 1), 1);
  int64_t tensor = line.getInteger(OPT_tp_size_eq, 1);
  int64_t context = line.getInteger(OPT_dcp_size_eq, 1);
  if (context > 0 && tensor % context != 0)
    line.reportError("expected '--dcp-size' to divide '--tp-size' " +
                     Twine(tensor) + ", but got " + Twine(context));
  std::tuple<StringRef, OptionID, OptionID> groups[] = {
      {"o-proj", OPT_o_proj_tp_size_eq, OPT_o_proj_dp_size_eq},
      {"mlp", OPT_mlp_tp_size_eq, OPT_mlp_dp_size_eq},
      {"lmhead", OPT_lmhead_tp_size_eq, OPT_lmhead_dp_size_eq}};
  for (auto [name, tp, dp] : groups) {
    if (!line.getArgs().hasArg(dp))
      continue;
    int64_t size = line.getInteger(tp, tensor), number = line.getInteger(dp, 1);
    if (size < 1 || number < 1 || devices % size != 0 ||
        devices / size != number)
      line.reportError("expected '--" + name + "-tp-size' * '--" + name +
                       "-dp-size' to be " + Twine(devices) +
                       " devices, but got " + Twine(size) + " * " +
                       Twine(number));
  }
}

/// Fills what a pipeline needs from the command line.
template <typename OptionsT>
static void readOptions(CommandLine &line, transformer::WorkloadAttr workload,
                        OptionsT &options) {
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
  set(options.kernelCoefficients, OPT_kernel_coefficients_eq);
  StringRef actions[] = {"DISABLED",     "W8A16_STATIC", "W8A16_DYNAMIC",
                         "W8A8_STATIC",  "W8A8_DYNAMIC", "W4A8_STATIC",
                         "W4A8_DYNAMIC", "FP8",          "MXFP4"};
  if (line.getArgs().hasArg(OPT_quantize_linear_action_eq))
    options.quantizeLinearAction =
        line.getChoice(OPT_quantize_linear_action_eq, actions, "").str();
  if (line.getChoice(OPT_preset_eq, {"inference", "training"}, "inference") ==
      "training")
    options.preset = Preset::Training;
  // Here, DISABLED means that these layers are not treated apart.
  StringRef others = line.getChoice(OPT_quantize_non_expert_linear_action_eq,
                                    actions, "DISABLED");
  if (others != "DISABLED")
    options.quantizeNonExpertLinearAction = others.str();
  options.quantizeAttentionAction =
      line.getChoice(OPT_quantize_attention_action_eq,
                     {"DISABLED", "INT8", "FP8"}, "DISABLED")
          .str();
  options.devices = line.getInteger(OPT_num_devices_eq, 1);
  options.tensor = line.getInteger(OPT_tp_size_eq, 0);
  options.data = line.getInteger(OPT_dp_size_eq, 0);
  options.pipeline = line.getInteger(OPT_pp_size_eq, 0);
  options.output = line.getInteger(OPT_o_proj_tp_size_eq, 0);
  options.mlp = line.getInteger(OPT_mlp_tp_size_eq, 0);
  options.head = line.getInteger(OPT_lmhead_tp_size_eq, 0);
  options.expert = line.getInteger(OPT_ep_size_eq, 0);
  options.vision = line.getInteger(OPT_vision_tp_size_eq, 0);
  options.imageBatchSize = line.getInteger(OPT_image_batch_size_eq, 0);
  options.imageHeight = line.getInteger(OPT_image_height_eq, 0);
  options.imageWidth = line.getInteger(OPT_image_width_eq, 0);
  options.expertTensor = line.getInteger(OPT_moe_tp_size_eq, 0);
  options.expertData = line.getInteger(OPT_moe_dp_size_eq, 0);
  // Only decode steps read what devices would share.
  if (line.hasFlag(OPT_decode))
    options.context = line.getInteger(OPT_dcp_size_eq, 0);
  options.redundantExperts = line.hasFlag(OPT_enable_redundant_experts);
  options.sharedExpertTensor = line.hasFlag(OPT_enable_shared_expert_tp);
  options.externalSharedExperts =
      line.hasFlag(OPT_enable_external_shared_experts);
  options.hostSharedExperts = line.hasFlag(OPT_host_external_shared_experts);
  options.wordEmbedding =
      line.getChoice(OPT_word_embedding_tp_eq, {"none", "col", "row"}, "none")
          .str();
  options.mxfp4GroupSize = line.getInteger(OPT_mxfp4_group_size_eq, 32);
  options.reservedMemoryGB = line.getNumber(OPT_reserved_memory_gb_eq, 0);
  options.noRepetition = line.hasFlag(OPT_no_repetition);
  options.lower = !line.hasFlag(OPT_opportunities);
}

namespace {
/// What one run is asked for beside the pipeline's options.
struct Request {
  StringRef model;
  int64_t layers = 0, draftTokens = 0;
  transformer::WorkloadAttr workload;
  /// Passes of `--compilation-config`.
  SmallVector<std::string> config;
  /// Files with patterns of one's own, which are compared with the price
  /// without them.
  std::vector<std::string> patterns;
  /// What `--disable` switches off, and `--high-precision` keeps.
  SmallVector<std::string> disable, highPrecision;
  StringRef fusionReport;
};
} // namespace

/// What is switched off where the user's patterns are not loaded: their names
/// are unknown there.
static SmallVector<std::string> getDisabledFusions(const Request &request,
                                                   MLIRContext *context) {
  SmallVector<std::string> names = request.disable;
  SmallVector<std::string> known = transformer::listFusionNames(context);
  llvm::erase_if(names, [&](StringRef name) {
    return !llvm::is_contained(known, transformer::getFusionName(name));
  });
  return names;
}

/// Adds the passes that the options ask for; of the user's own patterns, too,
/// unless the run is the one that they are compared with.
static void buildPipeline(CommandLine &line, const Request &request,
                          bool isPlain, PassManager &pm) {
  // Options have no insert().
  auto append = [](ArrayRef<std::string> values, auto &option) {
    for (const std::string &value : values)
      option.push_back(value);
  };
  auto build = [&](auto &options, auto addPasses) {
    readOptions(line, request.workload, options);
    if (!isPlain)
      append(request.patterns, options.patterns);
    append(isPlain ? getDisabledFusions(request, pm.getContext())
                   : request.disable,
           options.disable);
    append(request.highPrecision, options.highPrecision);
    addPasses(pm, options);
  };
  if (line.hasFlag(OPT_compile)) {
    CompileOptions options;
    append(request.config, options.compilationConfig);
    build(options, buildCompilePipeline);
  } else {
    EagerOptions options;
    build(options, buildEagerPipeline);
  }
}

/// Reads the command line; reports everything that is wrong with it.
static Request readRequest(CommandLine &line, MLIRContext *context) {
  checkReferenceOptions(line);
  checkGroups(line);
  if (line.getInteger(OPT_dcp_size_eq, 1) > 1 && !line.hasFlag(OPT_decode))
    line.reportNote("'--dcp-size' has no effect here: devices share the cached "
                    "tokens of a decode step ('--decode')");
  Request request;
  request.model = getModel(line);
  request.layers = line.getInteger(OPT_num_hidden_layers_override_eq, 0);
  if (request.layers < 0 || request.layers > 4096)
    line.reportError("expected '--num-hidden-layers-override' from 0 to 4096, "
                     "but got " +
                     Twine(request.layers));
  request.draftTokens = line.getInteger(OPT_num_mtp_tokens_eq, 0);
  if (request.draftTokens < 0 || request.draftTokens > maxDraftTokens)
    line.reportError("expected '--num-mtp-tokens' from 0 to " +
                     Twine(maxDraftTokens) + ", but got " +
                     Twine(request.draftTokens));
  for (auto [id, name] : {std::pair(OPT_num_queries_eq, "--num-queries"),
                          std::pair(OPT_query_length_eq, "--query-length")})
    if (!line.getArgs().hasArg(id))
      line.reportError(Twine("expected '") + name + "', but got none");
  if (!line.hasError())
    request.workload = getWorkload(line, context);
  request.config = getCompilationConfig(line);
  request.patterns = line.getArgs().getAllArgValues(OPT_patterns_eq);
  auto getNames = [&](OptionID id, SmallVectorImpl<std::string> &names) {
    for (StringRef value : line.getArgs().getAllArgValues(id))
      for (StringRef name : llvm::split(value, ','))
        names.push_back(name.str());
  };
  getNames(OPT_disable_eq, request.disable);
  getNames(OPT_high_precision_eq, request.highPrecision);
  StringRef format =
      line.getChoice(OPT_format_eq, {"table", "json", "csv"}, "table");
  if (!request.patterns.empty() && format == "csv")
    line.reportError("expected '--format' table or json with '--patterns', but "
                     "got csv");
  request.fusionReport = line.getString(OPT_fusion_report_eq);
  return request;
}

/// Runs passes on a module that is like one before: its warnings are known.
static LogicalResult runQuietly(PassManager &pm, ModuleOp module) {
  ScopedDiagnosticHandler quiet(pm.getContext(), [](Diagnostic &diag) {
    return success(diag.getSeverity() == DiagnosticSeverity::Warning);
  });
  return pm.run(module);
}

int mlir::tensorcast::runTextGenerate(CommandLine &line) {
  Session session(line, "tensorcast text-generate");
  MLIRContext *context = session.getContext();
  Request request = readRequest(line, context);
  bool hasPatterns = !request.patterns.empty();
  PassManager pm(context), plain(context);
  buildPipeline(line, request, /*isPlain=*/false, pm);
  if (hasPatterns && !line.hasError())
    buildPipeline(line, request, /*isPlain=*/true, plain);
  if (line.hasError())
    return ExitUsage;
  FailureOr<DecoderConfig> decoder =
      loadModel(request.model, context, line.getString(OPT_families_eq));
  if (!request.workload || failed(decoder))
    return ExitFailure;
  if (request.layers > 0)
    decoder->numHiddenLayers = request.layers;
  if (failed(setDraftTokens(*decoder, request.draftTokens, context)))
    return ExitFailure;
  // In a decode step, what was seen is in the cache.
  if (line.getInteger(OPT_image_batch_size_eq, 0) > 0 &&
      !line.hasFlag(OPT_decode) && failed(addVisionTower(*decoder, context)))
    return ExitFailure;

  OwningOpRef<ModuleOp> module = buildModel(*decoder, context), before;
  if (hasPatterns)
    before = module->clone();
  FusionRecorder recorder;
  if (hasPatterns || !request.fusionReport.empty())
    recorder.attach(pm);
  if (failed(pm.run(*module)))
    return ExitFailure;
  if (line.hasFlag(OPT_opportunities))
    return listOpportunities(session, line, *module, line.hasFlag(OPT_compile));
  if (llvm::is_contained(request.config, kSequenceParallelPass))
    noteSequenceParallelism(line, *module);
  FusionReport fusions = recorder.getReport();
  if (!request.fusionReport.empty() &&
      failed(writeFile(request.fusionReport,
                       formatFusionReport(request.fusionReport, fusions),
                       context)))
    return ExitFailure;
  LogicalResult printed = failure();
  if (!hasPatterns)
    printed = session.report(*module);
  else if (succeeded(runQuietly(plain, *before)))
    printed = session.compare(*before, *module, &fusions);
  return failed(printed) ? ExitFailure : ExitSuccess;
}
