//===- Parameters.cpp - How many weights a model has ----------------------===//

#include "LatentAttention.h"

using namespace mlir;
using namespace mlir::tensorcast;

static double countGatedMlp(const DecoderConfig &config, double inner,
                            bool hasBias) {
  double hidden = config.hiddenSize;
  return 3 * hidden * inner + (hasBias ? 2 * inner + hidden : 0);
}

/// Of a mixture, with `numExperts` of its routed experts.
static double countMixture(const DecoderConfig &config, double numExperts) {
  const MixtureConfig &mixture = *config.mixture;
  double perExpert =
      config.hiddenSize + mixture.router.hasBias + mixture.router.hasLogitBias;
  return mixture.numExperts * perExpert +
         numExperts *
             countGatedMlp(config, mixture.intermediateSize, mixture.hasBias) +
         countGatedMlp(config, mixture.sharedIntermediateSize, false);
}

static double countAttention(const DecoderConfig &config, int64_t layer) {
  if (config.latent)
    return countLatentParameters(config, layer);
  double hidden = config.hiddenSize;
  double query = config.getQueryWidth(), key = config.getKeyWidth();
  double count = hidden * (query + 2 * key) + query * hidden;
  count += config.qkvBias ? query + 2 * key : 0;
  count += config.outputBias ? hidden : 0;
  if (config.qkNorm)
    count += config.qkNormOverHeads ? query + key : 2.0 * config.headDim;
  return count;
}

/// With `numExperts` routed experts in each mixture.
static double count(const DecoderConfig &config, double numExperts) {
  double hidden = config.hiddenSize;
  double total =
      double(config.vocabSize) * hidden * (config.tieWordEmbeddings ? 1 : 2);
  total += hidden; // the last norm
  for (int64_t layer = 0; layer < config.numHiddenLayers; ++layer) {
    total += 2 * hidden; // the two norms
    total += countAttention(config, layer);
    total +=
        config.hasMixture(layer)
            ? countMixture(config, numExperts)
            : countGatedMlp(config, config.intermediateSize, config.mlpBias);
  }
  if (config.vision)
    total += countParameters(*config.vision);
  return total;
}

double tensorcast::countParameters(const DecoderConfig &config) {
  return count(config, config.mixture ? config.mixture->numExperts : 0);
}

double tensorcast::countActiveParameters(const DecoderConfig &config) {
  return count(config, config.mixture ? config.mixture->numChoices : 0);
}
