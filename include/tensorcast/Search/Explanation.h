//===- Explanation.h - What bounds a plan -----------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_EXPLANATION_H
#define TENSORCAST_SEARCH_EXPLANATION_H

#include "tensorcast/Search/Results.h"

namespace mlir::tensorcast::search {

/// A step of a batch, with its price in full.
struct ExplainedStep {
  /// `prefill of 4 x 3500 tokens`.
  std::string what;
  Report report;
  /// When its kernels run, if that is asked for.
  std::string trace;
};

/// What a plan would gain on another device.
struct Gain {
  /// `10 % more memory bandwidth`.
  std::string what;
  /// The batch of the explanation on that device, and the best batch there.
  Point same;
  std::optional<Point> best;
};

/// What would make a batch meet its limits.
struct Remedy {
  /// `memory bandwidth`, and what it has to be multiplied with; 0 if no factor
  /// is enough.
  std::string what;
  double factor = 0;
};

struct Explanation {
  /// Whose context has the attributes of the reports.
  std::shared_ptr<PlanModel> model;
  const Outcome *outcome = nullptr;
  /// The best batch, or the smallest if none is accepted.
  Point point;
  SmallVector<ExplainedStep, 2> steps;
  /// What limits the batch if no limit of time does: the largest batch that
  /// memory holds. Nothing if it is that of the search.
  std::optional<Outcome> unlimited;
  /// For a plan that serves the model.
  SmallVector<Gain, 0> gains;
  /// For one that misses a limit.
  SmallVector<Remedy> remedies;
};

/// The outcomes that a user may mean by `text`: the rank of a plan, its label,
/// or some of the sizes in it (`TP=8 DCP=2`). The best first.
SmallVector<const Outcome *> findPlans(const SearchResult &result,
                                       StringRef text);

/// Prices the plan again, on the device and on others. Fails, and says why, for
/// a plan that the model cannot be served with at all.
FailureOr<Explanation> explainPlan(const SearchResult &result,
                                   const DecoderConfig &config,
                                   const Outcome &outcome, bool withTraces,
                                   std::string &why);

void printExplanation(raw_ostream &os, const SearchResult &result,
                      const Explanation &explanation);

/// The table of what changes of the device are worth.
void printGains(raw_ostream &os, const SearchResult &result,
                const Explanation &explanation);

Json toJson(const SearchResult &result, const Explanation &explanation);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_EXPLANATION_H
