//===- MergeLinears.h - What merging of layers shares -----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_MERGELINEARS_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_MERGELINEARS_H

#include "Fusion.h"

namespace mlir::transformer {

/// Whether `value` is there at `before`, or is a weight, which can be declared
/// earlier.
bool isThereOrDeclared(Value value, Operation *before);

/// Moves the declaration of `value` in front of `before`, if it is behind it.
void hoistDeclaration(Value value, Operation *before,
                      PatternRewriter &rewriter);

/// Fills `patterns` with the merging of experts' layers.
void populateMergeExperts(RewritePatternSet &patterns, FusionSwitch fusion,
                          bool onlyEqualGroups);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_MERGELINEARS_H
