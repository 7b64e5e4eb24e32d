//===- Lengths.cpp - How long requests are --------------------------------===//

#include "tensorcast/Search/Lengths.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast::search;

int64_t Lengths::getLongestInput() const {
  int64_t longest = 0;
  for (const LengthClass &entry : classes)
    longest = std::max(longest, entry.input);
  return longest;
}

static double getMean(ArrayRef<LengthClass> classes,
                      int64_t LengthClass::*length) {
  double sum = 0, weights = 0;
  for (const LengthClass &entry : classes) {
    sum += entry.weight * static_cast<double>(entry.*length);
    weights += entry.weight;
  }
  return sum / weights;
}

double Lengths::getMeanInput() const {
  return getMean(classes, &LengthClass::input);
}

double Lengths::getMeanOutput() const {
  return getMean(classes, &LengthClass::output);
}

SmallVector<RequestCount> Lengths::sample(int64_t count) const {
  double weights = 0;
  for (const LengthClass &entry : classes)
    weights += entry.weight;
  SmallVector<RequestCount> requests;
  SmallVector<std::pair<double, size_t>> remainders;
  int64_t left = count;
  for (auto [index, entry] : llvm::enumerate(classes)) {
    double share = static_cast<double>(count) * entry.weight / weights;
    auto whole = static_cast<int64_t>(share);
    requests.push_back({entry.input, entry.output, whole});
    remainders.emplace_back(share - std::floor(share), index);
    left -= whole;
  }
  llvm::sort(remainders, [](const auto &lhs, const auto &rhs) {
    return lhs.first != rhs.first ? lhs.first > rhs.first
                                  : lhs.second < rhs.second;
  });
  // Rounding of shares may leave one more or less than there are classes.
  for (size_t i = 0; left > 0; ++i, --left)
    ++requests[remainders[i % remainders.size()].second].count;
  llvm::erase_if(requests, [](const RequestCount &r) { return r.count == 0; });
  return requests;
}
