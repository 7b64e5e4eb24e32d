//===- SearchJson.cpp - Plans for programs --------------------------------===//

#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Search/Front.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static Json planRow(const SearchResult &result, const ResultRow &row) {
  const Candidate &candidate = row.outcome->candidate;
  const Point &point = *row.point;
  bool prefill = candidate.phase == Phase::Prefill;
  std::string tokens =
      prefill ? "input_tokens_per_second" : "output_tokens_per_second";
  Json json = {{"plan", getLabel(result, *row.outcome)},
               {"batch", point.batch},
               {"concurrency", point.concurrency}};
  json[tokens] = point.tokensPerS;
  json[tokens + "_per_device"] =
      point.tokensPerS / static_cast<double>(candidate.plan.getDevices());
  if (candidate.phase != Phase::Aggregated)
    json["requests_per_second"] = point.requestsPerS;
  if (candidate.phase != Phase::Decode)
    json["ttft_ms"] = point.firstTokenMs;
  if (!prefill)
    json["tpot_ms"] = point.perTokenMs;
  json["device"] = result.request.devices[candidate.device];
  json["memory"] = tensorcast::toJson(point.memory);
  return json;
}

static Json ratioRow(const SearchResult &result, const RatioRow &row) {
  const Point &prefill = *row.prefill.point, &decode = *row.decode.point;
  Json json = {
      {"prefill_plan", getLabel(result, *row.prefill.outcome)},
      {"decode_plan", getLabel(result, *row.decode.outcome)},
      {"prefill_batch", prefill.batch},
      {"decode_batch", decode.batch},
      {"prefill_concurrency", prefill.concurrency},
      {"decode_concurrency", decode.concurrency},
      {"prefill_requests_per_second", prefill.requestsPerS},
      {"decode_requests_per_second", decode.requestsPerS},
      {"balanced_requests_per_second", row.balancedPerS},
      {"ratio", row.ratio},
      {"ttft_ms", prefill.firstTokenMs},
      {"tpot_ms", decode.perTokenMs},
      {"device", result.request.devices[row.decode.outcome->candidate.device]}};
  if (row.decodeInstances > 0) {
    json["prefill_instances"] = row.prefillInstances;
    json["decode_instances"] = row.decodeInstances;
  }
  return json;
}

static Json resultRows(const SearchResult &result) {
  Json rows = Json::array();
  if (result.request.mode == Mode::Ratio)
    for (const RatioRow &row : rankRatios(result))
      rows.push_back(ratioRow(result, row));
  else
    for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode})
      for (const ResultRow &row : rankPlans(result, phase))
        rows.push_back(planRow(result, row));
  return rows;
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

static Json toJson(const Point &point) {
  Json json = {{"batch", point.batch},
               {"concurrency", point.concurrency},
               {"verdict", stringify(point.verdict).str()},
               {"tokens_per_second", point.tokensPerS},
               {"requests_per_second", point.requestsPerS},
               {"ttft_ms", point.firstTokenMs},
               {"tpot_ms", point.perTokenMs},
               {"prefill_step_ms", point.prefillStepMs},
               {"decode_step_ms", point.decodeStepMs},
               {"budget", point.budget},
               {"memory", tensorcast::toJson(point.memory)}};
  if (!point.why.empty())
    json["why"] = point.why;
  return json;
}

static Json toJson(const Plan &plan) {
  Json json = {{"tp", plan.tensor}, {"pp", 1}, {"dp", plan.data}};
  if (plan.hasExperts) {
    json["ep"] = plan.expert;
    json["moe_tp"] = plan.expertTensor;
    json["moe_dp"] = plan.expertData;
  }
  json["dcp"] = plan.context;
  json["mtp"] = plan.draftTokens;
  return json;
}

static Json toJson(const SearchResult &result, const Outcome &outcome) {
  const Candidate &candidate = outcome.candidate;
  Loss loss = explainLoss(result, outcome);
  Json json = {{"plan", getLabel(result, outcome)},
               {"phase", stringify(candidate.phase).str()},
               {"device", candidate.device},
               {"variant", candidate.variant},
               {"sizes", ::toJson(candidate.plan)},
               {"kind", loss.kind.str()}};
  if (!loss.why.empty())
    json["why"] = loss.why;
  if (loss.kind == "served")
    json["bound_by"] = describeBound(result, outcome);
  if (!outcome.invalid.empty())
    json["invalid"] = outcome.invalid;
  if (!outcome.warnings.empty())
    json["warnings"] = outcome.warnings;
  json["skipped"] = outcome.skipped;
  if (outcome.rejected)
    json["rejected"] = ::toJson(*outcome.rejected);
  json["points"] = Json::array();
  for (const Point &point : outcome.points)
    json["points"].push_back(::toJson(point));
  return json;
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

/// A number for all lengths; what is equal has the same.
static std::string getDigest(const Lengths &lengths) {
  llvm::SHA256 hash;
  auto add = [&](auto value) {
    hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&value),
                               sizeof(value)));
  };
  for (const LengthClass &entry : lengths.classes) {
    add(entry.input);
    add(entry.output);
    add(entry.weight);
  }
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 16);
}

