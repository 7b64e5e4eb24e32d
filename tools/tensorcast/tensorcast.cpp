//===- tensorcast.cpp - Prices models from the command line ---------------===//

#include "Options.h"

#include "tensorcast/Support/SourceCheck.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace llvm::opt;

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

namespace {
struct TensorCastOptTable : GenericOptTable {
  TensorCastOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}
};
} // namespace

const OptTable &mlir::tensorcast::getOptTable() {
  static const TensorCastOptTable table;
  return table;
}

namespace {
struct Command {
  StringLiteral name, usage, help;
  CommandVisibility visibility;
  int (*run)(CommandLine &);
};
} // namespace

static constexpr Command commands[] = {
    {"text-generate",
     "tensorcast text-generate MODEL --num-queries N --query-length N "
     "[options]",
     "Price one step of a model", TextGenerate, runTextGenerate},
    {"report", "tensorcast report [FILE.mlir] [options]",
     "Add up a priced module; an unbound one takes the workload here",
     ReportCommand, runReport},
    {"explain", "tensorcast explain [FILE.mlir] --op NAME [options]",
     "Say where the time of a kernel comes from", ExplainCommand, runExplain},
    {"compare", "tensorcast compare BEFORE.mlir AFTER.mlir [options]",
     "Say what changed between two priced modules", CompareCommand, runCompare},
    {"opportunities", "tensorcast opportunities [FILE.mlir] [options]",
     "List the chains of ops whose fusion would save most",
     OpportunitiesCommand, runOpportunities},
    {"cost-program",
     "tensorcast cost-program [FILE.mlir] --workloads FILE [options]",
     "Price many workloads of a module that is bound to none",
     CostProgramCommand, runCostProgram},
};

static void printHelp() {
  llvm::outs() << "OVERVIEW: Prices Transformer models on Ascend NPUs, without "
                  "the hardware.\n\nUSAGE: tensorcast COMMAND [options]\n\n"
                  "COMMANDS:\n";
  for (const Command &command : commands)
    llvm::outs() << "  " << llvm::left_justify(command.name, 16) << command.help
                 << '\n';
  llvm::outs() << "  verify          Run two modules and compare what they "
                  "compute\n"
                  "  completion      Print a completion script for bash\n"
                  "\n'tensorcast COMMAND --help' lists a command's options. "
                  "Exit status: 0, 1 for a mistake in the input, 2 for bad "
                  "usage.\n";
}

/// Whether an argument is a name of the reference's optional passes, with or
/// without `enable` in front.
static bool isCompilationPass(StringRef arg) {
  std::string name = arg.str();
  std::replace(name.begin(), name.end(), '_', '-');
  StringRef rest = name;
  return rest.consume_front("enable") ||
         llvm::is_contained({"multistream", "sequence-parallel",
                             "matmul-allreduce", "dispatch-ffn-combine"},
                            rest);
}

/// `--compilation-config a b` as `--compilation-config=a,b`: the only option
/// that takes any number of values.
static SmallVector<const char *> joinLists(ArrayRef<const char *> args,
                                           llvm::StringSaver &saver) {
  SmallVector<const char *> joined;
  for (size_t i = 0; i < args.size(); ++i) {
    if (normalizeOption(args[i]) != "--compilation-config") {
      joined.push_back(args[i]);
      continue;
    }
    SmallVector<StringRef> names;
    while (i + 1 < args.size() && isCompilationPass(args[i + 1]))
      names.push_back(args[++i]);
    joined.push_back(
        saver.save("--compilation-config=" + llvm::join(names, ",")).data());
  }
  return joined;
}

static int runCommand(const Command &command, ArrayRef<const char *> args) {
  Visibility visibility(command.visibility);
  std::string name = ("tensorcast " + command.name).str();
  CommandLine line(name, getOptTable(), visibility, llvm::errs());
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  if (failed(line.parse(joinLists(args, saver))))
    return ExitUsage;
  if (line.hasFlag(OPT_help) || line.hasFlag(OPT_help_hidden)) {
    getOptTable().printHelp(llvm::outs(), command.usage.data(),
                            command.help.data(),
                            /*ShowHidden=*/line.hasFlag(OPT_help_hidden),
                            /*ShowAllAliases=*/false, visibility);
    return ExitSuccess;
  }
  if (line.hasFlag(OPT_version)) {
    llvm::outs() << "tensorcast " TENSORCAST_VERSION "\n";
    return ExitSuccess;
  }
  return command.run(line);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installFatalErrorHandlers();
  ArrayRef<const char *> args = ArrayRef<const char *>(argv, argc).drop_front();
  StringRef name = args.empty() ? "" : args.front();
  if (name == "--help" || name == "-h" || name == "-help" || name == "help") {
    printHelp();
    return ExitSuccess;
  }
  if (name == "--version") {
    llvm::outs() << "tensorcast " TENSORCAST_VERSION "\n";
    return ExitSuccess;
  }
  if (name == "completion") {
    SmallVector<std::pair<StringRef, Visibility>> all;
    for (const Command &command : commands)
      all.emplace_back(command.name, Visibility(command.visibility));
    all.emplace_back("verify", Visibility(0));
    printBashCompletion(llvm::outs(), "tensorcast", getOptTable(), all);
    return ExitSuccess;
  }
  if (name == "verify")
    return runVerify(argv[0], args.drop_front());
  for (const Command &command : commands)
    if (command.name == name)
      return runCommand(command, args.drop_front());

  CommandLine line("tensorcast", getOptTable(), Visibility(DefaultVis),
                   llvm::errs());
  SmallVector<StringRef> known;
  for (const Command &command : commands)
    known.push_back(command.name);
  known.append({"verify", "completion"});
  if (name.empty())
    line.reportError("expected a command, but got none; try --help");
  else
    line.reportError(unknownName("command", name, known));
  return ExitUsage;
}
