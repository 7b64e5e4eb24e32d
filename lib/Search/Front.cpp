//===- Front.cpp - Throughput against speed -------------------------------===//

#include "tensorcast/Search/Front.h"

#include <tuple>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

/// Whether the points of a phase are shown. Of a search for both phases, each
/// for itself, it is those of decode.
static bool isShown(const SearchResult &result, Phase phase) {
  if (phase != Phase::Prefill)
    return true;
  return llvm::none_of(result.outcomes, [](const Outcome &outcome) {
    return outcome.candidate.phase != Phase::Prefill;
  });
}

/// Fills what the axes show.
static void setAxes(FrontPoint &entry) {
  const Point &point = *entry.row.point;
  const Candidate &candidate = entry.row.outcome->candidate;
  auto devices = static_cast<double>(candidate.plan.getDevices());
  if (entry.prefill) {
    const Candidate &prefill = entry.prefill->outcome->candidate;
    // Instances of prefill for each of decode.
    devices += point.requestsPerS / entry.prefill->point->requestsPerS *
               static_cast<double>(prefill.plan.getDevices());
  }
  entry.tokensPerSPerDevice = point.tokensPerS / devices;
  entry.tokensPerSPerUser =
      1e3 / (candidate.phase == Phase::Prefill ? point.firstTokenMs
                                               : point.perTokenMs);
}

static void markFront(std::vector<FrontPoint> &points) {
  double best = 0;
  for (FrontPoint &point : points) {
    point.isOnFront = point.tokensPerSPerDevice > best;
    best = std::max(best, point.tokensPerSPerDevice);
  }
}

std::vector<FrontPoint>
tensorcast::search::listFront(const SearchResult &result) {
  bool isRatio = result.request.mode == Mode::Ratio;
  SmallVector<ResultRow> prefills;
  if (isRatio)
    prefills = rankPlans(result, Phase::Prefill);
  std::vector<FrontPoint> points;
  for (const Outcome &outcome : result.outcomes) {
    const Candidate &candidate = outcome.candidate;
    if (!isShown(result, candidate.phase))
      continue;
    std::optional<ResultRow> prefill;
    if (isRatio) {
      // The plan of prefill that gets most out of each device.
      auto perDevice = [](const ResultRow &row) {
        return row.point->requestsPerS /
               static_cast<double>(row.outcome->candidate.plan.getDevices());
      };
      for (const ResultRow &row : prefills)
        if (row.outcome->candidate.device == candidate.device &&
            row.outcome->candidate.variant == candidate.variant &&
            (!prefill || perDevice(row) > perDevice(*prefill)))
          prefill = row;
      if (!prefill)
        continue;
    }
    for (const Point &point : outcome.points) {
      FrontPoint &entry = points.emplace_back();
      entry.row = {&outcome, &point};
      entry.prefill = prefill;
      setAxes(entry);
    }
  }
  auto key = [](const FrontPoint &point) {
    return std::make_tuple(-point.tokensPerSPerUser, -point.tokensPerSPerDevice,
                           point.row.outcome, point.row.point->batch);
  };
  llvm::sort(points, [&](const FrontPoint &lhs, const FrontPoint &rhs) {
    return key(lhs) < key(rhs);
  });
  markFront(points);
  return points;
}

std::string tensorcast::search::describePlan(const SearchResult &result,
                                             const FrontPoint &point) {
  std::string text = getLabel(result, *point.row.outcome);
  if (point.prefill)
    text = "P: " + getLabel(result, *point.prefill->outcome) + "; D: " + text;
  if (result.request.devices.size() > 1)
    text +=
        " on " + result.request.devices[point.row.outcome->candidate.device];
  return text;
}

FrontAxes tensorcast::search::getAxes(const SearchResult &result) {
  if (!result.outcomes.empty() && isShown(result, Phase::Prefill))
    return {"first tokens/s for each user", "input tokens/s per device"};
  return {"output tokens/s for each user", "output tokens/s per device"};
}

Json tensorcast::search::frontJson(const SearchResult &result) {
  Json rows = Json::array();
  for (const FrontPoint &point : listFront(result)) {
    if (!point.isOnFront)
      continue;
    Json row = {{"tokens_per_second_per_user", point.tokensPerSPerUser},
                {"tokens_per_second_per_device", point.tokensPerSPerDevice},
                {"plan", getLabel(result, *point.row.outcome)}};
    if (point.prefill) {
      row["prefill_plan"] = getLabel(result, *point.prefill->outcome);
      row["prefill_batch"] = point.prefill->point->batch;
    }
    row["device"] = result.request.devices[point.row.outcome->candidate.device];
    row["batch"] = point.row.point->batch;
    row["concurrency"] = point.row.point->concurrency;
    row["ttft_ms"] =
        (point.prefill ? point.prefill->point : point.row.point)->firstTokenMs;
    row["tpot_ms"] = point.row.point->perTokenMs;
    rows.push_back(std::move(row));
  }
  return rows;
}
