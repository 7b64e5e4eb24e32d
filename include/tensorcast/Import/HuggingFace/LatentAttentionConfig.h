//===- LatentAttentionConfig.h - Sizes of latent attention ------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_LATENTATTENTIONCONFIG_H
#define TENSORCAST_IMPORT_HUGGINGFACE_LATENTATTENTIONCONFIG_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir::tensorcast {

/// An indexer, which picks the cached tokens that a token attends to.
struct IndexerConfig {
  int64_t numHeads = 0;
  int64_t headDim = 0;
  int64_t topK = 0;
  bool interleavedRope = false;
  /// Whether each layer has an indexer of its own; the others use what the last
  /// such layer picked. The first layer has one.
  llvm::SmallVector<bool> isFull;
};

/// Multi-head latent attention: queries of one rank, keys and values of
/// another, and a rotated part that all heads share.
struct LatentAttentionConfig {
  int64_t queryRank = 0;
  int64_t latentRank = 0;
  /// Features of each query and key that are not rotated, and that are.
  int64_t nopeHeadDim = 0;
  /// Even.
  int64_t ropeHeadDim = 0;
  int64_t valueHeadDim = 0;
  bool interleavedRope = false;
  std::optional<IndexerConfig> indexer;

  int64_t getHeadDim() const { return nopeHeadDim + ropeHeadDim; }
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_LATENTATTENTIONCONFIG_H
