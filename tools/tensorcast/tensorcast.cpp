//===- tensorcast.cpp - Prices models from the command line ---------------===//

#include "ModelOptions.h"
#include "Options.h"

#include "tensorcast/Device/DeviceRegistry.h"
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
    {"throughput-optimizer",
     "tensorcast throughput-optimizer MODEL --input-length N --output-length N "
     "[options]",
     "Find the plan and batch that serve a model best", ThroughputOptimizer,
     runThroughputOptimizer},
    {"merge", "tensorcast merge FILE.json... [options]",
     "Join the shards of a search", MergeCommand, runMerge},
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
    llvm::outs() << "  " << llvm::left_justify(command.name, 22) << command.help
                 << '\n';
  llvm::outs()
      << "  verify                Run two modules and compare what they "
         "compute\n"
         "  completion            Print a completion script for bash\n"
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

static bool isNumber(StringRef arg) {
  double value;
  return !arg.getAsDouble(value);
}

static bool isPrecision(StringRef arg) {
  std::string name = arg.upper();
  std::replace(name.begin(), name.end(), '-', '_');
  return llvm::is_contained(listLinearActions(), name);
}

static bool isFusion(StringRef arg) {
  return arg.starts_with_insensitive("eager") ||
         arg.starts_with_insensitive("compile");
}

static bool isDevice(StringRef arg) {
  return llvm::any_of(listDevices(), [&](StringRef name) {
    return name.equals_insensitive(arg);
  });
}

namespace {
/// An option that takes any number of values.
struct ListOption {
  StringRef name;
  bool (*isValue)(StringRef);
  /// Whether the first value may be any text.
  bool takesAny = false;
};
} // namespace

/// `--compilation-config a b` as `--compilation-config=a,b`. The model may come
/// behind a list: what is no value of one ends it.
static SmallVector<const char *> joinLists(ArrayRef<const char *> args,
                                           CommandVisibility visibility,
                                           llvm::StringSaver &saver) {
  static constexpr ListOption passes[] = {
      {"--compilation-config", isCompilationPass}};
  static constexpr ListOption searchLists[] = {
      {"--compilation-config", isCompilationPass},
      {"--tp-sizes", isNumber},
      {"--ep-sizes", isNumber},
      {"--moe-dp-sizes", isNumber},
      {"--dcp-sizes", isNumber},
      {"--num-mtp-tokens", isNumber},
      {"--mtp-acceptance-rates", isNumber},
      {"--batch-range", isNumber},
      {"--precisions", isPrecision},
      {"--fusions", isFusion},
      {"--device", isDevice, true},
      {"--devices", isDevice, true},
  };
  ArrayRef<ListOption> lists = passes;
  if (visibility == ThroughputOptimizer)
    lists = searchLists;
  SmallVector<const char *> joined;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string name = normalizeOption(args[i]);
    const ListOption *list = llvm::find_if(
        lists, [&](const ListOption &option) { return option.name == name; });
    if (list == lists.end()) {
      joined.push_back(args[i]);
      continue;
    }
    SmallVector<StringRef> values;
    if (list->takesAny && i + 1 < args.size() && args[i + 1][0] != '-')
      values.push_back(args[++i]);
    while (i + 1 < args.size() && list->isValue(args[i + 1]))
      values.push_back(args[++i]);
    joined.push_back(
        saver.save(list->name + "=" + llvm::join(values, ",")).data());
  }
  return joined;
}

static int runCommand(const Command &command, ArrayRef<const char *> args) {
  Visibility visibility(command.visibility);
  std::string name = ("tensorcast " + command.name).str();
  CommandLine line(name, getOptTable(), visibility, llvm::errs());
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  if (failed(line.parse(joinLists(args, command.visibility, saver))))
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
