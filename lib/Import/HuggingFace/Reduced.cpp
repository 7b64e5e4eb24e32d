//===- Reduced.cpp - Models in small --------------------------------------===//

#include "CompressedAttention.h"
#include "LatentAttention.h"
#include "LinearAttention.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// The first layer of each kind; two layers at least, if the model has them.
static SmallVector<int64_t> pickLayers(const DecoderConfig &config) {
  auto getKind = [&](int64_t layer) {
    return std::tuple(config.hasMixture(layer), config.hasWindow(layer),
                      config.picksBlocks(layer),
                      config.hasLinearAttention(layer));
  };
  SmallVector<int64_t> picked;
  for (int64_t layer = 0; layer < config.numHiddenLayers; ++layer)
    if (llvm::none_of(picked, [&](int64_t other) {
          return getKind(other) == getKind(layer);
        }))
      picked.push_back(layer);
  if (picked.size() == 1 && config.numHiddenLayers > 1)
    picked.push_back(1);
  return picked;
}

/// Which of the layers `picked` are of a kind.
static SmallVector<bool> pickFlags(ArrayRef<int64_t> picked,
                                   function_ref<bool(int64_t)> isOfKind) {
  return SmallVector<bool>(llvm::map_range(picked, isOfKind));
}

/// Windows that a few tokens pass, and another number of key-value heads than
/// the other layers have, if it is another one in the model.
static WindowConfig reduceWindow(const DecoderConfig &config,
                                 const DecoderConfig &small) {
  WindowConfig window = *config.window;
  const HeadsConfig &old = config.window->heads;
  window.size = std::min<int64_t>(window.size, 4);
  window.heads = small.getHeads();
  window.heads.hasSink = old.hasSink;
  int64_t groups = small.numKeyValueHeads;
  if (old.keyValue > config.numKeyValueHeads)
    groups *= 2;
  else if (old.keyValue < config.numKeyValueHeads)
    groups = std::max<int64_t>(groups / 2, 1);
  if (window.heads.query % groups == 0)
    window.heads.keyValue = groups;
  return window;
}

static BlockSparseConfig reduceBlocks(const BlockSparseConfig &blocks,
                                      int64_t headDim) {
  BlockSparseConfig small = blocks;
  small.headDim = headDim;
  small.blockSize = std::min<int64_t>(blocks.blockSize, 3);
  small.local = std::min<int64_t>(blocks.local, 1);
  small.initial = std::min<int64_t>(blocks.initial, 1);
  small.topK = std::min<int64_t>(blocks.topK, 2);
  return small;
}

/// A few experts in the groups of the model, two of them for each token.
/// `hidden` is the small width.
static MixtureConfig reduceMixture(const MixtureConfig &mixture,
                                   int64_t hidden) {
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
  router.numHashLayers = std::min<int64_t>(router.numHashLayers, 1);
  // One that is narrower than the others stays one.
  if (mixture.sharedIntermediateSize > 0)
    small.sharedIntermediateSize = std::max<int64_t>(
        small.sharedIntermediateSize, small.intermediateSize / 2);
  return small;
}

DecoderConfig tensorcast::reduced(const DecoderConfig &config) {
  DecoderConfig small = config;
  small.name += "-reduced";
  SmallVector<int64_t> layers = pickLayers(config);
  small.numHiddenLayers = static_cast<int64_t>(layers.size());
  small.vocabSize = 256;
  small.maxPositionEmbeddings = 128;

  // Two groups of heads, so that they can be sharded; each as large as in the
  // model, up to the largest in use.
  int64_t group = config.numAttentionHeads / config.numKeyValueHeads;
  small.numKeyValueHeads = std::min<int64_t>(config.numKeyValueHeads, 2);
  small.numAttentionHeads =
      small.numKeyValueHeads * std::min<int64_t>(group, 16);
  small.headDim = std::min<int64_t>(config.headDim, 8);
  small.valueHeadDim = small.headDim;
  if (config.valueHeadDim != config.headDim)
    small.valueHeadDim = config.valueHeadDim < config.headDim
                             ? std::max<int64_t>(small.headDim / 2, 1)
                             : small.headDim * 2;
  if (config.latent) {
    small.numAttentionHeads = std::min<int64_t>(config.numAttentionHeads, 4);
    small.numKeyValueHeads =
        std::min(config.numKeyValueHeads, small.numAttentionHeads);
    small.latent = reduced(*config.latent, small.numHiddenLayers);
    small.headDim = small.latent->getHeadDim();
    small.ropeWidth = small.latent->ropeHeadDim;
  } else if (config.compressed) {
    // Layers are as many as the model has kinds of.
    small.numHiddenLayers = config.numHiddenLayers;
    reduceCompressed(small);
    // So many divisions take longest to compile, and are all alike.
    if (small.hyper)
      small.hyper->iterations = std::min<int64_t>(small.hyper->iterations, 3);
    layers = llvm::to_vector(llvm::seq<int64_t>(small.numHiddenLayers));
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
  if (config.encoder)
    small.ropeWidth = 0;
  if (config.mixture) {
    small.mixture = reduceMixture(*config.mixture, small.hiddenSize);
    small.mixture->layers = pickFlags(
        layers, [&](int64_t layer) { return config.hasMixture(layer); });
  }
  if (config.window) {
    small.window = reduceWindow(config, small);
    small.window->layers.flags = pickFlags(
        layers, [&](int64_t layer) { return config.hasWindow(layer); });
  }
  if (config.blockSparse) {
    small.blockSparse = reduceBlocks(*config.blockSparse, small.headDim);
    small.blockSparse->layers.flags = pickFlags(
        layers, [&](int64_t layer) { return config.picksBlocks(layer); });
  }
  if (config.linear) {
    small.linear = reduced(*config.linear);
    small.linear->layers = pickFlags(layers, [&](int64_t layer) {
      return config.hasLinearAttention(layer);
    });
  }

  if (config.vision)
    small.vision = reduced(*config.vision, small.hiddenSize);
  if (small.padTokenId && *small.padTokenId >= small.vocabSize)
    small.padTokenId = 0;
  return small;
}
