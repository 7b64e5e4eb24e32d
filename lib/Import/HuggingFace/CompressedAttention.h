//===- CompressedAttention.h - DeepSeek-V4's blocks -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_COMPRESSEDATTENTION_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_COMPRESSEDATTENTION_H

#include "BlockBuilder.h"
#include "Family.h"

#include "tensorcast/Support/JsonReader.h"

namespace mlir::tensorcast {

/// Reads the keys of compressed attention for all layers of `config`, and those
/// of hyper-connections. Mistakes are reported by `reader`.
CompressedAttentionConfig
readCompressedAttention(JsonReader &reader, const CompressedAttentionRule &rule,
                        const DecoderConfig &config);
HyperConnectionsConfig readHyperConnections(JsonReader &reader);

/// Checks what sizes of other keys must divide.
void checkCompressedAttention(JsonReader &reader, const DecoderConfig &config);

/// Weights of the attention of one layer, up to the end of its output
/// projection, and of the hyper-connections of a layer or of the head.
double countCompressedParameters(const DecoderConfig &config, int64_t layer);
double countHyperParameters(const DecoderConfig &config, bool isHead);

/// Small sizes, for layers of the kinds that the model has; `config` gets as
/// many of them.
void reduceCompressed(DecoderConfig &config);

/// Builds the attention of a layer with its output projection.
Value buildCompressedAttention(BlockBuilder &block, int64_t layer, Value hidden,
                               Value rope, Value batch);

/// The input of a block, made of the streams, and what spreads its output.
struct HyperBlock {
  HyperBlock(BlockBuilder &block, StringRef name, Value streams);

  /// The streams behind the block, whose output is `output`.
  Value finish(Value output) const;

  BlockBuilder &block;
  Location loc;
  Value streams, input, post, comb;
};

/// The streams of a hidden state, and the hidden state of streams.
Value buildStreams(BlockBuilder &block, Value hidden);
Value buildHyperHead(BlockBuilder &block, StringRef name, Value streams);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_COMPRESSEDATTENTION_H
