//===- LinearAttention.h - Linear attention of a config ---------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_LINEARATTENTION_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_LINEARATTENTION_H

#include "BlockBuilder.h"
#include "Family.h"

#include "tensorcast/Support/JsonReader.h"

namespace mlir::tensorcast {

/// Reads the keys of linear attention, and which of `numLayers` layers have it.
/// Mistakes are reported by `reader`.
LinearAttentionConfig readLinearAttention(JsonReader &reader,
                                          const LinearAttentionRule &rule,
                                          int64_t numLayers);

/// Weights of the linear attention of one layer.
double countLinearParameters(const DecoderConfig &config);

/// The same structure in small, but for its layers.
LinearAttentionConfig reduced(const LinearAttentionConfig &config);

/// Builds the linear attention of a layer, from hidden state to hidden state.
Value buildLinearAttention(BlockBuilder &block, Value hidden, Value batch);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_LINEARATTENTION_H
