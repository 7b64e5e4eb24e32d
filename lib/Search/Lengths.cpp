//===- Lengths.cpp - How long requests are --------------------------------===//

#include "tensorcast/Search/Lengths.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast::search;

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

static double getWeights(ArrayRef<LengthClass> classes) {
  double weights = 0;
  for (const LengthClass &entry : classes)
    weights += entry.weight;
  return weights;
}

SmallVector<int64_t> Lengths::countByShare(int64_t count) const {
  double weights = getWeights(classes);
  SmallVector<int64_t> counts;
  SmallVector<std::pair<double, size_t>> remainders;
  int64_t left = count;
  for (auto [index, entry] : llvm::enumerate(classes)) {
    double share = static_cast<double>(count) * entry.weight / weights;
    counts.push_back(static_cast<int64_t>(share));
    remainders.emplace_back(share - std::floor(share), index);
    left -= counts.back();
  }
  llvm::sort(remainders, [](const auto &lhs, const auto &rhs) {
    return lhs.first != rhs.first ? lhs.first > rhs.first
                                  : lhs.second < rhs.second;
  });
  // Rounding of shares may leave one more or less than there are classes.
  for (size_t i = 0; left > 0; ++i, --left)
    ++counts[remainders[i % remainders.size()].second];
  return counts;
}

SmallVector<int64_t> Lengths::countByQuantile(int64_t count) const {
  SmallVector<size_t> order;
  for (size_t i = 0; i < classes.size(); ++i)
    order.push_back(i);
  llvm::sort(order, [&](size_t lhs, size_t rhs) {
    return std::make_pair(classes[lhs].input, classes[lhs].output) <
           std::make_pair(classes[rhs].input, classes[rhs].output);
  });
  double weights = getWeights(classes);
  SmallVector<int64_t> counts(classes.size());
  double before = 0;
  int64_t taken = 0;
  for (auto [position, index] : llvm::enumerate(order)) {
    before += classes[index].weight;
    // Requests i with (i + 0.5) / count below the share so far.
    auto upTo = static_cast<int64_t>(
        std::ceil(before / weights * static_cast<double>(count) - 0.5));
    if (position + 1 == order.size())
      upTo = count;
    upTo = std::clamp(upTo, taken, count);
    counts[index] = upTo - taken;
    taken = upTo;
  }
  return counts;
}

SmallVector<RequestCount> Lengths::sample(int64_t count) const {
  SmallVector<int64_t> counts =
      byQuantile ? countByQuantile(count) : countByShare(count);
  SmallVector<RequestCount> requests;
  for (auto [entry, number] : llvm::zip_equal(classes, counts))
    if (number > 0)
      requests.push_back({entry.input, entry.output, number});
  return requests;
}
