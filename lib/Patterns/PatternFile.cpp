//===- PatternFile.cpp - Reads pattern files ------------------------------===//

#include "PatternFile.h"

#include "Natives.h"

#include "tensorcast/Support/SourceCheck.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// More than anyone writes, and little enough to be refused at once.
static constexpr uint64_t maxFileBytes = 4u << 20;

/// Seconds that a file may take to compile.
static constexpr unsigned maxCompileSeconds = 8;

/// The place that a message is about, in the form `file:line:column`.
static std::optional<Location> parsePlace(MLIRContext *context,
                                          StringRef text) {
  auto [rest, columnText] = text.rsplit(':');
  auto [file, lineText] = rest.rsplit(':');
  unsigned line, column;
  if (file.empty() || columnText.getAsInteger(10, column) ||
      lineText.getAsInteger(10, line))
    return std::nullopt;
  return FileLineColLoc::get(context, file, line, column);
}

/// The place of a constant that does not parse, which the compiler calls
/// `loc("constant":line:column)`; the start of the file if it is not found.
static std::optional<Location> findConstant(MLIRContext *context,
                                            StringRef text, StringRef path,
                                            StringRef source) {
  if (!text.consume_front("loc(\""))
    return std::nullopt;
  StringRef constant = text.rsplit("\":").first;
  size_t at = source.find(("\"" + constant + "\"").str());
  StringRef before = source.take_front(at == StringRef::npos ? 0 : at);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return FileLineColLoc::get(context, path, line, column);
}

/// What a message lacks: the functions that there are.
static std::string completeMessage(StringRef message) {
  StringRef name = message;
  if (!name.consume_front("undefined reference to `") ||
      !name.consume_back("`"))
    return message.str();
  SmallVector<StringRef> known;
  for (const Constraint &constraint : getConstraints())
    known.push_back(constraint.name);
  known.push_back(kFuse);
  if (llvm::is_contained(known, name))
    return ("'" + name +
            "' is declared by \"Transformer.pdll\", which is not "
            "included")
        .str();
  return unknownName("name", name, known);
}

/// Emits the compiler's messages as diagnostics of their places; it prints
/// `file:line:column: severity: text` and the line of source below it.
static bool emitMessages(MLIRContext *context, StringRef text, StringRef path,
                         StringRef source) {
  bool hasError = false;
  std::optional<InFlightDiagnostic> diag;
  std::string last;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    // Some messages come twice, from two passes over the file.
    for (StringRef severity : {"error", "warning", "note"}) {
      std::string mark = (": " + severity + ": ").str();
      size_t at = line.find(mark);
      if (at == StringRef::npos)
        continue;
      StringRef where = line.take_front(at);
      std::optional<Location> place = parsePlace(context, where);
      if (!place)
        place = findConstant(context, where, path, source);
      if (!place)
        break;
      StringRef message = line.drop_front(at + mark.size());
      if (severity == "note") {
        if (diag)
          diag->attachNote(*place) << message;
        break;
      }
      diag.reset();
      if (line == last)
        break;
      last = line.str();
      hasError |= severity == "error";
      diag.emplace(severity == "error" ? emitError(*place)
                                       : emitWarning(*place));
      *diag << completeMessage(message);
      break;
    }
  }
  return hasError;
}

/// The folder of the dialects' TableGen files, beside this program or where it
/// was built.
static std::string findDialects() {
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  SmallString<256> installed(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(installed, "include", "tensorcast", "dialects");
  return llvm::sys::fs::exists(installed) ? std::string(installed)
                                          : TENSORCAST_DIALECTS_DIR;
}

/// Compiles PDLL to PDL text. Sets `pdl` and returns true on success.
static bool compile(MLIRContext *context, StringRef path, StringRef source,
                    const PatternOptions &options, std::string &pdl) {
  Location unknown = UnknownLoc::get(context);
  StringRef compiler = options.compiler.empty()
                           ? StringRef(TENSORCAST_MLIR_PDLL)
                           : StringRef(options.compiler);
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(compiler);
  if (!program) {
    emitError(unknown) << "expected the program mlir-pdll to compile "
                       << quoteText(path) << ", but found none as "
                       << quoteText(compiler)
                       << "; install mlir-22-tools or set 'compiler'";
    return false;
  }
  SmallString<128> output, messages;
  if (llvm::sys::fs::createTemporaryFile("patterns", "mlir", output) ||
      llvm::sys::fs::createTemporaryFile("patterns", "txt", messages)) {
    emitError(unknown) << "cannot write temporary files to compile "
                       << quoteText(path);
    return false;
  }
  llvm::scope_exit remove([&] {
    llvm::sys::fs::remove(output);
    llvm::sys::fs::remove(messages);
  });
  std::string dialects = findDialects();
  SmallVector<std::string> args = {*program, "-x=mlir", "-o",
                                   output.str().str()};
  for (const std::string &dir : options.includeDirs)
    args.push_back("-I" + dir);
  for (std::string dir : {dialects, dialects + "/Transformer",
                          std::string(TENSORCAST_MLIR_INCLUDE_DIR)})
    args.push_back("-I" + dir);
  args.push_back(path.str());
  std::string failure;
  SmallVector<StringRef> refs(args.begin(), args.end());
  int status = llvm::sys::ExecuteAndWait(
      *program, refs, /*Env=*/std::nullopt,
      {StringRef(), StringRef(messages), StringRef(messages)},
      maxCompileSeconds, /*MemoryLimit=*/0, &failure);

  auto text = llvm::MemoryBuffer::getFile(messages);
  bool hasError =
      text && emitMessages(context, (*text)->getBuffer(), path, source);
  auto result = llvm::MemoryBuffer::getFile(output);
  if (status == 0 && !hasError && result) {
    pdl = (*result)->getBuffer().str();
    return true;
  }
  if (!hasError) {
    InFlightDiagnostic diag =
        emitError(FileLineColLoc::get(context, path, 1, 1))
        << "cannot be compiled by mlir-pdll";
    if (status == -2)
      diag << ": it did not come to an end within " << maxCompileSeconds
           << " s, or crashed; do files include each other?";
    else if (!failure.empty())
      diag << ": " << failure;
  }
  return false;
}

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
  uint64_t size = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, size)) {
    emitError(UnknownLoc::get(context))
        << "cannot read the pattern file " << quoteText(path) << ": "
        << error.message();
    return {};
  }
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
    if (std::optional<std::string> problem =
            checkSource(file->getMemBufferRef())) {
      emitError(start) << StringRef(*problem).split("error: ").second;
      return {};
    }
  std::string pdl;
  if (isPDLL && !compile(context, path, text, options, pdl))
    return {};
  ParserConfig config(context);
  auto module =
      parseSourceString<ModuleOp>(isPDLL ? StringRef(pdl) : text, config, path);
  if (module)
    simplifyResults(*module);
  return module;
}
