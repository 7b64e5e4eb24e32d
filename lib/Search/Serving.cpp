//===- Serving.cpp - What a plan makes of a batch -------------------------===//
//
// Prefill and decode are steps of their own. The requests of a batch arrive
// together, are prefilled in waves as large as the budget of tokens allows, and
// decoded together: a step in the middle of the answer stands for all.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/Search/Serving.h"

#include "Chunks.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

/// Prefill steps of a batch, where each is run: a fraction of a second.
static constexpr int64_t maxPrefillSteps = 1 << 20;

Rules Rules::get(StringRef reference) {
  Rules rules;
  if (reference == "2026.06") {
    rules.sharedBudget = true;
    rules.countsFirstTokenTwice = true;
    rules.cutsPrompts = false;
    rules.defaultBudget = 8192;
  }
  return rules;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Tokens of a request before its answer.
int64_t Serving::getInputTokens(int64_t input) const {
  return input + pricer.getImageTokens();
}

/// Those that are not in the prefix cache.
int64_t Serving::getNewTokens(int64_t input) const {
  int64_t tokens = getInputTokens(input);
  return tokens - static_cast<int64_t>(static_cast<double>(tokens) *
                                       request.prefixCacheHitRate);
}

/// What serving frameworks take if they are not told otherwise.
static constexpr int64_t packedBudget = 8192;

/// Budgets to try until a prefill step fits.
SmallVector<int64_t> Serving::listBudgets() const {
  if (request.maxBatchedTokens)
    return {*request.maxBatchedTokens};
  if (request.rules.defaultBudget > 0)
    return {request.rules.defaultBudget};
  // What is packed needs no multiple of any one prompt.
  if (!request.lengths.isConstant())
    return {packedBudget};
  int64_t tokens = getInputTokens(request.lengths.classes.front().input);
  return {4 * tokens, 2 * tokens, tokens};
}

/// New tokens of a prefill step at most, of all groups of devices together.
int64_t Serving::getAllBudget(const Point &point) const {
  return point.budget * (request.rules.sharedBudget ? 1 : plan.data);
}

/// Tokens that a request gains by a decode step, on average.
double Serving::getTokensPerStep() const {
  double tokens = 1;
  for (auto [index, rate] : llvm::enumerate(request.acceptanceRates))
    if (static_cast<int64_t>(index) < plan.draftTokens)
      tokens += rate;
  return tokens;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The latency of a step; notes in `point` why there is none. Points keep the
/// memory of the last step that was priced.
std::optional<double> Serving::priceStep(Point &point, const Workload &step) {
  FailureOr<StepPrice> price = pricer.price(step, point.why);
  if (failed(price)) {
    point.verdict = Verdict::Invalid;
    return std::nullopt;
  }
  point.memory = price->memory;
  bool decode = step.groups.front().decode;
  if (price->memory.availableBytes < 0) {
    point.verdict = decode ? Verdict::DecodeMemory : Verdict::PrefillMemory;
    return std::nullopt;
  }
  double &longest = decode ? point.decodeStepMs : point.prefillStepMs;
  longest = std::max(longest, price->latencyMs);
  return price->latencyMs;
}

/// One token of each request, in the middle of its answer.
std::optional<double> Serving::priceDecode(Point &point,
                                           ArrayRef<RequestCount> requests) {
  Workload step;
  for (const RequestCount &entry : requests) {
    RequestGroup &group = step.groups.emplace_back();
    group.queries = entry.count;
    group.queryLength = plan.draftTokens + 1;
    group.contextLength = entry.input + entry.output / 2;
    group.decode = true;
  }
  std::optional<double> latencyMs = priceStep(point, step);
  if (!latencyMs)
    return std::nullopt;
  return *latencyMs / getTokensPerStep();
}

//===----------------------------------------------------------------------===//
// Prefill
//===----------------------------------------------------------------------===//

/// When the requests of a batch have their first tokens.
struct Serving::PrefillTimes {
  double meanMs = 0, lastMs = 0;
  /// Of requests that are decoded between steps of prefill; 0 where decode
  /// begins after prefill.
  double perTokenMs = 0, endMs = 0;
};

/// Prompts that fit the budget: as many at a time as it allows, and what is
/// left at the end.
bool Serving::addWaves(Point &point, int64_t input, PrefillTimes &times) {
  auto priceWave = [&](int64_t requests) -> std::optional<double> {
    if (requests == 0)
      return 0.0;
    Workload step;
    RequestGroup &group = step.groups.emplace_back();
    group.queries = requests;
    group.queryLength = input;
    group.prefixCacheHitRate = request.prefixCacheHitRate;
    return priceStep(point, step);
  };
  int64_t perWave =
      std::max<int64_t>(getAllBudget(point) / getNewTokens(input), 1);
  int64_t waves = point.concurrency / perWave;
  int64_t left = point.concurrency % perWave;
  std::optional<double> waveMs = priceWave(waves > 0 ? perWave : 0);
  std::optional<double> lastMs = waveMs ? priceWave(left) : std::nullopt;
  if (!lastMs)
    return false;
  auto n = static_cast<double>(waves), rest = static_cast<double>(left);
  double sumMs = static_cast<double>(perWave) * *waveMs * n * (n + 1) / 2 +
                 rest * (n * *waveMs + *lastMs);
  times.meanMs = sumMs / static_cast<double>(point.concurrency);
  times.lastMs = n * *waveMs + *lastMs;
  return true;
}

/// Prompts of several lengths: one after the other into steps that use all of
/// the budget. All groups of devices have the same.
bool Serving::addPackedSteps(Point &point, PrefillTimes &times) {
  int64_t budget = std::max<int64_t>(getAllBudget(point) / plan.data, 1);
  double sumMs = 0;
  for (const PackedStep &packed : packPrompts(
           request.lengths.sample(point.batch), budget, [&](int64_t input) {
             return PromptLength{getInputTokens(input), getNewTokens(input)};
           })) {
    Workload step;
    for (RequestGroup group : packed.groups) {
      group.queries *= plan.data;
      step.groups.push_back(group);
    }
    std::optional<double> latencyMs = priceStep(point, step);
    if (!latencyMs)
      return false;
    times.lastMs += *latencyMs;
    sumMs += times.lastMs * static_cast<double>(packed.numFinished);
  }
  times.meanMs = sumMs / static_cast<double>(point.batch);
  return true;
}

/// Prompts beyond the budget: one chunk of each request after the other, beside
/// the decode steps of requests that are further.
bool Serving::addChunks(Point &point, const RequestCount &requests,
                        bool decodes, PrefillTimes &times) {
  int64_t newTokens = getNewTokens(requests.input);
  ChunkedService service;
  service.requests = requests.count;
  service.newTokens = newTokens;
  service.cachedTokens = getInputTokens(requests.input) - newTokens;
  service.chunk = point.budget;
  service.budget = getAllBudget(point);
  service.outputTokens = decodes ? requests.output : 1;
  service.priceChunk = [&](int64_t count, int64_t query, int64_t context) {
    Workload step;
    RequestGroup &group = step.groups.emplace_back();
    group.queries = count;
    group.queryLength = query;
    group.contextLength = context;
    return priceStep(point, step);
  };
  service.priceDecode = [&](int64_t count) {
    return priceDecode(point, {{requests.input, requests.output, count}});
  };
  std::optional<ChunkedTimes> result = service.run();
  if (!result)
    return false;
  times.meanMs = result->meanFirstTokenMs;
  times.lastMs = result->lastFirstTokenMs;
  times.perTokenMs = result->meanPerTokenMs;
  times.endMs = result->endMs;
  return true;
}

bool Serving::addPrefill(Point &point, ArrayRef<RequestCount> requests,
                         PrefillTimes &times) {
  if (!request.lengths.isConstant())
    return addPackedSteps(point, times);
  return addWaves(point, requests.front().input, times);
}

//===----------------------------------------------------------------------===//
// A batch
//===----------------------------------------------------------------------===//

void Serving::checkLimits(Phase phase, Point &point) const {
  if (phase != Phase::Prefill && request.perTokenLimitMs &&
      point.perTokenMs > *request.perTokenLimitMs)
    point.verdict = Verdict::PerTokenLimit;
  else if (phase != Phase::Decode && request.firstTokenLimitMs &&
           point.firstTokenMs > *request.firstTokenLimitMs)
    point.verdict = Verdict::FirstTokenLimit;
}

Point Serving::evaluate(Phase phase, int64_t batch) {
  Point point;
  for (int64_t budget : listBudgets()) {
    point = evaluate(phase, batch, budget);
    if (point.verdict != Verdict::PrefillMemory)
      break;
  }
  return point;
}

Point Serving::evaluate(Phase phase, int64_t batch, int64_t budget) {
  Point point;
  point.batch = batch;
  point.concurrency = batch * plan.data;
  point.budget = budget;
  auto concurrency = static_cast<double>(point.concurrency);
  // All groups of devices have requests of the same lengths.
  SmallVector<RequestCount> requests = request.lengths.sample(batch);
  for (RequestCount &entry : requests)
    entry.count *= plan.data;
  double meanOutput = request.lengths.getMeanOutput();
  bool chunked = request.lengths.isConstant() && phase != Phase::Decode &&
                 getNewTokens(requests.front().input) > budget;
  if (chunked && !request.rules.cutsPrompts) {
    point.verdict = Verdict::Invalid;
    point.why = "expected a budget of at least " +
                std::to_string(getNewTokens(requests.front().input)) +
                " tokens, as prompts are not cut, but got " +
                std::to_string(budget);
    return point;
  }

  // Waves of whole prompts are of two kinds, however many there are; other
  // steps are run one by one.
  if (phase != Phase::Decode && (chunked || !request.lengths.isConstant())) {
    double steps = 0;
    for (const RequestCount &entry : requests)
      steps += static_cast<double>(getNewTokens(entry.input)) *
               static_cast<double>(entry.count) /
               static_cast<double>(getAllBudget(point));
    if (steps > maxPrefillSteps) {
      point.verdict = Verdict::Invalid;
      point.why = "expected a batch of at most " +
                  std::to_string(maxPrefillSteps) + " prefill steps, but " +
                  std::to_string(point.budget) +
                  " tokens at a time make more of it";
      return point;
    }
  }

  PrefillTimes times;
  if (phase != Phase::Decode) {
    bool decodes = phase == Phase::Aggregated;
    if (!(chunked ? addChunks(point, requests.front(), decodes, times)
                  : addPrefill(point, requests, times)))
      return point;
    if (phase == Phase::Prefill) {
      times.meanMs += request.servingCostMs;
      times.lastMs += request.servingCostMs;
    }
    point.firstTokenMs = times.meanMs;
  }
  double stepMs = 0;
  if (phase != Phase::Prefill) {
    // All requests are in the cache at the end of prefill, chunked or not.
    std::optional<double> latencyMs = priceDecode(point, requests);
    if (!latencyMs)
      return point;
    stepMs = *latencyMs;
  }

  switch (phase) {
  case Phase::Aggregated:
    if (chunked) {
      point.perTokenMs = times.perTokenMs;
      point.tokensPerS = 1e3 * meanOutput * concurrency / times.endMs;
    } else {
      double endMs = times.meanMs + stepMs * meanOutput;
      point.perTokenMs = endMs / meanOutput;
      if (request.rules.countsFirstTokenTwice)
        endMs += times.meanMs;
      point.tokensPerS = 1e3 * meanOutput * concurrency / endMs;
    }
    point.requestsPerS = point.tokensPerS / meanOutput;
    break;
  case Phase::Prefill: {
    double tokens = 0;
    for (const RequestCount &entry : requests)
      tokens += static_cast<double>(getInputTokens(entry.input)) *
                static_cast<double>(entry.count);
    point.tokensPerS = 1e3 * tokens / times.lastMs;
    // As the reference has it. Of several lengths a batch may have more short
    // requests than all have: what counts is how many of those the tokens make.
    point.requestsPerS =
        request.lengths.isConstant()
            ? 1e3 * concurrency / times.meanMs
            : point.tokensPerS / (request.lengths.getMeanInput() +
                                  static_cast<double>(pricer.getImageTokens()));
    break;
  }
  case Phase::Decode:
    point.perTokenMs = stepMs;
    point.tokensPerS = 1e3 * concurrency / stepMs;
    // The first token of each answer comes from prefill.
    point.requestsPerS = point.tokensPerS / (request.mode == Mode::Ratio
                                                 ? std::max(meanOutput - 1, 1.0)
                                                 : meanOutput);
    break;
  }
  checkLimits(phase, point);
  return point;
}
