//===- MixtureReader.cpp - Keys of mixtures of experts --------------------===//

#include "MixtureReader.h"

#include "AttentionReader.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr int64_t maxExperts = 65536;
static constexpr int64_t maxSize = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// Whether the value under `key` is `f32`; `f16` stands for the model's type.
static bool isWide(JsonReader &reader, StringRef key) {
  return reader.optionalString(key).value_or("f16") == "f32";
}

MixtureRule tensorcast::readMixtureRule(JsonReader &reader) {
  MixtureRule rule;
  rule.experts = reader.string("experts");
  rule.choices = reader.string("choices", "num_experts_per_tok");
  rule.intermediateSize = reader.string("intermediate_size");
  std::pair<StringRef, std::string *> optional[] = {
      {"shared_experts", &rule.sharedExperts},
      {"shared_intermediate_size", &rule.sharedSize},
      {"first_dense", &rule.firstDense},
      {"first_mixture", &rule.firstMixture},
      {"last_mixture", &rule.lastMixture},
      {"layer_step", &rule.layerStep},
      {"dense_layers", &rule.denseLayers},
      {"hash_layers", &rule.hashLayers},
      {"shared_activation_limit", &rule.sharedLimitKey},
      {"scale", &rule.scale}};
  for (auto [key, text] : optional)
    *text = reader.string(key, "");
  rule.sharedName = reader.string("shared_name", "shared_experts");
  rule.hasSharedGate = reader.boolean("shared_gate", false);
  rule.firstDenseDefault =
      reader.integer("first_dense_default", 0, maxExperts, 0);
  const Json *normalize = reader.find("normalize");
  if (normalize && normalize->is_string())
    rule.normalize.key = reader.string("normalize");
  else
    rule.normalize.value = reader.boolean("normalize");
  rule.hasGroups = reader.boolean("groups", false);

  RouterConfig &router = rule.router;
  std::string score = reader.string("score");
  router.usesSigmoid = score == "sigmoid";
  router.usesChosenSoftmax = score == "softmax_of_chosen";
  router.usesSqrtSoftplus = score == "sqrt_softplus";
  router.hasLogitBias = reader.boolean("logit_bias", false);
  router.epsilon = reader.number("epsilon", 0, 1, 0.0);
  router.hasBias = reader.has("bias");
  router.wideBias = isWide(reader, "bias");
  router.wideLogits = isWide(reader, "router_type");
  router.wideWeights = isWide(reader, "weight_type");
  router.yieldsLogits = reader.boolean("gating_kernel");
  rule.block = reader.string("block", "mlp");
  rule.routerName = reader.string("router", "gate");
  rule.hasBias = reader.boolean("expert_bias", false);
  rule.limitKey = reader.string("activation_limit", "");
  if (!rule.limitKey.empty()) {
    rule.limit = reader.number("default_activation_limit", 0, 1e6);
    rule.slope = reader.number("activation_slope", 0, 1e6);
  }
  return rule;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Marks the layers that a list of numbers takes out.
static void removeListed(JsonReader &config, StringRef key,
                         SmallVectorImpl<bool> &layers) {
  const Json *list = config.find(key);
  if (!list || list->is_null())
    return;
  if (!list->is_array()) {
    config.emitError(key) << "expected an array of layers, but got "
                          << describeJson(*list);
    return;
  }
  for (const Json &entry : *list) {
    int64_t count = static_cast<int64_t>(layers.size());
    if (!entry.is_number_integer() || entry.get<int64_t>() < 0 ||
        entry.get<int64_t>() >= count) {
      config.emitError(key) << "expected layers from 0 to " << count - 1
                            << ", but got " << describeJson(entry);
      return;
    }
    layers[entry.get<int64_t>()] = false;
  }
}

static SmallVector<bool> readLayers(JsonReader &config, const MixtureRule &rule,
                                    int64_t numLayers) {
  auto get = [&](StringRef key, int64_t min, int64_t max, int64_t fallback) {
    return key.empty()
               ? fallback
               : config.optionalInteger(key, min, max).value_or(fallback);
  };
  int64_t first = get(rule.firstDense, 0, INT32_MAX, rule.firstDenseDefault);
  first = get(rule.firstMixture, 0, INT32_MAX, first);
  // Some configs write -1 for the last layer.
  int64_t last = get(rule.lastMixture, -1, INT32_MAX, numLayers - 1);
  if (last < 0 || last >= numLayers)
    last = numLayers - 1;
  if (const Json *list =
          rule.layerStep.empty() ? nullptr : config.find(rule.layerStep);
      list && list->is_array())
    return readLayerFlags(config, rule.layerStep, numLayers).flags;
  int64_t step = get(rule.layerStep, 1, INT32_MAX, 1);
  SmallVector<bool> layers(numLayers, false);
  for (int64_t layer = first; layer <= last; ++layer)
    layers[layer] = (layer + 1) % step == 0;
  if (!rule.denseLayers.empty())
    removeListed(config, rule.denseLayers, layers);
  return layers;
}

static void readGroups(JsonReader &config, MixtureConfig &mixture) {
  RouterConfig &router = mixture.router;
  router.groups = config.integer("n_group", 1, mixture.numExperts, 1);
  router.topGroups = config.integer("topk_group", 1, maxExperts, 1);
  if (router.topGroups > router.groups)
    config.emitError("topk_group")
        << "expected at most the " << router.groups
        << " groups of n_group, but got " << router.topGroups;
  else if (mixture.numExperts % router.groups != 0)
    config.emitError("n_group")
        << "expected a divisor of the " << mixture.numExperts
        << " experts, but got " << router.groups;
  else if (int64_t open = mixture.numExperts / router.groups * router.topGroups;
           mixture.numChoices > open)
    config.emitError("topk_group")
        << "expected groups with at least the " << mixture.numChoices
        << " experts of a token, but got " << router.topGroups << " of "
        << mixture.numExperts / router.groups;
}

std::optional<MixtureConfig> tensorcast::readMixture(JsonReader &config,
                                                     const MixtureRule &rule,
                                                     int64_t numLayers) {
  MixtureConfig mixture;
  mixture.layers = readLayers(config, rule, numLayers);
  if (llvm::none_of(mixture.layers, [](bool hasMixture) { return hasMixture; }))
    return std::nullopt;
  mixture.router = rule.router;
  mixture.block = rule.block;
  mixture.routerName = rule.routerName;
  mixture.hasBias = rule.hasBias;
  if (!rule.limitKey.empty()) {
    mixture.activationLimit =
        config.number(rule.limitKey, 1e-6, 1e6, rule.limit);
    mixture.activationSlope = rule.slope;
  }
  mixture.numExperts = config.integer(rule.experts, 1, maxExperts);
  mixture.numChoices = config.integer(rule.choices, 1, maxExperts);
  mixture.intermediateSize = config.integer(rule.intermediateSize, 1, maxSize);
  if (!rule.sharedExperts.empty())
    mixture.sharedIntermediateSize =
        config.optionalInteger(rule.sharedExperts, 0, 64).value_or(0) *
        mixture.intermediateSize;
  if (!rule.sharedLimitKey.empty())
    mixture.sharedActivationLimit =
        config.optionalNumber(rule.sharedLimitKey, 1e-6, 1e6);
  if (!rule.sharedSize.empty())
    mixture.sharedIntermediateSize =
        config.integer(rule.sharedSize, 0, maxSize);
  mixture.sharedName = rule.sharedName;
  mixture.hasSharedGate = rule.hasSharedGate;
  RouterConfig &router = mixture.router;
  if (!rule.hashLayers.empty())
    router.numHashLayers =
        config.optionalInteger(rule.hashLayers, 0, INT32_MAX).value_or(0);
  router.normalizes = rule.normalize.key.empty()
                          ? rule.normalize.value
                          : config.boolean(rule.normalize.key, true);
  if (!rule.scale.empty())
    router.scale = config.optionalNumber(rule.scale, 1e-6, 1e6).value_or(1.0);
  // What is wrong so far may be what the rest depends on.
  if (failed(config.finish()))
    return mixture;
  if (mixture.numChoices > mixture.numExperts)
    config.emitError(rule.choices)
        << "expected at most the " << mixture.numExperts << " of "
        << rule.experts << ", but got " << mixture.numChoices;
  else if (rule.hasGroups)
    readGroups(config, mixture);
  return mixture;
}
