//===- PatternFile.h - Reads and checks pattern files -----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_PATTERNS_PATTERNFILE_H
#define TENSORCAST_LIB_PATTERNS_PATTERNFILE_H

#include "tensorcast/Patterns/PatternSet.h"

namespace mlir::tensorcast {

/// Reads one file as a module of PDL patterns, or reports why it cannot be.
OwningOpRef<ModuleOp> readPatternFile(MLIRContext *context, StringRef path,
                                      const PatternOptions &options);

/// Reports everything in `patterns` that would not work: ops and native
/// functions that do not exist, with the nearest name, and calls with wrong
/// arguments.
LogicalResult checkPatterns(ModuleOp patterns);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_PATTERNFILE_H
