//===- CompressedAttentionConfig.h - Sizes of DeepSeek-V4 -------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_COMPRESSEDATTENTIONCONFIG_H
#define TENSORCAST_IMPORT_HUGGINGFACE_COMPRESSEDATTENTIONCONFIG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>

namespace mlir::tensorcast {

/// Attention over a window and compressed rows, where one row is key and value
/// of all heads; its output projection is of low rank and in groups.
struct CompressedAttentionConfig {
  int64_t queryRank = 0;
  /// Features of each row that are rotated; even.
  int64_t ropeHeadDim = 0;
  bool interleavedRope = false;
  /// The latest tokens that every layer attends to.
  int64_t window = 0;
  int64_t outputGroups = 0, outputRank = 0;
  /// For each layer, and each that predicts further, how many tokens a
  /// compressed row stands for; 0 if the layer has none.
  llvm::SmallVector<int64_t> ratios, predictionRatios;
  /// The ratio of layers whose groups overlap, and whose rows an indexer picks.
  int64_t indexedRatio = 0;
  int64_t indexHeads = 0, indexHeadDim = 0, indexTopK = 0;

  /// The ratio of `layer` of a model with `numLayers` before those that predict
  /// further. Where it has more than the config lists, they are as the last
  /// one.
  int64_t getRatio(int64_t layer, int64_t numLayers) const {
    bool predicts = layer >= numLayers;
    llvm::ArrayRef<int64_t> list = predicts ? predictionRatios : ratios;
    size_t index = static_cast<size_t>(predicts ? layer - numLayers : layer);
    return list.empty() ? 0 : list[std::min(index, list.size() - 1)];
  }
  /// Whether an indexer picks among rows of this ratio, of overlapping groups.
  bool isIndexed(int64_t ratio) const {
    return ratio != 0 && ratio == indexedRatio;
  }
};

/// Several residual streams, mixed in front of and behind each block.
struct HyperConnectionsConfig {
  int64_t streams = 0;
  /// How often the weights of the streams are made to add up to 1.
  int64_t iterations = 0;
  double eps = 0;

  int64_t getNumMixes() const { return streams * (streams + 2); }
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_COMPRESSEDATTENTIONCONFIG_H
