//===- CostProgram.cpp - tensorcast cost-program --------------------------===//

#include "CostProgram.h"
#include "Session.h"

#include "tensorcast/CostProgram/WorkloadFile.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

/// Records what the options say of the device and the cost model.
static LogicalResult applyOptions(CommandLine &line, ModuleOp module) {
  if (!line.getArgs().hasArg(OPT_device_eq, OPT_cost_model_eq,
                             OPT_kernel_coefficients_eq,
                             OPT_reserved_memory_gb_eq))
    return success();
  ascend::AscendEstimateOptions options;
  options.device = line.getString(OPT_device_eq).str();
  options.costModel = line.getString(OPT_cost_model_eq).str();
  options.reservedMemoryGB = line.getNumber(OPT_reserved_memory_gb_eq, 0);
  options.kernelCoefficients = line.getString(OPT_kernel_coefficients_eq).str();
  PassManager pm(module.getContext());
  pm.addPass(ascend::createAscendEstimate(options));
  return pm.run(module);
}

/// Cuts the images of a workload of a file, or says what is wrong with them.
static LogicalResult cutImages(ModuleOp module, WorkloadEntry &entry,
                               std::string &mistake) {
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diag) {
    mistake = diag.str();
    return success();
  });
  auto images = transformer::cutImages(module, entry.imageCount,
                                       entry.imageHeight, entry.imageWidth);
  if (failed(images))
    return failure();
  if (*images)
    entry.workload.images = images->getImages();
  return success();
}

/// The workload of the options, if there is one, and those of the file.
static FailureOr<std::vector<PricedWorkload>>
collectWorkloads(CommandLine &line, ModuleOp module,
                 transformer::WorkloadAttr own) {
  std::vector<PricedWorkload> workloads;
  if (own) {
    auto whole = addImages(line, module, own);
    if (failed(whole))
      return failure();
    workloads.push_back({whole->getWorkload(), ""});
  }
  StringRef path = line.getString(OPT_workloads_eq);
  if (path.empty())
    return workloads;
  auto entries = readWorkloads(path, module.getContext());
  if (failed(entries))
    return failure();
  for (WorkloadEntry &entry : *entries) {
    std::string mistake;
    if (failed(cutImages(module, entry, mistake)))
      return mlir::emitError(UnknownLoc::get(module.getContext()))
             << entry.place << ": " << mistake;
    workloads.push_back({std::move(entry.workload), std::move(entry.place)});
  }
  return workloads;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

static LogicalResult reportMistake(const PricedWorkload &workload,
                                   const std::string &why,
                                   MLIRContext *context) {
  InFlightDiagnostic diag = emitError(UnknownLoc::get(context));
  if (!workload.place.empty())
    diag << workload.place << ": ";
  return diag << why;
}

/// Computes all outputs by machine code, column by column.
static FailureOr<std::vector<double>>
runCompiled(const CostProgram &program, ArrayRef<PricedWorkload> workloads,
            bool withKernels, Session &session) {
  MLIRContext *context = session.getContext();
  SmallString<128> paths[3];
  std::optional<llvm::FileRemover> removers[3];
  constexpr StringLiteral suffixes[] = {"ll", "features", "prices"};
  for (auto [path, remover, suffix] : llvm::zip(paths, removers, suffixes)) {
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("cost-program", suffix, path))
      return emitError(UnknownLoc::get(context))
             << "cannot create a temporary file: " << error.message();
    remover.emplace(path);
  }
  size_t numOutputs = program.getNumOutputs(withKernels);
  std::vector<double> numbers = {
      static_cast<double>(program.getFeatureNames().size()),
      static_cast<double>(numOutputs), static_cast<double>(workloads.size())};
  for (size_t i = 0; i < program.getFeatureNames().size(); ++i)
    for (const PricedWorkload &workload : workloads)
      numbers.push_back(workload.features[i]);
  auto writeCode = [&](raw_ostream &os) {
    program.emitLLVM(os, withKernels);
    return success();
  };
  auto writeNumbers = [&](raw_ostream &os) {
    os.write(reinterpret_cast<const char *>(numbers.data()),
             numbers.size() * sizeof(double));
    return success();
  };
  if (failed(session.write(paths[0], writeCode)) ||
      failed(session.write(paths[1], writeNumbers)) ||
      runSibling("", "tc-cost-program", {paths[0], paths[1], paths[2]},
                 "tensorcast cost-program") != ExitSuccess)
    return failure();
  auto buffer = llvm::MemoryBuffer::getFile(paths[2], /*IsText=*/false);
  std::vector<double> outputs(numOutputs * workloads.size());
  if (!buffer || (*buffer)->getBufferSize() != outputs.size() * sizeof(double))
    return emitError(UnknownLoc::get(context))
           << "expected " << outputs.size()
           << " numbers of tc-cost-program, but got others";
  std::memcpy(outputs.data(), (*buffer)->getBufferStart(),
              (*buffer)->getBufferSize());
  return outputs;
}

