//===- ModelsTest.cpp - Models by name or path ----------------------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/Import/HuggingFace/Models.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

constexpr StringRef smallLlama = R"({
  "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1,
  "num_attention_heads": 8, "intermediate_size": 96, "vocab_size": 10})";

class ModelsTest : public DiagnosticTest {
protected:
  /// The name of the model that `model` stands for, or the messages.
  std::string nameOf(StringRef model) {
    FailureOr<DecoderConfig> config = loadModel(model, &context);
    return succeeded(config) ? config->name : takeMessages();
  }
};

TEST_F(ModelsTest, AllPresetsLoad) {
  SmallVector<PresetInfo> presets = listPresets(&context);
  EXPECT_EQ(takeMessages(), "");
  EXPECT_GE(presets.size(), 14u);
  EXPECT_TRUE(llvm::is_sorted(
      presets, [](const auto &a, const auto &b) { return a.name < b.name; }));
  for (const PresetInfo &preset : presets)
    EXPECT_EQ(nameOf(preset.name), preset.name);
  const auto *preset = llvm::find_if(
      presets, [](const auto &info) { return info.name == "Qwen/Qwen3-8B"; });
  ASSERT_NE(preset, presets.end());
  EXPECT_EQ(preset->description,
            "36 layers, hidden size 4096, 8.2 billion parameters");
  const auto *mixture = llvm::find_if(presets, [](const auto &info) {
    return info.name == "Qwen/Qwen3-30B-A3B";
  });
  ASSERT_NE(mixture, presets.end());
  EXPECT_EQ(mixture->description, "48 layers, hidden size 2048, 30.5 billion "
                                  "parameters, 3.4 of them active");
}

TEST_F(ModelsTest, NumbersOfAPreset) {
  FailureOr<DecoderConfig> config = loadModel("Qwen/Qwen3-32B", &context);
  ASSERT_TRUE(succeeded(config)) << takeMessages();
  EXPECT_EQ(config->modelType, "qwen3");
  EXPECT_EQ(config->hiddenSize, 5120);
  EXPECT_EQ(config->numHiddenLayers, 64);
  EXPECT_EQ(config->getQueryWidth(), 8192);
  EXPECT_EQ(config->ropeTheta, 1e6);
  EXPECT_EQ(config->maxPositionEmbeddings, 40960);
}

TEST_F(ModelsTest, NamesOfPresets) {
  EXPECT_EQ(nameOf("qwen/QWEN3-8b"), "Qwen/Qwen3-8B");
  EXPECT_EQ(nameOf("qwen3-8b"), "Qwen/Qwen3-8B");
  EXPECT_EQ(nameOf("meta-llama/Llama-3.1-8B"), "meta-llama/Meta-Llama-3.1-8B");
  EXPECT_EQ(nameOf("llama-3.1-405b"), "meta-llama/Meta-Llama-3.1-405B");
}

TEST_F(ModelsTest, UnknownNamesNameTheNearest) {
  std::string known = " known models: MiniMaxAI/MiniMax-M2";
  EXPECT_TRUE(StringRef(nameOf("Qwen/Qwen3-33B"))
                  .starts_with("unknown model 'Qwen/Qwen3-33B'; did you mean "
                               "'Qwen/Qwen3-32B'?" +
                               known));
  EXPECT_TRUE(StringRef(nameOf("Qwen3-33B"))
                  .starts_with("unknown model 'Qwen3-33B'; did you mean "
                               "'Qwen/Qwen3-32B'?" +
                               known));
  EXPECT_TRUE(
      StringRef(nameOf("gpt")).starts_with("unknown model 'gpt';" + known));
  EXPECT_TRUE(StringRef(nameOf("")).starts_with("unknown model '';" + known));
}

TEST_F(ModelsTest, Files) {
  TemporaryDirectory directory;
  EXPECT_EQ(nameOf(directory.write("Org__Small-1B.json", smallLlama)),
            "Org/Small-1B");
  EXPECT_EQ(nameOf(directory.write("mine.json", smallLlama)), "mine");
  std::string config = directory.write("Org__Dir/config.json", smallLlama);
  EXPECT_EQ(nameOf(config), "Org/Dir");
  EXPECT_EQ(nameOf(directory.path("Org__Dir")), "Org/Dir");
  EXPECT_EQ(nameOf(directory.path("Org__Dir/")), "Org/Dir");
}

TEST_F(ModelsTest, PathsWinOverPresets) {
  TemporaryDirectory directory;
  std::string config = directory.write("Qwen/Qwen3-8B/config.json", smallLlama);
  llvm::SmallString<128> before;
  ASSERT_FALSE(llvm::sys::fs::current_path(before));
  ASSERT_FALSE(llvm::sys::fs::set_current_path(directory.path("")));
  EXPECT_EQ(nameOf("Qwen/Qwen3-8B"), "Qwen3-8B");
  ASSERT_FALSE(
      llvm::sys::fs::set_current_path(directory.path("Qwen/Qwen3-8B")));
  EXPECT_EQ(nameOf("config.json"), "Qwen3-8B");
  EXPECT_EQ(nameOf("."), "Qwen3-8B");
  ASSERT_FALSE(llvm::sys::fs::set_current_path(before));
}

TEST_F(ModelsTest, PathsThatLeadNowhere) {
  TemporaryDirectory directory;
  std::string missing = directory.path("none.json");
  EXPECT_EQ(nameOf(missing),
            "cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(nameOf("./none"),
            "cannot read './none': No such file or directory");
  directory.write("empty/other.txt", "");
  std::string empty = directory.path("empty");
  EXPECT_EQ(nameOf(empty),
            "expected a config.json in '" + empty + "', but there is none");
}

TEST_F(ModelsTest, ErrorsNameTheFile) {
  TemporaryDirectory directory;
  std::string path =
      directory.write("a.json", "{\"model_type\": \"llama\", \n}");
  EXPECT_EQ(nameOf(path),
            path + ":2:1: expected string literal in object key, but got '}'");
}

} // namespace
