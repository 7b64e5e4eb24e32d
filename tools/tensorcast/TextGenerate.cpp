//===- TextGenerate.cpp - tensorcast text-generate ------------------------===//
//
// Import, pipeline and report in one go; nothing is computed here.
//
//===----------------------------------------------------------------------===//

#include "ModelOptions.h"
#include "Session.h"

#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/Report/FusionReport.h"

using namespace mlir;
using namespace mlir::tensorcast;
using llvm::opt::Arg;

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

/// Sets what the command line says of the workload and the devices.
template <typename OptionsT>
static void readOptions(CommandLine &line, transformer::WorkloadAttr workload,
                        OptionsT &options) {
  if (workload) {
    options.queries = workload.getQueries();
    options.queryLength = workload.getQueryLength();
    options.contextLength = workload.getContextLength();
    options.decode = workload.getDecode();
    options.prefixCacheHitRate = workload.getHitRate();
    for (const std::string &text :
         line.getArgs().getAllArgValues(OPT_more_requests_eq))
      options.moreRequests.push_back(text);
  }
  if (line.getChoice(OPT_preset_eq, {"inference", "training"}, "inference") ==
      "training")
    options.preset = Preset::Training;
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
  if (workload && workload.getWorkload().isDecode())
    options.context = line.getInteger(OPT_dcp_size_eq, 0);
  options.lower = !line.hasFlag(OPT_opportunities);
}

namespace {
/// What one run is asked for beside the pipeline's options.
struct Request {
  StringRef model;
  int64_t layers = 0, draftTokens = 0;
  transformer::WorkloadAttr workload;
  /// If there are patterns of one's own, the price is compared with that
  /// without them.
  ModelSettings settings;
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
  ModelSettings settings = request.settings;
  if (isPlain)
    settings.patterns.clear();
  settings.build(pm, [&](auto &options) {
    readOptions(line, request.workload, options);
    append(isPlain ? getDisabledFusions(request, pm.getContext())
                   : request.disable,
           options.disable);
    append(request.highPrecision, options.highPrecision);
  });
}

/// Reads the command line; reports everything that is wrong with it.
static Request readRequest(CommandLine &line, MLIRContext *context) {
  checkReferenceOptions(line, /*isOneRun=*/true);
  checkGroups(line);
  if (line.getInteger(OPT_dcp_size_eq, 1) > 1 && !line.hasFlag(OPT_decode))
    line.reportNote("'--dcp-size' has no effect here: devices share the cached "
                    "tokens of a decode step ('--decode')");
  Request request;
  request.model = getModel(line);
  request.layers = getLayers(line);
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
  request.settings = readModelSettings(line);
  auto getNames = [&](OptionID id, SmallVectorImpl<std::string> &names) {
    for (StringRef value : line.getArgs().getAllArgValues(id))
      for (StringRef name : llvm::split(value, ','))
        names.push_back(name.str());
  };
  getNames(OPT_disable_eq, request.disable);
  getNames(OPT_high_precision_eq, request.highPrecision);
  StringRef format =
      line.getChoice(OPT_format_eq, {"table", "json", "csv"}, "table");
  if (!request.settings.patterns.empty() && format == "csv")
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

/// An encoder reads whole sequences, for which it has learned positions.
static LogicalResult checkEncoder(const DecoderConfig &config,
                                  transformer::WorkloadAttr workload,
                                  MLIRContext *context) {
  auto fail = [&] {
    return emitError(UnknownLoc::get(context)) << config.name << ": ";
  };
  for (const RequestGroup &group : workload.getWorkload().groups) {
    int64_t tokens = group.getNewTokens(0);
    if (group.decode || group.getTotalTokens(0) != tokens)
      return fail()
             << "expected a step over whole sequences, as an encoder has "
                "no cache, but got "
             << (group.decode ? "one to decode"
                              : "one after tokens that are cached already");
    if (tokens > config.maxPositionEmbeddings)
      return fail() << "expected sequences of at most "
                    << config.maxPositionEmbeddings
                    << " tokens, for which the model has positions, but got "
                    << tokens;
  }
  return success();
}

int mlir::tensorcast::runTextGenerate(CommandLine &line) {
  Session session(line, "tensorcast text-generate");
  MLIRContext *context = session.getContext();
  Request request = readRequest(line, context);
  bool hasPatterns = !request.settings.patterns.empty();
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
  if (decoder->encoder &&
      failed(checkEncoder(*decoder, request.workload, context)))
    return ExitFailure;
  // In a decode step, what was seen is in the cache.
  if (line.getInteger(OPT_image_batch_size_eq, 0) > 0 &&
      !request.workload.getWorkload().isDecode() &&
      failed(addVisionTower(*decoder, context)))
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
  if (llvm::is_contained(request.settings.compilationConfig,
                         kSequenceParallelPass))
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
