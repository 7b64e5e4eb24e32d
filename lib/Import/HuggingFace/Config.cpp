//===- Config.cpp - Hugging Face model configurations ---------------------===//

#include "tensorcast/Import/HuggingFace/Config.h"
#include "AttentionReader.h"
#include "CompressedAttention.h"
#include "Encoder.h"
#include "LatentAttention.h"
#include "LinearAttention.h"
#include "VisionReader.h"

#include "tensorcast/Support/JsonReader.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Ranges: beyond any model, and small enough that products of two fit.
//===----------------------------------------------------------------------===//

static constexpr int64_t maxLayers = 4096;
static constexpr int64_t maxSize = int64_t(1) << 24;
static constexpr int64_t maxRows = int64_t(1) << 31;
static constexpr int64_t maxHeads = 65536;

//===----------------------------------------------------------------------===//
// Which family
//===----------------------------------------------------------------------===//

/// Models of more than text keep the config of the text part inside another
/// one, under one of these keys.
static LogicalResult rejectNestedConfigs(JsonReader &reader) {
  for (StringRef key :
       {"text_config", "llm_config", "language_config", "thinker_config"}) {
    const Json *nested = reader.find(key);
    if (!nested || !nested->is_object())
      continue;
    return reader.emitError(key)
           << "expected the config of a text model, but got one nested in "
              "another; models of more than text are not supported yet (the "
              "nested config alone, in a file of its own, may be)";
  }
  return success();
}

/// The family that the config says it belongs to.
static FailureOr<Family> findFamily(JsonReader &reader,
                                    const FamilySet &families,
                                    MLIRContext *context) {
  SmallVector<std::string> names = families.list();
  SmallVector<StringRef> known(names.begin(), names.end());

  if (!reader.has("model_type")) {
    InFlightDiagnostic diagnostic = reader.emitError("model_type");
    diagnostic << "expected one of " << joinNames(known, ", ", "'")
               << ", but the key is missing";
    const Json *architectures = reader.find("architectures");
    if (architectures && architectures->is_array() && !architectures->empty() &&
        architectures->front().is_string())
      diagnostic << "; 'architectures' names "
                 << describeJson(architectures->front());
    return failure();
  }
  std::string modelType = reader.string("model_type");
  if (failed(reader.finish()))
    return failure();
  if (!llvm::is_contained(known, modelType)) {
    return reader.emitError("model_type")
           << unknownName("model type", modelType, known)
           << " (docs/families.md: how to add one)";
  }
  return readFamily(families, modelType, context);
}

//===----------------------------------------------------------------------===//
// What is not modelled
//===----------------------------------------------------------------------===//

static void rejectOtherActivations(JsonReader &reader, const Family &family) {
  StringRef known =
      family.activation ? StringRef(family.activation->name) : "silu";
  std::string activation = reader.string("hidden_act", known);
  const Json *value = reader.find("hidden_act");
  if (activation != known && value->is_string())
    reader.emitError("hidden_act")
        << "expected \"" << known
        << "\", the only activation modelled so far, but got "
        << describeJson(*value);
}

