//===- Comparison.h - How far apart two tensors are -------------*- C++ -*-===//

#ifndef TENSORCAST_VERIFY_COMPARISON_H
#define TENSORCAST_VERIFY_COMPARISON_H

#include "tensorcast/Verify/HostTensor.h"

#include <optional>

namespace mlir::tensorcast {

/// What counts as equal.
struct Tolerance {
  /// Least cosine of the angle between the two tensors.
  double cosine = 0.999;
  /// Largest difference of two elements, relative to the largest magnitude; if
  /// absent 1e-5 for f32 and f64, 1e-2 for f16 and other types.
  std::optional<double> error;
  /// Whether the error is only reported: one side is quantized.
  bool ignoreError = false;

  /// The limit for tensors of a type; none if the error is only reported.
  std::optional<double> getLimit(Type elementType) const;
};

struct Difference {
  double cosine = 1;
  /// The largest difference of two elements, and the largest magnitude.
  double maxError = 0, largest = 0;
  /// Where the largest difference is, in row-major order.
  int64_t position = 0;
  /// Elements that are infinite or no numbers on one side only.
  int64_t numNotFinite = 0;

  double getRelativeError() const;
};

/// Compares two tensors of as many elements.
Difference compare(const HostTensor &before, const HostTensor &after);

/// Whether `difference`, of tensors of `elementType`, is within `tolerance`.
bool isWithin(const Difference &difference, Type elementType,
              const Tolerance &tolerance);

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_COMPARISON_H
