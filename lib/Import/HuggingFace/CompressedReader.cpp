//===- CompressedReader.cpp - Sizes of compressed attention ---------------===//

#include "CompressedAttention.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Beyond any model, and small enough that products of two fit.
static constexpr int64_t maxSize = int64_t(1) << 24;
static constexpr int64_t maxHeads = 65536;
static constexpr int64_t maxStreams = 64;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// A list with an entry per layer, also of those that predict further.
static void readRatios(JsonReader &reader, const DecoderConfig &decoder,
                       CompressedAttentionConfig &config) {
  StringRef key = "compress_ratios";
  int64_t numLayers = decoder.numHiddenLayers + decoder.numPredictionLayers;
  const Json *ratios = reader.find(key);
  if (!ratios || !ratios->is_array() ||
      ratios->size() != static_cast<size_t>(numLayers)) {
    InFlightDiagnostic diagnostic = reader.emitError(key);
    diagnostic << "expected an array of " << numLayers
               << " ratios, one per layer and per layer that predicts further, "
                  "but ";
    if (!ratios)
      diagnostic << "the key is missing";
    else if (ratios->is_array())
      diagnostic << "got " << ratios->size();
    else
      diagnostic << "got " << describeJson(*ratios);
    return;
  }
  for (auto [layer, ratio] : llvm::enumerate(*ratios)) {
    if (ratio.is_number_integer() && ratio >= 0 && ratio != 1 &&
        ratio <= maxSize) {
      bool predicts = static_cast<int64_t>(layer) >= decoder.numHiddenLayers;
      (predicts ? config.predictionRatios : config.ratios)
          .push_back(ratio.get<int64_t>());
      continue;
    }
    reader.emitError(key)
        << "expected 0, or tokens per compressed row from 2 to " << maxSize
        << ", for layer " << layer << ", but got " << describeJson(ratio);
    return;
  }
}

CompressedAttentionConfig
tensorcast::readCompressedAttention(JsonReader &reader,
                                    const CompressedAttentionRule &rule,
                                    const DecoderConfig &decoder) {
  CompressedAttentionConfig config;
  config.indexedRatio = rule.indexedRatio;
  config.interleavedRope = rule.interleavedRope;
  config.queryRank = reader.integer("q_lora_rank", 1, maxSize);
  StringRef rotated = "qk_rope_head_dim";
  config.ropeHeadDim = reader.integer(rotated, 1, maxSize);
  if (config.ropeHeadDim % 2 != 0)
    reader.emitError(rotated)
        << "expected an even number, as rotary embeddings turn pairs, but got "
        << config.ropeHeadDim;
  config.window = reader.integer("sliding_window", 1, maxSize);
  config.outputGroups = reader.integer("o_groups", 1, maxHeads);
  config.outputRank = reader.integer("o_lora_rank", 1, maxSize);
  readRatios(reader, decoder, config);
  if (llvm::is_contained(config.ratios, config.indexedRatio) ||
      llvm::is_contained(config.predictionRatios, config.indexedRatio)) {
    config.indexHeads = reader.integer("index_n_heads", 1, maxHeads);
    StringRef size = "index_head_dim";
    config.indexHeadDim = reader.integer(size, 1, maxSize);
    config.indexTopK = reader.integer("index_topk", 1, maxSize);
    if (config.indexHeadDim > 0 && config.indexHeadDim < config.ropeHeadDim)
      reader.emitError(size)
          << "expected at least " << rotated << ", " << config.ropeHeadDim
          << ", but got " << config.indexHeadDim;
  }
  return config;
}

HyperConnectionsConfig tensorcast::readHyperConnections(JsonReader &reader) {
  HyperConnectionsConfig config;
  config.streams = reader.integer("hc_mult", 1, maxStreams);
  config.iterations = reader.integer("hc_sinkhorn_iters", 1, 1000);
  config.eps = reader.number("hc_eps", 1e-30, 1, 1e-6);
  return config;
}

