//===- Serving.h - What a plan makes of a batch -----------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_SERVING_H
#define TENSORCAST_SEARCH_SERVING_H

#include "tensorcast/Search/Request.h"

namespace mlir::tensorcast::search {

/// What becomes of a batch, in the order in which it is checked.
enum class Verdict {
  Accepted,
  /// A step has no price.
  Invalid,
  PrefillMemory,
  DecodeMemory,
  PerTokenLimit,
  FirstTokenLimit,
};

StringRef stringify(Verdict verdict);

/// A batch, and what users and operators see of it.
struct Point {
  /// Requests of each group of devices, and of all together.
  int64_t batch = 0, concurrency = 0;
  Verdict verdict = Verdict::Accepted;
  /// Why a step has no price.
  std::string why;

  /// Output tokens, or input tokens where there is only prefill.
  double tokensPerS = 0;
  double requestsPerS = 0;
  /// Mean times; zero where there is no such phase.
  double firstTokenMs = 0, perTokenMs = 0;
  /// Longest prefill step and decode step.
  double prefillStepMs = 0, decodeStepMs = 0;
  /// New tokens of a prefill step at most, for each group of devices.
  int64_t budget = 0;
  /// Of decode, or of prefill where that is alone or does not fit.
  MemoryUse memory;
};

/// Serves requests under one plan.
class Serving {
public:
  Serving(const SearchRequest &request, const Plan &plan, StepPricer &pricer)
      : request(request), plan(plan), pricer(pricer) {}

  Point evaluate(Phase phase, int64_t batch);

private:
  struct PrefillTimes;

  Point evaluate(Phase phase, int64_t batch, int64_t budget);
  bool addPrefill(Point &point, ArrayRef<RequestCount> requests,
                  PrefillTimes &times);
  bool addWaves(Point &point, int64_t input, PrefillTimes &times);
  bool addPackedSteps(Point &point, PrefillTimes &times);
  bool addChunks(Point &point, const RequestCount &requests, bool decodes,
                 PrefillTimes &times);
  bool addDecodeStep(Point &point, ArrayRef<RequestCount> requests);
  std::optional<double> priceStep(Point &point, const Workload &step);
  std::optional<double> priceDecode(Point &point,
                                    ArrayRef<RequestCount> requests);

  SmallVector<int64_t> listBudgets() const;
  int64_t getAllBudget(const Point &point) const;
  int64_t getNewTokens(int64_t input) const;
  int64_t getInputTokens(int64_t input) const;
  double getTokensPerStep() const;
  void checkLimits(Phase phase, Point &point) const;

  const SearchRequest &request;
  const Plan &plan;
  StepPricer &pricer;
};

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_SERVING_H
