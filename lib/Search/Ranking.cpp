//===- Ranking.cpp - Which plans are best, and why others are not ---------===//

#include "tensorcast/Search/Results.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

std::string tensorcast::search::getLabel(const SearchResult &result,
                                         const Outcome &outcome) {
  const Candidate &candidate = outcome.candidate;
  std::string label = candidate.plan.getLabel();
  const std::string &variant = result.request.variants[candidate.variant].label;
  return variant.empty() ? label : label + " | " + variant;
}

std::string tensorcast::search::getMarkedLabel(const SearchResult &result,
                                               const Outcome &outcome) {
  return getLabel(result, outcome) + (outcome.warnings.empty() ? "" : " *");
}

std::vector<std::string>
tensorcast::search::listWarnings(const SearchResult &result) {
  std::vector<std::string> warnings;
  for (const Outcome &outcome : result.outcomes)
    for (const std::string &warning : outcome.warnings)
      if (!llvm::is_contained(warnings, warning))
        warnings.push_back(warning);
  return warnings;
}

//===----------------------------------------------------------------------===//
// The best
//===----------------------------------------------------------------------===//

SmallVector<ResultRow> tensorcast::search::rankPlans(const SearchResult &result,
                                                     Phase phase) {
  bool byRequests = result.request.mode == Mode::Ratio;
  SmallVector<ResultRow> rows;
  for (const Outcome &outcome : result.outcomes)
    if (outcome.candidate.phase == phase)
      if (const Point *best = outcome.getBest(byRequests))
        rows.push_back({&outcome, best});
  auto key = [&](const ResultRow &row) {
    const Point &point = *row.point;
    // Of equal ones, that which answers sooner, then in order of candidates.
    return std::make_tuple(byRequests ? -point.requestsPerS : -point.tokensPerS,
                           point.firstTokenMs, point.perTokenMs, row.outcome);
  };
  llvm::sort(rows, [&](const ResultRow &lhs, const ResultRow &rhs) {
    return key(lhs) < key(rhs);
  });
  return rows;
}

/// The numbers of instances that come nearest to the ratio, of as many devices
/// as there are.
static void setInstances(const SearchRequest &request, RatioRow &row) {
  double nearest = 0;
  for (int64_t decode = 1; decode * request.decodeDevices < request.numDevices;
       ++decode) {
    double ideal = static_cast<double>(decode) * row.ratio;
    auto prefill = std::max<int64_t>(std::llround(ideal), 1);
    if (prefill * request.prefillDevices + decode * request.decodeDevices >
        request.numDevices)
      continue;
    double distance = std::fabs(static_cast<double>(prefill) - ideal);
    // Of equally good ones, that which uses more devices.
    if (row.decodeInstances > 0 && distance > nearest)
      continue;
    nearest = distance;
    row.prefillInstances = prefill;
    row.decodeInstances = decode;
  }
}