void tensorcast::checkCompressedAttention(JsonReader &reader,
                                          const DecoderConfig &config) {
  const CompressedAttentionConfig &attention = *config.compressed;
  if (config.numKeyValueHeads != 1)
    reader.emitError("num_key_value_heads")
        << "expected 1, as all heads share the rows of compressed attention, "
           "but got "
        << config.numKeyValueHeads;
  if (attention.ropeHeadDim > config.headDim)
    reader.emitError("qk_rope_head_dim")
        << "expected at most head_dim, " << config.headDim << ", but got "
        << attention.ropeHeadDim;
  if (config.numAttentionHeads % attention.outputGroups != 0)
    reader.emitError("o_groups")
        << "expected a divisor of the " << config.numAttentionHeads
        << " attention heads, but got " << attention.outputGroups;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Weights of what makes compressed rows of `size` features.
static double countCompressor(const DecoderConfig &config, int64_t ratio,
                              double size) {
  double width = size * (config.compressed->isIndexed(ratio) ? 2 : 1);
  return 2 * width * config.hiddenSize + double(ratio) * width + size;
}

double tensorcast::countCompressedParameters(const DecoderConfig &config,
                                             int64_t layer) {
  const CompressedAttentionConfig &attention = *config.compressed;
  double hidden = config.hiddenSize, size = config.headDim;
  double queryRank = attention.queryRank, wide = config.getQueryWidth();
  double inner = double(attention.outputGroups) * attention.outputRank;
  double count = hidden * queryRank + queryRank + queryRank * wide;
  count += hidden * size + size;
  count += attention.outputRank * wide + inner * hidden;
  count += config.numAttentionHeads; // the sinks
  int64_t ratio = attention.getRatio(layer, config.numHiddenLayers);
  if (ratio)
    count += countCompressor(config, ratio, size);
  if (!attention.isIndexed(ratio))
    return count;
  double indexWidth = double(attention.indexHeads) * attention.indexHeadDim;
  return count + queryRank * indexWidth + hidden * attention.indexHeads +
         countCompressor(config, ratio, attention.indexHeadDim);
}

double tensorcast::countHyperParameters(const DecoderConfig &config,
                                        bool isHead) {
  if (!config.hyper)
    return 0;
  double streams = config.hyper->streams, mixes = config.hyper->getNumMixes();
  double wide = streams * config.hiddenSize;
  return isHead ? streams * wide + 1 + streams : 2 * (mixes * wide + 3 + mixes);
}

void tensorcast::reduceCompressed(DecoderConfig &config) {
  CompressedAttentionConfig &attention = *config.compressed;
  // A layer of each kind that the model has, in their order.
  constexpr int64_t smallIndexed = 2, smallOther = 3;
  auto shrink = [&](int64_t ratio) {
    if (ratio == 0)
      return ratio;
    return ratio == attention.indexedRatio ? smallIndexed : smallOther;
  };
  SmallVector<int64_t> ratios;
  for (int64_t layer = 0; layer < config.numHiddenLayers; ++layer)
    if (int64_t ratio =
            shrink(attention.getRatio(layer, config.numHiddenLayers));
        !llvm::is_contained(ratios, ratio))
      ratios.push_back(ratio);
  for (int64_t &ratio : attention.predictionRatios)
    ratio = shrink(ratio);
  attention.ratios = ratios;
  attention.indexedRatio = smallIndexed;
  config.numHiddenLayers = static_cast<int64_t>(ratios.size());
  config.numAttentionHeads = 4;
  config.numKeyValueHeads = 1;
  config.headDim = 8;
  attention.ropeHeadDim = config.ropeWidth = 4;
  attention.queryRank = 24;
  attention.window = 4;
  attention.outputGroups = 2;
  attention.outputRank = 6;
  attention.indexHeads = 4;
  attention.indexHeadDim = 8;
  attention.indexTopK = 2;
}
