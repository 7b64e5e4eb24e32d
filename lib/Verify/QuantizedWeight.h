//===- QuantizedWeight.h - Floats to narrow numbers and scales --*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_QUANTIZEDWEIGHT_H
#define TENSORCAST_LIB_VERIFY_QUANTIZEDWEIGHT_H

#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace mlir::tensorcast {

struct QuantizedWeight {
  /// What is stored, before it is rounded to the narrow type.
  std::vector<double> values;
  std::vector<double> scales;
};

/// Quantizes symmetrically by the largest magnitudes: one scale for all, one
/// per group of columns, or one per row and group of columns, as `scaleType`
/// says. `joined` are weights that have these scales together, this one among
/// them. A group size of 0 is a whole row.
QuantizedWeight quantizeWeight(std::vector<double> weight,
                               RankedTensorType type,
                               RankedTensorType scaleType, int64_t groupSize,
                               ArrayRef<std::vector<double>> joined);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_QUANTIZEDWEIGHT_H