static Json toJson(const ModelSettings &settings) {
  Json json = {
      {"kernel_set", settings.kernelSet},
      {"cost_model", settings.costModel},
      {"kernel_coefficients", settings.kernelCoefficients},
      {"quantize_linear_action", settings.linearAction},
      {"quantize_non_expert_linear_action", settings.nonExpertLinearAction},
      {"quantize_attention_action", settings.attentionAction},
      {"mxfp4_group_size", settings.mxfp4GroupSize},
      {"word_embedding_tp", settings.wordEmbedding},
      {"redundant_experts", settings.redundantExperts},
      {"shared_expert_tp", settings.sharedExpertTensor},
      {"reserved_memory_gb", settings.reservedMemoryGB},
      {"compile", settings.compiled}};
  json["patterns"] = Json::array();
  for (const std::string &pattern : settings.patterns)
    json["patterns"].push_back(pattern);
  json["compilation_config"] = Json::array();
  for (const std::string &pass : settings.compilationConfig)
    json["compilation_config"].push_back(pass);
  return json;
}

static Json toJson(const PlanSizes::List &sizes) {
  if (!sizes)
    return nullptr;
  Json json = Json::array();
  for (int64_t size : *sizes)
    json.push_back(size);
  return json;
}

static Json toJson(const DeviceFacts &facts) {
  Json json = {{"cube_ops_per_second", facts.cubeOpsPerS},
               {"vector_ops_per_second", facts.vectorOpsPerS},
               {"memory_bytes_per_second", facts.memoryBytesPerS},
               {"memory_bytes", toIntegerJson(facts.memoryBytes)}};
  json["levels"] = Json::array();
  for (auto [size, bandwidth] : llvm::zip(facts.groups, facts.linkBytesPerS))
    json["levels"].push_back({{"size", size}, {"bytes_per_second", bandwidth}});
  return json;
}

template <typename T> static Json optionalJson(const std::optional<T> &value) {
  return value ? Json(*value) : Json(nullptr);
}

Json tensorcast::search::toJson(const SearchRequest &request) {
  Json json = {{"model", request.model},
               {"mode", stringify(request.mode).str()},
               {"reference", request.reference}};
  json["devices"] = Json::array();
  for (const std::string &device : request.devices)
    json["devices"].push_back(device);
  json["device_facts"] = Json::array();
  for (const DeviceFacts &facts : request.deviceFacts)
    json["device_facts"].push_back(::toJson(facts));
  json["variants"] = Json::array();
  for (const Variant &variant : request.variants)
    json["variants"].push_back(
        {{"label", variant.label}, {"settings", ::toJson(variant.settings)}});
  json["num_devices"] = request.numDevices;
  json["prefill_devices_per_instance"] = request.prefillDevices;
  json["decode_devices_per_instance"] = request.decodeDevices;
  json["sizes"] = {
      {"tp", ::toJson(request.sizes.tensor)},
      {"ep", ::toJson(request.sizes.expert)},
      {"moe_dp", ::toJson(request.sizes.expertData)},
      {"dcp", ::toJson(request.sizes.context)},
      {"mtp", ::toJson(PlanSizes::List(request.sizes.draftTokens))}};
  json["lengths"] = request.lengthsText;
  json["lengths_digest"] = getDigest(request.lengths);
  json["images"] = {{"count", request.images.count},
                    {"height", request.images.height},
                    {"width", request.images.width}};
  json["prefix_cache_hit_rate"] = request.prefixCacheHitRate;
  json["mtp_acceptance_rates"] = Json::array();
  for (double rate : request.acceptanceRates)
    json["mtp_acceptance_rates"].push_back(rate);
  json["ttft_limit_ms"] = optionalJson(request.firstTokenLimitMs);
  json["tpot_limit_ms"] = optionalJson(request.perTokenLimitMs);
  json["max_batched_tokens"] = optionalJson(request.maxBatchedTokens);
  json["min_batch"] = request.minBatch;
  json["max_batch"] = optionalJson(request.maxBatch);
  json["serving_cost_ms"] = request.servingCostMs;
  json["whole_front"] = request.wholeFront;
  return json;
}

Json tensorcast::search::toJson(const SearchResult &result) {
  Json json = {{"schema", "tensorcast-search-1"},
               {"request", result.writtenRequest.is_null()
                               ? toJson(result.request)
                               : result.writtenRequest}};
  if (result.shard.count > 1)
    json["shard"] = {{"index", result.shard.index + 1},
                     {"count", result.shard.count}};
  json["interrupted"] = result.interrupted;
  json["results"] = resultRows(result);
  if (result.request.wholeFront)
    json["front"] = frontJson(result);
  json["plans"] = Json::array();
  for (const Outcome &outcome : result.outcomes)
    json["plans"].push_back(::toJson(result, outcome));
  json["no_plans"] = Json::array();
  for (const RejectedPlan &plan : result.rejectedPlans)
    json["no_plans"].push_back({{"plan", plan.label}, {"why", plan.why}});
  return json;
}
