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
  if (std::optional<SourceProblem> problem =
          checkSource(file->getMemBufferRef())) {
    emitError(FileLineColLoc::get(context, problem->fileName, problem->line,
                                  problem->column))
        << problem->message;
    return {};
  }
  std::string name = file->getBufferIdentifier().str();
  // The parser takes the first file of a manager; the printer's has both.
  unsigned id =
      sourceManager.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  llvm::SourceMgr own;
  own.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(
          sourceManager.getMemoryBuffer(id)->getMemBufferRef(),
          /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(own, context);
  if (!module)
    return module;
  // What is wrong with a module without a place of its own is said of the file;
  // line 0 is that of a module that the parser puts around what it finds.
  auto place = dyn_cast<FileLineColLoc>(module->getLoc());
  if (isa<UnknownLoc>(module->getLoc()) || (place && place.getLine() == 0))
    module->getOperation()->setLoc(FileLineColLoc::get(context, name, 1, 1));
  return module;
}
