//===- RankTensors.h - Ranges of tensors that ranks exchange ----*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_RANKTENSORS_H
#define TENSORCAST_LIB_VERIFY_RANKTENSORS_H

#include "mlir/IR/Builders.h"

namespace mlir::tensorcast {

/// `size` elements of dimension `dim` from `offset` on.
Value sliceRange(OpBuilder &builder, Location loc, Value input, int64_t dim,
                 int64_t offset, int64_t size);

/// `target` with `part` written into dimension `dim` from `offset` on.
Value insertRange(OpBuilder &builder, Location loc, Value part, Value target,
                  int64_t dim, int64_t offset);

/// Rows of `parts`, one after another.
Value concatRows(OpBuilder &builder, Location loc, ArrayRef<Value> parts);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_RANKTENSORS_H
