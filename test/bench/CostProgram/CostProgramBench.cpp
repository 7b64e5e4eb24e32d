//===- CostProgramBench.cpp - How many prices a second --------------------===//
//
//   cost-program-bench [MODEL [OPTIONS OF tensorcast-compile]]
//
// Runs on request and is no part of the tests. Features are input, time and
// memory are output; what is printed is the median of 21 runs, on one core.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/CostProgram/CompiledProgram.h"
#include "tensorcast/CostProgram/CostProgram.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/InitAll.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace mlir::tensorcast;

/// Seconds of a run, the median of 21.
template <typename Function> static double measure(Function function) {
  SmallVector<double> seconds;
  for (int i = 0; i < 21; ++i) {
    auto start = std::chrono::steady_clock::now();
    function();
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(elapsed.count());
  }
  llvm::sort(seconds);
  return seconds[seconds.size() / 2];
}

static FailureOr<CostProgram> compile(StringRef model, StringRef text,
                                      MLIRContext *context) {
  FailureOr<DecoderConfig> config = loadModel(model, context);
  CompileOptions options;
  if (failed(config) || failed(options.parseFromString(text)))
    return failure();
  OwningOpRef<ModuleOp> module = buildModel(*config, context);
  PassManager pm(context);
  buildCompilePipeline(pm, options);
  if (failed(pm.run(*module)))
    return failure();
  double seconds =
      measure([&] { return succeeded(CostProgram::compile(*module)); });
  llvm::outs() << "compilation: " << llvm::format("%.2f ms\n", seconds * 1e3);
  return CostProgram::compile(*module);
}

/// Decode and prefill steps of many sizes.
static Workload draw(unsigned i) {
  Workload workload;
  if (i % 2 == 0)
    workload.groups.push_back({1 + i % 512, 1, 1 + (i * 37) % 8192, true, 0});
  else
    workload.groups.push_back({1 + i % 8, 1 + (i * 17) % 4096, 0, false, 0});
  return workload;
}

/// The same by machine code.
static LogicalResult measureCompiled(const CostProgram &program,
                                     const FeatureTable &table) {
  std::string text, mistake;
  llvm::raw_string_ostream os(text);
  program.emitLLVM(os);
  FailureOr<CompiledProgram> compiled = failure();
  double compileS =
      measure([&] { compiled = CompiledProgram::compile(text, mistake); });
  if (failed(compiled)) {
    llvm::errs() << mistake << '\n';
    return failure();
  }
  std::vector<double> results(program.getNumOutputs(false) * table.size);
  SmallVector<const double *> inputs;
  SmallVector<double *> outputs;
  for (const std::vector<double> &column : table.columns)
    inputs.push_back(column.data());
  for (size_t i = 0; i < program.getNumOutputs(false); ++i)
    outputs.push_back(results.data() + i * table.size);
  double manyS = measure([&] { compiled->run(inputs, table.size, outputs); });
  llvm::outs() << llvm::format("JIT: compiled in %.0f ms\n", compileS * 1e3)
               << llvm::format("JIT: %.1f million/s (%.1f ns)\n",
                               table.size / manyS * 1e-6,
                               manyS / table.size * 1e9);
  return success();
}

int main(int argc, char **argv) {
  StringRef model = argc > 1 ? argv[1] : "deepseek-ai/DeepSeek-V3.2";
  StringRef plan = argc > 2 ? argv[2]
                            : "device=ATLAS_800_A3_752T_128G_DIE devices=16 "
                              "tp=1 ep=16 quantize-linear-action=FP8";
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  FailureOr<CostProgram> program = compile(model, plan, &context);
  if (failed(program))
    return 1;
  llvm::outs() << model << ": " << program->getFeatureNames().size()
               << " features, " << program->describeSize() << '\n';

  constexpr size_t numBatches = 1 << 16;
  FeatureTable table(program->getFeatureNames().size());
  double featureS = measure([&] {
    for (unsigned i = 0; i < 1000; ++i)
      (void)program->getFeatures(draw(i));
  });
  for (unsigned i = 0; i < numBatches; ++i) {
    FailureOr<Features> features = program->getFeatures(draw(i));
    if (failed(features))
      return 1;
    table.append(*features);
  }
  std::vector<double> timeS(numBatches), usedBytes(numBatches);
  size_t numRejected = 0;
  double manyS = measure(
      [&] { numRejected = program->evaluate(table, timeS, usedBytes); });
  FailureOr<Features> features = program->getFeatures(draw(0));
  double sum = 0;
  double oneS = measure([&] {
    for (int i = 0; i < 1000; ++i)
      sum += program->evaluateTotal(*features).first;
  });
  llvm::outs() << llvm::format("features of a workload: %.0f ns\n",
                               featureS * 1e6)
               << llvm::format("one price: %.0f ns\n", oneS * 1e6)
               << llvm::format("prices in batches: %.1f million/s (%.1f ns)\n",
                               numBatches / manyS * 1e-6,
                               manyS / numBatches * 1e9)
               << numRejected << " of " << numBatches << " rejected\n";
  return sum > 0 && succeeded(measureCompiled(*program, table)) ? 0 : 1;
}
