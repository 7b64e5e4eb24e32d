//===- Modules.h - The two modules that are compared ------------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TC_VERIFY_MODULES_H
#define TENSORCAST_TOOLS_TC_VERIFY_MODULES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::tensorcast {

/// Reads a module from `path`, `-` for standard input.
OwningOpRef<ModuleOp> readModule(StringRef path, llvm::SourceMgr &sourceManager,
                                 MLIRContext *context);

/// Runs passes given as text, with or without `builtin.module(...)` around
/// them.
LogicalResult runPipeline(ModuleOp module, StringRef pipeline);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TC_VERIFY_MODULES_H
