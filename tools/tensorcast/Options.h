//===- Options.h - Options and commands of tensorcast -----------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TENSORCAST_OPTIONS_H
#define TENSORCAST_TOOLS_TENSORCAST_OPTIONS_H

#include "tensorcast/CommandLine/CommandLine.h"

#include "llvm/Option/OptTable.h"

/// Which command knows an option; the names that Options.td uses.
enum CommandVisibility : unsigned {
  TextGenerate = 1u << 1,
  ReportCommand = 1u << 2,
  ExplainCommand = 1u << 3,
  CompareCommand = 1u << 4,
  OpportunitiesCommand = 1u << 5,
  ThroughputOptimizer = 1u << 6,
  MergeCommand = 1u << 7,
  CostProgramCommand = 1u << 8,
};

enum OptionID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

namespace mlir::tensorcast {

const llvm::opt::OptTable &getOptTable();

/// The commands; each returns the exit status.
int runTextGenerate(CommandLine &line);
int runReport(CommandLine &line);
int runExplain(CommandLine &line);
int runCompare(CommandLine &line);
int runOpportunities(CommandLine &line);
int runThroughputOptimizer(CommandLine &line);
int runMerge(CommandLine &line);
int runCostProgram(CommandLine &line);

/// Runs tc-verify, which is next to the program `self`.
int runVerify(const char *self, ArrayRef<const char *> args);

/// Runs a program that is next to this one, and returns its exit status. That
/// it cannot be run is an error of `command`.
int runSibling(const char *self, StringRef name, ArrayRef<StringRef> args,
               StringRef command);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TENSORCAST_OPTIONS_H
