//===- ReducedTest.cpp - Models in small ----------------------------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/Import/HuggingFace/Models.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class ReducedTest : public DiagnosticTest {
protected:
  DecoderConfig load(StringRef model) {
    FailureOr<DecoderConfig> config = loadModel(model, &context);
    EXPECT_TRUE(succeeded(config)) << takeMessages();
    return succeeded(config) ? *config : DecoderConfig();
  }
};

/// -1, 0 or 1: whether the hidden state is narrower or wider than the heads.
int compareWidths(const DecoderConfig &config) {
  return (config.hiddenSize > config.getQueryWidth()) -
         (config.hiddenSize < config.getQueryWidth());
}

TEST_F(ReducedTest, KeepsTheStructureOfAllPresets) {
  for (const PresetInfo &preset : listPresets(&context)) {
    DecoderConfig large = load(preset.name), small = reduced(large);
    SCOPED_TRACE(preset.name);
    EXPECT_EQ(small.name, large.name + "-reduced");
    EXPECT_EQ(small.modelType, large.modelType);
    // One of each kind of layer.
    EXPECT_GE(small.numHiddenLayers, 2);
    EXPECT_LE(small.numHiddenLayers, 3);
    EXPECT_EQ(small.vocabSize, 256);
    EXPECT_EQ(small.maxPositionEmbeddings, 128);
    // Heads that share one row form no groups.
    if (!large.compressed)
      EXPECT_EQ(small.numAttentionHeads * large.numKeyValueHeads,
                large.numAttentionHeads * small.numKeyValueHeads);
    EXPECT_EQ(compareWidths(small), compareWidths(large));
    EXPECT_EQ(small.headDim % 2, 0);
    EXPECT_EQ(small.qkNorm, large.qkNorm);
    EXPECT_EQ(small.qkvBias, large.qkvBias);
    EXPECT_EQ(small.tieWordEmbeddings, large.tieWordEmbeddings);
    EXPECT_EQ(small.rmsNormEps, large.rmsNormEps);
    EXPECT_LT(countParameters(small), 2e6);
  }
}

TEST_F(ReducedTest, ExtremesStaySmall) {
  DecoderConfig config = load("Qwen/Qwen3-8B");
  config.numHiddenLayers = 1;
  config.numAttentionHeads = 65536;
  config.numKeyValueHeads = 1;
  config.headDim = 2;
  config.padTokenId = 100000;
  DecoderConfig small = reduced(config);
  EXPECT_EQ(small.numHiddenLayers, 1);
  EXPECT_EQ(small.numAttentionHeads, 16);
  EXPECT_EQ(small.numKeyValueHeads, 1);
  EXPECT_EQ(small.headDim, 2);
  EXPECT_EQ(small.padTokenId, 0);
}

TEST_F(ReducedTest, ParametersOfPublishedModels) {
  // As the model cards say.
  EXPECT_NEAR(countParameters(load("Qwen3-0.6B")), 0.596e9, 0.001e9);
  EXPECT_NEAR(countParameters(load("Qwen3-32B")), 32.76e9, 0.01e9);
  EXPECT_NEAR(countParameters(load("Llama-3.1-8B")), 8.03e9, 0.01e9);
  EXPECT_NEAR(countParameters(load("Qwen2.5-7B-Instruct")), 7.616e9, 0.001e9);
  EXPECT_NEAR(countParameters(load("Mistral-7B-v0.3")), 7.248e9, 0.001e9);
  EXPECT_NEAR(countParameters(load("Mixtral-8x7B-v0.1")), 46.7e9, 0.05e9);
  EXPECT_NEAR(countParameters(load("DeepSeek-V3")), 671e9, 0.5e9);
  EXPECT_NEAR(countActiveParameters(load("DeepSeek-V3")), 37e9, 1e9);
  EXPECT_NEAR(countParameters(load("gpt-oss-20b")), 20.9e9, 0.05e9);
  EXPECT_NEAR(countActiveParameters(load("Qwen3-8B")),
              countParameters(load("Qwen3-8B")), 0);
}

} // namespace
