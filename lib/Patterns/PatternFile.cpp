//===- PatternFile.cpp - Reads pattern files ------------------------------===//

#include "PatternFile.h"

#include "Compiler.h"

#include "tensorcast/Support/SourceCheck.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// More than anyone writes, and little enough to be refused at once.
static constexpr uint64_t maxFileBytes = 4u << 20;

/// PDLL writes `op.0` as `results 0`, all results of the op's first group. PDL
/// takes that for all results from there on, and finds no single value if there
/// are several. Only groups of variable size need the form.
static void simplifyResults(ModuleOp module) {
  module.walk([](pdl::ResultsOp results) {
    auto op = results.getParent().getDefiningOp<pdl::OperationOp>();
    std::optional<StringRef> name = op ? op.getOpName() : std::nullopt;
    if (!results.getIndex() || !isa<pdl::ValueType>(results.getType()) ||
        (name && OperationName(*name, results.getContext())
                     .hasTrait<OpTrait::AttrSizedResultSegments>()))
      return;
    OpBuilder builder(results);
    results.getVal().replaceAllUsesWith(
        pdl::ResultOp::create(builder, results.getLoc(), results.getType(),
                              results.getParent(), *results.getIndex()));
    results.erase();
  });
}

OwningOpRef<ModuleOp>
mlir::tensorcast::readPatternFile(MLIRContext *context, StringRef path,
                                  const PatternOptions &options) {
  Location start = FileLineColLoc::get(context, path, 1, 1);
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status)) {
    emitError(UnknownLoc::get(context))
        << "cannot read the pattern file " << quoteText(path) << ": "
        << error.message();
    return {};
  }
  // Reading from a pipe might never end, and the compiler reads once more.
  if (!llvm::sys::fs::is_regular_file(status)) {
    emitError(UnknownLoc::get(context))
        << "expected a regular file with patterns, but " << quoteText(path)
        << " is "
        << (llvm::sys::fs::is_directory(status) ? "a directory" : "none");
    return {};
  }
  uint64_t size = status.getSize();
  if (size > maxFileBytes) {
    emitError(start) << "expected a pattern file of at most " << maxFileBytes
                     << " bytes, but got " << size;
    return {};
  }
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    emitError(UnknownLoc::get(context)) << message;
    return {};
  }
  StringRef text = file->getBuffer();
  bool isPDLL = path.ends_with(".pdll");
  if (text.trim().empty()) {
    emitError(start) << "expected at least one pattern, but the file is empty";
    return {};
  }
  if (text.contains('\0') && !text.starts_with("ML\xefR")) {
    emitError(start) << "expected text, but the file has zero bytes in it";
    return {};
  }
  if (!isPDLL)
    if (std::optional<SourceProblem> problem =
            checkSource(file->getMemBufferRef())) {
      emitError(
          FileLineColLoc::get(context, path, problem->line, problem->column))
          << problem->message;
      return {};
    }
  FailureOr<std::string> pdl = std::string();
  if (isPDLL)
    pdl = compilePDLL(context, path, text, options);
  if (failed(pdl))
    return {};
  ParserConfig config(context);
  auto module = parseSourceString<ModuleOp>(isPDLL ? StringRef(*pdl) : text,
                                            config, path);
  if (module)
    simplifyResults(*module);
  return module;
}
