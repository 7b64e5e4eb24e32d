//===- LinearAttentionPatterns.h - Gated delta nets -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LINEARATTENTIONPATTERNS_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LINEARATTENTIONPATTERNS_H

#include "Fusion.h"

namespace mlir::transformer {

/// Fill `patterns` with what wins back norms with a gate, the gates of a delta
/// rule, and all of linear attention, which both are part of.
void populateFuseGatedNorm(RewritePatternSet &patterns, FusionSwitch fusion);
void populateFuseDeltaGating(RewritePatternSet &patterns, FusionSwitch fusion);
void populateFuseLinearAttention(RewritePatternSet &patterns,
                                 FusionSwitch fusion);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LINEARATTENTIONPATTERNS_H
