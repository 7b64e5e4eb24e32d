//===- Models.h - Models by name or path ------------------------*- C++ -*-===//
//
// The presets that come with TensorCast, and the user's own configs.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_MODELS_H
#define TENSORCAST_IMPORT_HUGGINGFACE_MODELS_H

#include "tensorcast/Import/HuggingFace/Config.h"

namespace mlir::tensorcast {

struct PresetInfo {
  /// As on the Hugging Face hub: `Qwen/Qwen3-32B`.
  std::string name;
  /// One line: layers, width, parameters.
  std::string description;
};

/// All presets, sorted by name.
SmallVector<PresetInfo> listPresets(MLIRContext *context);

/// The config of a path (a .json file, or a directory with a config.json in
/// it) or a preset. What exists as a path is one. Case does not count in the
/// names of presets, and the organization may be left out.
FailureOr<DecoderConfig> loadModel(StringRef model, MLIRContext *context,
                                   StringRef familiesFile = "");

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_MODELS_H
