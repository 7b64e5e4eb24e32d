//===- VisionReader.h - Keys of vision towers -------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_VISIONREADER_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_VISIONREADER_H

#include "tensorcast/Import/HuggingFace/Vision.h"
#include "tensorcast/Support/JsonReader.h"

namespace mlir::tensorcast {

/// Reads the tower of a model whose decoder has `hidden` features, from its
/// config, by the rule of its family. Reports through either of the readers,
/// which are to be finished.
std::optional<VisionConfig> readVision(JsonReader &config, JsonReader &rule,
                                       StringRef source, StringRef ruleSource,
                                       Location loc, int64_t hidden);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_VISIONREADER_H
