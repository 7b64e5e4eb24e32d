//===- DiagnosticPrinter.cpp - Diagnostics on the terminal ----------------===//

#include "tensorcast/CommandLine/DiagnosticPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tensorcast;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, StringRef tool,
                                     llvm::SourceMgr &sourceManager,
                                     raw_ostream &os)
    : SourceMgrDiagnosticHandler(sourceManager, context, os), tool(tool),
      os(os) {
  setHandler([this](Diagnostic &diag) { print(diag); });
}

/// The line of a file that a location is about, or nothing.
static FileLineColLoc findFile(Location loc) {
  FileLineColLoc file;
  loc->walk([&](Location inner) {
    file = dyn_cast<FileLineColLoc>(inner);
    return file ? WalkResult::interrupt() : WalkResult::advance();
  });
  return file;
}

/// Whether the line that a location is about is fit to be shown: not the whole
/// of a file, and no binary.
static bool isReadable(FileLineColLoc loc) {
  auto file = llvm::MemoryBuffer::getFile(loc.getFilename().getValue());
  if (!file)
    return true;
  llvm::line_iterator line(**file, /*SkipBlanks=*/false);
  while (!line.is_at_end() && line.line_number() < loc.getLine())
    ++line;
  constexpr size_t longest = 400;
  return line.is_at_end() ||
         (line->size() <= longest && llvm::all_of(*line, [](char c) {
            return llvm::isPrint(c) || c == '\t' || c == '\r';
          }));
}

/// The name that an importer gave, in front of what is said about it.
static std::string describe(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().str() + ": " : std::string();
}

bool tensorcast::isAboutFile(Location loc) {
  return static_cast<bool>(findFile(loc));
}

static void printMessage(Diagnostic &diag, StringRef prefix, raw_ostream &os) {
  std::string text = describe(diag.getLocation()) + diag.str();
  switch (diag.getSeverity()) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(os, prefix) << text << '\n';
    break;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(os, prefix) << text << '\n';
    break;
  case DiagnosticSeverity::Remark:
    llvm::WithColor::remark(os, prefix) << text << '\n';
    break;
  case DiagnosticSeverity::Note:
    llvm::WithColor::note(os, prefix) << text << '\n';
    break;
  }
}

void tensorcast::printWithoutFile(Diagnostic &diag, StringRef tool,
                                  raw_ostream &os) {
  printMessage(diag, tool, os);
  for (Diagnostic &note : diag.getNotes())
    printMessage(note, tool, os);
}

void DiagnosticPrinter::print(Diagnostic &diag) {
  FileLineColLoc file = findFile(diag.getLocation());
  if (file && isReadable(file)) {
    emitDiagnostic(diag);
    return;
  }
  std::string prefix = tool;
  if (file)
    prefix = (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
              ":" + Twine(file.getColumn()))
                 .str();
  printMessage(diag, prefix, os);
  for (Diagnostic &note : diag.getNotes())
    print(note);
}
