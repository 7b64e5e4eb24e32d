//===- LatentDecompositions.cpp - What latent projections stand for -------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Builds a projection of its parts; `Linear` builds the layers.
template <typename ProjectionOp, typename Linear>
static SmallVector<Value> buildProjection(ProjectionOp op, OpBuilder &builder,
                                          Linear linear) {
  Location loc = op.getLoc();
  Dim tokens = getDims(op.getInput().getType())[0];
  Type element = op.getInput().getType().getElementType();
  int64_t width = op.getTable().getType().getWidth();
  // Of the weights, which are known; results may have a `?`.
  int64_t heads = op.getQueryUp().getType().getDimSize(0) / op.getHeadSize();
  int64_t rank = op.getLatentDown().getType().getDimSize(0) - width;
  int64_t rest = op.getHeadSize() - width;
  auto rotate = [&](Value input) -> Value {
    return RopeOp::create(builder, loc, input.getType(), input, op.getTable(),
                          op.getStyle());
  };
  auto reshape = [&](Value input, ArrayRef<Dim> dims) -> Value {
    return ReshapeOp::create(builder, loc, getTensorType(dims, element), input);
  };

  Value down = linear.queryDown();
  Value queryLatent =
      RMSNormOp::create(builder, loc, down, op.getQueryNorm(), op.getEpsAttr());
  Value query = reshape(linear.queryUp(queryLatent),
                        {tokens, Dim(heads), Dim(op.getHeadSize())});
  Value rotated = query;
  if (rest > 0)
    rotated = SliceOp::create(builder, loc, query, rest, width);
  rotated = rotate(rotated);
  if (rest > 0) {
    Value kept = SliceOp::create(builder, loc, query, 0, rest);
    rotated = ConcatOp::create(builder, loc, kept, rotated);
  }
  Value both = linear.latentDown();
  Value latent = SliceOp::create(builder, loc, both, 0, rank);
  latent = RMSNormOp::create(builder, loc, latent, op.getLatentNorm(),
                             op.getEpsAttr());
  Value key = SliceOp::create(builder, loc, both, rank, width);
  key = rotate(reshape(key, {tokens, Dim(1), Dim(width)}));
  return {rotated, latent, reshape(key, {tokens, Dim(width)}), queryLatent};
}

/// The type of a layer's result.
static RankedTensorType getLayerType(Value input, Value weight, Type element) {
  return getTensorType(
      {getDims(getTensor(input))[0], getDims(getTensor(weight))[0]}, element);
}

namespace {
/// The layers of a projection of floats.
struct FloatLayers {
  LatentProjectionOp op;
  OpBuilder &builder;

  Value queryDown() { return build(op.getInput(), op.getQueryDown()); }
  Value queryUp(Value latent) { return build(latent, op.getQueryUp()); }
  Value latentDown() { return build(op.getInput(), op.getLatentDown()); }

private:
  Value build(Value input, Value weight) {
    Type type =
        getLayerType(input, weight, op.getInput().getType().getElementType());
    return LinearOp::create(builder, op.getLoc(), type, input, weight,
                            /*bias=*/Value(), RanksAttr());
  }
};

/// The layers of a quantized one, and the quantizations of what they read.
struct QuantizedLayers {
  QuantizedLatentProjectionOp op;
  OpBuilder &builder;

  Value queryDown() {
    return build(op.getInput(), op.getInputScale(), op.getQueryDown(),
                 op.getQueryDownScale());
  }
  Value queryUp(Value latent) {
    return build(latent, op.getQueryLatentScale(), op.getQueryUp(),
                 op.getQueryUpScale());
  }
  Value latentDown() {
    return build(op.getInput(), op.getInputScale(), op.getLatentDown(),
                 op.getLatentDownScale());
  }

private:
  Value build(Value input, Value scale, Value weight, Value weightScale) {
    Location loc = op.getLoc();
    Type type =
        getLayerType(input, weight, op.getInput().getType().getElementType());
    if (std::optional<Type> activation = op.getActivation()) {
      RankedTensorType narrow = withElementType(getTensor(input), *activation);
      if (scale) {
        input = QuantizeOp::create(builder, loc, narrow, input, scale);
      } else {
        bool shared = op.getGroupSize() && getTensor(weightScale).getRank() < 2;
        auto quantize = DynamicQuantizeOp::create(
            builder, loc, narrow,
            getScaleType(narrow, op.getGroupSize(), shared), input,
            op.getGroupSizeAttr());
        input = quantize.getResult();
        scale = quantize.getScale();
      }
    }
    return QuantizedLinearOp::create(builder, loc, type, input, weight, scale,
                                     weightScale, /*bias=*/Value(),
                                     op.getGroupSizeAttr(), RanksAttr());
  }
};
} // namespace

SmallVector<Value> LatentProjectionOp::decompose(OpBuilder &builder) {
  return buildProjection(*this, builder, FloatLayers{*this, builder});
}

SmallVector<Value> QuantizedLatentProjectionOp::decompose(OpBuilder &builder) {
  return buildProjection(*this, builder, QuantizedLayers{*this, builder});
}
