//===- DiagnosticPrinter.h - Diagnostics on the terminal --------*- C++ -*-===//

#ifndef TENSORCAST_COMMANDLINE_DIAGNOSTICPRINTER_H
#define TENSORCAST_COMMANDLINE_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::tensorcast {

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
