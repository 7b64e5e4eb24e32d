//===- ImageRule.cpp - How models cut images into cells -------------------===//
//
// What the image processors of Hugging Face do before a model runs: they scale
// an image, so that it is made of whole cells and has neither too many nor too
// few of them.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

LogicalResult ImagesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t count, int64_t rows, int64_t columns,
                                 int64_t tokens) {
  constexpr int64_t largest = 1 << 16;
  std::pair<StringRef, int64_t> sizes[] = {
      {"count", count}, {"rows", rows}, {"columns", columns}};
  for (auto [name, size] : sizes)
    if (size < 1 || size > largest)
      return emitError() << "expected '" << name << "' from 1 to " << largest
                         << ", but got " << size;
  // Products of three such numbers are in range.
  int64_t cells = count * rows * columns;
  if (tokens < cells || tokens > WorkloadAttr::kMaxTokens)
    return emitError() << "expected 'tokens' from " << cells
                       << ", one per cell, to " << WorkloadAttr::kMaxTokens
                       << ", but got " << tokens;
  return success();
}

LogicalResult
ImageRuleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ImageCut cut, int64_t patch, int64_t merge,
                      int64_t minPixels, int64_t maxPixels, int64_t tile,
                      int64_t maxTiles, int64_t markers) {
  auto check = [&](StringRef name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most)
      return success();
    return LogicalResult(emitError()
                         << "expected '" << name << "' from " << least << " to "
                         << most << ", but got " << value);
  };
  constexpr int64_t mostPixels = int64_t(1) << 32;
  bool isTiled = cut == ImageCut::Tiles;
  if (failed(check("patch", patch, 1, 1024)) ||
      failed(check("merge", merge, 1, 64)) ||
      failed(check("min_pixels", minPixels, 0, mostPixels)) ||
      failed(check("max_pixels", maxPixels, isTiled ? 0 : patch * patch,
                   mostPixels)) ||
      failed(check("tile", tile, isTiled ? 1 : 0, kMaxSide)) ||
      failed(check("max_tiles", maxTiles, isTiled ? 1 : 0, 64)) ||
      failed(check("markers", markers, 0, 1024)))
    return failure();
  if (!isTiled && minPixels > maxPixels)
    return emitError() << "expected 'min_pixels' of at most " << maxPixels
                       << ", but got " << minPixels;
  if (isTiled && tile % (patch * merge) != 0)
    return emitError() << "expected 'tile' to be a multiple of "
                       << patch * merge << ", the side of a cell, but got "
                       << tile;
  return success();
}

namespace {
/// The sides of an image.
struct Sides {
  int64_t height, width;
};
} // namespace

/// Whole multiples of `unit` near the sides, for an image that has from
/// `minPixels` to `maxPixels` then.
static Sides roundToNearest(Sides image, int64_t unit, int64_t minPixels,
                            int64_t maxPixels) {
  auto round = [&](double side) {
    // Ties go to even, the default rounding.
    return static_cast<int64_t>(std::nearbyint(side / unit)) * unit;
  };
  double pixels = double(image.height) * image.width;
  Sides sides = {round(image.height), round(image.width)};
  if (sides.height * sides.width > maxPixels) {
    double shrink = std::sqrt(pixels / maxPixels);
    auto fit = [&](int64_t side) {
      return std::max<int64_t>(
          unit, static_cast<int64_t>(std::floor(side / shrink / unit)) * unit);
    };
    return {fit(image.height), fit(image.width)};
  }
  if (sides.height * sides.width < minPixels) {
    double grow = std::sqrt(minPixels / pixels);
    auto fit = [&](int64_t side) {
      return static_cast<int64_t>(std::ceil(side * grow / unit)) * unit;
    };
    return {fit(image.height), fit(image.width)};
  }
  return {std::max(sides.height, unit), std::max(sides.width, unit)};
}

/// Scales an image down to `maxPixels` in whole patches, and rounds its sides
/// up to whole multiples of `unit`.
static Sides roundUp(Sides image, int64_t patch, int64_t unit,
                     int64_t maxPixels) {
  auto countPatches = [&](int64_t side) {
    return std::max<int64_t>(side / patch, 1);
  };
  double mostPatches = double(maxPixels) / (patch * patch);
  double scale = std::min(
      1.0, std::sqrt(mostPatches / (double(countPatches(image.height)) *
                                    countPatches(image.width))));
  auto fit = [&](int64_t side) -> int64_t {
    auto scaled = std::max<int64_t>(static_cast<int64_t>(side * scale), 1);
    return llvm::divideCeil(scaled, unit) * unit;
  };
  return {fit(image.height), fit(image.width)};
}

/// The grid of at most `most` square tiles whose shape is nearest to that of
/// the image; of equally near ones the larger, if the image would fill more
/// than half of it.
static Sides findTiles(Sides image, int64_t tile, int64_t most) {
  double ratio = double(image.width) / image.height;
  SmallVector<Sides> grids;
  for (int64_t rows = 1; rows <= most; ++rows)
    for (int64_t columns = 1; rows * columns <= most; ++columns)
      grids.push_back({rows, columns});
  llvm::sort(grids, [](const Sides &lhs, const Sides &rhs) {
    return std::pair(lhs.height * lhs.width, lhs.height) <
           std::pair(rhs.height * rhs.width, rhs.height);
  });
  Sides best = {1, 1};
  double nearest = INFINITY;
  for (const Sides &grid : grids) {
    double distance = std::fabs(ratio - double(grid.width) / grid.height);
    double pixels = double(tile) * tile * grid.height * grid.width;
    bool isFilled = double(image.height) * image.width > 0.5 * pixels;
    if (distance < nearest || (distance == nearest && isFilled))
      best = grid;
    nearest = std::min(nearest, distance);
  }
  return best;
}

FailureOr<ImagesAttr>
ImageRuleAttr::cut(int64_t count, int64_t height, int64_t width,
                   function_ref<InFlightDiagnostic()> emitError) const {
  std::tuple<StringRef, int64_t, int64_t> numbers[] = {
      {"image-batch-size", count, kMaxImages},
      {"image-height", height, kMaxSide},
      {"image-width", width, kMaxSide}};
  for (auto [name, value, most] : numbers)
    if (value < 1 || value > most)
      return emitError() << "expected '" << name << "' from 1 to " << most
                         << ", but got " << value;
  // Image processors refuse longer ones.
  constexpr int64_t mostAspect = 200;
  if (std::max(height, width) > mostAspect * std::min(height, width))
    return emitError() << "expected an image at most " << mostAspect
                       << " times as long as it is wide, but got " << height
                       << " x " << width << " pixels";
  Sides image = {height, width};
  int64_t unit = getPatch() * getMerge();
  int64_t numTiles = 1;
  Sides sides;
  if (getCut() == ImageCut::Tiles) {
    Sides grid = findTiles(image, getTile(), getMaxTiles());
    numTiles = grid.height * grid.width;
    // The whole image, in small, is one more.
    if (numTiles > 1)
      ++numTiles;
    sides = {getTile(), getTile()};
  } else if (getCut() == ImageCut::Up) {
    sides = roundUp(image, getPatch(), unit, getMaxPixels());
  } else {
    sides = roundToNearest(image, unit, getMinPixels(), getMaxPixels());
  }
  int64_t rows = sides.height / unit, columns = sides.width / unit;
  int64_t tokens = count * (numTiles * rows * columns + getMarkers());
  return ImagesAttr::getChecked(emitError, getContext(), count * numTiles, rows,
                                columns, tokens);
}
