//===- Reduced.cpp - Models in small --------------------------------------===//

#include "tensorcast/Import/HuggingFace/Config.h"

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
  double layer = 2 * hidden;           // the two norms
  layer += hidden * (query + 2 * key); // query, key, value
  layer += query * hidden;             // attention output
  layer += 3 * hidden * inner;         // gate, up, down
  layer += config.qkvBias ? query + 2 * key : 0;
  layer += config.outputBias ? hidden : 0;
  layer += config.mlpBias ? 2 * inner + hidden : 0;
  layer += config.qkNorm ? 2.0 * config.headDim : 0;

  double vocabulary = double(config.vocabSize) * hidden;
  if (!config.tieWordEmbeddings)
    vocabulary *= 2;
  return config.numHiddenLayers * layer + vocabulary + hidden;
}
