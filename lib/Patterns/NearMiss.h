//===- NearMiss.h - Why a pattern does not match ----------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_PATTERNS_NEARMISS_H
#define TENSORCAST_LIB_PATTERNS_NEARMISS_H

#include "mlir/Dialect/PDL/IR/PDLOps.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// Matches `pattern` at `root` condition by condition, as PDL's own matcher
/// says only that one does not hold. Returns the first that does not, if the
/// pattern nearly matched: if another op of it is where it should be, or if it
/// has no other. Nothing if the pattern matches, or is far from it.
std::optional<std::string> explainNearMiss(pdl::PatternOp pattern,
                                           Operation *root);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_NEARMISS_H
