//===- AttentionDecompositions.cpp - What attention stands for ------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The softmax of masked `scores`, tokens x heads x cached tokens, where one
/// more score per head may join the sum. Every token sees itself, so that the
/// largest score is a number.
static Value buildSoftmax(OpBuilder &builder, Location loc, Value scores,
                          Value sink) {
  Value peak = MaxOp::create(builder, loc, scores, 2);
  Value below = SubOp::create(builder, loc, scores, peak);
  Value weights = ExpOp::create(builder, loc, below.getType(), below);
  Value sum = SumOp::create(builder, loc, weights, 2);
  if (sink) {
    RankedTensorType type = getTensor(sink);
    auto wide = withElementType(type, getTensor(scores).getElementType());
    if (wide != type)
      sink = CastOp::create(builder, loc, wide, sink);
    sink = ReshapeOp::create(builder, loc,
                             getTensorType({Dim(1), getDims(type)[0], Dim(1)},
                                           wide.getElementType()),
                             sink);
    Value share = SubOp::create(builder, loc, sink, peak);
    share = ExpOp::create(builder, loc, share.getType(), share);
    sum = AddOp::create(builder, loc, sum, share);
  }
  return DivOp::create(builder, loc, weights, sum);
}

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value keys = ReadCacheOp::create(builder, loc, getCache(), getBatch(),
                                   /*values=*/UnitAttr());
  Value values = ReadCacheOp::create(builder, loc, getCache(), getBatch(),
                                     builder.getUnitAttr());
  Value scores = HeadScoresOp::create(builder, loc, getQuery(), keys);
  scores = MulScalarOp::create(builder, loc, scores, getScaleAttr());
  scores =
      MaskScoresOp::create(builder, loc, scores.getType(), scores, getBatch(),
                           getBlocks(), getWindowAttr(), getBlockSizeAttr());
  Value weights = buildSoftmax(builder, loc, scores, getSink());
  return {HeadMixOp::create(builder, loc, weights, values)};
}

SmallVector<Value> BlockIndexerOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value keys = ReadCacheOp::create(builder, loc, getCache(), getBatch(),
                                   /*values=*/UnitAttr());
  Value scores = HeadScoresOp::create(builder, loc, getQuery(), keys);
  scores = MaskScoresOp::create(builder, loc, scores.getType(), scores,
                                getBatch(), /*blocks=*/Value(),
                                /*window=*/IntegerAttr(),
                                /*block_size=*/IntegerAttr());
  scores =
      PoolScoresOp::create(builder, loc, scores, getBatch(), getBlockSizeAttr(),
                           getLocalAttr(), getInitialAttr(), getTopKAttr());
  auto top = TopKOp::create(builder, loc, scores, getTopK());
  return {top.getIndices()};
}
