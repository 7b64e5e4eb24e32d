//===- RouterValues.cpp - Choices that rounding does not change -----------===//

#include "RouterValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

/// The size of a sign in a hidden state: as the largest of what is random, so
/// that what blocks add does not turn it, and quantization is not made harder.
static constexpr double markSize = 3;

/// The part of what blocks would add to the code that they add.
static constexpr double leakage = 0.1;

/// Half a step of scores, of signs of 1; after a norm signs are about 2. A step
/// of 0.7 gives the second expert half of the weight of the first.
static constexpr double halfStep = 0.175;

/// What all signs add up to at most: beyond, sigmoids are 1 for all experts.
static constexpr double largestScore = 2.5;

/// The part of a router that reads all features, as a deviation.
static constexpr double randomPart = 0.15;

bool RouterCode::isRouter(StringRef name, ArrayRef<int64_t> shape) {
  return name.ends_with(".gate.weight") && shape.size() == 2;
}

bool RouterCode::isRouterBias(StringRef name) {
  return name.ends_with(".e_score_correction_bias");
}

std::optional<RouterCode> RouterCode::get(ArrayRef<int64_t> shape) {
  RouterCode code(shape[0], shape[1]);
  if (code.experts < 2 || code.features < 2 * code.getNumBits())
    return std::nullopt;
  return code;
}

int64_t RouterCode::getNumBits() const {
  return llvm::Log2_64_Ceil(static_cast<uint64_t>(experts));
}

void RouterCode::mark(std::vector<double> &states,
                      ArrayRef<int64_t> shape) const {
  if (shape.size() != 2 || shape[1] != features)
    return;
  for (auto [i, value] : llvm::enumerate(states))
    if (static_cast<int64_t>(i) % features < getNumBits())
      value = std::copysign(markSize, value);
}

void RouterCode::protect(std::vector<double> &weight,
                         ArrayRef<int64_t> shape) const {
  if (shape.size() < 2 || shape[shape.size() - 2] != features)
    return;
  for (auto [i, value] : llvm::enumerate(weight))
    if (static_cast<int64_t>(i) / shape.back() % features < getNumBits())
      value *= leakage;
}

std::vector<double> RouterCode::makeRouter(Random random) const {
  int64_t bits = getNumBits();
  double most = std::ldexp(1, static_cast<int>(bits)) - 1;
  double half = std::min(halfStep, largestScore / most);
  double deviation = randomPart / std::sqrt(static_cast<double>(features));
  std::vector<double> values;
  for (int64_t expert = 0; expert < experts; ++expert)
    for (int64_t feature = 0; feature < features; ++feature) {
      double noise = deviation * std::sqrt(3.0) * (2 * random.uniform() - 1);
      int64_t bit = bits - 1 - feature;
      if (bit < 0)
        values.push_back(noise);
      else
        values.push_back(std::ldexp((expert >> bit) % 2 ? half : -half,
                                    static_cast<int>(bit)));
    }
  return values;
}

std::vector<double> RouterCode::makeBias(Random random, int64_t size) const {
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i)
    values.push_back(0.01 * random.normal());
  // Scores are below 1.
  for (int64_t left = size / 4; left > 0;) {
    double &value = values[random.next() % size];
    if (value < -0.5)
      continue;
    value -= 1;
    --left;
  }
  return values;
}
