//===- CostProgram.h - Prices of many workloads -----------------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TENSORCAST_COSTPROGRAM_H
#define TENSORCAST_TOOLS_TENSORCAST_COSTPROGRAM_H

#include "tensorcast/CostProgram/CostProgram.h"

namespace mlir::tensorcast {

struct PricedWorkload {
  Workload workload;
  /// Where it is from, for messages; empty for the options.
  std::string place;
  Features features = {};
  Price price = {};

  double getTokensPerSecond(int64_t devices) const {
    return workload.countTokens() / (price.executionTimeS * devices);
  }
};

/// Prints prices as `format` says; `heading` is a report of the module. Kernels
/// are printed if the prices have them.
void printPrices(raw_ostream &os, StringRef format, const Report &heading,
                 const CostProgram &program,
                 ArrayRef<PricedWorkload> workloads);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TENSORCAST_COSTPROGRAM_H
