//===- FusionLimits.h - What fusions must not lose --------------*- C++ -*-===//
//
// Functions may be marked to keep some ops in high precision, or to keep what
// the gradient reads. Then fusions that would lose it are not applied, and
// linear layers are not quantized.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSIONLIMITS_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSIONLIMITS_H

#include "FusionSwitch.h"

namespace mlir::transformer {

/// Names of ops that can be kept in high precision, sorted: those that fusions
/// compute in the type of their tensors, and those that are quantized.
SmallVector<StringRef> listPreciseOps();

/// Ops that are quantized: all linear layers, and attention.
inline constexpr StringLiteral kLinearOps = "linear";
inline constexpr StringLiteral kAttentionOps = "attention";

/// The entry of the attribute of `function` that keeps the op or the weight
/// called `name` in high precision; empty if there is none.
StringRef findHighPrecision(func::FuncOp function, StringRef name);

/// Whether the gradient of what `op` computes will be asked for.
bool isTraining(Operation *op);

/// Why marks of `function` keep `fusion` from being applied in it, or an empty
/// text.
std::string findObstacle(func::FuncOp function, FusionSwitch fusion);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSIONLIMITS_H
