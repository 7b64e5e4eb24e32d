//===- tc-import.cpp - Turns model configs into IR ------------------------===//

#include "tensorcast/CommandLine/CommandLine.h"
#include "tensorcast/CommandLine/DiagnosticPrinter.h"
#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Format.h"
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
struct ImportOptTable : GenericOptTable {
  ImportOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}
};
} // namespace

static void printPresets(MLIRContext *context) {
  SmallVector<PresetInfo> presets = listPresets(context);
  size_t width = 0;
  for (const PresetInfo &preset : presets)
    width = std::max(width, preset.name.size());
  for (const PresetInfo &preset : presets)
    llvm::outs() << llvm::left_justify(preset.name, width + 2)
                 << preset.description << '\n';
}

/// Writes `module` to `path`, or leaves no file behind.
static LogicalResult write(ModuleOp module, StringRef path) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Names in locations are how later passes and reports call parts of a model.
  module->print(os, OpPrintingFlags().enableDebugInfo());
  return writeFile(path, text, module.getContext());
}

static LogicalResult import(CommandLine &line, MLIRContext *context) {
  StringRef model = line.getArgs().getLastArgValue(OPT_INPUT);
  FailureOr<DecoderConfig> config =
      loadModel(model, context, line.getString(OPT_families_eq));
  if (failed(config))
    return failure();
  if (line.hasFlag(OPT_reduced))
    *config = reduced(*config);
  if (line.hasFlag(OPT_images) && failed(addVisionTower(*config, context)))
    return failure();
  if (int64_t layers = line.getInteger(OPT_layers_eq, 0))
    config->numHiddenLayers = layers;
  if (failed(setDraftTokens(*config, line.getInteger(OPT_mtp_eq, 0), context)))
    return failure();
  OwningOpRef<ModuleOp> module = buildModel(*config, context);
  return write(*module, line.getString(OPT_output, "-"));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ImportOptTable table;
  CommandLine line("tc-import", table, Visibility(DefaultVis), llvm::errs());
  if (failed(line.parse(ArrayRef<const char *>(argv, argc).drop_front())))
    return ExitUsage;
  if (line.hasFlag(OPT_help)) {
    table.printHelp(llvm::outs(), "tc-import MODEL [options]",
                    "Turns a model's config.json into IR. MODEL is the name of "
                    "a preset, a config.json or a folder with one.");
    return ExitSuccess;
  }
  if (line.hasFlag(OPT_version)) {
    llvm::outs() << "tc-import " TENSORCAST_VERSION "\n";
    return ExitSuccess;
  }
  if (line.hasFlag(OPT_completion)) {
    printBashCompletion(llvm::outs(), "tc-import", table,
                        {{"*", Visibility(DefaultVis)}});
    return ExitSuccess;
  }

  DialectRegistry registry;
  registry.insert<func::FuncDialect, transformer::TransformerDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr sourceManager;
  DiagnosticPrinter printer(&context, "tc-import", sourceManager, llvm::errs());
  if (line.hasFlag(OPT_list_presets)) {
    printPresets(&context);
    return ExitSuccess;
  }
  size_t numModels = line.getArgs().getAllArgValues(OPT_INPUT).size();
  if (numModels != 1)
    line.reportError("expected one model, but got " + Twine(numModels) +
                     "; try --help, or --list for the presets");
  int64_t layers = line.getInteger(OPT_layers_eq, 0);
  if (layers < 0 || layers > 4096)
    line.reportError("expected '--num-hidden-layers-override' from 0 to 4096, "
                     "but got " +
                     Twine(layers));
  int64_t drafts = line.getInteger(OPT_mtp_eq, 0);
  if (drafts < 0 || drafts > maxDraftTokens)
    line.reportError("expected '--num-mtp-tokens' from 0 to " +
                     Twine(maxDraftTokens) + ", but got " + Twine(drafts));
  if (line.hasError())
    return ExitUsage;
  return failed(import(line, &context)) ? ExitFailure : ExitSuccess;
}
