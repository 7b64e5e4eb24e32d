//===- SourceCheck.h - What MLIR's parser cannot refuse ---------*- C++ -*-===//

#ifndef TENSORCAST_SUPPORT_SOURCECHECK_H
#define TENSORCAST_SUPPORT_SOURCECHECK_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// Finds what would overflow the stack of MLIR's recursive parser or keep it
/// busy for minutes: brackets nested, or digits in a row, by the thousand. The
/// result is the error, `file:line:column: error: ...`; nothing for text that
/// can be parsed, and for bytecode.
std::optional<std::string> checkSource(llvm::MemoryBufferRef source);

/// Makes errors that libraries take for fatal, such as damaged bytecode, end
/// the process as `error: ...` with status 1.
void installFatalErrorHandlers();

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_SOURCECHECK_H
