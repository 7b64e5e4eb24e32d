//===- ExplanationPrint.cpp - What bounds a plan, in words ----------------===//

#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Search/Explanation.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

/// `+3.1 %`.
static std::string formatGain(double now, double before) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%+.1f %%", 100 * (now / before - 1));
  return text;
}

static void printTimes(raw_ostream &os, const Explanation &explanation,
                       const SearchRequest &request) {
  const Point &point = explanation.point;
  Phase phase = explanation.outcome->candidate.phase;
  auto limit = [&](const std::optional<double> &limitMs) {
    return limitMs ? " of at most " + formatFixed(*limitMs) + " ms" : "";
  };
  if (phase != Phase::Decode)
    os << "  TTFT " << formatFixed(point.firstTokenMs) << " ms"
       << limit(request.firstTokenLimitMs) << "; prefill steps of up to "
       << point.budget << " tokens for each group of devices take up to "
       << formatFixed(point.prefillStepMs) << " ms\n";
  if (phase != Phase::Prefill)
    os << "  TPOT " << formatFixed(point.perTokenMs) << " ms"
       << limit(request.perTokenLimitMs) << "; decode steps take "
       << formatFixed(point.decodeStepMs) << " ms\n";
  if (phase == Phase::Aggregated && request.lengths.isConstant() &&
      // TPOT of prompts that are cut is without the wait.
      request.lengths.classes.front().input <= point.budget &&
      point.perTokenMs > point.decodeStepMs) {
    double share = 1 - point.decodeStepMs / point.perTokenMs;
    os << "  " << formatFixed(100 * share, 1)
       << " % of TPOT is waiting for the first token, spread over the "
          "answer\n";
  }
}

static void printSteps(raw_ostream &os, const Explanation &explanation) {
  constexpr size_t mostKernels = 5;
  for (const ExplainedStep &step : explanation.steps) {
    const Report &report = step.report;
    const Breakdown &bound = report.breakdown;
    double sum = report.kernelTimeS;
    double units =
        bound.cubeS + bound.vectorS + bound.memoryS + bound.communicationS;
    os << '\n'
       << step.what << ": " << formatColumn(report.executionTimeS)
       << "; bound by cube " << formatShare(bound.cubeS, units) << ", vector "
       << formatShare(bound.vectorS, units) << ", memory "
       << formatShare(bound.memoryS, units) << ", communication "
       << formatShare(bound.communicationS, units) << "; "
       << formatCount(report.launches) << " launches\n";
    TextTable table({"kernel", "calls", "total", "share", "bound"},
                    /*numLeft=*/1);
    for (auto [index, row] : llvm::enumerate(report.ops))
      if (index < mostKernels)
        table.addRow({"  " + row.name, formatCount(row.calls),
                      formatColumn(row.totalS), formatShare(row.totalS, sum),
                      stringifyBound(row.breakdown.getLargest()).str()});
    table.print(os);
  }
}

static void printMemory(raw_ostream &os, const MemoryUse &memory) {
  os << "memory: weights " << formatGigabytes(memory.weightsBytes)
     << ", KV cache " << formatGigabytes(memory.kvCacheBytes)
     << ", activations " << formatGigabytes(memory.activationBytes)
     << ", reserved " << formatGigabytes(memory.reservedBytes) << ", available "
     << formatGigabytes(memory.availableBytes) << " of "
     << formatGigabytes(memory.deviceBytes) << '\n';
  if (memory.availableBytes >= 0)
    return;
  double missing = -memory.availableBytes;
  os << "to fit, " << formatGigabytes(missing) << " have to go";
  for (auto [bytes, what] : {std::pair(memory.weightsBytes, "the weights"),
                             std::pair(memory.kvCacheBytes, "the KV cache")})
    if (missing < bytes)
      os << ", " << formatShare(missing, bytes) << " of " << what;
  if (memory.reservedBytes > 0)
    os << "; without the reserve ('--reserved-memory-gb') it would "
       << (missing <= memory.reservedBytes ? "" : "not ") << "fit";
  os << '\n';
}

/// Which limit is next, and what comes behind it.
static void printBound(raw_ostream &os, const SearchResult &result,
                       const Explanation &explanation) {
  const Outcome &outcome = *explanation.outcome;
  os << "bound by: " << describeBound(result, outcome);
  if (outcome.rejected) {
    Outcome next;
    next.candidate = outcome.candidate;
    next.rejected = outcome.rejected;
    os << "; " << explainLoss(result, next).why;
  }
  os << '\n';
  if (!explanation.unlimited || explanation.unlimited->points.empty())
    return;
  const Outcome &unlimited = *explanation.unlimited;
  const Point *largest = &unlimited.points.front();
  for (const Point &point : unlimited.points)
    if (point.batch > largest->batch)
      largest = &point;
  os << "without limits: batch " << largest->batch << " (bound by "
     << describeBound(result, unlimited) << ") has "
     << formatFixed(largest->tokensPerS) << " tokens/s ("
     << formatGain(largest->tokensPerS, explanation.point.tokensPerS) << ") at";
  if (outcome.candidate.phase != Phase::Decode)
    os << " TTFT " << formatFixed(largest->firstTokenMs) << " ms";
  if (outcome.candidate.phase != Phase::Prefill)
    os << " TPOT " << formatFixed(largest->perTokenMs) << " ms";
  os << '\n';
}

