//===- WorkloadFile.h - Workloads from a file -------------------*- C++ -*-===//

#ifndef TENSORCAST_COSTPROGRAM_WORKLOADFILE_H
#define TENSORCAST_COSTPROGRAM_WORKLOADFILE_H

#include "tensorcast/Dialect/Transformer/IR/Workload.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace mlir::tensorcast {

/// A workload as people describe it.
struct WorkloadEntry {
  /// Without images.
  Workload workload;
  /// Images of each request, and their pixels.
  int64_t imageCount = 0, imageHeight = 0, imageWidth = 0;
  /// Where it is from: `steps.csv:7`.
  std::string place;
};

/// Reads workloads: JSON with an object for each, in an array or one a line, or
/// CSV with a header. `-` is standard input. Members and columns have the names
/// of the options, `queries` for the number of requests; `more_requests` is an
/// array of objects in JSON, and in CSV requests as options give them, with `;`
/// between them. Reports everything that is wrong with the first workload that
/// is.
FailureOr<std::vector<WorkloadEntry>> readWorkloads(StringRef path,
                                                    MLIRContext *context);

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTPROGRAM_WORKLOADFILE_H
