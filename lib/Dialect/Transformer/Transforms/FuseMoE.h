//===- FuseMoE.h - What the fusions of experts share ------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSEMOE_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSEMOE_H

#include "Fusion.h"

namespace mlir::transformer {

/// Fills `patterns` with the fusion of experts and the exchanges around them.
void populateFuseDispatch(RewritePatternSet &patterns, FusionSwitch fusion);

/// Fills `patterns` with the fusion of the weighted sum of experts' results.
void populateFuseCombine(RewritePatternSet &patterns, FusionSwitch fusion);

/// Fills `patterns` with the fusion of choices of experts.
void populateFuseGating(RewritePatternSet &patterns, FusionSwitch fusion);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSEMOE_H
