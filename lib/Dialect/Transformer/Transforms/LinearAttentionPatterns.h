//===- LinearAttentionPatterns.h - Gated delta nets -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LINEARATTENTIONPATTERNS_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LINEARATTENTIONPATTERNS_H

#include "Fusion.h"

namespace mlir::transformer {

/// Fill `patterns` with what wins back norms with a gate, the gates of a delta
/// rule, and all of linear attention, which both are part of.
void populateFuseGatedNorm(RewritePatternSet &patterns, StringRef category);
void populateFuseDeltaGating(RewritePatternSet &patterns, StringRef category);
void populateFuseLinearAttention(RewritePatternSet &patterns,
                                 StringRef category);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_LINEARATTENTIONPATTERNS_H
