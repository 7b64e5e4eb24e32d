//===- LinearAttentionConfig.h - Sizes of linear attention ------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_LINEARATTENTIONCONFIG_H
#define TENSORCAST_IMPORT_HUGGINGFACE_LINEARATTENTIONCONFIG_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tensorcast {

/// Gated delta nets, in place of attention in some layers.
struct LinearAttentionConfig {
  int64_t numKeyHeads = 0;
  /// A multiple of the key heads.
  int64_t numValueHeads = 0;
  int64_t keyHeadDim = 0, valueHeadDim = 0;
  /// Tokens that the convolution looks at; at least 2.
  int64_t kernelSize = 0;
  /// Whether what goes through the convolution and its gate are one projection,
  /// and the two numbers per head another; else they are four.
  bool hasJoinedProjections = false;
  /// For each layer whether it has linear attention.
  llvm::SmallVector<bool> layers;

  /// Layers behind those of the config, which predict further tokens, have full
  /// attention.
  bool isIn(int64_t layer) const {
    return layer < static_cast<int64_t>(layers.size()) && layers[layer];
  }
  int64_t getKeyWidth() const { return numKeyHeads * keyHeadDim; }
  int64_t getValueWidth() const { return numValueHeads * valueHeadDim; }
  /// Features that go through the convolution: queries, keys and values.
  int64_t getChannels() const { return 2 * getKeyWidth() + getValueWidth(); }
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_LINEARATTENTIONCONFIG_H
