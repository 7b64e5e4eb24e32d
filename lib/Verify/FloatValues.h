//===- FloatValues.h - Random numbers that follow from names ----*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_FLOATVALUES_H
#define TENSORCAST_LIB_VERIFY_FLOATVALUES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace mlir::tensorcast {

/// Numbers that are the same on every machine: splitmix64 (Steele, Lea and
/// Flood, 2014), started from a name.
class Random {
public:
  Random(uint64_t seed, StringRef name);

  uint64_t next();

  /// From 0 to below 1.
  double uniform();

  /// Of mean 0 and variance 1 (Box and Muller).
  double normal();

private:
  uint64_t state;
};

std::vector<double> makeNormal(Random random, int64_t size, double mean,
                               double deviation);

/// The values of a float weight; those of a matrix are multiplied by `gain`.
std::vector<double> makeFloatWeight(uint64_t seed, StringRef name,
                                    ArrayRef<int64_t> shape, double gain);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_FLOATVALUES_H
