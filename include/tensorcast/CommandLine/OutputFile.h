//===- OutputFile.h - Writing what a tool prints ----------------*- C++ -*-===//

#ifndef TENSORCAST_COMMANDLINE_OUTPUTFILE_H
#define TENSORCAST_COMMANDLINE_OUTPUTFILE_H

#include "mlir/IR/MLIRContext.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// Writes `text` to the file at `path` (`-`: standard output), or says why that
/// is not possible and leaves no file behind.
std::optional<std::string> writeFile(StringRef path, StringRef text);

/// The same for a caller whose context takes diagnostics.
LogicalResult writeFile(StringRef path, StringRef text, MLIRContext *context);

} // namespace mlir::tensorcast

#endif // TENSORCAST_COMMANDLINE_OUTPUTFILE_H
