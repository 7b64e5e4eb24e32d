//===- Results.h - What a search found --------------------------*- C++ -*-===//
//
// Everything that is shown of a search follows from its outcomes, which JSON
// keeps in full: shards are written and joined so.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_SEARCH_RESULTS_H
#define TENSORCAST_SEARCH_RESULTS_H

#include "tensorcast/Search/Search.h"
#include "tensorcast/Support/Json.h"

namespace mlir::tensorcast::search {

/// A plan with its best batch.
struct ResultRow {
  const Outcome *outcome = nullptr;
  const Point *point = nullptr;
};

/// The plans of a phase that can serve the model, best first.
SmallVector<ResultRow> rankPlans(const SearchResult &result, Phase phase);

/// A plan for prefill and one for decode, and how many of one go with the
/// other.
struct RatioRow {
  ResultRow prefill, decode;
  /// Of one instance of each.
  double balancedPerS = 0;
  /// Instances of prefill for each instance of decode.
  double ratio = 0;
  /// Whole numbers of instances for the devices that there are; 0 if they are
  /// too few for one of each.
  int64_t prefillInstances = 0, decodeInstances = 0;
};

/// For each decode plan the prefill plan that is best for it, best first.
SmallVector<RatioRow> rankRatios(const SearchResult &result);

/// `TP=8 | PP=1 | DP=1`, with the variant behind it where there are several.
std::string getLabel(const SearchResult &result, const Outcome &outcome);

/// The same with a star if something was warned of when the plan was priced.
std::string getMarkedLabel(const SearchResult &result, const Outcome &outcome);

/// What plans were warned of, each once.
std::vector<std::string> listWarnings(const SearchResult &result);

/// Why a plan has no row: `limit`, `memory`, `invalid` or `not searched`, and
/// the numbers. `served` for one that has.
struct Loss {
  StringRef kind;
  std::string why;
};
Loss explainLoss(const SearchResult &result, const Outcome &outcome);

/// What keeps the best batch of a plan from being larger.
std::string describeBound(const SearchResult &result, const Outcome &outcome);

/// If no plan can serve the model: which limit or memory is missing, and the
/// plan that is nearest. Else empty.
std::string describeFailure(const SearchResult &result);

/// The model, what it runs on, its load and its limits, in one line.
std::string describeQuestion(const SearchResult &result);

/// What several devices can do, beside each other.
void printDeviceFacts(raw_ostream &os, const SearchResult &result);

void printTable(raw_ostream &os, const SearchResult &result, size_t top);

/// The request as JSON: equal for equal searches.
Json toJson(const SearchRequest &request);

/// Everything that was found. `results` are the best batches of all plans that
/// serve the model, best first; `plans` is all of it, which `readSearch` reads.
Json toJson(const SearchResult &result);

/// Reads what `toJson` wrote; `source` is what messages call it. The request is
/// as far there as it is shown.
FailureOr<SearchResult> readSearch(const Json &json, StringRef source,
                                   Location loc);

/// Joins the shards of one search, each with the name of its file. Reports
/// those that are not of one search, overlap, were interrupted or are missing.
FailureOr<SearchResult>
mergeShards(ArrayRef<std::pair<std::string, Json>> shards, Location loc);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_RESULTS_H
