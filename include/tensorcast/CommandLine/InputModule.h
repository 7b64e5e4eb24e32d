//===- InputModule.h - Reading the modules that a tool is given -*- C++ -*-===//

#ifndef TENSORCAST_COMMANDLINE_INPUTMODULE_H
#define TENSORCAST_COMMANDLINE_INPUTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::tensorcast {

/// Reads a module, text or bytecode, from `path` (`-`: standard input). Its
/// text goes to `sourceManager`, from which diagnostics show lines. Reports
/// what is wrong; several may be read one after the other.
OwningOpRef<ModuleOp> readModule(StringRef path, llvm::SourceMgr &sourceManager,
                                 MLIRContext *context);

} // namespace mlir::tensorcast

#endif // TENSORCAST_COMMANDLINE_INPUTMODULE_H
