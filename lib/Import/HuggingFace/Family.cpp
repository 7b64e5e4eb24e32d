//===- Family.cpp - What a model type is ----------------------------------===//

#include "Family.h"

#include "tensorcast/Support/JsonReader.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr StringRef familiesFile = "families.json";

FailureOr<Json> tensorcast::readFamilies(MLIRContext *context) {
  static constexpr struct {
    const char *name;
    const char *text;
  } files[] = {
#include "tensorcast/Data/huggingface_families.inc"
  };
  return parseJson(files[0].text, familiesFile, context);
}

/// A bias is true (always), false (never) or the name of a key.
static BiasRule readBias(JsonReader &reader, StringRef key) {
  const Json *value = reader.find(key);
  if (value && value->is_string())
    return {false, value->get<std::string>()};
  return {reader.boolean(key), ""};
}

FailureOr<Family> tensorcast::readFamily(const Json &families,
                                         StringRef modelType,
                                         MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  JsonReader all(families, familiesFile, loc);
  JsonReader reader(*all.find(modelType), familiesFile, loc,
                    all.pointerTo(modelType));
  Family family;
  family.qkNorm = readBias(reader, "qk_norm");
  family.qkNormOverHeads = reader.string("qk_norm_over", "head") == "layer";
  family.qkvBias = readBias(reader, "qkv_bias");
  family.outputBias = readBias(reader, "output_bias");
  family.mlpBias = readBias(reader, "mlp_bias");

  family.wideNormWeight = reader.string("norm_weight_type", "f16") == "f32";
  family.ignoresWindows = reader.boolean("ignores_windows", false);

  if (const Json *object = reader.optionalObject("sliding_window")) {
    JsonReader window(*object, familiesFile, loc,
                      reader.pointerTo("sliding_window"));
    family.window = WindowRule{window.integer("default", 1, INT64_MAX),
                               window.string("switch", "")};
    if (failed(window.finish()))
      reader.fail();
  }

  if (const Json *object = reader.optionalObject("rope")) {
    JsonReader rope(*object, familiesFile, loc, reader.pointerTo("rope"));
    std::string style = rope.string("style", "half");
    family.ropeInterleaved = style == "interleaved";
    family.ropeHalfTable = style == "half_table";
    family.ropeWide = rope.string("table_type", "f16") == "f32";
    family.ropePartial = rope.boolean("partial", false);
    if (failed(rope.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("mixture")) {
    JsonReader mixture(*object, familiesFile, loc, reader.pointerTo("mixture"));
    family.mixture = readMixtureRule(mixture);
    if (failed(mixture.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("latent_attention")) {
    JsonReader latent(*object, familiesFile, loc,
                      reader.pointerTo("latent_attention"));
    family.latent = LatentAttentionRule{latent.boolean("interleaved_rope"),
                                        latent.boolean("indexer")};
    if (failed(latent.finish()))
      reader.fail();
  }

  const Json nothing = Json::object();
  const Json *object = reader.optionalObject("defaults");
  JsonReader defaults(object ? *object : nothing, familiesFile, loc,
                      reader.pointerTo("defaults"));
  family.headDim = defaults.optionalInteger("head_dim", 1, INT64_MAX);
  family.keyValueHeadsDefaultToHeads =
      defaults.string("num_key_value_heads", "") == "num_attention_heads";
  family.maxPositionEmbeddings =
      defaults.integer("max_position_embeddings", 1, INT64_MAX);
  family.rmsNormEps = defaults.number("rms_norm_eps", 0, 1);
  family.ropeTheta = defaults.number("rope_theta", 1, 1e15);
  family.tieWordEmbeddings = defaults.boolean("tie_word_embeddings");
  if (failed(defaults.finish()))
    reader.fail();
  family.predictionLayers = reader.string("prediction_layers", "");
  if (failed(reader.finish()))
    return failure();
  return family;
}
