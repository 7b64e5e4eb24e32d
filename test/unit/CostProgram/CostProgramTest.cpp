//===- CostProgramTest.cpp - Programs cost what pipelines do --------------===//
//
// Plans are compiled once, and priced at random workloads. Each price is
// compared with that of the unbound module when it is bound, and some with that
// of the whole pipeline run for the workload.
//
//===----------------------------------------------------------------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/CostProgram/CostProgramSet.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"
#include "tensorcast/Import/HuggingFace/Models.h"
#include "tensorcast/InitAll.h"

#include <cmath>
#include <cstdlib>
#include <random>

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

/// What runs where.
struct Plan {
  /// Options of the compiled pipeline.
  std::string options;
  /// Of each, so many workloads are decoded, or are not; a plan may be for one
  /// kind alone.
  bool prefill = true, decode = true;
};

struct Model {
  std::string name;
  int64_t layers;
  Plan plans[3];
};

/// Dense models, mixtures, latent and sparse attention, linear attention and
/// compressed caches; streams, stages, split tokens and shared caches.
const Model models[] = {
    {"Qwen/Qwen3-32B",
     2,
     {{"device=TEST_DEVICE"},
      {"devices=8 tp=4 dp=2 device=ATLAS_800_A3_752T_128G_DIE "
       "compilation-config=enable-multistream,enable-matmul-allreduce"},
      {"devices=8 tp=4 pp=2 device=ATLAS_800_A2_376T_64G"}}},
    {"meta-llama/Meta-Llama-3.1-8B",
     2,
     {{"devices=4 tp=4 word-embedding-tp=row kernel-set=ascend "
       "compilation-config=enable-sequence-parallel"},
      {"devices=16 tp=4 dp=4 o-proj-tp=2 mlp-tp=8 lmhead-tp=16"},
      {"devices=4 tp=4 dcp=2 kernel-set=ascend", false, true}}},
    {"Qwen/Qwen3-30B-A3B",
     2,
     {{"devices=8 tp=2 ep=8 device=ATLAS_800_A3_752T_128G_DIE"},
      {"devices=8 tp=1 ep=8 compilation-config=enable-multistream,"
       "enable-dispatch-ffn-combine device=ATLAS_800_A3_560T_128G_DIE"},
      {"devices=4 tp=4 word-embedding-tp=row kernel-set=ascend "
       "compilation-config=enable-sequence-parallel,enable-multistream"}}},
    {"deepseek-ai/DeepSeek-V3.2",
     5,
     {{"devices=16 tp=1 ep=16 quantize-linear-action=FP8 "
       "device=ATLAS_800_A3_752T_128G_DIE"},
      {"devices=32 tp=4 ep=16 pp=2 device=ATLAS_800_A3_752T_128G_DIE "
       "enable-redundant-experts=true"},
      {"devices=16 tp=4 ep=16 kernel-set=ascend "
       "compilation-config=enable-multistream"}}},
    {"Qwen/Qwen3-Next-80B-A3B",
     4,
     {{"devices=4 tp=4 ep=4"},
      {"device=ATLAS_350_425T_112G quantize-attention-action=INT8"},
      {"devices=8 tp=2 ep=8 kernel-set=ascend "
       "compilation-config=enable-multistream"}}},
    {"deepseek-ai/DeepSeek-V4-Flash",
     4,
     {{"devices=8 tp=1 ep=8"},
      {"devices=8 tp=8 ep=8 device=ATLAS_800_A3_752T_128G_DIE"},
      {"devices=8 tp=2 ep=8 kernel-set=ascend reserved-memory-gb=5"}}},
};

/// More than the suite needs, on request.
size_t getNumWorkloads() {
  const char *text = std::getenv("TENSORCAST_COST_PROGRAM_WORKLOADS");
  return text ? std::strtoul(text, nullptr, 10) : 56;
}

