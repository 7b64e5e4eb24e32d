//===- ModelSettings.h - How a model is served ------------------*- C++ -*-===//
//
// What changes a price, but for the workload and how devices share the model:
// what the command lines of several commands have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_PIPELINES_MODELSETTINGS_H
#define TENSORCAST_PIPELINES_MODELSETTINGS_H

#include "tensorcast/Pipelines/Pipelines.h"

#include <string>

namespace mlir::tensorcast {

/// Empty texts stand for the default of the pipelines.
struct ModelSettings {
  std::string device, reference, kernelSet, costModel, kernelCoefficients;
  std::string linearAction, nonExpertLinearAction, attentionAction;
  int64_t mxfp4GroupSize = 32;
  std::string wordEmbedding;
  bool redundantExperts = false;
  bool sharedExpertTensor = false;
  bool externalSharedExperts = false;
  bool hostSharedExperts = false;
  double reservedMemoryGB = 0;
  bool noRepetition = false;

  /// Files with patterns of the user's own.
  SmallVector<std::string> patterns;

  /// With fusions, and the passes of `--compilation-config`.
  bool compiled = false;
  SmallVector<std::string> compilationConfig;

  template <typename OptionsT> void fill(OptionsT &options) const {
    auto set = [](auto &option, const std::string &value) {
      if (!value.empty())
        option = value;
    };
    set(options.device, device);
    set(options.reference, reference);
    set(options.kernelSet, kernelSet);
    set(options.costModel, costModel);
    set(options.kernelCoefficients, kernelCoefficients);
    set(options.quantizeLinearAction, linearAction);
    set(options.quantizeNonExpertLinearAction, nonExpertLinearAction);
    set(options.quantizeAttentionAction, attentionAction);
    set(options.wordEmbedding, wordEmbedding);
    options.mxfp4GroupSize = mxfp4GroupSize;
    options.redundantExperts = redundantExperts;
    options.sharedExpertTensor = sharedExpertTensor;
    options.externalSharedExperts = externalSharedExperts;
    options.hostSharedExperts = hostSharedExperts;
    options.reservedMemoryGB = reservedMemoryGB;
    options.noRepetition = noRepetition;
    for (const std::string &pattern : patterns)
      options.patterns.push_back(pattern);
  }

  /// Adds the pipeline that prices the model so; `set` sets its other options.
  template <typename SetT> void build(OpPassManager &pm, SetT set) const {
    if (compiled) {
      CompileOptions options;
      fill(options);
      for (const std::string &pass : compilationConfig)
        options.compilationConfig.push_back(pass);
      set(options);
      buildCompilePipeline(pm, options);
      return;
    }
    EagerOptions options;
    fill(options);
    set(options);
    buildEagerPipeline(pm, options);
  }
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_PIPELINES_MODELSETTINGS_H
