//===- Explanation.cpp - What bounds a plan -------------------------------===//

#include "tensorcast/Search/Explanation.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

//===----------------------------------------------------------------------===//
// Which plan
//===----------------------------------------------------------------------===//

/// All outcomes: those with rows by rank, the others in their order.
static SmallVector<const Outcome *> orderOutcomes(const SearchResult &result) {
  SmallVector<const Outcome *> ordered;
  for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode})
    for (const ResultRow &row : rankPlans(result, phase))
      ordered.push_back(row.outcome);
  for (const Outcome &outcome : result.outcomes)
    if (!llvm::is_contained(ordered, &outcome))
      ordered.push_back(&outcome);
  return ordered;
}

/// The sizes of a label, without spaces.
static SmallVector<std::string> splitLabel(StringRef label) {
  SmallVector<std::string> parts;
  std::string part;
  for (char c : (label + " ").str()) {
    if (c != ' ' && c != '|' && c != ',') {
      part += llvm::toUpper(c);
      continue;
    }
    if (!part.empty())
      parts.push_back(part);
    part.clear();
  }
  return parts;
}

SmallVector<const Outcome *>
tensorcast::search::findPlans(const SearchResult &result, StringRef text) {
  size_t rank;
  if (!text.getAsInteger(10, rank)) {
    SmallVector<const Outcome *> found;
    for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode}) {
      SmallVector<ResultRow> rows = rankPlans(result, phase);
      if (rank >= 1 && rank <= rows.size())
        found.push_back(rows[rank - 1].outcome);
    }
    return found;
  }
  SmallVector<std::string> wanted = splitLabel(text);
  SmallVector<const Outcome *> found;
  for (const Outcome *outcome : orderOutcomes(result)) {
    std::string label = getLabel(result, *outcome) + " " +
                        result.request.devices[outcome->candidate.device] +
                        " " + stringify(outcome->candidate.phase).str();
    SmallVector<std::string> parts = splitLabel(label);
    if (!wanted.empty() && llvm::all_of(wanted, [&](const std::string &part) {
          return llvm::is_contained(parts, part);
        }))
      found.push_back(outcome);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Its steps
//===----------------------------------------------------------------------===//

namespace {
/// Remembers the longest prefill step and decode step.
class StepRecorder : public StepPricer {
public:
  explicit StepRecorder(ProgramPricer &pricer) : pricer(pricer) {}

  FailureOr<StepPrice> price(const Workload &step, std::string &why) override {
    FailureOr<StepPrice> price = pricer.price(step, why);
    if (failed(price))
      return failure();
    Longest &longest = step.isDecode() ? decode : prefill;
    if (!longest.step || price->latencyMs > longest.latencyMs)
      longest = {step, price->latencyMs};
    return price;
  }

  int64_t getImageTokens() const override { return pricer.getImageTokens(); }

  struct Longest {
    std::optional<Workload> step;
    double latencyMs = 0;
  };
  Longest prefill, decode;

private:
  ProgramPricer &pricer;
};
} // namespace

/// `decode of 193 x 1 tokens after 4250`.
static std::string describeStep(const Workload &step) {
  std::string text = step.isDecode() ? "decode of " : "prefill of ";
  constexpr size_t most = 3;
  for (auto [index, group] : llvm::enumerate(step.groups)) {
    if (index == most)
      return text + ", and others";
    text += (index == 0 ? "" : ", ") + std::to_string(group.queries) + " x " +
            std::to_string(group.queryLength);
    if (group.contextLength > 0)
      text += " after " + std::to_string(group.contextLength);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// On other devices
//===----------------------------------------------------------------------===//

namespace {
/// A number of a device that may be better.
struct Resource {
  StringLiteral name;
  double DeviceChange::*number;
  /// Whether less of it is better.
  bool isCost;
};
} // namespace

static constexpr Resource resources[] = {
    {"memory bandwidth", &DeviceChange::memoryBandwidth, false},
    {"matrix operations", &DeviceChange::cube, false},
    {"vector operations", &DeviceChange::vector, false},
    {"link bandwidth", &DeviceChange::linkBandwidth, false},
    {"link latency", &DeviceChange::linkLatency, true},
    {"launch cost", &DeviceChange::launchCost, true},
};

namespace {
/// Explains one candidate.
class Explainer {
public:
  Explainer(const SearchResult &result, const DecoderConfig &config,
            Explanation &explanation)
      : request(result.request), config(config), explanation(explanation),
        candidate(explanation.outcome->candidate) {}

  LogicalResult run(bool withTraces, std::string &why) {
    explanation.model = compilePlan(request, config, candidate, why);
    if (!explanation.model)
      return failure();
    std::unique_ptr<ProgramPricer> pricer = getPricer({}, why);
    if (!pricer)
      return failure();
    const Outcome &outcome = *explanation.outcome;
    const Point *best = outcome.getBest(request.mode == Mode::Ratio);
    int64_t batch = best ? best->batch : request.minBatch;
    StepRecorder recorder(*pricer);
    explanation.point = Serving(request, candidate.plan, recorder)
                            .evaluate(candidate.phase, batch);
    for (const StepRecorder::Longest &longest :
         {recorder.prefill, recorder.decode}) {
      if (!longest.step)
        continue;
      std::string trace;
      FailureOr<Report> report =
          pricer->report(*longest.step, why, withTraces ? &trace : nullptr);
      if (failed(report))
        return failure();
      explanation.steps.push_back(
          {describeStep(*longest.step), std::move(*report), std::move(trace)});
    }
    if (explanation.point.verdict == Verdict::Invalid) {
      why = explanation.point.why;
      return failure();
    }
    if (best) {
      addGains();
      addUnlimited();
    } else if (isLimit(explanation.point)) {
      addRemedies();
    }
    return success();
  }

private:
  static bool isLimit(const Point &point) {
    return point.verdict == Verdict::PerTokenLimit ||
           point.verdict == Verdict::FirstTokenLimit;
  }

  std::unique_ptr<ProgramPricer> getPricer(const DeviceChange &change,
                                           std::string &why) {
    return explanation.model->getPricer(request.devices[candidate.device], why,
                                        change);
  }

  /// A batch on another device.
  std::optional<Point> evaluate(const DeviceChange &change, int64_t batch) {
    std::string why;
    std::unique_ptr<ProgramPricer> pricer = getPricer(change, why);
    if (!pricer)
      return std::nullopt;
    return Serving(request, candidate.plan, *pricer)
        .evaluate(candidate.phase, batch);
  }

  void addGain(std::string what, const DeviceChange &change) {
    std::optional<Point> same = evaluate(change, explanation.point.batch);
    if (!same)
      return;
    Gain &gain = explanation.gains.emplace_back();
    gain.what = std::move(what);
    gain.same = *same;
    Outcome there =
        searchBatches(request, candidate, *explanation.model, nullptr, change);
    if (const Point *best = there.getBest(request.mode == Mode::Ratio))
      gain.best = *best;
  }

  void addGains() {
    for (const Resource &resource : resources) {
      DeviceChange change;
      change.*resource.number = resource.isCost ? 0.9 : 1.1;
      addGain(
          ("10 % " + Twine(resource.isCost ? "less " : "more ") + resource.name)
              .str(),
          change);
    }
    // Of the step that runs most often.
    double launches = explanation.steps.back().report.launches;
    auto layers = static_cast<double>(config.numHiddenLayers);
    if (launches > layers) {
      DeviceChange change;
      change.launchCost = 1 - layers / launches;
      addGain("a launch less in each layer", change);
    }
  }

  /// What memory alone would allow.
  void addUnlimited() {
    if (!request.firstTokenLimitMs && !request.perTokenLimitMs &&
        !request.maxBatch)
      return;
    SearchRequest without = request;
    without.firstTokenLimitMs.reset();
    without.perTokenLimitMs.reset();
    without.maxBatch.reset();
    without.wholeFront = false;
    explanation.unlimited =
        searchBatches(without, candidate, *explanation.model);
  }

  /// The factors that alone would let the smallest batch meet its limits.
  void addRemedies() {
    for (const Resource &resource : resources) {
      auto isMet = [&](double factor) {
        DeviceChange change;
        change.*resource.number = resource.isCost ? 1 / factor : factor;
        std::optional<Point> point = evaluate(change, explanation.point.batch);
        return point && point->verdict == Verdict::Accepted;
      };
      // What is a thousand times better is as good as nothing.
      constexpr double most = 1e3;
      Remedy &remedy = explanation.remedies.emplace_back();
      remedy.what = resource.name.str();
      if (!isMet(most))
        continue;
      double low = 1, high = most;
      // To a percent, on a logarithmic scale.
      while (high / low > 1.01) {
        double middle = std::sqrt(low * high);
        (isMet(middle) ? high : low) = middle;
      }
      remedy.factor = resource.isCost ? 1 / high : high;
    }
  }

  const SearchRequest &request;
  const DecoderConfig &config;
  Explanation &explanation;
  const Candidate &candidate;
};
} // namespace

FailureOr<Explanation> tensorcast::search::explainPlan(
    const SearchResult &result, const DecoderConfig &config,
    const Outcome &outcome, bool withTraces, std::string &why) {
  Explanation explanation;
  explanation.outcome = &outcome;
  if (failed(Explainer(result, config, explanation).run(withTraces, why)))
    return failure();
  return explanation;
}
