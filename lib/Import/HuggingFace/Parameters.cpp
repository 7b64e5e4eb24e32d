//===- Parameters.cpp - How many weights a model has ----------------------===//

#include "CompressedAttention.h"
#include "Encoder.h"
#include "LatentAttention.h"
#include "LinearAttention.h"

using namespace mlir;
using namespace mlir::tensorcast;

static double countGatedMlp(const DecoderConfig &config, double inner,
                            bool hasBias) {
  double hidden = config.hiddenSize;
  return 3 * hidden * inner + (hasBias ? 2 * inner + hidden : 0);
}

/// Of a mixture, with `numExperts` of its routed experts.
static double countMixture(const DecoderConfig &config, int64_t layer,
                           double numExperts) {
  const MixtureConfig &mixture = *config.mixture;
  // A table of choices is no weight, and takes the place of the bias.
  bool hasTable = layer < mixture.router.numHashLayers;
  double perExpert = config.hiddenSize + (mixture.router.hasBias && !hasTable) +
                     mixture.router.hasLogitBias;
  return mixture.numExperts * perExpert +
         numExperts *
             countGatedMlp(config, mixture.intermediateSize, mixture.hasBias) +
         countGatedMlp(config, mixture.sharedIntermediateSize, false) +
         (mixture.hasSharedGate ? config.hiddenSize : 0);
}

static double countAttention(const DecoderConfig &config, int64_t layer) {
  if (config.latent)
    return countLatentParameters(config, layer);
  if (config.compressed)
    return countCompressedParameters(config, layer);
  if (config.hasLinearAttention(layer))
    return countLinearParameters(config);
  double hidden = config.hiddenSize;
  HeadsConfig heads = config.getHeads(layer);
  double query = heads.getQueryWidth(), key = heads.getKeyWidth();
  double gate = config.outputGate ? query : 0;
  double both = query + gate + key + heads.getValueWidth();
  double count = hidden * both + heads.getOutputWidth() * hidden;
  count += config.qkvBias ? both : 0;
  count += config.outputBias ? hidden : 0;
  count += heads.hasSink ? heads.query : 0;
  if (config.qkNorm)
    count += config.qkNormOverHeads ? query + key : 2.0 * heads.keySize;
  if (config.picksBlocks(layer)) {
    double size = config.blockSparse->headDim;
    count += hidden * size * (config.numKeyValueHeads + 1);
    count += config.qkNorm ? 2 * size : 0;
  }
  return count;
}

/// With `numExperts` routed experts in each mixture.
static double count(const DecoderConfig &config, double numExperts) {
  if (config.encoder)
    return countEncoderParameters(config);
  double hidden = config.hiddenSize;
  double total =
      double(config.vocabSize) * hidden * (config.tieWordEmbeddings ? 1 : 2);
  total += hidden; // the last norm
  total += countHyperParameters(config, /*isHead=*/true);
  for (int64_t layer = 0; layer < config.numHiddenLayers; ++layer) {
    total += 2 * hidden; // the two norms
    total += countAttention(config, layer);
    total += countHyperParameters(config, /*isHead=*/false);
    total +=
        config.hasMixture(layer)
            ? countMixture(config, layer, numExperts)
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
