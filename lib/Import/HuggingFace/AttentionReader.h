//===- AttentionReader.h - Keys of attention by heads -----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_ATTENTIONREADER_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_ATTENTIONREADER_H

#include "Family.h"

#include "tensorcast/Import/HuggingFace/Config.h"
#include "tensorcast/Support/JsonReader.h"

namespace mlir::tensorcast {

/// Whether `list` has an entry for each of `numLayers` layers; reports if not.
bool checkLayerList(JsonReader &reader, StringRef key, const Json &list,
                    int64_t numLayers);

/// Reads a list of truths, or of 0 and 1, one for each of `numLayers` layers.
LayerFlags readLayerFlags(JsonReader &reader, StringRef key, int64_t numLayers);

/// Reads which layers attend to the latest tokens, and to how many.
void readWindows(JsonReader &reader, const Family &family,
                 DecoderConfig &config);

/// Reads which layers attend to blocks that an indexer picks. `source` and
/// `loc` are for messages.
void readBlockSparse(JsonReader &reader, const Family &family, StringRef source,
                     Location loc, DecoderConfig &config);

/// Reads the heads of layers with a window, where those of the others are
/// known; `rotated` is the part of each head that is rotated.
void readWindowHeads(JsonReader &reader, const Family &family, double rotated,
                     DecoderConfig &config);

/// The features of a head of `size` that are rotated.
int64_t getRopeWidth(const DecoderConfig &config, int64_t size, double rotated);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_ATTENTIONREADER_H
