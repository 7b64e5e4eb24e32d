//===- ConfigTest.cpp - Hugging Face model configurations -----------------===//

#include "../Support/CollectDiagnostics.h"

#include "tensorcast/Import/HuggingFace/Config.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class ConfigTest : public DiagnosticTest {
protected:
  /// A config with the structural keys only.
  Json smallest(StringRef modelType) {
    return {{"model_type", modelType.str()},
            {"hidden_size", 64},
            {"num_hidden_layers", 3},
            {"num_attention_heads", 8},
            {"num_key_value_heads", 2},
            {"intermediate_size", 96},
            {"vocab_size", 1000},
            {"sliding_window", nullptr}};
  }

  FailureOr<DecoderConfig> read(const Json &config) {
    return readConfig(config, "config.json", "Org/Model", &context);
  }

  /// The config, which must be valid.
  DecoderConfig readValid(const Json &config) {
    FailureOr<DecoderConfig> result = read(config);
    EXPECT_TRUE(succeeded(result)) << takeMessages();
    EXPECT_EQ(takeMessages(), "");
    return succeeded(result) ? *result : DecoderConfig();
  }

  /// The errors about the smallest llama with one more or another member.
  std::string errorsWith(StringRef key, const Json &value,
                         StringRef modelType = "llama") {
    Json config = smallest(modelType);
    config[key.str()] = value;
    EXPECT_TRUE(failed(read(config)));
    return takeMessages();
  }
};

TEST_F(ConfigTest, DefaultsOfLlama) {
  DecoderConfig config = readValid(smallest("llama"));
  EXPECT_EQ(config.name, "Org/Model");
  EXPECT_EQ(config.modelType, "llama");
  EXPECT_EQ(config.hiddenSize, 64);
  EXPECT_EQ(config.numHiddenLayers, 3);
  EXPECT_EQ(config.numAttentionHeads, 8);
  EXPECT_EQ(config.numKeyValueHeads, 2);
  EXPECT_EQ(config.headDim, 8);
  EXPECT_EQ(config.intermediateSize, 96);
  EXPECT_EQ(config.vocabSize, 1000);
  EXPECT_EQ(config.maxPositionEmbeddings, 2048);
  EXPECT_EQ(config.rmsNormEps, 1e-6);
  EXPECT_EQ(config.ropeTheta, 10000);
  EXPECT_FALSE(config.qkvBias || config.outputBias || config.mlpBias ||
               config.qkNorm || config.tieWordEmbeddings);
  EXPECT_EQ(config.padTokenId, std::nullopt);
}

TEST_F(ConfigTest, BlocksAndDefaultsOfOtherFamilies) {
  DecoderConfig qwen2 = readValid(smallest("qwen2"));
  EXPECT_TRUE(qwen2.qkvBias);
  EXPECT_FALSE(qwen2.outputBias || qwen2.mlpBias || qwen2.qkNorm);
  EXPECT_EQ(qwen2.maxPositionEmbeddings, 32768);

  DecoderConfig qwen3 = readValid(smallest("qwen3"));
  EXPECT_TRUE(qwen3.qkNorm);
  EXPECT_FALSE(qwen3.qkvBias || qwen3.outputBias || qwen3.mlpBias);
  EXPECT_EQ(qwen3.headDim, 128);
  EXPECT_EQ(qwen3.getQueryWidth(), 1024);
  EXPECT_EQ(qwen3.getKeyWidth(), 256);

  DecoderConfig mistral = readValid(smallest("mistral"));
  EXPECT_FALSE(mistral.qkvBias || mistral.outputBias || mistral.mlpBias ||
               mistral.qkNorm);
  EXPECT_EQ(mistral.maxPositionEmbeddings, 131072);
}

