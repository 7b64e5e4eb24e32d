//===- Family.cpp - What a model type is ----------------------------------===//

#include "Family.h"

#include "tensorcast/Support/JsonReader.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr StringRef familiesFile = "families.json";

bool FamilySet::has(StringRef modelType) const {
  std::string name = modelType.str();
  return own.contains(name) || known.contains(name);
}

SmallVector<std::string> FamilySet::list() const {
  SmallVector<std::string> names;
  for (const Json *families : {&known, &own})
    for (const auto &member : families->items())
      names.push_back(member.key());
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

FailureOr<FamilySet> tensorcast::readFamilies(StringRef path,
                                              MLIRContext *context) {
  static constexpr struct {
    const char *name;
    const char *text;
  } files[] = {
#include "tensorcast/Data/huggingface_families.inc"
  };
  FamilySet families;
  FailureOr<Json> known = parseJson(files[0].text, familiesFile, context);
  if (failed(known))
    return failure();
  families.known = std::move(*known);
  families.own = Json::object();
  if (path.empty())
    return families;
  FailureOr<Json> own = readJsonFile(path, context);
  if (failed(own))
    return failure();
  if (!own->is_object())
    return emitError(UnknownLoc::get(context))
           << path << ": expected an object of families, but got "
           << describeJson(*own);
  families.own = std::move(*own);
  families.ownFile = path.str();
  return families;
}

/// The keys that the project's own families use; of their member `part`, if
/// that is not empty.
static SmallVector<StringRef> findKeys(const Json &families, StringRef part) {
  SmallVector<StringRef> keys;
  for (const auto &family : families.items()) {
    const Json *object = &family.value();
    if (!part.empty()) {
      auto found = object->find(part.str());
      object = found == object->end() ? nullptr : &*found;
    }
    if (!object || !object->is_object())
      continue;
    for (const auto &[key, value] : object->get_ref<const Json::object_t &>())
      keys.push_back(key);
  }
  llvm::sort(keys);
  keys.erase(llvm::unique(keys), keys.end());
  return keys;
}

/// Reports keys that say nothing, which are likely to be misspelt.
static void checkKeys(JsonReader &reader, const Json &object,
                      ArrayRef<StringRef> known) {
  for (const auto &[key, value] : object.get_ref<const Json::object_t &>())
    if (!llvm::is_contained(known, key))
      reader.emitError(key) << unknownName("key", key, known);
}

/// The same for a family of a user's own and its members.
static LogicalResult checkOwnFamily(JsonReader &reader, const Json &described,
                                    const FamilySet &families, Location loc) {
  if (!described.is_object())
    return success();
  checkKeys(reader, described, findKeys(families.known, ""));
  LogicalResult result = success();
  for (const auto &[key, value] : described.get_ref<const Json::object_t &>()) {
    if (!value.is_object())
      continue;
    JsonReader inner(value, families.ownFile, loc, reader.pointerTo(key));
    checkKeys(inner, value, findKeys(families.known, key));
    if (failed(inner.finish()))
      result = failure();
  }
  return result;
}

/// A bias is true (always), false (never) or the name of a key.
static BiasRule readBias(JsonReader &reader, StringRef key) {
  const Json *value = reader.find(key);
  if (value && value->is_string())
    return {false, value->get<std::string>()};
  return {reader.boolean(key), ""};
}

static WindowRule readWindowRule(JsonReader &reader) {
  WindowRule rule;
  rule.defaultWindow = reader.integer("default", 0, INT32_MAX);
  std::pair<StringRef, std::string *> keys[] = {
      {"switch", &rule.switchKey},
      {"pattern", &rule.patternKey},
      {"first_layer", &rule.firstLayerKey},
      {"heads", &rule.headsKey},
      {"key_value_heads", &rule.keyValueHeadsKey},
      {"head_dim", &rule.headDimKey},
      {"value_head_dim", &rule.valueHeadDimKey},
      {"rope_theta", &rule.ropeThetaKey}};
  for (auto [key, text] : keys)
    *text = reader.string(key, "");
  rule.period = reader.integer("period", 0, INT32_MAX, 0);
  rule.firstLayer = reader.integer("default_first_layer", 0, INT32_MAX, 0);
  return rule;
}

/// Replaces families that are like another one by that one, with what they say
/// themselves in place of what it says. Changes `name` to that of the other.
static LogicalResult resolveLikeness(JsonReader &reader,
                                     const FamilySet &families, Json &described,
                                     std::string &name) {
  std::optional<std::string> base = reader.optionalString("like");
  if (failed(reader.finish()))
    return failure();
  if (!base)
    return success();
  const Json &all =
      families.own.contains(*base) ? families.own : families.known;
  auto found = all.find(*base);
  if (found == all.end() || !found->is_object() || found->contains("like")) {
    SmallVector<std::string> names = families.list();
    SmallVector<StringRef> known(names.begin(), names.end());
    if (found == all.end())
      return reader.emitError("like") << unknownName("family", *base, known);
    return reader.emitError("like")
           << "expected a family that is described itself, but got '" << *base
           << "'";
  }
  Json merged = *found;
  merged.merge_patch(described);
  merged.erase("like");
  described = std::move(merged);
  name = *base;
  return success();
}

FailureOr<Family> tensorcast::readFamily(const FamilySet &families,
                                         StringRef modelType,
                                         MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  bool isOwn = families.own.contains(modelType.str());
  StringRef file = isOwn ? StringRef(families.ownFile) : familiesFile;
  JsonReader all(isOwn ? families.own : families.known, file, loc);
  Json described = *all.find(modelType);
  JsonReader reader(described, file, loc, all.pointerTo(modelType));
  if (isOwn && failed(checkOwnFamily(reader, described, families, loc)))
    return failure();
  Family family;
  family.name = modelType.str();
  if (failed(resolveLikeness(reader, families, described, family.name)))
    return failure();
  family.textConfig = reader.string("text_config", "");
  if (!family.textConfig.empty()) {
    if (const Json *object = reader.optionalObject("vision"))
      family.vision = *object;
    family.source = file.str();
    family.visionPointer = reader.pointerTo("vision");
    if (failed(reader.finish()))
      return failure();
    return family;
  }
  if (const Json *object = reader.optionalObject("encoder")) {
    JsonReader rule(*object, file, loc, reader.pointerTo("encoder"));
    family.encoder = EncoderRule{rule.integer("type_vocab_size", 1, INT32_MAX),
                                 rule.number("layer_norm_eps", 0, 1),
                                 rule.string("hidden_act")};
    family.maxPositionEmbeddings =
        rule.integer("max_position_embeddings", 1, INT32_MAX);
    if (failed(rule.finish()))
      reader.fail();
    if (failed(reader.finish()))
      return failure();
    return family;
  }
  family.qkNorm = readBias(reader, "qk_norm");
  family.qkNormOverHeads = reader.string("qk_norm_over", "head") == "layer";
  family.qkvBias = readBias(reader, "qkv_bias");
  family.outputBias = readBias(reader, "output_bias");
  family.mlpBias = readBias(reader, "mlp_bias");

  family.zeroCenteredNorm = reader.boolean("zero_centered_norm", false);
  family.outputGate = reader.boolean("output_gate", false);
  family.wideNormWeight = reader.string("norm_weight_type", "f16") == "f32";
  family.valueHeadDimKey = reader.string("value_head_dim", "");
  family.valueScaleKey = reader.string("value_scale", "");
  family.blockSparseKey = reader.string("block_sparse", "");
  family.normEpsKey = reader.string("norm_epsilon", "rms_norm_eps");
  family.intermediateSizeKey =
      reader.string("dense_intermediate_size", "intermediate_size");

  if (const Json *object = reader.optionalObject("sliding_window")) {
    JsonReader window(*object, file, loc, reader.pointerTo("sliding_window"));
    family.window = readWindowRule(window);
    if (failed(window.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("sinks")) {
    JsonReader sinks(*object, file, loc, reader.pointerTo("sinks"));
    family.sinks = readBias(sinks, "full");
    family.windowSinks = readBias(sinks, "window");
    if (failed(sinks.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("activation")) {
    JsonReader rule(*object, file, loc, reader.pointerTo("activation"));
    family.activation = ActivationRule{rule.string("name"),
                                       rule.string("limit"),
                                       rule.string("slope"),
                                       rule.number("default_limit", 0, 1e6),
                                       rule.number("default_slope", 0, 1e6),
                                       rule.boolean("kernel", false)};
    if (failed(rule.finish()))
      reader.fail();
  }

  if (const Json *object = reader.optionalObject("rope")) {
    JsonReader rope(*object, file, loc, reader.pointerTo("rope"));
    std::string style = rope.string("style", "half");
    family.ropeInterleaved = style == "interleaved";
    family.ropeHalfTable = style == "half_table";
    family.ropeWide = rope.string("table_type", "f16") == "f32";
    family.ropePartial = rope.boolean("partial", false);
    if (failed(rope.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("mixture")) {
    JsonReader mixture(*object, file, loc, reader.pointerTo("mixture"));
    family.mixture = readMixtureRule(mixture);
    if (failed(mixture.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("latent_attention")) {
    JsonReader latent(*object, file, loc, reader.pointerTo("latent_attention"));
    family.latent = LatentAttentionRule{latent.boolean("interleaved_rope"),
                                        latent.boolean("indexer")};
    if (failed(latent.finish()))
      reader.fail();
  }
  if (const Json *object = reader.optionalObject("compressed_attention")) {
    JsonReader compressed(*object, file, loc,
                          reader.pointerTo("compressed_attention"));
    family.compressed = CompressedAttentionRule{
        compressed.boolean("interleaved_rope"),
        compressed.integer("indexed_ratio", 2, INT64_MAX)};
    if (failed(compressed.finish()))
      reader.fail();
  }
  family.hasHyperConnections = reader.boolean("hyper_connections", false);

  if (const Json *object = reader.optionalObject("linear_attention")) {
    JsonReader linear(*object, file, loc, reader.pointerTo("linear_attention"));
    family.linear =
        LinearAttentionRule{linear.boolean("joined_projections"),
                            linear.boolean("equal_head_dims", false)};
    if (failed(linear.finish()))
      reader.fail();
  }

  const Json nothing = Json::object();
  const Json *object = reader.optionalObject("defaults");
  JsonReader defaults(object ? *object : nothing, file, loc,
                      reader.pointerTo("defaults"));
  family.headDim = defaults.optionalInteger("head_dim", 1, INT64_MAX);
  family.keyValueHeadsDefaultToHeads =
      defaults.string("num_key_value_heads", "") == "num_attention_heads";
  family.intermediateSizeFallback = defaults.string("intermediate_size", "");
  family.maxPositionEmbeddings =
      defaults.integer("max_position_embeddings", 1, INT64_MAX);
  family.rmsNormEps = defaults.number("rms_norm_eps", 0, 1);
  family.ropeTheta = defaults.number("rope_theta", 1, 1e15);
  family.rotatedPart = defaults.number("partial_rotary_factor", 0, 1, 1.0);
  family.tieWordEmbeddings = defaults.boolean("tie_word_embeddings");
  if (failed(defaults.finish()))
    reader.fail();
  family.predictionLayers = reader.string("prediction_layers", "");
  if (failed(reader.finish()))
    return failure();
  return family;
}
