//===- Lowering.h - From linalg to LLVM -------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_LOWERING_H
#define TENSORCAST_LIB_VERIFY_LOWERING_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Public functions get an interface for C++; their arguments are only read.
void prepareFunctions(ModuleOp module);

/// Lowers linalg on tensors, by upstream's passes.
LogicalResult lowerToLLVM(ModuleOp module);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_LOWERING_H