/// Reads which part of each head is rotated into `share`.
static void readRotatedPart(JsonReader &reader, const Family &family,
                            double &share) {
  StringRef key = "partial_rotary_factor";
  std::optional<double> factor = reader.optionalNumber(key, 0, 1);
  if (!factor)
    return;
  if (*factor != 1 && !family.ropePartial)
    reader.emitError(key)
        << "expected 1, as rotating a part of each head is not modelled for "
           "this family, but got "
        << describeJson(*reader.find(key));
  share = *factor;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool readBias(JsonReader &reader, const BiasRule &rule) {
  return rule.key.empty() ? rule.always : reader.boolean(rule.key, false);
}

/// Reads what limits the gate and up projections of all MLPs.
static void readActivation(JsonReader &reader, const ActivationRule &rule,
                           DecoderConfig &config) {
  config.activationLimit = reader.number(rule.limitKey, 1e-6, 1e6, rule.limit);
  config.activationSlope = reader.number(rule.slopeKey, 1e-6, 1e6, rule.slope);
  config.hasActivationKernel = rule.hasKernel;
}

/// The base of the rotary embedding: a key of the config, or of the object
/// that newer configs have for all of the rotation. How the angles are scaled
/// changes no cost.
static double readRope(JsonReader &reader, const Family &family,
                       StringRef source, Location loc, double &share) {
  constexpr double smallest = 1, largest = 1e15;
  StringRef key = "rope_theta";
  readRotatedPart(reader, family, share);
  reader.optionalObject("rope_scaling");
  std::optional<double> theta = reader.optionalNumber(key, smallest, largest);
  if (const Json *object = reader.optionalObject("rope_parameters")) {
    JsonReader parameters(*object, source, loc,
                          reader.pointerTo("rope_parameters"));
    readRotatedPart(parameters, family, share);
    std::optional<double> inner =
        parameters.optionalNumber(key, smallest, largest);
    if (!theta)
      theta = inner;
    if (failed(parameters.finish()))
      reader.fail();
  }
  return theta.value_or(family.ropeTheta);
}

/// Checks what no member says alone. Fills in the head dimension if absent.
static void checkHeads(JsonReader &reader, DecoderConfig &config,
                       const Family &family, std::optional<int64_t> headDim,
                       double rotated) {
  if (config.numAttentionHeads % config.numKeyValueHeads != 0)
    reader.emitError("num_key_value_heads")
        << "expected a divisor of the " << config.numAttentionHeads
        << " attention heads, but got " << config.numKeyValueHeads;

  if (!headDim)
    headDim = family.headDim;
  bool isDerived = !headDim;
  if (isDerived) {
    if (config.hiddenSize % config.numAttentionHeads != 0) {
      reader.emitError("hidden_size")
          << "expected a multiple of the " << config.numAttentionHeads
          << " attention heads, as head_dim is missing, but got "
          << config.hiddenSize;
      return;
    }
    headDim = config.hiddenSize / config.numAttentionHeads;
  }
  config.headDim = *headDim;
  if (config.headDim % 2 != 0)
    reader.emitError("head_dim")
        << "expected an even number, as rotary embeddings turn pairs, but "
        << (isDerived ? "hidden_size / num_attention_heads is " : "got ")
        << config.headDim;
  if (config.valueHeadDim == 0)
    config.valueHeadDim = config.headDim;
  config.ropeWidth = getRopeWidth(config, config.headDim, rotated);
  if (config.ropeHalfTable)
    return;
  if (config.headDim % 2 == 0 &&
      (config.ropeWidth < 2 || config.ropeWidth % 2 != 0))
    reader.emitError("partial_rotary_factor")
        << "expected an even number of features to rotate, but of "
        << config.headDim << " it makes " << config.ropeWidth;
}

static void warnOfQuantization(const JsonReader &reader, StringRef source,
                               Location loc) {
  if (reader.has("quantization_config"))
    emitWarning(loc) << source << ": "
                     << reader.pointerTo("quantization_config")
                     << ": ignored; what is quantized is chosen when the model "
                        "is compiled";
}

/// Reads a config of a text model.
static FailureOr<DecoderConfig> readText(JsonReader &reader, StringRef source,
                                         const FamilySet &families,
                                         Location loc) {
  FailureOr<Family> family = findFamily(reader, families, loc.getContext());
  if (failed(family))
    return failure();
  if (!family->textConfig.empty())
    return reader.emitError("model_type")
           << "expected a text model's, but got that of one of more than text";
  if (failed(rejectNestedConfigs(reader)))
    return failure();
  DecoderConfig config;
  config.modelType = family->name;
  if (family->encoder) {
    readEncoder(reader, *family, config);
    if (failed(reader.finish()))
      return failure();
    warnOfQuantization(reader, source, loc);
    return config;
  }

  config.hiddenSize = reader.integer("hidden_size", 1, maxSize);
  config.numHiddenLayers = reader.integer("num_hidden_layers", 1, maxLayers);
  config.numAttentionHeads = reader.integer("num_attention_heads", 1, maxHeads);
  StringRef keyValueHeads = "num_key_value_heads";
  bool copiesHeads =
      family->keyValueHeadsDefaultToHeads && !reader.has(keyValueHeads);
  config.numKeyValueHeads = copiesHeads
                                ? config.numAttentionHeads
                                : reader.integer(keyValueHeads, 1, maxHeads);
  std::optional<int64_t> headDim =
      reader.optionalInteger("head_dim", 1, maxSize);
  // Where every layer has a mixture, no layer needs it.
  StringRef intermediate = family->intermediateSizeKey;
  if (!family->intermediateSizeFallback.empty() && !reader.has(intermediate))
    intermediate = family->intermediateSizeFallback;
  config.intermediateSize =
      family->mixture
          ? reader.optionalInteger(intermediate, 1, maxSize).value_or(0)
          : reader.integer(intermediate, 1, maxSize);
  config.vocabSize = reader.integer("vocab_size", 1, maxRows);
  config.maxPositionEmbeddings = reader.integer(
      "max_position_embeddings", 1, maxRows, family->maxPositionEmbeddings);
  // Much smaller ones vanish in f32, where a row of zeros would be divided by
  // zero.
  config.rmsNormEps =
      reader.number(family->normEpsKey, 1e-30, 1, family->rmsNormEps);
  double rotated = family->rotatedPart;
  config.ropeTheta = readRope(reader, *family, source, loc, rotated);
  config.ropeInterleaved = family->ropeInterleaved;
  config.ropeWide = family->ropeWide;
  config.ropeHalfTable = family->ropeHalfTable;
  config.wideNormWeight = family->wideNormWeight;
  config.zeroCenteredNorm = family->zeroCenteredNorm;
  config.outputGate = family->outputGate;
  config.qkvBias = readBias(reader, family->qkvBias);
  config.outputBias = readBias(reader, family->outputBias);
  config.mlpBias = readBias(reader, family->mlpBias);
  config.qkNorm = readBias(reader, family->qkNorm);
  config.qkNormOverHeads = family->qkNormOverHeads;
  config.hasSinks = readBias(reader, family->sinks);
  if (!family->valueHeadDimKey.empty())
    config.valueHeadDim =
        reader.optionalInteger(family->valueHeadDimKey, 1, maxSize).value_or(0);
  if (!family->valueScaleKey.empty())
    config.valueScale = reader.optionalNumber(family->valueScaleKey, 1e-6, 1e6);
  if (family->activation)
    readActivation(reader, *family->activation, config);
  config.tieWordEmbeddings =
      reader.boolean("tie_word_embeddings", family->tieWordEmbeddings);
  // Some configs write -1 for none.
  config.padTokenId = reader.optionalInteger("pad_token_id", -1, maxRows);
  if (config.padTokenId == -1)
    config.padTokenId = std::nullopt;

  if (!family->predictionLayers.empty())
    config.numPredictionLayers =
        reader.optionalInteger(family->predictionLayers, 0, maxLayers)
            .value_or(0);

  rejectOtherActivations(reader, *family);
  readWindows(reader, *family, config);
  if (family->latent)
    config.latent =
        readLatentAttention(reader, *family->latent, config.numHiddenLayers);
  if (family->compressed)
    config.compressed =
        readCompressedAttention(reader, *family->compressed, config);
  if (family->hasHyperConnections)
    config.hyper = readHyperConnections(reader);
  if (family->linear)
    config.linear =
        readLinearAttention(reader, *family->linear, config.numHiddenLayers);
  if (config.outputGate && !reader.boolean("attn_output_gate", true))
    reader.emitError("attn_output_gate")
        << "expected true, as attention of this family has a gate, but got "
           "false";
  if (failed(reader.finish()))
    return failure();

  if (family->mixture)
    config.mixture =
        readMixture(reader, *family->mixture, config.numHiddenLayers);
  // All MLPs are limited alike.
  if (config.mixture && config.activationLimit) {
    config.mixture->activationLimit = config.activationLimit;
    config.mixture->activationSlope = config.activationSlope;
  }
  bool hasDense = false;
  for (int64_t layer = 0; layer < config.numHiddenLayers; ++layer)
    hasDense |= !config.hasMixture(layer);
  if (config.intermediateSize == 0 && hasDense)
    config.intermediateSize = reader.integer(intermediate, 1, maxSize);
  if (config.latent)
    config.ropeWidth = config.latent->ropeHeadDim;
  else
    checkHeads(reader, config, *family, headDim, rotated);
  if (failed(reader.finish()))
    return failure();
  if (config.window)
    readWindowHeads(reader, *family, rotated, config);
  if (!family->blockSparseKey.empty())
    readBlockSparse(reader, *family, source, loc, config);
  if (config.compressed) {
    checkCompressedAttention(reader, config);
    config.ropeWidth = config.compressed->ropeHeadDim;
  }
  if (config.padTokenId && *config.padTokenId >= config.vocabSize)
    reader.emitError("pad_token_id")
        << "expected one of the " << config.vocabSize
        << " tokens of the vocabulary, but got " << *config.padTokenId;
  if (failed(reader.finish()))
    return failure();
  warnOfQuantization(reader, source, loc);
  return config;
}

/// Whether a config has the member that the rule of a tower names.
static bool hasVision(JsonReader &reader, const Json &rule) {
  auto key = rule.find("config");
  return key != rule.end() && key->is_string() &&
         reader.has(key->get_ref<const std::string &>());
}

/// Reads a config with the text model's as a member. What both may say,
/// the outer one says.
static FailureOr<DecoderConfig>
readNestedText(JsonReader &reader, const Family &family, StringRef source,
               const FamilySet &families, Location loc) {
  StringRef key = family.textConfig;
  const Json *nested = reader.optionalObject(key);
  if (!nested && !reader.has(key))
    return reader.emitError(key)
           << "expected the config of the text model, but it is missing";
  std::optional<bool> ties = reader.optionalBoolean("tie_word_embeddings");
  if (failed(reader.finish()))
    return failure();
  JsonReader inner(*nested, source, loc, reader.pointerTo(key));
  FailureOr<DecoderConfig> config = readText(inner, source, families, loc);
  if (failed(config))
    return failure();
  if (ties)
    config->tieWordEmbeddings = *ties;
  if (succeeded(config))
    warnOfQuantization(reader, source, loc);
  // Without a tower, the model may still be run on text.
  if (!family.vision || !hasVision(reader, *family.vision))
    return config;
  JsonReader rule(*family.vision, family.source, loc, family.visionPointer);
  config->vision =
      readVision(reader, rule, source, family.source, loc, config->hiddenSize);
  if (failed(rule.finish()) || failed(reader.finish()))
    return failure();
  return config;
}

FailureOr<DecoderConfig>
tensorcast::readConfig(const Json &json, StringRef source, StringRef modelName,
                       MLIRContext *context, StringRef familiesFile) {
  Location loc = UnknownLoc::get(context);
  JsonReader reader(json, source, loc);
  FailureOr<FamilySet> families = readFamilies(familiesFile, context);
  if (failed(reader.finish()) || failed(families))
    return failure();
  FailureOr<Family> family = findFamily(reader, *families, context);
  if (failed(family))
    return failure();
  FailureOr<DecoderConfig> config =
      family->textConfig.empty()
          ? readText(reader, source, *families, loc)
          : readNestedText(reader, *family, source, *families, loc);
  if (succeeded(config))
    config->name = modelName.str();
  return config;
}

LogicalResult tensorcast::addVisionTower(DecoderConfig &config,
                                         MLIRContext *context) {
  if (!config.vision)
    return emitError(UnknownLoc::get(context))
           << config.name
           << ": expected a model with a vision tower, to look at images, but "
              "its config describes none";
  config.looksAtImages = true;
  return success();
}

LogicalResult tensorcast::setDraftTokens(DecoderConfig &config,
                                         int64_t numTokens,
                                         MLIRContext *context) {
  if (numTokens > 0 && config.numPredictionLayers == 0)
    return emitError(UnknownLoc::get(context))
           << config.name
           << ": expected a model with layers for multi-token prediction, to "
              "draft "
           << numTokens << " tokens, but it has none";
  config.numDraftTokens = numTokens;
  return success();
}