class CostProgramTest : public DiagnosticTest {
protected:
  CostProgramTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The model's first layers as the pipeline with these options leaves them.
  OwningOpRef<ModuleOp> compile(StringRef model, int64_t layers, StringRef text,
                                ArrayAttr assumed = {}) {
    FailureOr<DecoderConfig> config = loadModel(model, &context);
    if (failed(config))
      return {};
    config->numHiddenLayers = layers;
    if (looksAtImages && failed(addVisionTower(*config, &context)))
      return {};
    OwningOpRef<ModuleOp> module = buildModel(*config, &context);
    if (assumed)
      (*module)->setAttr(transformer::kAssumesAttrName, assumed);
    CompileOptions options;
    if (failed(options.parseFromString(text)))
      return {};
    PassManager pm(&context);
    buildCompilePipeline(pm, options);
    if (failed(pm.run(*module)))
      return {};
    return module;
  }

  /// Whether models are those with their towers.
  bool looksAtImages = false;

  FailureOr<Report> reportBound(ModuleOp unbound, const Workload &workload) {
    OwningOpRef<ModuleOp> module = unbound.clone();
    auto attr = transformer::WorkloadAttr::getChecked(
        [&] { return emitError(unknownLoc()); }, &context, workload,
        transformer::getDataParallel(unbound));
    if (!attr || failed(transformer::bindWorkload(*module, attr)) ||
        failed(ascend::estimateCosts(*module)))
      return failure();
    return buildReport(*module);
  }

  FailureOr<Report> reportPipeline(const Model &model, StringRef options,
                                   const Workload &workload) {
    std::string text;
    llvm::raw_string_ostream os(text);
    const RequestGroup &first = workload.groups.front();
    os << options << " queries=" << first.queries
       << " query-length=" << first.queryLength
       << " context-length=" << first.contextLength
       << " decode=" << (first.decode ? "true" : "false")
       << " prefix-cache-hit-rate="
       << llvm::format("%.17g", first.prefixCacheHitRate);
    for (const RequestGroup &group : ArrayRef(workload.groups).drop_front())
      os << " more-requests=" << group.queries << 'x' << group.queryLength
         << '+' << group.contextLength << '@'
         << llvm::format("%.17g", group.prefixCacheHitRate)
         << (group.decode ? ":decode" : "");
    OwningOpRef<ModuleOp> module = compile(model.name, model.layers, text);
    if (!module)
      return failure();
    return buildReport(*module);
  }
};

/// A program for some plans of one model, and what it must be equal to.
class RandomWorkloads {
public:
  explicit RandomWorkloads(unsigned seed) : generator(seed) {}

  /// Sizes of all magnitudes; requests of one kind, or of several.
  Workload draw(const Plan &plan) {
    Workload workload;
    size_t numGroups = chance(0.3) ? pick(2, 4) : 1;
    for (size_t i = 0; i < numGroups; ++i) {
      RequestGroup group;
      group.queries = pick(1, chance(0.5) ? 16 : 300);
      group.decode = plan.decode && (!plan.prefill || chance(0.5));
      group.queryLength = group.decode ? pick(1, 5) : magnitude(4);
      group.contextLength = chance(0.3) ? 0 : magnitude(5);
      if (chance(0.2))
        group.prefixCacheHitRate = pick(1, 999) / 1000.0;
      workload.groups.push_back(group);
    }
    return workload;
  }

private:
  bool chance(double share) {
    return std::uniform_real_distribution<>()(generator) < share;
  }
  int64_t pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(generator);
  }
  int64_t magnitude(double decades) {
    return static_cast<int64_t>(
        std::pow(10, std::uniform_real_distribution<>(0, decades)(generator)));
  }

  std::mt19937 generator;
};

std::string describe(const Workload &workload) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const RequestGroup &group : workload.groups)
    os << group.queries << 'x' << group.queryLength << '+'
       << group.contextLength << '@' << group.prefixCacheHitRate
       << (group.decode ? ":decode " : " ");
  return text;
}

constexpr double tolerance = 1e-9;

void expectNear(double value, double expected, StringRef what) {
  EXPECT_LE(std::fabs(value - expected), tolerance * std::fabs(expected))
      << what.str() << ": " << value << " and " << expected;
}

