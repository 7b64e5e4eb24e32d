//===- FloatValues.cpp - Random numbers that follow from names ------------===//

#include "FloatValues.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

/// The base of the angles that rotary position embeddings commonly have.
static constexpr double ropeBase = 10000;

Random::Random(uint64_t seed, StringRef name)
    : state(llvm::xxh3_64bits(name) ^ (seed * 0x9e3779b97f4a7c15)) {}

uint64_t Random::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::uniform() {
  return std::ldexp(static_cast<double>(next() >> 11), -53);
}

double Random::normal() {
  double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * M_PI * uniform());
}

std::vector<double> tensorcast::makeNormal(Random random, int64_t size,
                                           double mean, double deviation) {
  std::vector<double> values(size);
  for (double &value : values)
    value = mean + deviation * random.normal();
  return values;
}

/// Uniform around 0.
static std::vector<double> makeUniform(Random random, int64_t size,
                                       double deviation) {
  std::vector<double> values(size);
  for (double &value : values)
    value = deviation * std::sqrt(3.0) * (2 * random.uniform() - 1);
  return values;
}

static std::vector<double> makeRotary(ArrayRef<int64_t> shape, bool isSine) {
  std::vector<double> values;
  int64_t half = std::max<int64_t>(shape[1] / 2, 1);
  for (int64_t position = 0; position < shape[0]; ++position)
    for (int64_t column = 0; column < shape[1]; ++column) {
      double exponent = static_cast<double>(column % half) / half;
      double angle =
          static_cast<double>(position) / std::pow(ropeBase, exponent);
      values.push_back(isSine ? std::sin(angle) : std::cos(angle));
    }
  return values;
}

std::vector<double> tensorcast::makeFloatWeight(uint64_t seed, StringRef name,
                                                ArrayRef<int64_t> shape,
                                                double gain) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  Random random(seed, name);
  if (name.ends_with(".cos") || name.ends_with(".sin"))
    if (shape.size() == 2)
      return makeRotary(shape, name.ends_with(".sin"));
  if (name.ends_with("bias"))
    return makeNormal(random, size, 0, 0.1);
  if (shape.size() < 2)
    return makeNormal(random, size, 1, 0.1);
  if (name.contains("embed"))
    return makeNormal(random, size, 0, 1);
  double columns = static_cast<double>(std::max<int64_t>(shape.back(), 1));
  return makeUniform(random, size, gain / std::sqrt(columns));
}
