//===- Mixture.h - Mixtures of experts in a config --------------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_MIXTURE_H
#define TENSORCAST_IMPORT_HUGGINGFACE_MIXTURE_H

#include "tensorcast/Support/Json.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// How tokens choose their experts.
struct RouterConfig {
  /// Scores are sigmoids of the logits, or a softmax over the experts, or over
  /// those that are chosen (by their logits).
  bool usesSigmoid = false, usesChosenSoftmax = false;
  /// Or the square root of a smooth ramp of the logits; the router's own code
  /// calls the kernel that chooses then.
  bool usesSqrtSoftplus = false;
  /// In the first layers a table says which experts a token has, by its id.
  int64_t numHashLayers = 0;
  /// Whether the logits have a bias.
  bool hasLogitBias = false;
  /// Experts are in `groups` groups, of which `topGroups` can be chosen; 0 if
  /// all can.
  int64_t groups = 0, topGroups = 0;
  /// Whether the weights of the choices are made to add up to 1, and what is
  /// added to, or limits, their sum.
  bool normalizes = false;
  double epsilon = 0;
  double scale = 1;
  /// Whether experts are chosen by score plus bias, which is then of f32 or of
  /// the model's type.
  bool hasBias = false, wideBias = false;
  /// Whether logits, and weights, are f32 or of the model's type.
  bool wideLogits = false, wideWeights = false;
  /// Whether the router yields logits and its caller chooses.
  bool yieldsLogits = false;
};

/// The mixture of experts that stands for the MLP in some layers. Sizes are
/// positive; the choices fit into the experts.
struct MixtureConfig {
  int64_t numExperts = 0;
  int64_t numChoices = 0;
  int64_t intermediateSize = 0;
  /// Of the expert that every token visits; 0 if there is none.
  int64_t sharedIntermediateSize = 0;
  /// What the model calls it, and whether a sigmoid per token scales what it
  /// yields.
  std::string sharedName = "shared_experts";
  bool hasSharedGate = false;
  RouterConfig router;
  /// For each layer whether it has the mixture.
  SmallVector<bool> layers;
  /// What the model calls the mixture, and the router within: `mlp`, `gate`.
  std::string block = "mlp", routerName = "gate";
  /// Whether the layers of experts have biases.
  bool hasBias = false;
  /// What limits gate and up projections, if something does, and the slope of
  /// the gate's sigmoid then.
  std::optional<double> activationLimit;
  double activationSlope = 1;
  /// What limits gate and up projections of the shared expert, if something
  /// does.
  std::optional<double> sharedActivationLimit;

  /// Layers behind those of the config are as its last ones would be.
  bool isIn(int64_t layer) const {
    return layer >= static_cast<int64_t>(layers.size()) || layers[layer];
  }
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_MIXTURE_H
