//===- Passes.h - Passes of the transformer dialect -------------*- C++ -*-===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMS_PASSES_H
#define TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMS_PASSES_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::transformer {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"

/// The category of remarks about patterns of the user's own.
inline constexpr StringLiteral kPatternCategory = "apply-patterns";

/// The category of remarks that list what a fusion pass knows, and their names.
inline constexpr StringLiteral kFusionCoverageCategory = "fusion-coverage";
inline constexpr StringLiteral kKnownOps = "known-ops";
inline constexpr StringLiteral kKnownPatterns = "known-patterns";

/// The names that switch built-in fusions off, sorted: of passes, and of single
/// fusions.
SmallVector<std::string> listFusionNames(MLIRContext *context);

/// The name in front of `@` in what switches a fusion off.
StringRef getFusionName(StringRef entry);

/// Puts the numbers of `workload` for every expression of `module`, and records
/// the workload. Reports and fails if the module is bound already or a number
/// is not finite. Works on lowered modules too.
LogicalResult bindWorkload(ModuleOp module, WorkloadAttr workload);

/// Joins the stages of a pipeline to one model: `transformer-join-stages`.
/// Reports and fails if a stage cannot be dissolved.
LogicalResult joinStages(ModuleOp module);

/// Notes that `module` is rewritten for workloads in which `expr` is not 0.
void assume(ModuleOp module, ExprAttr expr);

/// Whether it is known that `expr` is not 0, or that it is, for every workload
/// that an unbound module is for: who compiles a module may say so beforehand.
std::optional<bool> isAssumed(ModuleOp module, ExprAttr expr);

/// Whether an unbound module has a vision tower, so that it takes for granted
/// (`transformer.assumes`) that the step has images.
bool looksAtImages(ModuleOp module);

/// What the model of `module` makes of `count` images of a request, of so many
/// pixels; null if all three are 0. Reports images for a model that sees none,
/// and those that it cannot cut.
FailureOr<ImagesAttr> cutImages(ModuleOp module, int64_t count, int64_t height,
                                int64_t width);

/// Groups of devices that share the requests, as the module's plan says; 1
/// without a plan.
int64_t getDataParallel(ModuleOp module);

/// Whether anything in `root` depends on a workload that is not bound.
bool dependsOnWorkload(Operation *root);

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMS_PASSES_H