/// Prices all workloads; the first that has no price is an error.
static LogicalResult priceWorkloads(const CostProgram &program,
                                    std::vector<PricedWorkload> &workloads,
                                    CommandLine &line, Session &session) {
  MLIRContext *context = session.getContext();
  bool withKernels = line.hasFlag(OPT_kernels),
       compiled = line.hasFlag(OPT_jit);
  std::string why;
  for (PricedWorkload &workload : workloads) {
    FailureOr<Features> features = program.getFeatures(workload.workload, &why);
    if (failed(features))
      return reportMistake(workload, why, context);
    workload.features = std::move(*features);
  }
  std::vector<double> outputs;
  if (compiled) {
    auto computed = runCompiled(program, workloads, withKernels, session);
    if (failed(computed))
      return failure();
    outputs = std::move(*computed);
  }
  size_t numOutputs = program.getNumOutputs(withKernels);
  for (auto [number, workload] : llvm::enumerate(workloads)) {
    SmallVector<double> own;
    for (size_t i = 0; compiled && i < numOutputs; ++i)
      own.push_back(outputs[i * workloads.size() + number]);
    FailureOr<Price> price =
        compiled ? program.finish(workload.features, own, &why)
                 : program.evaluate(workload.features, withKernels, &why);
    if (failed(price))
      return reportMistake(workload, why, context);
    workload.price = std::move(*price);
  }
  return success();
}

/// Warns of workloads that no device has the memory for.
static void warnOfShortage(ArrayRef<PricedWorkload> workloads,
                           MLIRContext *context) {
  size_t count = llvm::count_if(workloads, [](const PricedWorkload &workload) {
    return workload.price.memory.availableBytes < 0;
  });
  if (count != 0)
    emitWarning(UnknownLoc::get(context))
        << "workloads that need more memory than the device has: " << count
        << " of " << workloads.size();
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

/// Reports options that do not go together.
static void checkOptions(CommandLine &line, bool hasWorkload) {
  bool emits = line.hasFlag(OPT_emit_c) || line.hasFlag(OPT_emit_llvm);
  if (line.hasFlag(OPT_emit_c) && line.hasFlag(OPT_emit_llvm))
    line.reportError("expected '--emit-c' or '--emit-llvm', but got both");
  else if (emits && hasWorkload)
    line.reportError("expected no workload beside '--emit-c' or "
                     "'--emit-llvm', which are for all");
  else if (emits && line.hasFlag(OPT_jit))
    line.reportError("expected '--jit' or code to be printed, but got both");
  else if (!emits && !hasWorkload && !line.hasError())
    line.reportError("expected '--num-queries' and '--query-length' or "
                     "'--workloads', but got none; try --help");
}

int mlir::tensorcast::runCostProgram(CommandLine &line) {
  Session session(line, "tensorcast cost-program");
  MLIRContext *context = session.getContext();
  StringRef format =
      line.getChoice(OPT_format_eq, {"table", "json", "csv"}, "table");
  StringRef file = getFile(line);
  // What a workload has wrong is said once it is known of what module.
  transformer::WorkloadAttr own = getWorkload(line, context);
  bool hasOwn = line.getArgs().hasArg(OPT_num_queries_eq, OPT_query_length_eq);
  checkOptions(line, hasOwn || line.getArgs().hasArg(OPT_workloads_eq));
  line.getNumber(OPT_reserved_memory_gb_eq, 0);
  if (line.hasError())
    return ExitUsage;
  if (hasOwn && !own)
    return ExitFailure;
  OwningOpRef<ModuleOp> module = session.readModule(file);
  if (!module || failed(applyOptions(line, *module)))
    return ExitFailure;
  FailureOr<CostProgram> program = CostProgram::compile(*module);
  if (failed(program))
    return ExitFailure;
  LogicalResult written = failure();
  if (line.hasFlag(OPT_emit_c) || line.hasFlag(OPT_emit_llvm)) {
    written = session.write([&](raw_ostream &os) {
      if (line.hasFlag(OPT_emit_c))
        program->emitC(os);
      else
        program->emitLLVM(os, line.hasFlag(OPT_kernels));
      return success();
    });
    return failed(written) ? ExitFailure : ExitSuccess;
  }
  auto workloads = collectWorkloads(line, *module, own);
  if (failed(workloads) ||
      failed(priceWorkloads(*program, *workloads, line, session)))
    return ExitFailure;
  warnOfShortage(*workloads, context);
  written = session.write([&](raw_ostream &os) {
    printPrices(os, format, describeModule(*module), *program, *workloads);
    return success();
  });
  return failed(written) ? ExitFailure : ExitSuccess;
}