void expectEqual(const Price &price, const Report &report,
                 const CostProgram &program) {
  expectNear(price.executionTimeS, report.executionTimeS, "execution time");
  expectNear(price.kernelTimeS, report.kernelTimeS, "kernel time");
  expectNear(price.memory.weightsBytes, report.memory.weightsBytes, "weights");
  expectNear(price.memory.kvCacheBytes, report.memory.kvCacheBytes, "caches");
  expectNear(price.memory.activationBytes, report.memory.activationBytes,
             "activations");
  EXPECT_EQ(price.memory.reservedBytes, report.memory.reservedBytes);
  EXPECT_EQ(price.memory.deviceBytes, report.memory.deviceBytes);
  std::map<KernelName, KernelPrice> rows;
  for (const OpRow &row : report.ops)
    rows[{row.name, row.referenceName}] = {row.calls, row.totalS};
  for (auto [kernel, row] :
       llvm::zip_equal(program.getKernels(), price.kernels)) {
    KernelPrice expected = rows[kernel];
    rows.erase(kernel);
    expectNear(row.calls, expected.calls, kernel.first + " calls");
    expectNear(row.totalS, expected.totalS, kernel.first);
  }
  EXPECT_TRUE(rows.empty()) << rows.begin()->first.first;
}

class ModelTest : public CostProgramTest,
                  public testing::WithParamInterface<size_t> {};