SmallVector<RatioRow>
tensorcast::search::rankRatios(const SearchResult &result) {
  SmallVector<RatioRow> rows;
  SmallVector<ResultRow> prefills = rankPlans(result, Phase::Prefill);
  for (const ResultRow &decode : rankPlans(result, Phase::Decode)) {
    // The first one is the fastest.
    const ResultRow *prefill =
        llvm::find_if(prefills, [&](const ResultRow &row) {
          const Candidate &lhs = row.outcome->candidate;
          const Candidate &rhs = decode.outcome->candidate;
          return lhs.device == rhs.device && lhs.variant == rhs.variant;
        });
    if (prefill == prefills.end())
      continue;
    RatioRow &row = rows.emplace_back();
    row.prefill = *prefill;
    row.decode = decode;
    double prefillPerS = prefill->point->requestsPerS;
    double decodePerS = decode.point->requestsPerS;
    row.balancedPerS = std::min(prefillPerS, decodePerS);
    row.ratio = decodePerS / prefillPerS;
    setInstances(result.request, row);
  }
  auto key = [](const RatioRow &row) {
    return std::make_tuple(-row.balancedPerS, -row.decode.point->requestsPerS,
                           -row.prefill.point->requestsPerS,
                           row.prefill.point->firstTokenMs,
                           row.decode.point->perTokenMs, row.decode.outcome);
  };
  llvm::sort(rows, [&](const RatioRow &lhs, const RatioRow &rhs) {
    return key(lhs) < key(rhs);
  });
  return rows;
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

static std::string formatMs(double milliseconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g ms", milliseconds);
  return text;
}

/// `at batch 1, decode needs 71.200 GB of 64.000 GB: 7.200 GB are missing`.
static std::string describeMemory(const Point &point) {
  const MemoryUse &memory = point.memory;
  bool decode = point.verdict == Verdict::DecodeMemory;
  return "at batch " + std::to_string(point.batch) + ", " +
         (decode ? "decode" : "prefill") + " needs " +
         formatGigabytes(memory.deviceBytes - memory.availableBytes) + " of " +
         formatGigabytes(memory.deviceBytes) + ": " +
         formatGigabytes(-memory.availableBytes) + " are missing";
}

static std::string describeLimit(const Point &point,
                                 const SearchRequest &request) {
  bool perToken = point.verdict == Verdict::PerTokenLimit;
  return "at batch " + std::to_string(point.batch) + ", " +
         (perToken ? "TPOT" : "TTFT") + " is " +
         formatMs(perToken ? point.perTokenMs : point.firstTokenMs) +
         ", above the limit of " +
         formatMs(perToken ? *request.perTokenLimitMs
                           : *request.firstTokenLimitMs);
}

Loss tensorcast::search::explainLoss(const SearchResult &result,
                                     const Outcome &outcome) {
  if (!outcome.invalid.empty())
    return {"invalid", outcome.invalid};
  if (!outcome.points.empty())
    return {"served", ""};
  if (!outcome.rejected)
    return {"not searched", "the search was ended before"};
  const Point &point = *outcome.rejected;
  switch (point.verdict) {
  case Verdict::Accepted:
    break;
  case Verdict::Invalid:
    return {"invalid", point.why};
  case Verdict::PrefillMemory:
  case Verdict::DecodeMemory:
    return {"memory", describeMemory(point)};
  case Verdict::PerTokenLimit:
  case Verdict::FirstTokenLimit:
    return {"limit", describeLimit(point, result.request)};
  }
  return {"served", ""};
}

std::string tensorcast::search::describeBound(const SearchResult &result,
                                              const Outcome &outcome) {
  if (!outcome.rejected)
    return outcome.skipped           ? "not searched further"
           : result.request.maxBatch ? "batch range"
                                     : "largest batch";
  switch (outcome.rejected->verdict) {
  case Verdict::Accepted:
    break;
  case Verdict::Invalid:
    return "no price";
  case Verdict::PrefillMemory:
    return "prefill memory";
  case Verdict::DecodeMemory:
    return "decode memory";
  case Verdict::PerTokenLimit:
    return "TPOT limit";
  case Verdict::FirstTokenLimit:
    return "TTFT limit";
  }
  return "";
}

/// How far a rejected batch is from being accepted, comparable among those that
/// were rejected alike: the share above a limit, or missing bytes.
static double getDistance(const Point &point, const SearchRequest &request) {
  if (point.verdict == Verdict::PerTokenLimit)
    return point.perTokenMs / *request.perTokenLimitMs;
  if (point.verdict == Verdict::FirstTokenLimit)
    return point.firstTokenMs / *request.firstTokenLimitMs;
  return -point.memory.availableBytes;
}

/// Why none of the candidates of a phase is served.
static std::string describeFailure(const SearchResult &result, Phase phase) {
  const Outcome *nearest = nullptr, *invalid = nullptr;
  bool skipped = false;
  for (const Outcome &outcome : result.outcomes) {
    if (outcome.candidate.phase != phase)
      continue;
    if (!outcome.points.empty())
      return "";
    skipped |= outcome.skipped;
    if (!outcome.rejected || outcome.rejected->verdict == Verdict::Invalid) {
      if (!outcome.skipped && !invalid)
        invalid = &outcome;
      continue;
    }
    // What fits and is too slow is nearer than what does not fit.
    auto isLimit = [](const Outcome &outcome) {
      return outcome.rejected->verdict == Verdict::PerTokenLimit ||
             outcome.rejected->verdict == Verdict::FirstTokenLimit;
    };
    auto key = [&](const Outcome &outcome) {
      return std::make_pair(!isLimit(outcome),
                            getDistance(*outcome.rejected, result.request));
    };
    if (!nearest || key(outcome) < key(*nearest))
      nearest = &outcome;
  }
  const Outcome *shown = nearest ? nearest : invalid;
  if (!shown)
    return skipped ? "the search was ended before a plan was found" : "";
  Loss loss = explainLoss(result, *shown);
  std::string what = loss.kind == "limit"    ? "no plan meets the limits"
                     : loss.kind == "memory" ? "the model fits no plan"
                                             : "no plan has a price";
  if (phase == Phase::Prefill)
    what += " in prefill";
  if (phase == Phase::Decode)
    what += " in decode";
  return what + "; nearest is " + getLabel(result, *shown) + " on " +
         result.request.devices[shown->candidate.device] + ": " + loss.why;
}

std::string tensorcast::search::describeFailure(const SearchResult &result) {
  for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode}) {
    std::string text = ::describeFailure(result, phase);
    if (!text.empty())
      return text;
  }
  return "";
}
