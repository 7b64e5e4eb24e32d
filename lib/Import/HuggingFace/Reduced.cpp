//===- Reduced.cpp - Models in small --------------------------------------===//

#include "LatentAttention.h"

using namespace mlir;
using namespace mlir::tensorcast;

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
    small.latent = reduced(*config.latent, small.numHiddenLayers);
    small.headDim = small.latent->getHeadDim();
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

  if (small.padTokenId && *small.padTokenId >= small.vocabSize)
    small.padTokenId = 0;
  return small;
}

double tensorcast::countParameters(const DecoderConfig &config) {
  double hidden = config.hiddenSize, inner = config.intermediateSize;
  double query = config.getQueryWidth(), key = config.getKeyWidth();
  double layer = 2 * hidden;   // the two norms
  layer += 3 * hidden * inner; // gate, up, down
  layer += config.mlpBias ? 2 * inner + hidden : 0;
  double attention = hidden * (query + 2 * key); // query, key, value
  attention += query * hidden;                   // attention output
  attention += config.qkvBias ? query + 2 * key : 0;
  attention += config.outputBias ? hidden : 0;
  attention += config.qkNorm ? 2.0 * config.headDim : 0;
  double layers = config.numHiddenLayers * layer;
  for (int64_t i = 0; i < config.numHiddenLayers; ++i)
    layers += config.latent ? countLatentParameters(config, i) : attention;

  double vocabulary = double(config.vocabSize) * hidden;
  if (!config.tieWordEmbeddings)
    vocabulary *= 2;
  return layers + vocabulary + hidden;
}
