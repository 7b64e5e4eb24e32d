//===- Search.cpp - The best plan and batch -------------------------------===//

#include "tensorcast/Search/Search.h"

#include <map>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

const Point *Outcome::getBest(bool byRequests) const {
  auto value = [&](const Point &point) {
    return byRequests ? point.requestsPerS : point.tokensPerS;
  };
  const Point *best = nullptr;
  for (const Point &point : points)
    // Sums in another order are rounded otherwise.
    if (!best || value(point) > value(*best) * (1 + 1e-12))
      best = &point;
  return best;
}

SmallVector<Candidate>
tensorcast::search::listCandidates(const SearchRequest &request,
                                   bool hasExperts,
                                   SmallVector<RejectedPlan> &rejected) {
  SmallVector<std::pair<Phase, int64_t>> phases;
  switch (request.mode) {
  case Mode::Aggregated:
    phases = {{Phase::Aggregated, request.numDevices}};
    break;
  case Mode::Disaggregated:
    // What has no limit is not asked for, but for where neither has.
    if (request.firstTokenLimitMs || !request.perTokenLimitMs)
      phases.emplace_back(Phase::Prefill, request.numDevices);
    if (request.perTokenLimitMs || !request.firstTokenLimitMs)
      phases.emplace_back(Phase::Decode, request.numDevices);
    break;
  case Mode::Ratio:
    phases = {{Phase::Prefill, request.prefillDevices},
              {Phase::Decode, request.decodeDevices}};
    break;
  }
  SmallVector<Candidate> candidates;
  for (auto [phase, numDevices] : phases) {
    PlanSizes sizes = request.sizes;
    // Prefill has no cached tokens to share.
    if (phase == Phase::Prefill)
      sizes.context.reset();
    PlanList list = listPlans(sizes, numDevices, hasExperts);
    for (size_t device = 0; device < request.devices.size(); ++device)
      for (size_t variant = 0; variant < request.variants.size(); ++variant)
        for (const Plan &plan : list.plans)
          candidates.push_back({device, variant, plan, phase});
    for (RejectedPlan &plan : list.rejected)
      if (llvm::none_of(rejected, [&](const RejectedPlan &known) {
            return known.label == plan.label && known.why == plan.why;
          }))
        rejected.push_back(std::move(plan));
  }
  return candidates;
}

namespace {
/// Searches the batches of one plan.
class BatchSearch {
public:
  BatchSearch(const SearchRequest &request, Outcome &outcome, Serving &serving,
              const std::atomic<bool> *stop)
      : request(request), outcome(outcome), serving(serving), stop(stop) {}

  /// Probes the smallest batch, doubles up to one that is not accepted, and
  /// bisects in between.
  void run() {
    findLargest();
    if (request.wholeFront && !outcome.points.empty())
      fillIn();
  }

private:
  static constexpr int64_t firstRight = 512;
  static constexpr unsigned maxDoublings = 10;
  static constexpr int64_t largestBatch = (int64_t(1) << 19) - 1;

  void findLargest() {
    int64_t left = request.minBatch;
    if (!tryBatch(left))
      return;
    int64_t right = 0;
    if (request.maxBatch) {
      right = *request.maxBatch;
      if (right == left || tryBatch(right))
        return;
    } else {
      right = std::max(firstRight, 2 * left);
      for (unsigned i = 0; i < maxDoublings && tryBatch(right); ++i) {
        left = right;
        right = std::min(2 * right, largestBatch);
      }
    }
    while (right - left > 1) {
      int64_t middle = left + (right - left) / 2;
      (tryBatch(middle) ? left : right) = middle;
    }
  }

  /// Tries batches up to the largest, each a tenth larger than the one before.
  void fillIn() {
    llvm::SmallDenseSet<int64_t> known;
    int64_t largest = 0;
    for (const Point &point : outcome.points) {
      known.insert(point.batch);
      largest = std::max(largest, point.batch);
    }
    for (int64_t batch = request.minBatch; batch < largest && !outcome.skipped;
         batch += std::max<int64_t>(batch / 10, 1))
      if (!known.contains(batch))
        tryBatch(batch);
  }

