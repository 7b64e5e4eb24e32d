//===- CostProgramTest.cpp - Programs cost what pipelines do --------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/CostProgram/CostProgram.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/InitAll.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class CostProgramTest : public DiagnosticTest {
protected:
  CostProgramTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The model's first layers, priced by the pipeline with these options.
  OwningOpRef<ModuleOp> compile(StringRef model, int64_t layers,
                                StringRef text) {
    FailureOr<DecoderConfig> config = loadModel(model, &context);
    if (failed(config))
      return {};
    config->numHiddenLayers = layers;
    OwningOpRef<ModuleOp> module = buildModel(*config, &context);
    CompileOptions options;
    if (failed(options.parseFromString(text)))
      return {};
    PassManager pm(&context);
    buildCompilePipeline(pm, options);
    if (failed(pm.run(*module)))
      return {};
    return module;
  }
};

TEST_F(CostProgramTest, CostsWhatThePipelineDoes) {
  StringRef plan = "device=TEST_DEVICE devices=4 tp=4";
  OwningOpRef<ModuleOp> unbound = compile("Qwen/Qwen3-8B", 2, plan);
  ASSERT_TRUE(unbound) << takeMessages();
  FailureOr<CostProgram> program = CostProgram::compile(*unbound);
  ASSERT_TRUE(succeeded(program)) << takeMessages();
  OwningOpRef<ModuleOp> bound =
      compile("Qwen/Qwen3-8B", 2,
              (plan + " queries=3 query-length=77 context-length=5").str());
  ASSERT_TRUE(bound) << takeMessages();
  FailureOr<Report> report = buildReport(*bound);
  ASSERT_TRUE(succeeded(report)) << takeMessages();
  std::string why;
  FailureOr<Features> features =
      program->getFeatures({{{3, 77, 5, false, 0}}, {}}, &why);
  ASSERT_TRUE(succeeded(features)) << why;
  FailureOr<Price> price = program->evaluate(*features, true, &why);
  ASSERT_TRUE(succeeded(price)) << why;
  EXPECT_NEAR(price->executionTimeS / report->executionTimeS, 1, 1e-9);
  EXPECT_NEAR(price->getUsedBytes() /
                  (report->memory.deviceBytes - report->memory.availableBytes),
              1, 1e-9);
}

} // namespace
