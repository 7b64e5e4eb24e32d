//===- SearchOptions.cpp - The command line of a search -------------------===//

#include "SearchOptions.h"

#include "ModelOptions.h"
#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Device/DeviceRegistry.h"
#include "tensorcast/Search/LengthFile.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;
using llvm::opt::Arg;
using llvm::opt::OptSpecifier;

/// Beyond this, tokens could not be counted.
static constexpr int64_t maxTokens = int64_t(1) << 31;
static constexpr int64_t maxDevices = 1 << 20;
static constexpr int64_t maxBatches = 1 << 24;

//===----------------------------------------------------------------------===//
// Numbers and lists
//===----------------------------------------------------------------------===//

/// The values of a list, which are one text with commas; nothing if the option
/// is not given.
static std::optional<SmallVector<StringRef>> getList(CommandLine &line,
                                                     OptSpecifier id) {
  const Arg *arg = line.getArgs().getLastArg(id);
  if (!arg)
    return std::nullopt;
  SmallVector<StringRef> values;
  StringRef(arg->getValue()).split(values, ',', -1, /*KeepEmpty=*/false);
  return values;
}

static void reportValue(CommandLine &line, OptSpecifier id, const Twine &what,
                        StringRef value) {
  line.reportError("expected " + what + " for '" +
                   getOptionName(*line.getArgs().getLastArg(id)) +
                   "', but got " + quoteText(value));
}

static PlanSizes::List getIntegers(CommandLine &line, OptSpecifier id,
                                   int64_t min, int64_t max) {
  std::optional<SmallVector<StringRef>> list = getList(line, id);
  if (!list)
    return std::nullopt;
  SmallVector<int64_t> numbers;
  for (StringRef text : *list) {
    int64_t number;
    if (text.getAsInteger(10, number) || number < min || number > max)
      reportValue(line, id, "integers from " + Twine(min) + " to " + Twine(max),
                  text);
    else
      numbers.push_back(number);
  }
  return numbers;
}

/// An integer within bounds.
static int64_t getInteger(CommandLine &line, OptSpecifier id, int64_t fallback,
                          int64_t min, int64_t max) {
  int64_t value = line.getInteger(id, fallback);
  if (line.getArgs().hasArg(id) && (value < min || value > max))
    reportValue(line, id, "an integer from " + Twine(min) + " to " + Twine(max),
                line.getString(id));
  return value;
}

/// A number of milliseconds.
static std::optional<double> getLimit(CommandLine &line, OptSpecifier id) {
  if (!line.getArgs().hasArg(id))
    return std::nullopt;
  double value = line.getNumber(id, 1);
  if (value <= 0)
    reportValue(line, id, "a time above 0", line.getString(id));
  return value;
}

//===----------------------------------------------------------------------===//
// Parts of a request
//===----------------------------------------------------------------------===//

static void readSizes(CommandLine &line, PlanSizes &sizes) {
  sizes.tensor = getIntegers(line, OPT_tp_sizes_eq, 1, maxDevices);
  sizes.expert = getIntegers(line, OPT_ep_sizes_eq, 1, maxDevices);
  sizes.expertData = getIntegers(line, OPT_moe_dp_sizes_eq, 1, maxDevices);
  sizes.context = getIntegers(line, OPT_dcp_sizes_eq, 1, maxDevices);
  if (std::optional<SmallVector<StringRef>> drafts =
          getList(line, OPT_num_mtp_tokens_eq)) {
    if (drafts->empty())
      line.reportError("expected numbers after '--num-mtp-tokens', but got "
                       "none");
    sizes.draftTokens =
        *getIntegers(line, OPT_num_mtp_tokens_eq, 0, maxDraftTokens);
  }
}

static void readAcceptance(CommandLine &line, SearchRequest &request) {
  request.acceptanceRates = {0.9, 0.6, 0.4, 0.2};
  if (std::optional<SmallVector<StringRef>> list =
          getList(line, OPT_mtp_acceptance_rates_eq)) {
    request.acceptanceRates.clear();
    for (StringRef text : *list) {
      double rate;
      if (text.getAsDouble(rate) || !(rate >= 0 && rate <= 1))
        reportValue(line, OPT_mtp_acceptance_rates_eq, "numbers from 0 to 1",
                    text);
      request.acceptanceRates.push_back(rate);
    }
  }
  int64_t most = *llvm::max_element(request.sizes.draftTokens);
  auto known = static_cast<int64_t>(request.acceptanceRates.size());
  if (most > known)
    line.reportError("expected " + Twine(most) +
                     " '--mtp-acceptance-rates', one for each token of "
                     "'--num-mtp-tokens', but got " +
                     Twine(known));
}

