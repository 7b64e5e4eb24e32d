//===- Schedules.h - Programs of the transform dialect ----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_TOOLS_SCHEDULES_H
#define TENSORCAST_LIB_TOOLS_SCHEDULES_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::tensorcast {

/// Registers what schedules are written in and run by: the transform dialect,
/// MLIR's passes for it, and the pass `tensorcast-schedule`.
void registerSchedules(DialectRegistry &registry);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_TOOLS_SCHEDULES_H
