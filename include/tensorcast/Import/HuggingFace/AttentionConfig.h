//===- AttentionConfig.h - Attention by heads of a config -------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_ATTENTIONCONFIG_H
#define TENSORCAST_IMPORT_HUGGINGFACE_ATTENTIONCONFIG_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tensorcast {

/// For each layer whether it is of a kind; layers behind those are as the last.
struct LayerFlags {
  llvm::SmallVector<bool> flags;

  bool isIn(int64_t layer) const {
    if (flags.empty())
      return false;
    return layer < static_cast<int64_t>(flags.size()) ? flags[layer]
                                                      : flags.back();
  }
};

/// The heads of an attention: those of queries, those of keys and values, and
/// their sizes. Heads of keys divide those of queries; key sizes are even.
struct HeadsConfig {
  int64_t query = 0, keyValue = 0;
  int64_t keySize = 0, valueSize = 0;
  /// Features of each head of queries and keys that are rotated; even.
  int64_t ropeWidth = 0;
  /// Whether each head has a number that joins the softmax.
  bool hasSink = false;

  int64_t getQueryWidth() const { return query * keySize; }
  int64_t getKeyWidth() const { return keyValue * keySize; }
  int64_t getValueWidth() const { return keyValue * valueSize; }
  int64_t getOutputWidth() const { return query * valueSize; }
};

/// Layers that attend to the latest tokens only, with heads of their own.
struct WindowConfig {
  int64_t size = 0;
  LayerFlags layers;
  HeadsConfig heads;
  /// Whether they are rotated by angles of their own.
  bool hasOwnRope = false;
};

/// Layers that attend to blocks of tokens, which an indexer with a query head
/// for each key-value head picks.
struct BlockSparseConfig {
  LayerFlags layers;
  int64_t headDim = 0, blockSize = 0;
  /// Blocks that a token attends to, of which the latest ones and the first
  /// ones are picked whatever their score.
  int64_t topK = 0, local = 0, initial = 0;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_ATTENTIONCONFIG_H