static void readBatches(CommandLine &line, SearchRequest &request) {
  PlanSizes::List range = getIntegers(line, OPT_batch_range_eq, 1, maxBatches);
  if (!range || line.hasError())
    return;
  if (range->empty() || range->size() > 2) {
    line.reportError("expected '--batch-range' with the largest batch, or the "
                     "smallest and the largest, but got " +
                     Twine(range->size()) + " numbers");
    return;
  }
  if (range->size() == 2)
    request.minBatch = range->front();
  request.maxBatch = range->back();
  if (*request.maxBatch < request.minBatch)
    line.reportError("expected '--batch-range' with the smallest batch first, "
                     "but got " +
                     Twine(request.minBatch) + " " + Twine(*request.maxBatch));
}

/// A number of tokens, or a file; only what is bad usage is reported.
static LogicalResult readLengths(CommandLine &line, SearchRequest &request,
                                 MLIRContext *context) {
  StringRef input = line.getString(OPT_input_length_eq);
  bool hasOutput = line.getArgs().hasArg(OPT_output_length_eq);
  int64_t output = getInteger(line, OPT_output_length_eq, 1, 1, maxTokens);
  if (!line.getArgs().hasArg(OPT_input_length_eq))
    line.reportError("expected '--input-length', but got none");
  int64_t tokens;
  bool isFile = !input.empty() && input.getAsInteger(10, tokens);
  if (!hasOutput && !isFile)
    line.reportError("expected '--output-length', but got none");
  if (!isFile) {
    tokens = getInteger(line, OPT_input_length_eq, 1, 1, maxTokens);
    request.lengths.classes.push_back({tokens, output, 1});
    request.lengthsText =
        (Twine(tokens) + " tokens in, " + Twine(output) + " out").str();
    return success();
  }
  if (line.hasError())
    return success();
  FailureOr<Lengths> lengths = readLengthFile(
      input, hasOutput ? std::optional<int64_t>(output) : std::nullopt,
      context);
  if (failed(lengths))
    return failure();
  request.lengths = std::move(*lengths);
  llvm::raw_string_ostream(request.lengthsText)
      << "on average " << llvm::format("%.1f", request.lengths.getMeanInput())
      << " tokens in, " << llvm::format("%.1f", request.lengths.getMeanOutput())
      << " out";
  return success();
}

static void readMode(CommandLine &line, SearchRequest &request) {
  if (line.hasFlag(OPT_disagg))
    request.mode = Mode::Disaggregated;
  if (line.hasFlag(OPT_enable_optimize_prefill_decode_ratio))
    request.mode = Mode::Ratio;
  request.numDevices = getInteger(line, OPT_num_devices_eq, 1, 1, maxDevices);
  request.prefillDevices = getInteger(line, OPT_prefill_devices_per_instance_eq,
                                      request.numDevices, 1, maxDevices);
  request.decodeDevices = getInteger(line, OPT_decode_devices_per_instance_eq,
                                     request.numDevices, 1, maxDevices);
  for (auto id : {OPT_prefill_devices_per_instance_eq,
                  OPT_decode_devices_per_instance_eq})
    if (const Arg *arg = line.getArgs().getLastArg(id);
        arg && request.mode != Mode::Ratio)
      line.reportError("expected '--enable-optimize-prefill-decode-ratio' "
                       "beside '" +
                       getOptionName(*arg) + "', but got none");
}

/// `compile+matmul-allreduce` as settings; reports what is none.
static void readFusions(CommandLine &line, StringRef text,
                        ModelSettings &settings) {
  auto [first, rest] = text.split('+');
  settings.compiled = first.equals_insensitive("compile");
  settings.compilationConfig.clear();
  if (!settings.compiled && !first.equals_insensitive("eager"))
    return reportValue(line, OPT_fusions_eq, "eager or compile", text);
  if (!settings.compiled && !rest.empty())
    return reportValue(line, OPT_fusions_eq, "passes behind compile alone",
                       text);
  SmallVector<StringRef> passes;
  rest.split(passes, '+', -1, /*KeepEmpty=*/false);
  for (StringRef pass : passes)
    settings.compilationConfig.push_back(getCompilationPass(line, pass));
}

