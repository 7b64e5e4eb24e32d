//===- OutputFile.cpp - Writing what a tool prints ------------------------===//

#include "tensorcast/CommandLine/OutputFile.h"

#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::tensorcast;

std::optional<std::string> mlir::tensorcast::writeFile(StringRef path,
                                                       StringRef text) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
  if (!file)
    return message;
  file->os() << text;
  file->os().flush();
  if (std::error_code error = file->os().error()) {
    // The stream would end the process with an error that nobody has seen.
    file->os().clear_error();
    return "cannot write " +
           (path == "-" ? "standard output" : quoteText(path)) + ": " +
           error.message();
  }
  file->keep();
  return std::nullopt;
}

LogicalResult mlir::tensorcast::writeFile(StringRef path, StringRef text,
                                          MLIRContext *context) {
  if (std::optional<std::string> problem = writeFile(path, text))
    return emitError(UnknownLoc::get(context)) << *problem;
  return success();
}
