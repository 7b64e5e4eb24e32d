//===- Rotation.h - What rotations are made of ------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_ROTATION_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_ROTATION_H

#include "Fusion.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

namespace mlir::transformer {

/// The range of `input` that `value` sees, if it is a slice.
inline bool isSlice(Value value, Value input, int64_t offset, int64_t size) {
  auto slice = value.getDefiningOp<SliceOp>();
  return slice && slice.getInput() == input &&
         static_cast<int64_t>(slice.getOffset()) == offset &&
         static_cast<int64_t>(slice.getSize()) == size;
}

/// What a rotation is made of.
struct Rotation {
  Value input;
  RopePartsOp parts;
  RopeStyle style;

  /// x * cos + rotate(x) * sin, operands in either order. Where the table is
  /// wider than x, both factors are widened and `value` is the sum in x's type.
  static std::optional<Rotation> match(Value value) {
    auto narrow = value.getDefiningOp<CastOp>();
    auto add = (narrow ? narrow.getInput() : value).getDefiningOp<AddOp>();
    if (!add)
      return std::nullopt;
    for (bool swap : {false, true}) {
      auto cosine = (swap ? add.getRhs() : add.getLhs()).getDefiningOp<MulOp>();
      auto sine = (swap ? add.getLhs() : add.getRhs()).getDefiningOp<MulOp>();
      if (!cosine || !sine)
        return std::nullopt;
      for (Value factor : {cosine.getLhs(), cosine.getRhs()}) {
        auto parts = factor.getDefiningOp<RopePartsOp>();
        if (!parts || parts.getCos() != factor)
          continue;
        Value input =
            factor == cosine.getLhs() ? cosine.getRhs() : cosine.getLhs();
        Value turned =
            sine.getLhs() == parts.getSin() ? sine.getRhs() : sine.getLhs();
        if (sine.getLhs() != parts.getSin() && sine.getRhs() != parts.getSin())
          continue;
        if (narrow) {
          input = getNarrow(input);
          turned = getNarrow(turned);
        }
        if (!input || !turned || getType(input).getRank() < 1)
          continue;
        if (isRotatedHalf(turned, input))
          return Rotation{input, parts, RopeStyle::Half};
        if (areRotatedNeighbours(turned, input))
          return Rotation{input, parts, RopeStyle::Interleaved};
      }
    }
    return std::nullopt;
  }

  /// Whether the products and the sum have another type than the heads.
  bool isWide() {
    return parts.getCos().getType().getElementType() !=
           getType(input).getElementType();
  }

private:
  static RankedTensorType getType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  /// What a widening to f32 is of.
  static Value getNarrow(Value value) {
    auto widen = value.getDefiningOp<CastOp>();
    bool isWidening = widen && widen.getType().getElementType().isF32() &&
                      getType(widen.getInput()).getElementTypeBitWidth() == 16;
    return isWidening ? widen.getInput() : Value();
  }

  /// concat(-x[r/2:], x[:r/2])
  static bool isRotatedHalf(Value value, Value input) {
    auto concat = value.getDefiningOp<ConcatOp>();
    auto negated = concat ? concat.getLhs().getDefiningOp<NegOp>() : NegOp();
    int64_t size = getType(input).getShape().back() / 2;
    return negated && isSlice(negated.getInput(), input, size, size) &&
           isSlice(concat.getRhs(), input, 0, size);
  }

  /// The same of each pair of neighbours, which another shape shows.
  static bool areRotatedNeighbours(Value value, Value input) {
    auto joined = value.getDefiningOp<ReshapeOp>();
    auto concat =
        joined ? joined.getInput().getDefiningOp<ConcatOp>() : ConcatOp();
    auto first = concat ? concat.getRhs().getDefiningOp<SliceOp>() : SliceOp();
    auto pairs =
        first ? first.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!pairs || pairs.getInput() != input ||
        value.getType() != input.getType())
      return false;
    SmallVector<Dim> dims = getDims(getType(input));
    if (!dims.back().isStatic())
      return false;
    dims.back() = Dim(dims.back().size / 2);
    dims.push_back(Dim(2));
    return pairs.getType() ==
               getTensorType(dims, getType(input).getElementType()) &&
           isRotatedHalf(concat, pairs);
  }
};

/// Fills `patterns` with the fusion of projections of latent attention.
void populateFuseLatent(RewritePatternSet &patterns, FusionSwitch fusion);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_ROTATION_H
