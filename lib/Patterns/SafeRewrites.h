//===- SafeRewrites.h - Guards what patterns do -----------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_PATTERNS_SAFEREWRITES_H
#define TENSORCAST_LIB_PATTERNS_SAFEREWRITES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Rewrites checked patterns so that everything they do to a module goes
/// through functions that look at it first (RewriteRun): PDL itself would
/// create, replace and erase whatever it is told, and crash.
void guardRewrites(ModuleOp patterns);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_SAFEREWRITES_H
