//===- InputModule.cpp - Reading the modules that a tool is given ---------===//

#include "tensorcast/CommandLine/InputModule.h"

#include "tensorcast/Support/SourceCheck.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;
using namespace mlir::tensorcast;

OwningOpRef<ModuleOp> tensorcast::readModule(StringRef path,
                                             llvm::SourceMgr &sourceManager,
                                             MLIRContext *context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    emitError(UnknownLoc::get(context)) << message;
    return {};
  }
  if (std::optional<std::string> problem =
          checkSource(file->getMemBufferRef())) {
    llvm::errs() << *problem << '\n';
    return {};
  }
  // The parser takes the first file of a manager; the printer's has both.
  unsigned id =
      sourceManager.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  llvm::SourceMgr own;
  own.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          sourceManager.getMemoryBuffer(id)->getMemBufferRef(),
          /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  return parseSourceFile<ModuleOp>(own, context);
}