  bool tryBatch(int64_t batch) {
    if (stop && *stop) {
      outcome.skipped = true;
      return false;
    }
    Point point = serving.evaluate(outcome.candidate.phase, batch);
    if (point.verdict == Verdict::Accepted) {
      outcome.points.push_back(std::move(point));
      return true;
    }
    if (!outcome.rejected || batch < outcome.rejected->batch)
      outcome.rejected = std::move(point);
    return false;
  }

  const SearchRequest &request;
  Outcome &outcome;
  Serving &serving;
  const std::atomic<bool> *stop;
};
} // namespace

std::unique_ptr<PlanModel>
tensorcast::search::compilePlan(const SearchRequest &request,
                                const DecoderConfig &config,
                                const Candidate &candidate, std::string &why) {
  ModelSettings settings = request.variants[candidate.variant].settings;
  settings.reference = request.reference;
  return PlanModel::compile(config, settings, candidate.plan, candidate.phase,
                            request.images, why);
}

Outcome tensorcast::search::searchBatches(const SearchRequest &request,
                                          const Candidate &candidate,
                                          PlanModel &model,
                                          const std::atomic<bool> *stop,
                                          const DeviceChange &change) {
  Outcome outcome;
  outcome.candidate = candidate;
  std::unique_ptr<ProgramPricer> pricer = model.getPricer(
      request.devices[candidate.device], outcome.invalid, change);
  if (!pricer)
    return outcome;
  Serving serving(request, candidate.plan, *pricer);
  BatchSearch(request, outcome, serving, stop).run();
  outcome.warnings = pricer->getWarnings();
  return outcome;
}

namespace {
/// Candidates that differ in their device alone: what passes make of the model
/// is the same for all.
using Group = SmallVector<Outcome *, 1>;
} // namespace

/// The outcomes in groups; each alone if there are too few groups for the
/// threads.
static std::vector<Group> groupOutcomes(std::vector<Outcome> &outcomes,
                                        unsigned threads) {
  std::map<std::tuple<Phase, size_t, std::string>, Group> byPlan;
  for (Outcome &outcome : outcomes) {
    const Candidate &candidate = outcome.candidate;
    byPlan[{candidate.phase, candidate.variant, candidate.plan.getLabel()}]
        .push_back(&outcome);
  }
  std::vector<Group> groups;
  for (auto &[key, group] : byPlan) {
    if (byPlan.size() >= threads) {
      groups.push_back(std::move(group));
      continue;
    }
    for (Outcome *outcome : group)
      groups.push_back({outcome});
  }
  return groups;
}

SearchResult tensorcast::search::runSearch(SearchRequest request,
                                           const DecoderConfig &config,
                                           const SearchOptions &options) {
  SearchResult result;
  result.request = std::move(request);
  result.shard = options.shard;
  SmallVector<Candidate> candidates = listCandidates(
      result.request, config.mixture.has_value(), result.rejectedPlans);
  for (auto [number, candidate] : llvm::enumerate(candidates))
    if (number % options.shard.count == options.shard.index)
      result.outcomes.emplace_back().candidate = candidate;

  std::vector<Group> groups = groupOutcomes(result.outcomes, options.threads);
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t done = 0;
  auto isStopped = [&] { return options.stop && *options.stop; };
  auto work = [&] {
    for (size_t i; (i = next++) < groups.size();) {
      std::string invalid;
      std::unique_ptr<PlanModel> model;
      if (!isStopped())
        model = compilePlan(result.request, config,
                            groups[i].front()->candidate, invalid);
      for (Outcome *outcome : groups[i]) {
        if (isStopped())
          outcome->skipped = true;
        else if (model)
          *outcome = searchBatches(result.request, outcome->candidate, *model,
                                   options.stop);
        else
          outcome->invalid = invalid;
        std::lock_guard<std::mutex> lock(mutex);
        ++done;
        if (options.progress)
          options.progress(done, result.outcomes.size());
      }
    }
  };
  size_t threads = std::min<size_t>(options.threads, groups.size());
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < threads; ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  result.interrupted = isStopped();
  return result;
}
