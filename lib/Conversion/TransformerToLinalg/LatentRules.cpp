//===- LatentRules.cpp - Latent attention ---------------------------------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

static Value add(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}

/// `input` in f32, or as it is if wider; times `scale` if there is one.
static Value buildWide(OpBuilder &builder, Location loc, Value input,
                       Value scale = {}) {
  RankedTensorType type = getTensorType(input);
  Type wide = builder.getF32Type();
  if (type.getElementType().isF64())
    wide = type.getElementType();
  SmallVector<Value> operands = {input};
  if (scale)
    operands.push_back(scale);
  auto body = [&](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
    Value value = convertTo(inner, innerLoc, args[0], wide);
    if (args.size() == 1)
      return value;
    return arith::MulFOp::create(inner, innerLoc, value,
                                 convertTo(inner, innerLoc, args[1], wide));
  };
  return buildElementwise(builder, loc,
                          RankedTensorType::get(type.getShape(), wide),
                          operands, body);
}

/// The features `offset` to `offset + size` of the last dimension.
static Value buildFeatures(OpBuilder &builder, Location loc, Value input,
                           int64_t offset, int64_t size) {
  SmallVector<int64_t> sizes(getTensorType(input).getShape());
  SmallVector<int64_t> offsets(sizes.size(), 0);
  offsets.back() = offset;
  sizes.back() = size;
  return buildSlice(builder, loc, input, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

/// `cache` with `rows`, tokens x features, written at `offset` of the new
/// slots.
static Value buildAppend(OpBuilder &builder, Location loc, Value rows,
                         Value cache, const Step &step, KVCacheType kept,
                         int64_t offset) {
  RankedTensorType type = getTensorType(rows);
  rows = buildRound(builder, loc,
                    RankedTensorType::get(
                        type.getShape(), getTensorType(cache).getElementType()),
                    rows);
  rows = buildReshape(builder, loc, rows,
                      {step.requests, step.newTokens, type.getDimSize(1)});
  return insertTokens(builder, loc, rows, cache, step, kept, {offset});
}

namespace {
struct LowerAppendLatentCache : LinalgRule<AppendLatentCacheOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(AppendLatentCacheOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Value latent = adaptor.getLatent().front();
    std::optional<Step> step =
        getStep(op, getTensorType(latent).getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Value cache = adaptor.getCache().front();
    KVCacheType type = op.getType();
    cache = buildAppend(rewriter, op.getLoc(), latent, cache, *step, type, 0);
    cache =
        buildAppend(rewriter, op.getLoc(), adaptor.getRopeKey().front(), cache,
                    *step, type, getTensorType(latent).getDimSize(1));
    rewriter.replaceOp(op, cache);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Builds attention over loops of requests r, new tokens i, heads h, slots s
/// and features d; keys and values are made of all cached rows.
class LatentAttentionBuilder {
public:
  LatentAttentionBuilder(OpBuilder &builder, Location loc, const Step &step)
      : builder(builder), loc(loc), step(step) {}

  /// `query` is tokens x heads x key size, `cache` R x kv x row, `weight`
  /// heads * (n + v) x rank, all wide; `indices` may be null. The result is
  /// tokens x heads x `valueSize`.
  Value build(Value query, Value cache, Value weight, Value indices,
              int64_t valueSize, double scale) {
    ArrayRef<int64_t> shape = getTensorType(query).getShape();
    int64_t heads = shape[1], keySize = shape[2];
    int64_t rank = getTensorType(weight).getDimSize(1);
    int64_t width = getTensorType(cache).getDimSize(2) - rank;
    int64_t rest = keySize - width;
    query = buildReshape(builder, loc, query,
                         {step.requests, step.newTokens, heads, keySize});
    Value latent = buildFeatures(builder, loc, cache, 0, rank);
    Value ropeKey = buildFeatures(builder, loc, cache, rank, width);
    weight =
        buildReshape(builder, loc, weight, {heads, rest + valueSize, rank});
    // Loops: r, s, h, d, and the rank.
    Value both = buildContraction(
        builder, loc,
        {step.requests, step.totalTokens, heads, rest + valueSize}, latent,
        weight, 5, {{0, 1, 4}, {2, 3, 4}, {0, 1, 2, 3}});
    Value key = buildFeatures(builder, loc, both, 0, rest);
    Value value = buildFeatures(builder, loc, both, rest, valueSize);

    // Loops: r, i, h, s, d.
    SmallVector<int64_t> scoreShape = {step.requests, step.newTokens, heads,
                                       step.totalTokens};
    Value scores =
        buildContraction(builder, loc, scoreShape,
                         buildFeatures(builder, loc, query, rest, width),
                         ropeKey, 5, {{0, 1, 2, 4}, {0, 3, 4}, {0, 1, 2, 3}});
    if (rest > 0) {
      Value others = buildContraction(
          builder, loc, scoreShape, buildFeatures(builder, loc, query, 0, rest),
          key, 5, {{0, 1, 2, 4}, {0, 3, 2, 4}, {0, 1, 2, 3}});
      scores = buildElementwise(builder, loc, getTensorType(scores),
                                {scores, others}, add);
    }
    Value weights = buildSoftmax(scores, indices, scale);
    // Loops: r, i, h, d, s.
    Value mixed = buildContraction(
        builder, loc, {step.requests, step.newTokens, heads, valueSize},
        weights, value, 5, {{0, 1, 2, 4}, {0, 4, 2, 3}, {0, 1, 2, 3}});
    return buildReshape(builder, loc, mixed, {shape[0], heads, valueSize});
  }

private:
  /// The softmax of `scale * scores` over the slots that token i may see.
  Value buildSoftmax(Value scores, Value indices, double scale) {
    SmallVector<Value> operands = {scores};
    if (indices)
      operands.push_back(buildPicked(indices));
    auto mask = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
      Type type = args[0].getType();
      Value scaled = arith::MulFOp::create(
          inner, innerLoc, args[0], makeScalar(inner, innerLoc, type, scale));
      Value token = linalg::IndexOp::create(inner, innerLoc, 1);
      Value slot = linalg::IndexOp::create(inner, innerLoc, 3);
      Value first =
          arith::ConstantIndexOp::create(inner, innerLoc, step.cached());
      Value own = arith::AddIOp::create(inner, innerLoc, token, first);
      Value seen = arith::CmpIOp::create(inner, innerLoc,
                                         arith::CmpIPredicate::sle, slot, own);
      if (indices) {
        Value zero = makeScalar(inner, innerLoc, args[1].getType(), 0);
        Value picked = arith::CmpFOp::create(
            inner, innerLoc, arith::CmpFPredicate::OGT, args[1], zero);
        seen = arith::AndIOp::create(inner, innerLoc, seen, picked);
      }
      Value hidden = makeScalar(inner, innerLoc, type,
                                -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, seen, scaled, hidden);
    };
    RankedTensorType type = getTensorType(scores);
    scores = buildElementwise(builder, loc, type, operands, mask);
    auto max = [](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
      return arith::MaximumFOp::create(inner, innerLoc, args[0], args[1]);
    };
    Value peaks = buildRowReduction(
        builder, loc, scores, -std::numeric_limits<double>::infinity(), max);
    auto exponential = [](OpBuilder &inner, Location innerLoc,
                          ValueRange args) -> Value {
      Value below = arith::SubFOp::create(inner, innerLoc, args[0], args[1]);
      return math::ExpOp::create(inner, innerLoc, below);
    };
    Value weights =
        buildElementwise(builder, loc, type, {scores, peaks}, exponential);
    Value sums = buildRowReduction(builder, loc, weights, 0, add);
    auto divide = [](OpBuilder &inner, Location innerLoc,
                     ValueRange args) -> Value {
      return arith::DivFOp::create(inner, innerLoc, args[0], args[1]);
    };
    return buildElementwise(builder, loc, type, {weights, sums}, divide);
  }

  /// How often each slot is among the indices of a token: R x q x 1 x kv.
  Value buildPicked(Value indices) {
    ArrayRef<int64_t> shape = getTensorType(indices).getShape();
    auto type = RankedTensorType::get({shape[0], step.totalTokens, shape[1]},
                                      builder.getF32Type());
    auto compare = [&](OpBuilder &inner, Location innerLoc,
                       ValueRange at) -> Value {
      Value index = tensor::ExtractOp::create(inner, innerLoc, indices,
                                              ValueRange{at[0], at[2]});
      index = arith::IndexCastOp::create(inner, innerLoc, inner.getIndexType(),
                                         index);
      Value equal = arith::CmpIOp::create(
          inner, innerLoc, arith::CmpIPredicate::eq, index, at[1]);
      return arith::UIToFPOp::create(inner, innerLoc, inner.getF32Type(),
                                     equal);
    };
    Value hits = buildByIndex(builder, loc, type, compare);
    return buildReshape(builder, loc,
                        buildRowReduction(builder, loc, hits, 0, add),
                        {step.requests, step.newTokens, 1, step.totalTokens});
  }

  OpBuilder &builder;
  Location loc;
  Step step;
};

template <typename OpT> struct LowerLatentAttention : LinalgRule<OpT> {
  using LinalgRule<OpT>::LinalgRule;
  using RangeAdaptor = typename LinalgRule<OpT>::RangeAdaptor;

  LogicalResult
  matchAndRewrite(OpT op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    RankedTensorType type = op.getType();
    std::optional<Step> step = getStep(op, type.getDimSize(0), reason);
    if (!step)
      return this->decline(op, rewriter, reason);
    Location loc = op.getLoc();
    auto [queryScale, cacheScale, weightScale] = getScales(adaptor);
    Value indices;
    if (op.getIndices())
      indices = adaptor.getIndices().front();
    Value result =
        LatentAttentionBuilder(rewriter, loc, *step)
            .build(buildWide(rewriter, loc, adaptor.getQuery().front(),
                             queryScale),
                   buildWide(rewriter, loc, adaptor.getCache().front(),
                             cacheScale),
                   buildWide(rewriter, loc, adaptor.getWeight().front(),
                             weightScale),
                   indices, type.getDimSize(2),
                   op.getScale().convertToDouble());
    rewriter.replaceOp(op, buildRound(rewriter, loc, type, result));
    return success();
  }

private:
  static std::tuple<Value, Value, Value>
  getScales(LatentAttentionOp::GenericAdaptor<ArrayRef<ValueRange>>) {
    return {};
  }
  static std::tuple<Value, Value, Value> getScales(
      QuantizedLatentAttentionOp::GenericAdaptor<ArrayRef<ValueRange>> given) {
    return {given.getQueryScale().front(), given.getCacheScale().front(),
            given.getWeightScale().front()};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
struct LowerLoadWeight : LinalgRule<LoadWeightOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LoadWeightOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value wide =
        op.getGroupSize()
            ? buildGroupScaled(rewriter, loc, adaptor.getWeight(),
                               adaptor.getScale(), *op.getGroupSize())
            : buildWide(rewriter, loc, adaptor.getWeight(), adaptor.getScale());
    if (op.getResultScale())
      rewriter.replaceOpWithNewOp<QuantizeOp>(op, op.getType(), wide,
                                              adaptor.getResultScale());
    else
      rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), wide));
    return success();
  }
};
} // namespace

void tensorcast::populateLatentRules(RewritePatternSet &patterns,
                                     const RuleContext &rules) {
  patterns
      .add<LowerAppendLatentCache, LowerLatentAttention<LatentAttentionOp>,
           LowerLatentAttention<QuantizedLatentAttentionOp>, LowerLoadWeight>(
          patterns.getContext(), rules);
}
