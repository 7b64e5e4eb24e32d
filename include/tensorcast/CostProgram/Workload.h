//===- Workload.h - The requests of a step ----------------------*- C++ -*-===//

#ifndef TENSORCAST_COSTPROGRAM_WORKLOAD_H
#define TENSORCAST_COSTPROGRAM_WORKLOAD_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tensorcast {

/// Requests that are alike, with the meaning that the options of `tensorcast
/// text-generate` have: `queries` are those of all devices together.
struct RequestGroup {
  int64_t queries = 1;
  int64_t queryLength = 1;
  int64_t contextLength = 0;
  bool decode = false;
  double prefixCacheHitRate = 0;
};

/// The images of each request of a step, in cells of the model.
struct RequestImages {
  int64_t count = 0, rows = 0, columns = 0, tokens = 0;
};

/// A step: requests of one kind or, in a mixed batch, of several.
struct Workload {
  SmallVector<RequestGroup, 2> groups;
  RequestImages images;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTPROGRAM_WORKLOAD_H
