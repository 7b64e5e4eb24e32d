//===- FusionRegion.h - Ops that may become one kernel ----------*- C++ -*-===//

#ifndef TENSORCAST_PATTERNS_FUSIONREGION_H
#define TENSORCAST_PATTERNS_FUSIONREGION_H

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// What fusing some ops takes.
struct FusionRegion {
  /// The ops, in the order of their block.
  SmallVector<Operation *> ops;
  /// Ops between them that need a result, which have to come after the kernel.
  SmallVector<Operation *> later;
  /// What the kernel reads and what it writes, in the order of first use and of
  /// definition.
  SmallVector<Value> inputs, results;
};

/// Finds what fusing `ops` takes, or says why they cannot be one kernel.
std::optional<std::string> findFusionRegion(ArrayRef<Operation *> ops,
                                            FusionRegion &region);

/// Puts the ops of `region` into a `transformer.fused` called `kernel` behind
/// the last of them, and lets its results take the place of theirs. The ops
/// stay, without users. Returns what stands for the results of `root`: its own
/// where nothing reads them.
SmallVector<Value> fuse(PatternRewriter &rewriter, const FusionRegion &region,
                        StringRef kernel, Operation *root);

} // namespace mlir::tensorcast

#endif // TENSORCAST_PATTERNS_FUSIONREGION_H
