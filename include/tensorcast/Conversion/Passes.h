//===- Passes.h - Passes between dialects -----------------------*- C++ -*-===//

#ifndef TENSORCAST_CONVERSION_PASSES_H
#define TENSORCAST_CONVERSION_PASSES_H

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tensorcast {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tensorcast/Conversion/Passes.h.inc"
} // namespace mlir::tensorcast

#endif // TENSORCAST_CONVERSION_PASSES_H
