//===- Search.h - The best plan and batch -----------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_SEARCH_H
#define TENSORCAST_SEARCH_SEARCH_H

#include "tensorcast/Search/Serving.h"
#include "tensorcast/Support/Json.h"

#include <atomic>
#include <functional>

namespace mlir::tensorcast::search {

/// One plan to search the batches of.
struct Candidate {
  /// Index in the request's devices and variants.
  size_t device = 0, variant = 0;
  Plan plan;
  Phase phase = Phase::Aggregated;
};

/// What came of a candidate.
struct Outcome {
  Candidate candidate;
  /// Whether the search was ended before this candidate's.
  bool skipped = false;
  /// Why the plan cannot serve the model at all; empty if it can.
  std::string invalid;
  /// Accepted batches, in the order in which they were tried.
  std::vector<Point> points;
  /// The smallest batch that was not accepted.
  std::optional<Point> rejected;
  /// What is to be known of the prices of the plan.
  std::vector<std::string> warnings;

  /// The accepted batch with the highest throughput (of requests, or of
  /// tokens); of equal ones the first. Null if there is none.
  const Point *getBest(bool byRequests = false) const;
};

/// The part of a search that has the candidates `i` with `i % count == index`.
struct Shard {
  size_t index = 0, count = 1;
};

struct SearchResult {
  SearchRequest request;
  /// The request as it was written, of a search that was read.
  Json writtenRequest;
  Shard shard;
  /// Of the shard, in the order of `listCandidates`.
  std::vector<Outcome> outcomes;
  SmallVector<RejectedPlan> rejectedPlans;
  bool interrupted = false;
};

struct SearchOptions {
  unsigned threads = 1;
  Shard shard;
  /// Ends the search as soon as it is set.
  const std::atomic<bool> *stop = nullptr;
  /// Called after each candidate, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress;
};

/// All candidates, and the combinations of sizes that are none.
SmallVector<Candidate> listCandidates(const SearchRequest &request,
                                      bool hasExperts,
                                      SmallVector<RejectedPlan> &rejected);

/// A model under the plan of a candidate; null, with the reason in `why`, if it
/// cannot be served so.
std::unique_ptr<PlanModel> compilePlan(const SearchRequest &request,
                                       const DecoderConfig &config,
                                       const Candidate &candidate,
                                       std::string &why);

/// Searches the batches of one candidate, of whose plan there is a model.
Outcome searchBatches(const SearchRequest &request, const Candidate &candidate,
                      PlanModel &model, const std::atomic<bool> *stop = nullptr,
                      const DeviceChange &change = {});

/// Searches the batches of all candidates. The result does not depend on the
/// number of threads.
SearchResult runSearch(SearchRequest request, const DecoderConfig &config,
                       const SearchOptions &options);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_SEARCH_H