TEST_P(ModelTest, CostsWhatThePipelineDoes) {
  const Model &model = models[GetParam()];
  RandomWorkloads workloads(GetParam());
  for (const Plan &plan : model.plans) {
    SCOPED_TRACE(model.name + ": " + plan.options);
    OwningOpRef<ModuleOp> unbound =
        compile(model.name, model.layers, plan.options);
    ASSERT_TRUE(unbound) << takeMessages();
    FailureOr<CostProgram> program = CostProgram::compile(*unbound);
    ASSERT_TRUE(succeeded(program)) << takeMessages();
    FeatureTable table(program->getFeatureNames().size());
    std::vector<Price> prices;
    for (size_t i = 0; i < getNumWorkloads(); ++i) {
      Workload workload = workloads.draw(plan);
      SCOPED_TRACE(describe(workload) + (i % 8 == 0 ? "(pipeline)" : ""));
      std::string why;
      FailureOr<Features> features = program->getFeatures(workload, &why);
      ASSERT_TRUE(succeeded(features)) << why;
      FailureOr<Price> price =
          program->evaluate(*features, /*withKernels=*/true, &why);
      takeMessages();
      bool whole = i % 8 == 0;
      FailureOr<Report> report =
          whole ? reportPipeline(model, plan.options, workload)
                : reportBound(*unbound, workload);
      std::string messages = takeMessages();
      ASSERT_TRUE(succeeded(price)) << why << '\n' << messages;
      ASSERT_TRUE(succeeded(report)) << messages;
      expectEqual(*price, *report, *program);
      table.append(*features);
      prices.push_back(*price);
    }
    // Many at once cost what each does.
    std::vector<double> timeS(table.size), usedBytes(table.size);
    EXPECT_EQ(program->evaluate(table, timeS, usedBytes), 0u);
    for (auto [price, seconds, bytes] :
         llvm::zip_equal(prices, timeS, usedBytes)) {
      expectNear(seconds, price.executionTimeS, "time of many");
      expectNear(bytes, price.getUsedBytes(), "memory of many");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelTest,
                         testing::Range<size_t>(0, std::size(models)));

/// Plans whose passes take something for granted of the batch, which is so of
/// some workloads and not of others.
class AssumptionTest : public CostProgramTest {
protected:
  /// Prices random workloads, and says how many need a program of their own,
  /// which is then compiled for all that need it, and costs what the pipeline
  /// with `others` does.
  unsigned countBroken(const Model &model, StringRef options, StringRef others,
                       StringRef fact) {
    CostProgramSet programs([&](ArrayAttr assumed) {
      return compile(model.name, model.layers, options, assumed);
    });
    OwningOpRef<ModuleOp> unbound = compile(model.name, model.layers, options);
    FailureOr<CostProgram> first = CostProgram::compile(*unbound);
    EXPECT_TRUE(succeeded(first));
    RandomWorkloads workloads(7);
    unsigned numBroken = 0;
    for (size_t i = 0; i < getNumWorkloads(); ++i) {
      Workload workload = workloads.draw({});
      SCOPED_TRACE(describe(workload));
      std::string why;
      FailureOr<Features> features = first->getFeatures(workload, &why);
      EXPECT_TRUE(succeeded(features)) << why;
      bool isBroken =
          failed(first->evaluate(*features, /*withKernels=*/false, &why));
      if (isBroken) {
        ++numBroken;
        EXPECT_EQ(why, "expected a workload with '" + fact.str() +
                           "', which the module was rewritten for");
        EXPECT_TRUE(std::isnan(first->evaluateTotal(*features).first));
        takeMessages();
        EXPECT_TRUE(failed(reportBound(*unbound, workload)));
        EXPECT_EQ(StringRef(takeMessages()).take_front(why.size()), why);
      }
      FailureOr<const CostProgram *> program = programs.get(workload, &why);
      if (failed(program)) {
        ADD_FAILURE() << why << takeMessages();
        continue;
      }
      features = (*program)->getFeatures(workload, &why);
      FailureOr<Price> price =
          (*program)->evaluate(*features, /*withKernels=*/true, &why);
      FailureOr<Report> report =
          reportPipeline(model, isBroken ? others : options, workload);
      if (failed(price) || failed(report)) {
        ADD_FAILURE() << why << takeMessages();
        continue;
      }
      expectEqual(*price, *report, **program);
    }
    EXPECT_EQ(programs.getNumPrograms(), 2u);
    return numBroken;
  }
};

TEST_F(AssumptionTest, TokensThatDevicesDivide) {
  StringRef options =
      "devices=4 tp=4 word-embedding-tp=row quantize-linear-action=DISABLED "
      "compilation-config=enable-sequence-parallel";
  unsigned numBroken = countBroken({"Qwen/Qwen3-8B", 2, {}}, options, options,
                                   "eq(mod(tokens, 4), 0)");
  EXPECT_GT(numBroken, 0u);
  EXPECT_LT(numBroken, getNumWorkloads());
}

TEST_F(AssumptionTest, CachesThatDevicesShareInDecode) {
  StringRef options = "devices=4 tp=4 kernel-set=ascend";
  unsigned numBroken = countBroken(
      {"Qwen/Qwen3-8B", 2, {}}, (options + " dcp=2").str(), options, "decode");
  EXPECT_GT(numBroken, 0u);
  EXPECT_LT(numBroken, getNumWorkloads());
}

/// A model with a vision tower is for steps with images, and one without for
/// others.
class ImagesTest : public CostProgramTest {};

TEST_F(ImagesTest, StepsWithImages) {
  looksAtImages = true;
  const Model model = {"Qwen/Qwen3-VL-2B-Instruct", 2, {}};
  StringRef plan = "devices=4 tp=2 vision-tp=2";
  OwningOpRef<ModuleOp> unbound = compile(model.name, model.layers, plan);
  ASSERT_TRUE(unbound) << takeMessages();
  FailureOr<CostProgram> program = CostProgram::compile(*unbound);
  ASSERT_TRUE(succeeded(program)) << takeMessages();
  RandomWorkloads workloads(11);
  for (size_t i = 0; i < getNumWorkloads() / 2; ++i) {
    Workload workload = workloads.draw({});
    SCOPED_TRACE(describe(workload));
    int64_t count = 1 + i % 3, height = 64 + 37 * i, width = 512 + 11 * i;
    FailureOr<transformer::ImagesAttr> images =
        transformer::cutImages(*unbound, count, height, width);
    ASSERT_TRUE(succeeded(images)) << takeMessages();
    workload.images = images->getImages();
    std::string why;
    FailureOr<Features> features = program->getFeatures(workload, &why);
    if (workload.isDecode()) {
      EXPECT_TRUE(failed(features));
      EXPECT_EQ(why, "expected images in a prefill step, as the model has a "
                     "vision tower, but got a decode step");
      continue;
    }
    ASSERT_TRUE(succeeded(features)) << why;
    FailureOr<Price> price =
        program->evaluate(*features, /*withKernels=*/true, &why);
    ASSERT_TRUE(succeeded(price)) << why;
    std::string options;
    llvm::raw_string_ostream(options)
        << plan << " image-batch-size=" << count << " image-height=" << height
        << " image-width=" << width;
    FailureOr<Report> report = i % 4 == 0
                                   ? reportPipeline(model, options, workload)
                                   : reportBound(*unbound, workload);
    ASSERT_TRUE(succeeded(report)) << takeMessages();
    takeMessages();
    expectEqual(*price, *report, *program);
  }
}

TEST_F(ImagesTest, StepsOfTheOtherKind) {
  Workload text, images;
  text.groups.push_back({1, 100});
  images = text;
  images.images = {1, 32, 32, 1026};
  for (bool isTower : {false, true}) {
    looksAtImages = isTower;
    OwningOpRef<ModuleOp> unbound =
        compile("Qwen/Qwen3-VL-2B-Instruct", 1, "devices=1");
    ASSERT_TRUE(unbound) << takeMessages();
    FailureOr<CostProgram> program = CostProgram::compile(*unbound);
    ASSERT_TRUE(succeeded(program)) << takeMessages();
    std::string why;
    EXPECT_TRUE(succeeded(program->getFeatures(isTower ? images : text)));
    EXPECT_TRUE(failed(program->getFeatures(isTower ? text : images, &why)));
    EXPECT_EQ(why, isTower ? "expected images in a prefill step, as the model "
                             "has a vision tower, but got none"
                           : "expected a vision tower, as the workload has "
                             "images, but got a model without one");
  }
}

/// What no batch has is refused, and never priced.
TEST_F(CostProgramTest, FeaturesThatNoBatchHas) {
  OwningOpRef<ModuleOp> unbound = compile("Qwen/Qwen3-8B", 1, "devices=1");
  ASSERT_TRUE(unbound) << takeMessages();
  FailureOr<CostProgram> program = CostProgram::compile(*unbound);
  ASSERT_TRUE(succeeded(program)) << takeMessages();
  Workload workload;
  workload.groups.push_back({4, 100});
  FailureOr<Features> features = program->getFeatures(workload);
  ASSERT_TRUE(succeeded(features));
  FeatureTable table(features->size());
  table.append(*features);
  const double none[] = {-1, std::nan(""),
                         std::numeric_limits<double>::infinity()};
  for (auto [i, name] : llvm::enumerate(program->getFeatureNames()))
    for (double value : none) {
      Features wrong = *features;
      wrong[i] = value;
      std::string why;
      EXPECT_TRUE(failed(program->evaluate(wrong, false, &why)));
      EXPECT_TRUE(StringRef(why).starts_with("expected a batch whose '" + name +
                                             "' is from "))
          << why;
      EXPECT_TRUE(std::isnan(program->evaluateTotal(wrong).first));
      table.append(wrong);
    }
  std::vector<double> timeS(table.size), usedBytes(table.size);
  EXPECT_EQ(program->evaluate(table, timeS, usedBytes), table.size - 1);
  EXPECT_GT(timeS[0], 0);
  for (size_t i = 1; i < table.size; ++i)
    EXPECT_TRUE(std::isnan(timeS[i]) && std::isnan(usedBytes[i]));
  std::string why;
  workload.groups.front().queries = 0;
  EXPECT_TRUE(failed(program->getFeatures(workload, &why)));
  EXPECT_EQ(why, "expected 'queries' from 1 to 2147483648, but got 0");
  workload.groups.clear();
  EXPECT_TRUE(failed(program->getFeatures(workload, &why)));
  EXPECT_EQ(why, "expected requests, but got none");
}

TEST_F(CostProgramTest, ModulesThatAreNoPlan) {
  OwningOpRef<ModuleOp> bound =
      compile("Qwen/Qwen3-8B", 1, "queries=1 query-length=7");
  ASSERT_TRUE(bound) << takeMessages();
  EXPECT_TRUE(failed(CostProgram::compile(*bound)));
  EXPECT_EQ(takeMessages(),
            "expected a module without a workload, but it is bound to "
            "#transformer.workload<queries = 1, query_length = 7>");
  OwningOpRef<ModuleOp> raised = compile("Qwen/Qwen3-8B", 1, "lower=false");
  ASSERT_TRUE(raised) << takeMessages();
  EXPECT_TRUE(failed(CostProgram::compile(*raised)));
  EXPECT_NE(takeMessages().find("expected only launches to price"),
            std::string::npos);
}

} // namespace