TEST_F(ConfigTest, GivenValuesWin) {
  Json json = smallest("llama");
  json.update({{"head_dim", 32},
               {"max_position_embeddings", 77},
               {"rms_norm_eps", 1e-5},
               {"rope_theta", 500000},
               {"attention_bias", true},
               {"mlp_bias", true},
               {"tie_word_embeddings", true},
               {"pad_token_id", 7},
               {"rope_scaling", {{"factor", 8.0}}}});
  DecoderConfig config = readValid(json);
  EXPECT_EQ(config.headDim, 32);
  EXPECT_EQ(config.maxPositionEmbeddings, 77);
  EXPECT_EQ(config.rmsNormEps, 1e-5);
  EXPECT_EQ(config.ropeTheta, 500000);
  EXPECT_TRUE(config.qkvBias && config.outputBias && config.mlpBias &&
              config.tieWordEmbeddings);
  EXPECT_EQ(config.padTokenId, 7);
}

TEST_F(ConfigTest, AbsentAndNullAreTheSameForSomeKeys) {
  Json json = smallest("llama");
  json.update({{"head_dim", nullptr},
               {"num_key_value_heads", nullptr},
               {"rope_scaling", nullptr},
               {"pad_token_id", nullptr},
               {"quantization_config", nullptr}});
  EXPECT_EQ(readValid(json).numKeyValueHeads, 8);
  json.erase("num_key_value_heads");
  EXPECT_EQ(readValid(json).numKeyValueHeads, 8);
  EXPECT_EQ(readValid(json).headDim, 8);
}

TEST_F(ConfigTest, MinusOnePadsNothing) {
  Json json = smallest("llama");
  json["pad_token_id"] = -1;
  EXPECT_EQ(readValid(json).padTokenId, std::nullopt);
}

TEST_F(ConfigTest, RotationOfNewerConfigs) {
  Json json = smallest("llama");
  json["rope_parameters"] = {{"rope_theta", 5e6}, {"rope_type", "default"}};
  EXPECT_EQ(readValid(json).ropeTheta, 5e6);
  json["rope_theta"] = 1e6;
  EXPECT_EQ(readValid(json).ropeTheta, 1e6);
}

TEST_F(ConfigTest, StructuralKeysAreNeverGuessed) {
  EXPECT_TRUE(failed(read({{"model_type", "qwen3"}})));
  EXPECT_EQ(takeMessages(),
            "config.json: expected keys 'hidden_size', 'num_hidden_layers', "
            "'num_attention_heads', 'num_key_value_heads', "
            "'intermediate_size', 'vocab_size', but they are missing");
  for (StringRef modelType : {"qwen2", "mistral"}) {
    Json json = smallest(modelType);
    json.erase("num_key_value_heads");
    EXPECT_TRUE(failed(read(json)));
    EXPECT_EQ(takeMessages(), "config.json: expected key "
                              "'num_key_value_heads', but it is missing");
  }
}

TEST_F(ConfigTest, AllErrorsAtOnce) {
  Json json = smallest("llama");
  json["hidden_size"] = "x";
  json["num_hidden_layers"] = 4097;
  json.erase("vocab_size");
  EXPECT_TRUE(failed(read(json)));
  EXPECT_EQ(takeMessages(),
            "config.json: /hidden_size: expected an integer from 1 to "
            "16777216, but got \"x\"\n"
            "config.json: /num_hidden_layers: expected an integer from 1 to "
            "4096, but got 4097\n"
            "config.json: expected key 'vocab_size', but it is missing");
}

TEST_F(ConfigTest, RangesOfSizes) {
  struct {
    StringRef key, range;
  } const cases[] = {{"hidden_size", "from 1 to 16777216"},
                     {"num_hidden_layers", "from 1 to 4096"},
                     {"num_attention_heads", "from 1 to 65536"},
                     {"num_key_value_heads", "from 1 to 65536"},
                     {"head_dim", "from 1 to 16777216"},
                     {"intermediate_size", "from 1 to 16777216"},
                     {"vocab_size", "from 1 to 2147483648"},
                     {"max_position_embeddings", "from 1 to 2147483648"}};
  for (auto [key, range] : cases)
    for (const Json &value :
         {Json(0), Json(-1), Json(1e30), Json(4294967296), Json("8"),
          Json(true), Json(8.0), Json(UINT64_MAX), Json::array()})
      EXPECT_EQ(errorsWith(key, value),
                ("config.json: /" + key + ": expected an integer " + range +
                 ", but got ")
                        .str() +
                    describeJson(value));
}

