//===- TransformOps.h - Ops for schedules -----------------------*- C++ -*-===//
//
// What schedules, programs of MLIR's transform dialect, can say about models
// beside what they can say about any module.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMOPS_TRANSFORMOPS_H
#define TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMOPS_TRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/TransformOps/TransformOps.h.inc"

namespace mlir::transformer {

/// Registers the transform dialect with these ops, and those that print.
void registerTransformOps(DialectRegistry &registry);

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMOPS_TRANSFORMOPS_H
