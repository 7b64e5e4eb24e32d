//===- Lowering.h - From linalg to LLVM -------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_LOWERING_H
#define TENSORCAST_LIB_VERIFY_LOWERING_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Lowers linalg on tensors, by upstream's passes. Public functions then take
/// descriptors of buffers (EntryPoint.h).
LogicalResult lowerToLLVM(ModuleOp module);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_LOWERING_H
