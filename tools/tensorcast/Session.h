//===- Session.h - A context and its output ---------------------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TENSORCAST_SESSION_H
#define TENSORCAST_TOOLS_TENSORCAST_SESSION_H

#include "Options.h"
#include "tensorcast/CommandLine/DiagnosticPrinter.h"
#include "tensorcast/Report/FusionReport.h"
#include "tensorcast/Report/Report.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tensorcast {

/// What every command needs: a context with the dialects, diagnostics on
/// standard error, and the report's destination.
class Session {
public:
  Session(CommandLine &line, StringRef tool);

  MLIRContext *getContext() { return &context; }

  /// Reads a module from a file (`-`: standard input), text or bytecode.
  OwningOpRef<ModuleOp> readModule(StringRef path);

  /// Writes what `print` prints to the option `-o`, all or nothing.
  LogicalResult write(function_ref<LogicalResult(raw_ostream &)> print);

  /// Writes what `print` prints to the file at `path`, all or nothing.
  LogicalResult write(StringRef path,
                      function_ref<LogicalResult(raw_ostream &)> print);

  /// Prints the report of a priced module in the format that the options say,
  /// and warns if the model does not fit.
  LogicalResult report(ModuleOp module);

  /// Prints what changed between two priced modules, in the format that the
  /// options say.
  LogicalResult compare(ModuleOp before, ModuleOp after,
                        const FusionReport *fusions = nullptr);

private:
  /// Writes the trace of a module where the options ask for one.
  LogicalResult writeTrace(ModuleOp module, const Report &report);

  CommandLine &line;
  MLIRContext context;
  llvm::SourceMgr sourceManager;
  DiagnosticPrinter printer;
};

/// The workload that the options describe; null if they describe none. Mistakes
/// are reported through `line`.
transformer::WorkloadAttr getWorkload(CommandLine &line, MLIRContext *context,
                                      int64_t dataParallel = 1);

/// Lists the chains of ops of `module` that one kernel could compute, as the
/// options say. `compiled` is how its ops become kernels. Returns the exit
/// status.
int listOpportunities(Session &session, CommandLine &line, ModuleOp module,
                      bool compiled);

/// The file that the arguments name; standard input if they name none.
StringRef getFile(CommandLine &line);

/// Prices the launches of `module` where options ask for it, or where they have
/// no prices yet, after binding the workload of the options.
LogicalResult price(ModuleOp module, CommandLine &line);

/// `workload` with the images that the options describe, as the model of
/// `module` cuts them.
FailureOr<transformer::WorkloadAttr>
addImages(CommandLine &line, ModuleOp module,
          transformer::WorkloadAttr workload);

/// Reads the module at `path` and prices it anew where options ask for it, or
/// where it has no prices yet.
OwningOpRef<ModuleOp> readPriced(Session &session, CommandLine &line,
                                 StringRef path);

/// The single positional argument; reports if there is not exactly one.
StringRef getInput(CommandLine &line, StringRef what);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TENSORCAST_SESSION_H
