//===- Modules.h - Passes that make one module of the other -----*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TC_VERIFY_MODULES_H
#define TENSORCAST_TOOLS_TC_VERIFY_MODULES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Runs passes given as text, with or without `builtin.module(...)` around
/// them. Warns if patterns are among them and none applied.
LogicalResult runPipeline(ModuleOp module, StringRef pipeline);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TC_VERIFY_MODULES_H
