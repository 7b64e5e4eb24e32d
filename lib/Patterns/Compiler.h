//===- Compiler.h - Compiles PDLL -------------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_PATTERNS_COMPILER_H
#define TENSORCAST_LIB_PATTERNS_COMPILER_H

#include "tensorcast/Patterns/PatternSet.h"

namespace mlir::tensorcast {

/// Compiles the PDLL `source` of the file at `path` to PDL text with the
/// program mlir-pdll, or reports why that is not possible. What was compiled
/// before is taken from the user's cache folder as long as no file that goes
/// into it has changed; starting the program takes longer than pricing a model.
FailureOr<std::string> compilePDLL(MLIRContext *context, StringRef path,
                                   StringRef source,
                                   const PatternOptions &options);

/// Emits the compiler's messages as diagnostics of their places; it prints
/// `file:line:column: severity: text` and the line of source below it. Returns
/// whether one is an error.
bool emitCompilerMessages(MLIRContext *context, StringRef text, StringRef path,
                          StringRef source);

/// Compiled patterns in the user's cache folder.
class CompilerCache {
public:
  /// The place of what is compiled from `source` by a command with these
  /// arguments.
  CompilerCache(StringRef source, ArrayRef<std::string> args);

  /// What was compiled, if everything that went into it is as it was.
  std::optional<std::string> load() const;

  /// Keeps `pdl`, which was made of the files in `dependencies` (a make rule).
  /// A cache that cannot be written is none.
  void store(StringRef pdl, StringRef dependencies) const;

private:
  SmallString<128> path;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_PATTERNS_COMPILER_H
