//===- tc-reduce.cpp - Shrinks modules that show a problem ----------------===//

#include "Reducer.h"

#include "tensorcast/CommandLine/CommandLine.h"
#include "tensorcast/CommandLine/DiagnosticPrinter.h"
#include "tensorcast/CommandLine/InputModule.h"
#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/InitAll.h"
#include "tensorcast/Support/SourceCheck.h"

#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::tensorcast;

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

enum OptionID {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

using namespace llvm::opt;
static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

namespace {
struct ReduceOptTable : GenericOptTable {
  ReduceOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}
};
} // namespace

static constexpr StringLiteral overview =
    "Makes a module smaller for as long as a test succeeds for it: drops "
    "layers, ends functions earlier and leaves out ops.\n\n"
    "  tc-reduce model.mlir --test=./fails.sh -o small.mlir\n\n"
    "Exit status: 0 if done, 1 if the module does not show the problem or the "
    "test cannot be run, 2 for bad usage.";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  installFatalErrorHandlers();
  ReduceOptTable table;
  CommandLine line("tc-reduce", table, Visibility(DefaultVis), llvm::errs());
  if (failed(line.parse(ArrayRef<const char *>(argv, argc).drop_front())))
    return ExitUsage;
  if (line.hasFlag(OPT_help)) {
    table.printHelp(llvm::outs(), "tc-reduce MODEL.mlir --test=COMMAND",
                    overview.data());
    return ExitSuccess;
  }
  if (line.hasFlag(OPT_version)) {
    llvm::outs() << "tc-reduce " TENSORCAST_VERSION "\n";
    return ExitSuccess;
  }
  std::vector<std::string> files = line.getArgs().getAllArgValues(OPT_INPUT);
  if (files.size() != 1)
    line.reportError("expected one .mlir file, but got " + Twine(files.size()) +
                     "; try --help");
  ReducerOptions options;
  options.test = line.getString(OPT_test_eq).str();
  if (options.test.empty())
    line.reportError("expected '--test' with a command, but got none");
  options.maxTests = line.getInteger(OPT_max_tests_eq, options.maxTests);
  if (options.maxTests < 1)
    line.reportError("expected at least 1 for '--max-tests', but got " +
                     Twine(options.maxTests));
  if (!line.hasFlag(OPT_quiet))
    options.progress = &llvm::errs();
  if (line.hasError())
    return ExitUsage;

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sourceManager;
  DiagnosticPrinter printer(&context, "tc-reduce", sourceManager, llvm::errs());
  OwningOpRef<ModuleOp> module =
      readModule(files.front(), sourceManager, &context);
  if (!module || failed(reduce(module, options)))
    return ExitFailure;
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  module->getOperation()->print(os, flags);
  return failed(writeFile(line.getString(OPT_output, "-"), text, &context))
             ? ExitFailure
             : ExitSuccess;
}
