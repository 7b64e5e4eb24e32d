//===- LatentAttention.h - Latent attention of a config ---------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_LATENTATTENTION_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_LATENTATTENTION_H

#include "BlockBuilder.h"
#include "Family.h"

#include "tensorcast/Support/JsonReader.h"

namespace mlir::tensorcast {

/// Reads the keys of latent attention in `numLayers` layers. Mistakes are
/// reported by `reader`.
LatentAttentionConfig readLatentAttention(JsonReader &reader,
                                          const LatentAttentionRule &rule,
                                          int64_t numLayers);

/// Weights of the attention of one layer.
double countLatentParameters(const DecoderConfig &config, int64_t layer);

/// The same structure in small, for `numLayers` layers.
LatentAttentionConfig reduced(const LatentAttentionConfig &config,
                              int64_t numLayers);

/// The type of the indices that layers hand on.
Type getIndicesType(const IndexerConfig &indexer, MLIRContext *context);

/// Whether `layer` picks tokens for itself, with latent attention that is
/// sparse, and whether the layer behind it takes its indices.
bool hasIndexer(const DecoderConfig &config, int64_t layer);
bool passesIndices(const DecoderConfig &config, int64_t layer);
bool takesIndices(const DecoderConfig &config, int64_t layer);

/// Builds the attention of a layer, up to its output projection. `indices` are
/// those of a layer before, if it has none of its own; afterwards they are
/// those that it used.
Value buildLatentAttention(BlockBuilder &block, Value hidden, Value rope,
                           Value batch, bool hasIndexer, Value &indices);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_LATENTATTENTION_H
