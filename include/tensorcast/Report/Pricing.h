//===- Pricing.h - What a module was priced with ----------------*- C++ -*-===//

#ifndef TENSORCAST_REPORT_PRICING_H
#define TENSORCAST_REPORT_PRICING_H

#include "tensorcast/Device/KernelCoefficients.h"
#include "tensorcast/Report/Report.h"

namespace mlir::tensorcast {

/// The laws and the machine that a module was priced with.
struct Pricing {
  /// Reads them from a module; one that is not priced is an error.
  static FailureOr<Pricing> get(ModuleOp module);

  const CostModel *model;
  DeviceProfile device;
  KernelDevices kernels;
  /// Null for a module without a workload, whose sizes are all numbers.
  transformer::WorkloadAttr workload;
};

/// What `launch` is made of: a part for each piece of its work, for the traffic
/// of its operands and for its start, with the time that it takes alone.
SmallVector<PartRow> getParts(ascend::LaunchOp launch, const Pricing &pricing);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_PRICING_H
