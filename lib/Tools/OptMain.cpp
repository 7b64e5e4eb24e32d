//===- OptMain.cpp - Runs passes on .mlir files ---------------------------===//

#include "tensorcast/Tools/OptMain.h"

#include "Plugins.h"
#include "Schedules.h"
#include "tensorcast/CommandLine/DiagnosticPrinter.h"
#include "tensorcast/CommandLine/OutputFile.h"
#include "tensorcast/InitAll.h"
#include "tensorcast/Report/FusionReport.h"
#include "tensorcast/Support/SourceCheck.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static llvm::cl::opt<std::string> fusionReportPath(
    "fusion-report", llvm::cl::value_desc("file"),
    llvm::cl::desc("Write what was fused, what nearly was and why not: text, "
                   "or JSON if the file ends in .json. Takes the place of "
                   "other remarks."));

namespace {
/// Prints diagnostics that are about no file, such as those of pass options,
/// without a place. MlirOptMain makes the context; the dialect that everything
/// here needs is where it can be had.
class PrintWithoutFile
    : public DialectExtension<PrintWithoutFile, func::FuncDialect> {
public:
  void apply(MLIRContext *context, func::FuncDialect *) const override {
    context->getDiagEngine().registerHandler([](Diagnostic &diag) {
      if (tensorcast::isAboutFile(diag.getLocation()))
        return failure();
      // The parser of options prints why by itself, and then reports nothing.
      if (!diag.str().empty())
        tensorcast::printWithoutFile(diag, "tc-opt", llvm::errs());
      return success();
    });
  }
};
} // namespace

static int fail(const llvm::Twine &message) {
  llvm::errs() << message << '\n';
  return EXIT_FAILURE;
}

/// As MlirOptMain, but refuses what the parser would crash on, and reports
/// output that cannot be written.
static int run(llvm::StringRef inputPath, llvm::StringRef outputPath,
               DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (inputPath == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(/*fd=*/0))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(inputPath, &message);
  if (!file)
    return fail("tc-opt: error: " + message);
  if (std::optional<tensorcast::SourceProblem> problem =
          tensorcast::checkSource(file->getMemBufferRef()))
    return fail(problem->format());
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputPath, &message);
  if (!output)
    return fail("tc-opt: error: " + message);
  tensorcast::FusionRecorder recorder;
  bool records = !fusionReportPath.empty();
  MlirOptMainConfig recording = config;
  if (records)
    recording.setPassPipelineSetupFn([&](PassManager &pm) {
      recorder.attach(pm);
      return config.setupPassPipeline(pm);
    });
  if (failed(MlirOptMain(output->os(), std::move(file), registry, recording)))
    return EXIT_FAILURE;
  if (records)
    if (std::optional<std::string> problem = tensorcast::writeFile(
            fusionReportPath, tensorcast::formatFusionReport(
                                  fusionReportPath, recorder.getReport())))
      return fail("tc-opt: error: " + *problem);
  output->os().flush();
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    return fail("tc-opt: error: cannot write '" + outputPath +
                "': " + error.message());
  }
  output->keep();
  return EXIT_SUCCESS;
}

int mlir::tensorcast::runOptMain(int argc, char **argv, StringRef banner,
                                 DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  installFatalErrorHandlers();
  registerAllDialects(registry);
  registerAllPasses();
  registerSchedules(registry);
  // A null pointer is behind the last argument, as parsers may rely on it.
  SmallVector<char *> args(argv, argv + argc);
  if (std::optional<std::string> problem = loadPlugins(args, registry))
    return fail("tc-opt: error: " + *problem);
  argc = static_cast<int>(args.size());
  args.push_back(nullptr);
  argv = args.data();
  auto [inputPath, outputPath] =
      registerAndParseCLIOptions(argc, argv, banner, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.shouldVerifyDiagnostics())
    registry.addExtensions<PrintWithoutFile>();
  // Lists need no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(
        MlirOptMain(argc, argv, inputPath, outputPath, registry));
  return run(inputPath, outputPath, registry);
}