TEST_F(ConfigTest, RangesOfNumbersAndBooleans) {
  EXPECT_EQ(errorsWith("rms_norm_eps", 0),
            "config.json: /rms_norm_eps: expected a number from 1.0e-30 to "
            "1.0, but got 0");
  EXPECT_EQ(errorsWith("rope_theta", -1),
            "config.json: /rope_theta: expected a number from 1.0 to "
            "1000000000000000.0, but got -1");
  EXPECT_EQ(errorsWith("rope_parameters", {{"rope_theta", "x"}}),
            "config.json: /rope_parameters/rope_theta: expected a number from "
            "1.0 to 1000000000000000.0, but got \"x\"");
  EXPECT_EQ(errorsWith("rope_scaling", 8),
            "config.json: /rope_scaling: expected an object, but got 8");
  EXPECT_EQ(errorsWith("attention_bias", 1),
            "config.json: /attention_bias: expected true or false, but got 1");
  EXPECT_EQ(errorsWith("tie_word_embeddings", nullptr),
            "config.json: /tie_word_embeddings: expected true or false, but "
            "got null");
  EXPECT_EQ(errorsWith("pad_token_id", 1000),
            "config.json: /pad_token_id: expected one of the 1000 tokens of "
            "the vocabulary, but got 1000");
}

TEST_F(ConfigTest, HeadsMustDivide) {
  EXPECT_EQ(errorsWith("num_key_value_heads", 3),
            "config.json: /num_key_value_heads: expected a divisor of the 8 "
            "attention heads, but got 3");
  EXPECT_EQ(errorsWith("hidden_size", 100),
            "config.json: /hidden_size: expected a multiple of the 8 attention "
            "heads, as head_dim is missing, but got 100");
  EXPECT_EQ(errorsWith("head_dim", 7),
            "config.json: /head_dim: expected an even number, as rotary "
            "embeddings turn pairs, but got 7");
  EXPECT_EQ(errorsWith("hidden_size", 56),
            "config.json: /head_dim: expected an even number, as rotary "
            "embeddings turn pairs, but hidden_size / num_attention_heads is "
            "7");
}

TEST_F(ConfigTest, OnlySilu) {
  EXPECT_EQ(errorsWith("hidden_act", "gelu"),
            "config.json: /hidden_act: expected \"silu\", the only activation "
            "modelled so far, but got \"gelu\"");
  EXPECT_EQ(errorsWith("hidden_act", nullptr),
            "config.json: /hidden_act: expected a string, but got null");
}

TEST_F(ConfigTest, SlidingWindows) {
  Json mistral = smallest("mistral");
  EXPECT_FALSE(readValid(mistral).window);
  mistral["sliding_window"] = 7;
  DecoderConfig config = readValid(mistral);
  ASSERT_TRUE(config.window);
  EXPECT_EQ(config.window->size, 7);
  EXPECT_TRUE(config.hasWindow(0));
  mistral.erase("sliding_window");
  EXPECT_EQ(readValid(mistral).window->size, 4096);
  EXPECT_EQ(errorsWith("sliding_window", 0, "mistral"),
            "config.json: /sliding_window: expected an integer from 1 to "
            "2147483648, but got 0");

  Json qwen = smallest("qwen3");
  qwen["sliding_window"] = 4096;
  EXPECT_FALSE(readValid(qwen).window);
  qwen["use_sliding_window"] = false;
  EXPECT_FALSE(readValid(qwen).window);
  // The first layer with a window is beyond the last one.
  qwen["use_sliding_window"] = true;
  EXPECT_FALSE(readValid(qwen).window);
  qwen["max_window_layers"] = 0;
  EXPECT_EQ(readValid(qwen).window->size, 4096);
  qwen["sliding_window"] = nullptr;
  EXPECT_FALSE(readValid(qwen).window);
}

