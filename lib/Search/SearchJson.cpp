//===- SearchJson.cpp - Plans for programs --------------------------------===//

#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Search/Results.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

static Json toJson(const MemoryUse &memory) {
  return {{"device_bytes", toIntegerJson(memory.deviceBytes)},
          {"weights_bytes", toIntegerJson(memory.weightsBytes)},
          {"kv_cache_bytes", toIntegerJson(memory.kvCacheBytes)},
          {"activation_bytes", toIntegerJson(memory.activationBytes)},
          {"reserved_bytes", toIntegerJson(memory.reservedBytes)},
          {"available_bytes", toIntegerJson(memory.availableBytes)}};
}

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
  json["memory"] = ::toJson(point.memory);
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

Json tensorcast::search::toJson(const SearchResult &result) {
  Json json = {{"schema", "tensorcast-search-1"},
               {"model", result.request.model}};
  Json &results = json["results"] = Json::array();
  if (result.request.mode == Mode::Ratio)
    for (const RatioRow &row : rankRatios(result))
      results.push_back(ratioRow(result, row));
  else
    for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode})
      for (const ResultRow &row : rankPlans(result, phase))
        results.push_back(planRow(result, row));
  Json &losses = json["not_served"] = Json::array();
  for (const Outcome &outcome : result.outcomes) {
    Loss loss = explainLoss(result, outcome);
    if (loss.kind != "served")
      losses.push_back(
          {{"plan", getLabel(result, outcome)},
           {"device", result.request.devices[outcome.candidate.device]},
           {"kind", loss.kind.str()},
           {"why", loss.why}});
  }
  for (const RejectedPlan &plan : result.rejectedPlans)
    losses.push_back(
        {{"plan", plan.label}, {"kind", "no plan"}, {"why", plan.why}});
  return json;
}