static void printRemedies(raw_ostream &os, const Explanation &explanation) {
  if (explanation.remedies.empty())
    return;
  os << "\nto meet the limits, one of these would have to change:\n";
  TextTable table({"", ""}, /*numLeft=*/1);
  for (const Remedy &remedy : explanation.remedies)
    table.addRow({"  " + remedy.what,
                  remedy.factor == 0 ? "is not enough, however good"
                                     : "times " + formatFixed(remedy.factor)});
  table.print(os);
}

void tensorcast::search::printGains(raw_ostream &os, const SearchResult &result,
                                    const Explanation &explanation) {
  if (explanation.gains.empty())
    return;
  const Point &point = explanation.point;
  os << "\nworth of changes, at batch " << point.batch
     << " and at the best batch then:\n";
  TextTable table(
      {"change", "TTFT", "TPOT", "tokens/s", "best batch", "tokens/s", "gain"},
      /*numLeft=*/1);
  auto change = [](double now, double before) {
    return before > 0 ? formatGain(now, before) : "";
  };
  for (const Gain &gain : explanation.gains)
    table.addRow(
        {"  " + gain.what, change(gain.same.firstTokenMs, point.firstTokenMs),
         change(gain.same.perTokenMs, point.perTokenMs),
         change(gain.same.tokensPerS, point.tokensPerS),
         gain.best ? std::to_string(gain.best->batch) : "",
         gain.best ? formatFixed(gain.best->tokensPerS) : "",
         gain.best ? formatGain(gain.best->tokensPerS, point.tokensPerS) : ""});
  table.print(os);
}

void tensorcast::search::printExplanation(raw_ostream &os,
                                          const SearchResult &result,
                                          const Explanation &explanation) {
  const Outcome &outcome = *explanation.outcome;
  const Point &point = explanation.point;
  const SearchRequest &request = result.request;
  os << getLabel(result, outcome) << " on "
     << request.devices[outcome.candidate.device];
  if (outcome.candidate.phase != Phase::Aggregated)
    os << ", " << stringify(outcome.candidate.phase);
  os << ": ";
  Loss loss = explainLoss(result, outcome);
  if (loss.kind == "served")
    os << "batch " << point.batch << ", concurrency " << point.concurrency
       << ", " << formatFixed(point.tokensPerS) << " tokens/s\n";
  else
    os << "not served, " << loss.why << '\n';
  bool isPriced = point.verdict != Verdict::PrefillMemory &&
                  point.verdict != Verdict::DecodeMemory;
  if (isPriced)
    printTimes(os, explanation, request);
  if (loss.kind == "served")
    printBound(os, result, explanation);
  printMemory(os, point.memory);
  printSteps(os, explanation);
  printRemedies(os, explanation);
  printGains(os, result, explanation);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json pointJson(const Point &point) {
  return {{"batch", point.batch},
          {"concurrency", point.concurrency},
          {"tokens_per_second", point.tokensPerS},
          {"ttft_ms", point.firstTokenMs},
          {"tpot_ms", point.perTokenMs}};
}

Json tensorcast::search::toJson(const SearchResult &result,
                                const Explanation &explanation) {
  const Outcome &outcome = *explanation.outcome;
  Loss loss = explainLoss(result, outcome);
  Json json = {{"plan", getLabel(result, outcome)},
               {"phase", stringify(outcome.candidate.phase).str()},
               {"device", result.request.devices[outcome.candidate.device]},
               {"kind", loss.kind.str()},
               {"why", loss.why},
               {"point", pointJson(explanation.point)}};
  if (loss.kind == "served")
    json["bound_by"] = describeBound(result, outcome);
  json["steps"] = Json::array();
  for (const ExplainedStep &step : explanation.steps)
    json["steps"].push_back(
        {{"step", step.what}, {"report", tensorcast::toJson(step.report)}});
  json["sensitivity"] = Json::array();
  for (const Gain &gain : explanation.gains) {
    Json row = {{"change", gain.what}, {"same_batch", pointJson(gain.same)}};
    row["best_batch"] = gain.best ? pointJson(*gain.best) : Json(nullptr);
    json["sensitivity"].push_back(std::move(row));
  }
  json["remedies"] = Json::array();
  for (const Remedy &remedy : explanation.remedies)
    json["remedies"].push_back(
        {{"what", remedy.what},
         {"factor", remedy.factor == 0 ? Json(nullptr) : Json(remedy.factor)}});
  return json;
}
