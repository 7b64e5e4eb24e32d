//===- Vision.h - Vision towers as configs describe them --------*- C++ -*-===//
//
// What looks at images in front of a decoder: patches become features, blocks
// let those of an image attend to each other, and a merger makes tokens of
// cells of patches.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_VISION_H
#define TENSORCAST_IMPORT_HUGGINGFACE_VISION_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::tensorcast {

/// A step on the way into the blocks, or out of them.
struct VisionStep {
  enum Kind {
    LayerNorm,
    RMSNorm,
    /// The features of the patches of a cell become those of one row.
    Merge,
    /// Of the patches of a cell; not split over devices.
    Convolution,
    Linear,
    Gelu,
    /// Gate, up and down projection, as in a decoder.
    GatedMLP
  };
  enum Split { Whole, Columns, Rows };
  /// What says how wide a layer is: the features of a cell, what the decoder
  /// reads, or a key of its own.
  enum Measure { Cell, Output, Own };

  Kind kind = Merge;
  std::string name;
  /// Features of the result of a layer; those between of a gated MLP.
  int64_t width = 0;
  Measure measure = Own;
  bool hasBias = true;
  Split split = Whole;
  double eps = 0;
};

/// How patches know their place.
struct VisionPositions {
  enum Form { Bilinear, Bicubic, Exact };

  Form form = Bilinear;
  std::string name;
  /// Positions along an edge of the table.
  int64_t side = 0;
};

/// What belongs to the parts of a block.
struct VisionBlockNames {
  std::string firstNorm, qkv, query, key, value, output, secondNorm, gate, up,
      down, firstScale, secondScale;
};

/// A vision tower. All values are checked: the heads make up the width, what
/// the merger yields is as wide as the decoder.
struct VisionConfig {
  /// The prefixes of what makes features, of the blocks, and of the mergers.
  std::string name, blocksName, mergerName, deepMergerName;
  VisionBlockNames names;

  int64_t width = 0, depth = 0, numHeads = 0, mlpWidth = 0;
  int64_t channels = 3, frames = 1, patch = 0, merge = 1;
  double normEps = 0;
  bool rmsNorm = false;
  /// Biases of patches' features, of attention and of the MLP.
  bool patchBias = true, attentionBias = true, mlpBias = true;
  /// Whether query, key and value are one layer in the model.
  bool joinsQkv = true;
  bool gatedMlp = false, geluByTanh = false;
  /// Whether what a block adds is scaled by a vector first.
  bool scalesResiduals = false;

  std::optional<VisionPositions> positions;
  /// The base of rotations by row and column, if there are such; in f32.
  std::optional<double> ropeTheta;
  /// Whether neighbours are turned, as complex numbers, and not halves.
  bool ropeComplex = false;

  /// Between patches and blocks, before positions are added; behind the blocks;
  /// and behind some of the blocks, for layers of the decoder.
  llvm::SmallVector<VisionStep> before, merger, deepMerger;
  llvm::SmallVector<int64_t> deepLayers;

  /// How images are cut (see transformer::ImageRuleAttr): to the nearest whole
  /// cells, up, or into tiles.
  enum Cut { Nearest, Up, Tiles };
  Cut cut = Nearest;
  int64_t minPixels = 0, maxPixels = 0, tile = 0, maxTiles = 0, markers = 0;

  int64_t getHeadDim() const { return width / numHeads; }
  /// Elements of a patch.
  int64_t getPatchSize() const { return channels * frames * patch * patch; }
};

/// The same structure in small, in front of a decoder of `hidden` features.
VisionConfig reduced(const VisionConfig &config, int64_t hidden);

/// Number of weights.
double countParameters(const VisionConfig &config);

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_VISION_H
