//===- Reduced.cpp - Models in small --------------------------------------===//

#include "LatentAttention.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// A few experts in the groups of the model, two of them for each token, and
/// layers of both kinds if the model has them. `hidden` is the small width.
static MixtureConfig reduceMixture(const MixtureConfig &mixture, int64_t hidden,
                                   int64_t numLayers) {
  constexpr int64_t numExperts = 8;
  MixtureConfig small = mixture;
  RouterConfig &router = small.router;
  int64_t groups = std::max<int64_t>(router.groups, 1);
  int64_t perGroup = mixture.numExperts / groups;
  if (groups > 1) {
    router.groups = std::min<int64_t>(groups, 4);
    router.topGroups =
        std::max<int64_t>(router.topGroups * router.groups / groups, 1);
    groups = router.groups;
  }
  perGroup = std::min<int64_t>(perGroup, numExperts / groups);
  small.numExperts = groups * perGroup;
  int64_t open = router.groups > 1 ? router.topGroups * perGroup : perGroup;
  small.numChoices = std::min<int64_t>({mixture.numChoices, int64_t(2), open});
  // Experts are narrower than the hidden state.
  small.intermediateSize = hidden / 2;
  small.sharedIntermediateSize = mixture.sharedIntermediateSize /
                                 mixture.intermediateSize *
                                 small.intermediateSize;
  small.layers.resize(numLayers);
  for (int64_t layer = 1; layer < numLayers; ++layer)
    if (bool other = !small.layers[0];
        llvm::is_contained(mixture.layers, other))
      small.layers[layer] = other;
  return small;
}

DecoderConfig tensorcast::reduced(const DecoderConfig &config) {
  DecoderConfig small = config;
  small.name += "-reduced";
  small.numHiddenLayers = std::min<int64_t>(config.numHiddenLayers, 2);
  small.vocabSize = 256;
  small.maxPositionEmbeddings = 128;

  // Two groups of heads, so that they can be sharded; each as large as in the
  // model, up to the largest in use.
  int64_t group = config.numAttentionHeads / config.numKeyValueHeads;
  small.numKeyValueHeads = std::min<int64_t>(config.numKeyValueHeads, 2);
  small.numAttentionHeads =
      small.numKeyValueHeads * std::min<int64_t>(group, 16);
  small.headDim = std::min<int64_t>(config.headDim, 8);
  if (config.latent) {
    small.numAttentionHeads = std::min<int64_t>(config.numAttentionHeads, 4);
    small.numKeyValueHeads =
        std::min(config.numKeyValueHeads, small.numAttentionHeads);
    small.latent = reduced(*config.latent, small.numHiddenLayers);
    small.headDim = small.latent->getHeadDim();
    small.ropeWidth = small.latent->ropeHeadDim;
  } else {
    // A part that is rotated stays one: in pairs, and at least one of them.
    small.ropeWidth = std::max<int64_t>(
        config.ropeWidth * small.headDim / config.headDim / 2 * 2, 2);
    if (config.ropeHalfTable)
      small.ropeWidth = small.headDim / 2;
  }

  // Where the heads together are wider or narrower than the hidden state, a
  // graph that confuses the two must not pass.
  int64_t queryWidth = small.getQueryWidth();
  small.hiddenSize = queryWidth;
  if (config.hiddenSize < config.getQueryWidth())
    small.hiddenSize = queryWidth / 2;
  else if (config.hiddenSize > config.getQueryWidth())
    small.hiddenSize = queryWidth * 2;
  small.intermediateSize = small.hiddenSize * 3;
  if (config.mixture)
    small.mixture =
        reduceMixture(*config.mixture, small.hiddenSize, small.numHiddenLayers);

  if (config.vision)
    small.vision = reduced(*config.vision, small.hiddenSize);
  if (small.padTokenId && *small.padTokenId >= small.vocabSize)
    small.padTokenId = 0;
  return small;
}
