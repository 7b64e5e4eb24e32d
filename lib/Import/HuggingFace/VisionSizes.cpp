//===- VisionSizes.cpp - Vision towers in small, and their weights --------===//

#include "tensorcast/Import/HuggingFace/Vision.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>

using namespace mlir::tensorcast;

VisionConfig mlir::tensorcast::reduced(const VisionConfig &config,
                                       int64_t hidden) {
  VisionConfig small = config;
  small.depth = std::min<int64_t>(config.depth, 2);
  small.numHeads = std::min<int64_t>(config.numHeads, 4);
  small.width = small.numHeads * 8;
  small.mlpWidth = small.width * 3;
  small.patch = 2;
  small.channels = std::min<int64_t>(config.channels, 3);
  // Tables that are one to one with the patches of a tile stay so.
  if (small.positions)
    small.positions->side = 2 * small.merge;
  if (small.tile > 0)
    small.tile = 2 * small.merge * small.patch;
  if (config.cut != VisionConfig::Tiles) {
    small.minPixels = small.patch * small.merge * small.patch * small.merge;
    small.maxPixels = small.minPixels * 64;
  }
  if (!small.deepLayers.empty())
    small.deepLayers = {0};
  int64_t cell = small.width * small.merge * small.merge;
  for (auto *steps : {&small.before, &small.merger, &small.deepMerger})
    for (VisionStep &step : *steps)
      step.width = step.measure == VisionStep::Cell     ? cell
                   : step.measure == VisionStep::Output ? hidden
                                                        : hidden * 2;
  return small;
}

namespace {
/// Adds up the weights of the steps that rows of features go through.
struct StepCounter {
  double width, total = 0;
  double inCell;

  void add(const VisionStep &step) {
    switch (step.kind) {
    case VisionStep::LayerNorm:
      total += 2 * width;
      return;
    case VisionStep::RMSNorm:
      total += width;
      return;
    case VisionStep::Merge:
      width *= inCell;
      return;
    case VisionStep::Gelu:
      return;
    case VisionStep::Convolution:
    case VisionStep::Linear:
      total += width * step.width + (step.hasBias ? step.width : 0);
      width = step.width;
      return;
    case VisionStep::GatedMLP:
      total +=
          3 * width * step.width + (step.hasBias ? 2 * step.width + width : 0);
    }
  }
};
} // namespace

/// Weights of steps that begin with rows of `width` features.
static double countSteps(llvm::ArrayRef<VisionStep> steps, double width,
                         double inCell) {
  StepCounter counter{width, 0, inCell};
  for (const VisionStep &step : steps)
    counter.add(step);
  return counter.total;
}

double mlir::tensorcast::countParameters(const VisionConfig &config) {
  double width = config.width, inner = config.mlpWidth;
  double inCell = double(config.merge) * config.merge;
  double norm = config.rmsNorm ? width : 2 * width;
  double block = 2 * norm + 4 * width * width;
  block += config.attentionBias ? 4 * width : 0;
  block += config.gatedMlp ? 3 * width * inner : 2 * width * inner;
  if (config.mlpBias)
    block += config.gatedMlp ? 2 * inner + width : inner + width;
  block += config.scalesResiduals ? 2 * width : 0;
  double total = config.depth * block;
  total +=
      double(config.getPatchSize()) * width + (config.patchBias ? width : 0);
  if (config.positions)
    total += double(config.positions->side) * config.positions->side * width;
  total += countSteps(config.before, width, inCell);
  total += countSteps(config.merger, width, inCell);
  total +=
      config.deepLayers.size() * countSteps(config.deepMerger, width, inCell);
  return total;
}
