//===- PatternSet.h - Rewrite patterns loaded at run time -------*- C++ -*-===//
//
// Patterns are text: PDLL (compiled by the program mlir-pdll), PDL as `.mlir`,
// or its bytecode. What they do to a module is guarded: a mistake is a
// diagnostic that points into the pattern, never broken IR.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_PATTERNS_PATTERNSET_H
#define TENSORCAST_PATTERNS_PATTERNSET_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <memory>

namespace mlir::tensorcast {

/// How pattern files are read.
struct PatternOptions {
  /// Folders for `#include`, before those of the project and of MLIR.
  SmallVector<std::string> includeDirs;
  /// The program that compiles PDLL; the one of the build if empty.
  std::string compiler;
  /// Rewrites of one function beyond which a pattern is taken for endless.
  int64_t maxRewrites = 10000;
};

/// Is told what patterns do.
class PatternEvents {
public:
  virtual ~PatternEvents() = default;
  /// `pattern` was applied; `root` is still there, but goes next.
  virtual void applied(Operation *root, StringRef pattern) = 0;
  /// `pattern` nearly applied at `root`; `reason` is the first condition that
  /// did not hold.
  virtual void nearMiss(Operation *root, StringRef pattern,
                        StringRef reason) = 0;
  /// Why `pattern` is not to be applied in `function`; empty if it is. Where it
  /// would be applied is a near miss with this reason.
  virtual std::string getObstacle(func::FuncOp function, StringRef pattern) {
    return {};
  }
};

/// The patterns of some files, ready to be applied by several threads.
class PatternSet {
public:
  /// Reads `files`; reports everything that is wrong with them.
  static FailureOr<std::shared_ptr<const PatternSet>>
  load(MLIRContext *context, ArrayRef<std::string> files,
       const PatternOptions &options);

  /// Applies the patterns to the ops of `function` until none applies. Reports
  /// patterns that make invalid ops or come to no end.
  LogicalResult apply(func::FuncOp function, PatternEvents &events) const;

  /// Names of the patterns, in the order of the files.
  SmallVector<StringRef> getNames() const;

  /// Names of the ops that patterns look for.
  ArrayRef<StringAttr> getKnownOps() const { return knownOps; }

private:
  /// The patterns as they were written, to explain why they do not match.
  OwningOpRef<ModuleOp> source;
  FrozenRewritePatternSet frozen;
  SmallVector<StringAttr> knownOps;
  int64_t maxRewrites = 0;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_PATTERNS_PATTERNSET_H
