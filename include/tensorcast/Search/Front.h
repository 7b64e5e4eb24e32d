//===- Front.h - Throughput against speed -----------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_FRONT_H
#define TENSORCAST_SEARCH_FRONT_H

#include "tensorcast/Search/Results.h"

namespace mlir::tensorcast::search {

/// A batch as its operator and its users see it.
struct FrontPoint {
  ResultRow row;
  /// Where prefill is apart: the plan that goes with it.
  std::optional<ResultRow> prefill;
  /// Of output, where there is only prefill of input.
  double tokensPerSPerDevice = 0;
  /// What each user gets: output tokens, or first tokens where there is only
  /// prefill.
  double tokensPerSPerUser = 0;
  /// Whether no other batch is better in one and not worse in the other.
  bool isOnFront = false;
};

/// All accepted batches of all plans, from the fastest for users to the
/// slowest; of equally fast ones the best for operators first. Prefill and
/// decode on devices of their own are as many of each as are in balance.
std::vector<FrontPoint> listFront(const SearchResult &result);

/// The plan of a point, with what tells it from others: its variant, its device
/// where there are several, and its prefill plan.
std::string describePlan(const SearchResult &result, const FrontPoint &point);

/// What the axes are called.
struct FrontAxes {
  StringRef perUser, perDevice;
};
FrontAxes getAxes(const SearchResult &result);

/// The front as a table of at most `top` rows, and as a plot of characters.
void printFront(raw_ostream &os, const SearchResult &result, size_t top);

/// The search as a page of HTML that needs no other file.
void printHtml(raw_ostream &os, const SearchResult &result);

Json frontJson(const SearchResult &result);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_FRONT_H
