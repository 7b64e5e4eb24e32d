//===- CommandLine.h - What the command-line tools share --------*- C++ -*-===//
//
// Parsing of arguments on LLVM's OptTable, with one wording for mistakes.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_COMMANDLINE_COMMANDLINE_H
#define TENSORCAST_COMMANDLINE_COMMANDLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/StringSaver.h"

namespace mlir::tensorcast {

/// Exit statuses of every tool: success, a mistake in the input, bad usage.
enum ExitCode { ExitSuccess = 0, ExitFailure = 1, ExitUsage = 2 };

/// The arguments of one command.
class CommandLine {
public:
  /// `command` is what messages start with: `tensorcast text-generate`.
  CommandLine(StringRef command, const llvm::opt::OptTable &table,
              llvm::opt::Visibility visibility, raw_ostream &errors)
      : command(command), table(table), visibility(visibility), errors(errors) {
  }

  /// Parses `args`, in which `_` may stand for `-` in names of options. Unknown
  /// options and missing values are reported, and then the result is failure.
  LogicalResult parse(ArrayRef<const char *> args);

  const llvm::opt::InputArgList &getArgs() const { return args; }

  /// The value of an option, or `fallback`; a mistake is reported and noted.
  int64_t getInteger(llvm::opt::OptSpecifier id, int64_t fallback);
  double getNumber(llvm::opt::OptSpecifier id, double fallback);
  /// The value must be one of `values`; case and `_`, `-` do not count.
  StringRef getChoice(llvm::opt::OptSpecifier id, ArrayRef<StringRef> values,
                      StringRef fallback);
  StringRef getString(llvm::opt::OptSpecifier id, StringRef fallback = "") {
    return args.getLastArgValue(id, fallback);
  }
  bool hasFlag(llvm::opt::OptSpecifier id) { return args.hasArg(id); }

  /// Reports bad usage; `hasError` from then on.
  void reportError(const Twine &message);
  void reportNote(const Twine &message);
  bool hasError() const { return failed; }

  /// Values that OptTable knows for an option.
  SmallVector<std::string>
  getKnownValues(const llvm::opt::Option &option) const;

private:
  void reportUnknown(const llvm::opt::Arg &arg);

  std::string command;
  const llvm::opt::OptTable &table;
  llvm::opt::Visibility visibility;
  raw_ostream &errors;
  llvm::BumpPtrAllocator allocator;
  llvm::opt::InputArgList args;
  bool failed = false;
};

/// An option as the user knows it, without the `=` of its joined form.
std::string getOptionName(const llvm::opt::Arg &arg);

/// `num_queries` as `num-queries`, in names of long options only.
std::string normalizeOption(StringRef arg);

/// Prints a script that completes the long options of each command.
void printBashCompletion(
    raw_ostream &os, StringRef program, const llvm::opt::OptTable &table,
    ArrayRef<std::pair<StringRef, llvm::opt::Visibility>> commands);

} // namespace mlir::tensorcast

#endif // TENSORCAST_COMMANDLINE_COMMANDLINE_H
