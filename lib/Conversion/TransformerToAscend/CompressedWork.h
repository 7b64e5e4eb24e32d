//===- CompressedWork.h - Work of compressed attention ----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_COMPRESSEDWORK_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_COMPRESSEDWORK_H

#include "LatentWork.h"

namespace mlir::tensorcast {

/// Makes compressed rows: the sizes of `transformer.compress`.
struct CompressWork {
  double features, ratio, parts, size, rotated, cacheBytes;
  bool turns;
  /// Null if the batch is not bound.
  transformer::WorkloadAttr workload;

  /// The products, the weighted sums of the groups that are completed, and what
  /// is done with each row; all of f32.
  void build(OpBuilder &builder, Location loc) const;
};

/// Scores compressed rows and picks some: `transformer.pick_compressed`.
struct PickWork {
  double heads, size, ratio, topK, blockSize;
  bool isSplit;
  Type type;
  transformer::WorkloadAttr workload;

  void build(OpBuilder &builder, Location loc, const Kernel &kernel) const;
};

/// Attention of `tokens` to `width` rows each: `transformer.window_attention`.
struct SharedRowsWork {
  transformer::ExprAttr tokens, width;
  double heads, size, rowBytes, elementBytes;
  Type type;

  void build(OpBuilder &builder, Location loc, const Kernel &kernel) const;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_COMPRESSEDWORK_H
