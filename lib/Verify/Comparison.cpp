//===- Comparison.cpp - How far apart two tensors are ---------------------===//

#include "tensorcast/Verify/Comparison.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

std::optional<double> Tolerance::getLimit(Type elementType) const {
  if (ignoreError)
    return std::nullopt;
  bool isWide = elementType.isF32() || elementType.isF64();
  return error.value_or(isWide ? 1e-5 : 1e-2);
}

double Difference::getRelativeError() const {
  return largest > 0 ? maxError / largest : maxError;
}

Difference tensorcast::compare(const HostTensor &before,
                               const HostTensor &after) {
  std::vector<double> lhs = before.getValues(), rhs = after.getValues();
  Difference difference;
  double product = 0, leftSquare = 0, rightSquare = 0;
  for (auto [i, values] : llvm::enumerate(llvm::zip(lhs, rhs))) {
    auto [a, b] = values;
    // What is infinite or no number on both sides, in the same way, agrees.
    if (!std::isfinite(a) || !std::isfinite(b)) {
      if (a == b || (std::isnan(a) && std::isnan(b)))
        continue;
      if (difference.numNotFinite++ == 0)
        difference.position = static_cast<int64_t>(i);
      continue;
    }
    product += a * b;
    leftSquare += a * a;
    rightSquare += b * b;
    difference.largest =
        std::max({difference.largest, std::abs(a), std::abs(b)});
    double error = std::abs(a - b);
    if (error <= difference.maxError)
      continue;
    difference.maxError = error;
    if (difference.numNotFinite == 0)
      difference.position = static_cast<int64_t>(i);
  }
  double norm = std::sqrt(leftSquare) * std::sqrt(rightSquare);
  if (norm > 0)
    difference.cosine = std::min(product / norm, 1.0);
  else
    difference.cosine = leftSquare == rightSquare ? 1 : 0;
  return difference;
}

bool tensorcast::isWithin(const Difference &difference, Type elementType,
                          const Tolerance &tolerance) {
  if (difference.numNotFinite > 0 || !(difference.cosine > tolerance.cosine))
    return false;
  std::optional<double> limit = tolerance.getLimit(elementType);
  return !limit || difference.getRelativeError() <= *limit;
}
