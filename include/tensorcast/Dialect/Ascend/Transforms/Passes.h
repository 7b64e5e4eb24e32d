//===- Passes.h - Passes of the ascend dialect ------------------*- C++ -*-===//

#ifndef TENSORCAST_DIALECT_ASCEND_TRANSFORMS_PASSES_H
#define TENSORCAST_DIALECT_ASCEND_TRANSFORMS_PASSES_H

#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ascend {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h.inc"

/// Attaches the cost of every launch of a bound module, by the device and cost
/// model that the module names. Reports and fails if either is missing or
/// unknown, or a launch has no finite cost.
LogicalResult estimateCosts(ModuleOp module);

/// Reports an op that is to become a launch yet.
LogicalResult checkLowered(ModuleOp module);

/// The work of a launch; reports operands without a size and exchanges that the
/// device has no links for.
FailureOr<WorkTotal> getKnownWork(LaunchOp launch,
                                  const tensorcast::DeviceProfile &device);

} // namespace mlir::ascend

#endif // TENSORCAST_DIALECT_ASCEND_TRANSFORMS_PASSES_H
