//===- DiagnosticPrinter.cpp - Diagnostics on the terminal ----------------===//

#include "tensorcast/CommandLine/DiagnosticPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
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

/// The name that an importer gave, in front of what is said about it.
static std::string describe(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().str() + ": " : std::string();
}

void DiagnosticPrinter::print(Diagnostic &diag) {
  if (findFile(diag.getLocation())) {
    emitDiagnostic(diag);
    return;
  }
  std::string text = describe(diag.getLocation()) + diag.str();
  switch (diag.getSeverity()) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(os, tool) << text << '\n';
    break;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(os, tool) << text << '\n';
    break;
  case DiagnosticSeverity::Remark:
    llvm::WithColor::remark(os, tool) << text << '\n';
    break;
  case DiagnosticSeverity::Note:
    llvm::WithColor::note(os, tool) << text << '\n';
    break;
  }
  for (Diagnostic &note : diag.getNotes())
    print(note);
}