/// The settings of the command line with each precision and fusion to try.
static std::vector<Variant> readVariants(CommandLine &line) {
  ModelSettings settings = readModelSettings(line);
  // Results name the action.
  if (settings.linearAction.empty())
    settings.linearAction = "W8A8_DYNAMIC";
  if (!line.getArgs().hasArg(OPT_reserved_memory_gb_eq))
    settings.reservedMemoryGB = 10;
  std::optional<SmallVector<StringRef>> precisions =
      getList(line, OPT_precisions_eq);
  std::optional<SmallVector<StringRef>> fusions = getList(line, OPT_fusions_eq);
  for (auto [list, other, name] :
       {std::tuple(&precisions, OPT_quantize_linear_action_eq, "--precisions"),
        std::tuple(&fusions, OPT_compile, "--fusions")})
    if (*list && line.getArgs().hasArg(other))
      line.reportError(Twine("expected either '") + name + "' or '" +
                       getOptionName(*line.getArgs().getLastArg(other)) +
                       "', but got both");
  if (precisions && precisions->empty())
    *precisions = {"DISABLED", "W8A8_DYNAMIC", "W4A8_DYNAMIC", "FP8", "MXFP4"};
  if (fusions && fusions->empty())
    *fusions = {"eager",
                "compile",
                "compile+matmul-allreduce",
                "compile+sequence-parallel",
                "compile+multistream",
                "compile+dispatch-ffn-combine"};
  std::vector<Variant> variants;
  SmallVector<StringRef> given = {""};
  for (StringRef precision : precisions ? *precisions : given)
    for (StringRef fusion : fusions ? *fusions : given) {
      Variant &variant = variants.emplace_back();
      variant.settings = settings;
      SmallVector<std::string> parts;
      if (precisions) {
        std::string action = precision.upper();
        std::replace(action.begin(), action.end(), '-', '_');
        if (!llvm::is_contained(listLinearActions(), action))
          reportValue(line, OPT_precisions_eq, joinNames(listLinearActions()),
                      precision);
        variant.settings.linearAction = action;
        parts.push_back(action);
      }
      if (fusions) {
        readFusions(line, fusion, variant.settings);
        parts.push_back(fusion.lower());
      }
      variant.label = llvm::join(parts, " | ");
    }
  return variants;
}

/// The devices by name, each once; `all` is each that comes with TensorCast and
/// exists.
static SmallVector<std::string> readDevices(CommandLine &line) {
  llvm::SetVector<StringRef> names;
  for (StringRef value : line.getArgs().getAllArgValues(OPT_device_eq)) {
    SmallVector<StringRef> parts;
    value.split(parts, ',', -1, /*KeepEmpty=*/false);
    if (parts.empty())
      line.reportError("expected a device after '--device', but got none");
    for (StringRef part : parts) {
      if (!part.equals_insensitive("all")) {
        names.insert(line.getArgs().MakeArgString(part));
        continue;
      }
      for (StringRef name : listDevices())
        if (name != "TEST_DEVICE")
          names.insert(name);
    }
  }
  if (names.empty())
    names.insert("TEST_DEVICE");
  return llvm::map_to_vector<6>(names,
                                [](StringRef name) { return name.str(); });
}

FailureOr<SearchRequest>
mlir::tensorcast::readSearchRequest(CommandLine &line, MLIRContext *context) {
  SearchRequest request;
  readMode(line, request);
  readSizes(line, request.sizes);
  if (!line.hasError())
    readAcceptance(line, request);
  readBatches(line, request);
  request.firstTokenLimitMs = getLimit(line, OPT_ttft_limits_eq);
  request.perTokenLimitMs = getLimit(line, OPT_tpot_limits_eq);
  if (line.getArgs().hasArg(OPT_max_batched_tokens_eq))
    request.maxBatchedTokens =
        getInteger(line, OPT_max_batched_tokens_eq, 1, 1, maxTokens);
  request.servingCostMs = line.getNumber(OPT_serving_cost_eq, 0);
  if (request.servingCostMs < 0)
    reportValue(line, OPT_serving_cost_eq, "a time of at least 0",
                line.getString(OPT_serving_cost_eq));
  request.prefixCacheHitRate = line.getNumber(OPT_prefix_cache_hit_rate_eq, 0);
  if (!(request.prefixCacheHitRate >= 0 && request.prefixCacheHitRate < 1))
    reportValue(line, OPT_prefix_cache_hit_rate_eq,
                "a number from 0 to below 1",
                line.getString(OPT_prefix_cache_hit_rate_eq));
  request.images.count = getInteger(line, OPT_image_batch_size_eq, 0, 0, 4096);
  request.images.height = getInteger(line, OPT_image_height_eq, 0, 1, 1 << 20);
  request.images.width = getInteger(line, OPT_image_width_eq, 0, 1, 1 << 20);
  StringRef reference =
      line.getChoice(OPT_reference_eq, {"2026.06", "2026.08"}, "2026.08");
  request.reference = reference.str();
  request.rules = Rules::get(reference);

  request.variants = readVariants(line);
  request.wholeFront = line.hasFlag(OPT_pareto);
  SmallVector<std::string> devices = readDevices(line);
  if (failed(readLengths(line, request, context)))
    return failure();
  if (line.hasError())
    return request;
  for (std::string &device : devices) {
    FailureOr<DictionaryAttr> profile =
        loadDevice(device, UnknownLoc::get(context));
    if (failed(profile))
      return failure();
    FailureOr<DeviceProfile> parsed = parseDeviceProfile(
        *profile, [&] { return emitError(UnknownLoc::get(context)); });
    if (failed(parsed))
      return failure();
    request.deviceFacts.push_back(getFacts(*parsed));
    request.devices.push_back(std::move(device));
  }
  return request;
}
