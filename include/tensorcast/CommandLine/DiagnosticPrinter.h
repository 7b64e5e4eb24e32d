//===- DiagnosticPrinter.h - Diagnostics on the terminal --------*- C++ -*-===//

#ifndef TENSORCAST_COMMANDLINE_DIAGNOSTICPRINTER_H
#define TENSORCAST_COMMANDLINE_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::tensorcast {

/// Whether a diagnostic is about a line of a file.
bool isAboutFile(Location loc);

/// Prints `tool: error: message` and the notes, for what is about no file; a
/// name in the location goes before the message.
void printWithoutFile(Diagnostic &diag, StringRef tool, raw_ostream &os);

/// Prints what a context reports: with file, line and the line itself where a
/// diagnostic is about a file, else as `tool: error: message`.
class DiagnosticPrinter : public SourceMgrDiagnosticHandler {
public:
  /// `sourceManager` may hold files that have been read already.
  DiagnosticPrinter(MLIRContext *context, StringRef tool,
                    llvm::SourceMgr &sourceManager, raw_ostream &os);

private:
  void print(Diagnostic &diag);

  std::string tool;
  raw_ostream &os;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_COMMANDLINE_DIAGNOSTICPRINTER_H