TEST_F(ConfigTest, LayerTypes) {
  Json json = smallest("qwen3");
  json["num_hidden_layers"] = 2;
  json["layer_types"] = {"full_attention", "full_attention"};
  readValid(json);
  json["layer_types"] = nullptr;
  readValid(json);
  json["layer_types"] = {"full_attention", "linear_attention"};
  EXPECT_TRUE(failed(read(json)));
  EXPECT_EQ(takeMessages(),
            "config.json: /layer_types: expected \"full_attention\", as "
            "use_sliding_window is false, but got \"linear_attention\"");
  json["layer_types"] = {"full_attention", "sliding_attention"};
  json["use_sliding_window"] = true;
  json["sliding_window"] = 5;
  DecoderConfig config = readValid(json);
  EXPECT_FALSE(config.hasWindow(0));
  EXPECT_TRUE(config.hasWindow(1));
  EXPECT_EQ(errorsWith("layer_types", 3),
            "config.json: /layer_types: expected an array, but got 3");
}

TEST_F(ConfigTest, OnlyWholeRotation) {
  EXPECT_EQ(errorsWith("partial_rotary_factor", 0.5),
            "config.json: /partial_rotary_factor: expected 1, as rotating a "
            "part of each head is not modelled for this family, but got 0.5");
  EXPECT_EQ(errorsWith("rope_parameters", {{"partial_rotary_factor", 0.25}}),
            "config.json: /rope_parameters/partial_rotary_factor: expected 1, "
            "as rotating a part of each head is not modelled for this family, "
            "but got 0.25");
}

TEST_F(ConfigTest, ModelTypes) {
  std::string unknown = errorsWith("model_type", "lama");
  EXPECT_EQ(
      unknown.find("config.json: /model_type: unknown model type 'lama'; "
                   "did you mean 'llama'? known model types: bailing_moe"),
      0u);
  EXPECT_NE(unknown.find(" (docs/families.md: how to add one)"),
            std::string::npos);
  EXPECT_EQ(errorsWith("model_type", 3),
            "config.json: /model_type: expected a string, but got 3");
  EXPECT_EQ(errorsWith("model_type", nullptr)
                .find("config.json: /model_type: expected one of "
                      "'bailing_moe', "),
            0u);
  EXPECT_TRUE(failed(read({{"architectures", {"Qwen3ForCausalLM"}}})));
  EXPECT_NE(takeMessages().find("but the key is missing; 'architectures' names "
                                "\"Qwen3ForCausalLM\""),
            std::string::npos);
}

TEST_F(ConfigTest, NestedConfigs) {
  Json nested = smallest("qwen3");
  nested["text_config"] = smallest("qwen3");
  EXPECT_TRUE(failed(read(nested)));
  EXPECT_EQ(takeMessages(),
            "config.json: /text_config: expected the config of a text model, "
            "but got one nested in another; models of more than text are not "
            "supported yet (the nested config alone, in a file of its own, may "
            "be)");
  FailureOr<DecoderConfig> config = read({{"model_type", "qwen3_vl"},
                                          {"tie_word_embeddings", true},
                                          {"text_config", smallest("qwen3")}});
  ASSERT_TRUE(succeeded(config)) << takeMessages();
  EXPECT_EQ(config->modelType, "qwen3");
  EXPECT_TRUE(config->tieWordEmbeddings);
  Json text = smallest("qwen3");
  text["model_type"] = "qwen3_vl_text";
  config = read({{"model_type", "qwen3_vl"}, {"text_config", text}});
  ASSERT_TRUE(succeeded(config)) << takeMessages();
  // One that is like another is priced like it.
  EXPECT_EQ(config->modelType, "qwen3");
  EXPECT_FALSE(config->tieWordEmbeddings);
}

TEST_F(ConfigTest, QuantizationIsIgnoredWithAWarning) {
  Json json = smallest("llama");
  json["quantization_config"] = {{"quant_method", "fp8"}};
  EXPECT_TRUE(succeeded(read(json)));
  EXPECT_EQ(takeMessages(),
            "warning: config.json: /quantization_config: ignored; what is "
            "quantized is chosen when the model is compiled");
}

TEST_F(ConfigTest, OnlyObjects) {
  EXPECT_TRUE(failed(read(Json::array({1}))));
  EXPECT_EQ(takeMessages(),
            "config.json: expected an object, but got an array");
}

} // namespace
