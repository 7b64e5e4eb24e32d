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
/// has no other. Where it matches, returns `obstacle`, which keeps it from
/// being applied. Nothing if that is empty, or the pattern is far from
/// matching.
std::optional<std::string> explainNearMiss(pdl::PatternOp pattern,
                                           Operation *root, StringRef obstacle);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_NEARMISS_H
