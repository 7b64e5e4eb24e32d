//===- SourceCheck.h - What MLIR's parser cannot refuse ---------*- C++ -*-===//

#ifndef TENSORCAST_SUPPORT_SOURCECHECK_H
#define TENSORCAST_SUPPORT_SOURCECHECK_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// What is wrong with a text, and where; lines and columns count from 1.
struct SourceProblem {
  std::string fileName;
  size_t line;
  size_t column;
  StringRef message;

  /// `file:line:column: error: message`, for those who have no diagnostics.
  std::string format() const;
};

/// Finds what would overflow the stack of MLIR's recursive parser or keep it
/// busy for minutes: brackets nested, or digits in a row, by the thousand.
/// Nothing for text that can be parsed, and for bytecode.
std::optional<SourceProblem> checkSource(llvm::MemoryBufferRef source);

/// Makes errors that libraries take for fatal, such as damaged bytecode, end
/// the process as `error: ...` with status 1.
void installFatalErrorHandlers();

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_SOURCECHECK_H
