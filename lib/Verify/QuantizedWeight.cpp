//===- QuantizedWeight.cpp - Floats to narrow numbers and scales ----------===//

#include "QuantizedWeight.h"

#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

/// The scale by which `largest` fits `type`: the quotient, or for scales that
/// are powers of two the one of the OCP Microscaling Formats 1.0, 6.3.
static double getScale(double largest, Type type, Type scaleType) {
  if (largest == 0)
    return 1;
  double most = getLargestValue(type);
  if (!isa<Float8E8M0FNUType>(scaleType))
    return static_cast<float>(largest / most);
  return std::exp2(std::floor(std::log2(largest)) -
                   std::floor(std::log2(most)));
}

QuantizedWeight
tensorcast::quantizeWeight(std::vector<double> weight, RankedTensorType type,
                           RankedTensorType scaleType, int64_t groupSize,
                           ArrayRef<std::vector<double>> joined) {
  int64_t numScales = std::max<int64_t>(scaleType.getNumElements(), 1);
  int64_t columns = type.getRank() > 0 ? type.getShape().back() : 1;
  int64_t groups = scaleType.getRank() > 0 ? scaleType.getShape().back() : 1;
  if (groupSize == 0)
    groupSize = columns;
  auto groupOf = [&](size_t index) -> size_t {
    int64_t group = static_cast<int64_t>(index) % columns / groupSize;
    if (scaleType.getRank() > 1)
      group += static_cast<int64_t>(index) / columns * groups;
    return std::min(group, numScales - 1);
  };
  std::vector<double> largest(numScales, 0);
  for (const std::vector<double> &member : joined)
    for (auto [i, value] : llvm::enumerate(member))
      largest[groupOf(i)] = std::max(largest[groupOf(i)], std::abs(value));
  QuantizedWeight result;
  for (double magnitude : largest)
    result.scales.push_back(
        getScale(magnitude, type.getElementType(), scaleType.getElementType()));
  result.values = std::move(weight);
  for (auto [i, value] : llvm::enumerate(result.values))
    value /= result.scales[groupOf(i)];
  return result;
}
