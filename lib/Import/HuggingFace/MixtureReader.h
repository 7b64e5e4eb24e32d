//===- MixtureReader.h - Keys of mixtures of experts ------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_MIXTUREREADER_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_MIXTUREREADER_H

#include "tensorcast/Import/HuggingFace/Mixture.h"
#include "tensorcast/Support/JsonReader.h"

namespace mlir::tensorcast {

/// A number or a truth that is fixed, or under a key of the config.
template <typename T> struct Setting {
  T value{};
  std::string key;
};

/// How a family writes down its mixture: the names of keys, and what all of
/// its models have in common.
struct MixtureRule {
  std::string experts, choices, intermediateSize;
  /// The key for the width of the shared expert, where it has one of its own;
  /// what the model calls it, and whether it has a gate.
  std::string sharedSize, sharedName;
  bool hasSharedGate = false;
  /// Keys that may be absent: the number of shared experts; the leading layers
  /// without mixture, or the first and last with one, every so many; the
  /// layers without.
  std::string sharedExperts, firstDense, firstMixture, lastMixture, layerStep,
      denseLayers;
  /// Keys of the leading layers whose experts a table names, and of what limits
  /// the activation of the shared expert.
  std::string hashLayers, sharedLimitKey;
  /// Leading layers without mixture if the config does not say.
  int64_t firstDenseDefault = 0;
  Setting<bool> normalize;
  std::string scale;
  bool hasGroups = false;
  RouterConfig router;
  std::string block, routerName;
  /// Whether the layers of experts have biases.
  bool hasBias = false;
  /// Of activations with a limit: its key, its default and the slope.
  std::string limitKey;
  double limit = 0, slope = 1;
};

/// Reads the rule of a family.
MixtureRule readMixtureRule(JsonReader &reader);

/// Reads the mixture of a model with so many layers; none if no layer has it.
/// Reports through `config`.
std::optional<MixtureConfig>
readMixture(JsonReader &config, const MixtureRule &rule, int64_t numLayers);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_MIXTUREREADER_H
