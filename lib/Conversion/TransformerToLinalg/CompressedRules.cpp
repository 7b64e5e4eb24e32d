//===- CompressedRules.cpp - What compressed attention reads --------------===//
//
// Caches have a slot for every token here, also those of a window, which tokens
// leave by what is masked; compressed rows are in the first of the slots.
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"
#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static Value add(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}
static Value maximum(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::MaximumFOp::create(builder, loc, args[0], args[1]);
}

static constexpr double hidden = -std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Queries and rows
//===----------------------------------------------------------------------===//

namespace {
/// result = scale * round(input / scale) for the first features.
struct LowerRoundFeatures : LinalgRule<RoundFeaturesOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RoundFeaturesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    int64_t features = op.getFeatures();
    auto partType = RankedTensorType::get({type.getDimSize(0), features},
                                          type.getElementType());
    Value part = buildSlice(rewriter, loc, adaptor.getInput(), {0, 0},
                            partType.getShape());
    auto size = [](OpBuilder &builder, Location at, ValueRange args) -> Value {
      return arith::MaximumFOp::create(
          builder, at, args[0], math::AbsFOp::create(builder, at, args[1]));
    };
    Value largest = buildRowReduction(rewriter, loc, part, 0, size);
    auto narrow = rewriter.getType<Float8E4M3FNType>();
    auto round = [&](OpBuilder &builder, Location at,
                     ValueRange args) -> Value {
      constexpr double most = 448;
      IndexMath math(builder, at);
      Value input = math.toF32(args[0]), range = math.toF32(args[1]);
      Value scale =
          arith::DivFOp::create(builder, at, range, math.number(most));
      Value share = arith::DivFOp::create(builder, at, input, scale);
      Value rounded =
          decodeNarrow(builder, at, encodeNarrow(builder, at, share, narrow));
      Value result = arith::MulFOp::create(builder, at, rounded, scale);
      Value isZero = arith::CmpFOp::create(
          builder, at, arith::CmpFPredicate::OEQ, range, math.number(0));
      return arith::SelectOp::create(builder, at, isZero, input, result);
    };
    Value rounded =
        buildElementwise(rewriter, loc, partType, {part, largest}, round);
    rewriter.replaceOp(
        op, buildInsert(rewriter, loc, rounded, adaptor.getInput(), {0, 0}));
    return success();
  }
};

struct LowerTie : LinalgRule<TieOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(TieOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};

/// One product per group.
struct LowerGroupedProjection : LinalgRule<GroupedProjectionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(GroupedProjectionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t groups = op.getNumGroups(), tokens = op.getType().getDimSize(0);
    RankedTensorType weight = op.getWeight().getType();
    int64_t inner = weight.getDimSize(1), rank = weight.getDimSize(0) / groups;
    Value input = buildReshape(rewriter, loc, adaptor.getInput(),
                               {tokens, groups, inner});
    Value matrices =
        buildReshape(rewriter, loc, adaptor.getWeight(), {groups, rank, inner});
    // Loops: token, group, column, inner.
    MLIRContext *context = op.getContext();
    auto map = [&](ArrayRef<unsigned> loops) {
      SmallVector<AffineExpr> exprs;
      for (unsigned loop : loops)
        exprs.push_back(getAffineDimExpr(loop, context));
      return AffineMap::get(4, 0, exprs, context);
    };
    AffineMap maps[] = {map({0, 1, 3}), map({1, 2, 3}), map({0, 1, 2})};
    SmallVector<utils::IteratorType> iterators(4,
                                               utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    Value product = buildContraction(rewriter, loc, {tokens, groups, rank},
                                     input, matrices, maps, iterators);
    product = buildReshape(rewriter, loc, product, op.getType().getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), product));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// `cache` with `rows`, tokens x features, in the slots of the new tokens.
static Value buildAppend(OpBuilder &builder, Location loc, Value rows,
                         Value cache, const Step &step) {
  RankedTensorType type = getTensorType(rows);
  rows = buildRound(builder, loc,
                    RankedTensorType::get(
                        type.getShape(), getTensorType(cache).getElementType()),
                    rows);
  rows = buildReshape(builder, loc, rows,
                      {step.requests, step.newTokens, type.getDimSize(1)});
  return buildInsert(builder, loc, rows, cache, {0, step.cached(), 0});
}

namespace {
struct LowerAppendWindow : LinalgRule<AppendWindowOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(AppendWindowOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Value rows = adaptor.getRows().front();
    std::optional<Step> step =
        getStep(op, getTensorType(rows).getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    rewriter.replaceOp(op, buildAppend(rewriter, op.getLoc(), rows,
                                       adaptor.getCache().front(), *step));
    return success();
  }
};

/// Builds the rows of the groups that a step completes.
class RowBuilder {
public:
  RowBuilder(CompressOp op, OpBuilder &builder, const Step &step)
      : op(op), builder(builder), loc(op.getLoc()), step(step),
        ratio(op.getRatio()), parts(op.getNumParts()),
        size(op.getNorm().getType().getDimSize(0)), width(parts * size),
        first(step.cached() / ratio), count(step.totalTokens / ratio - first) {}

  int64_t getFirst() const { return first; }
  int64_t getCount() const { return count; }

  /// Values and scores of the new tokens, side by side.
  Value project(Value input, Value values, Value gates) {
    Value left = buildMatmul(builder, loc, input, values, /*transposed=*/true);
    Value right = buildMatmul(builder, loc, input, gates, /*transposed=*/true);
    return buildConcat(builder, loc, {left, right}, 1);
  }

  /// The sums of the members of each group, by the softmax of their scores:
  /// R x groups x size.
  Value sum(Value state, Value positions) {
    auto type = RankedTensorType::get(
        {step.requests, count, size, parts * ratio}, builder.getF32Type());
    Value scores = buildByIndex(
        builder, loc, type,
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value column = getColumn(math, i);
          Value bias =
              math.read(positions, {math.rem(i[3], math.index(ratio)), column});
          Value score = math.read(state, {i[0], getToken(math, i),
                                          math.add(column, math.index(width))});
          score = arith::AddFOp::create(inner, at, math.toF32(score),
                                        math.toF32(bias));
          Value isThere =
              math.isAtLeast(getTokenOrBefore(math, i), math.index(0));
          return arith::SelectOp::create(inner, at, isThere, score,
                                         math.number(hidden));
        });
    Value peaks = buildRowReduction(builder, loc, scores, hidden, maximum);
    Value weights = buildElementwise(
        builder, loc, type, {scores, peaks},
        [](OpBuilder &inner, Location at, ValueRange args) -> Value {
          return math::ExpOp::create(
              inner, at, arith::SubFOp::create(inner, at, args[0], args[1]));
        });
    Value sums = buildRowReduction(builder, loc, weights, 0, add);
    Value products = buildByIndex(
        builder, loc, type,
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value value =
              math.read(state, {i[0], getToken(math, i), getColumn(math, i)});
          return arith::MulFOp::create(inner, at, math.read(weights, i),
                                       math.toF32(value));
        });
    Value mixed = buildRowReduction(builder, loc, products, 0, add);
    mixed = buildElementwise(
        builder, loc, getTensorType(mixed), {mixed, sums},
        [](OpBuilder &inner, Location at, ValueRange args) -> Value {
          return arith::DivFOp::create(inner, at, args[0], args[1]);
        });
    return buildReshape(builder, loc, mixed, {step.requests, count, size});
  }

  /// Rotates the last features of `rows` by the angles of the last token of
  /// each group.
  Value rotate(Value rows, Value table) {
    int64_t features = op.getFeatures(), rest = size - features;
    bool isHalf = op.getStyle() != RopeStyle::Interleaved;
    int64_t distance = isHalf ? features / 2 : 1;
    auto body = [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
      IndexMath math(inner, at);
      Value feature = math.max(math.sub(i[2], math.index(rest)), math.index(0));
      Value isFirst =
          isHalf
              ? math.isAtLeast(math.index(features / 2 - 1), feature)
              : math.isEqual(math.rem(feature, math.index(2)), math.index(0));
      Value partner = arith::SelectOp::create(
          inner, at, isFirst, math.add(feature, math.index(distance)),
          math.sub(feature, math.index(distance)));
      partner = math.add(partner, math.index(rest));
      // The token that completes group `first + g`, among the new ones.
      Value token =
          math.add(math.mul(i[1], math.index(ratio)),
                   math.index((first + 1) * ratio - 1 - step.cached()));
      token = math.add(token, math.mul(i[0], math.index(step.newTokens)));
      Value x = math.toF32(math.read(rows, i));
      Value y = math.toF32(math.read(rows, {i[0], i[1], partner}));
      y = arith::SelectOp::create(
          inner, at, isFirst, arith::NegFOp::create(inner, at, y).getResult(),
          y);
      Value cos = math.toF32(math.read(table, {math.index(0), token, feature}));
      Value sin = math.toF32(math.read(table, {math.index(1), token, feature}));
      Value turned = arith::AddFOp::create(
          inner, at, arith::MulFOp::create(inner, at, x, cos),
          arith::MulFOp::create(inner, at, y, sin));
      Value isTurned = math.isAtLeast(i[2], math.index(rest));
      return arith::SelectOp::create(inner, at, isTurned, turned, x);
    };
    return buildByIndex(builder, loc, getTensorType(rows), body);
  }

private:
  /// The column of what member `i[3]` gives for feature `i[2]`.
  Value getColumn(IndexMath &math, ValueRange i) {
    if (parts == 1)
      return i[2];
    Value isOwn = math.isAtLeast(i[3], math.index(ratio));
    return arith::SelectOp::create(math.builder, math.loc, isOwn,
                                   math.add(i[2], math.index(size)), i[2]);
  }

  /// The token of member `i[3]` of group `i[1]`; below 0 in front of the first.
  Value getTokenOrBefore(IndexMath &math, ValueRange i) {
    Value start = math.mul(i[1], math.index(ratio));
    Value token = math.add(start, i[3]);
    return math.add(token, math.index((first - parts + 1) * ratio));
  }
  Value getToken(IndexMath &math, ValueRange i) {
    return math.max(getTokenOrBefore(math, i), math.index(0));
  }

  CompressOp op;
  OpBuilder &builder;
  Location loc;
  Step step;
  int64_t ratio, parts, size, width, first, count;
};

struct LowerCompress : LinalgRule<CompressOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(CompressOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Location loc = op.getLoc();
    Value input = adaptor.getInput().front();
    std::optional<Step> step =
        getStep(op, getTensorType(input).getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    if (!isa<FloatType>(op.getCache().getType().getElementType()) ||
        op.getCache().getType().getElementType().getIntOrFloatBitWidth() <= 8)
      return decline(op, rewriter,
                     "how it scales rows of 8 bits is not defined yet");
    RowBuilder rows(op, rewriter, *step);
    Value state =
        buildAppend(rewriter, loc,
                    rows.project(input, adaptor.getValueProjection().front(),
                                 adaptor.getGateProjection().front()),
                    adaptor.getState().front(), *step);
    Value cache = adaptor.getCache().front();
    if (rows.getCount() > 0) {
      Value sums = rows.sum(state, adaptor.getPositions().front());
      Type element = op.getInput().getType().getElementType();
      auto type =
          RankedTensorType::get(getTensorType(sums).getShape(), element);
      sums = buildRound(rewriter, loc, type, sums);
      Value normed = RMSNormOp::create(
          rewriter, loc, sums, adaptor.getNorm().front(), op.getEpsAttr());
      Value turned = rows.rotate(normed, adaptor.getTable().front());
      turned = buildRound(
          rewriter, loc,
          RankedTensorType::get(type.getShape(),
                                getTensorType(cache).getElementType()),
          turned);
      cache =
          buildInsert(rewriter, loc, turned, cache, {0, rows.getFirst(), 0});
    }
    rewriter.replaceOp(op, {cache, state});
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Which rows
//===----------------------------------------------------------------------===//

/// Whether group `group` is complete for row `token` of the step.
static Value isComplete(IndexMath &math, const Step &step, int64_t ratio,
                        Value token, Value group) {
  Value own = math.add(math.rem(token, math.index(step.newTokens)),
                       math.index(step.cached()));
  Value last =
      math.add(math.mul(group, math.index(ratio)), math.index(ratio - 1));
  return math.isAtLeast(own, last);
}

namespace {
struct LowerScoreCompressed : LinalgRule<ScoreCompressedOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ScoreCompressedOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    std::optional<Step> step = getStep(op, type.getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Value query = adaptor.getQuery().front(),
          share = adaptor.getShare().front(),
          cache = adaptor.getCache().front();
    RankedTensorType queries = getTensorType(query);
    auto products = RankedTensorType::get(
        {type.getDimSize(0), type.getDimSize(1), queries.getDimSize(1)},
        rewriter.getF32Type());
    Value dots = buildSum(
        rewriter, loc, products, queries.getDimSize(2),
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value request = math.div(i[0], math.index(step->newTokens));
          return arith::MulFOp::create(
              inner, at, math.toF32(math.read(query, {i[0], i[2], i[3]})),
              math.toF32(math.read(cache, {request, i[1], i[3]})));
        });
    Value scores = buildSum(
        rewriter, loc, type, queries.getDimSize(1),
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value dot = arith::MaximumFOp::create(inner, at, math.read(dots, i),
                                                math.number(0));
          return arith::MulFOp::create(
              inner, at, dot, math.toF32(math.read(share, {i[0], i[2]})));
        });
    rewriter.replaceOp(op, scores);
    return success();
  }
};

struct LowerTopCompressed : LinalgRule<TopCompressedOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(TopCompressedOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Location loc = op.getLoc();
    Value scores = adaptor.getScores().front();
    RankedTensorType type = getTensorType(scores);
    std::optional<Step> step = getStep(op, type.getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Value masked = buildByIndex(
        rewriter, loc, type,
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          return arith::SelectOp::create(
              inner, at, isComplete(math, *step, op.getRatio(), i[0], i[1]),
              math.read(scores, i), math.number(hidden));
        });
    rewriter.replaceOp(op, buildInverse(rewriter, loc,
                                        buildRanks(rewriter, loc, masked),
                                        op.getType().getDimSize(1)));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Builds attention of rows t, heads h, slots s (those of tokens, and behind
/// them the compressed ones) and features d.
class WindowAttentionBuilder {
public:
  WindowAttentionBuilder(WindowAttentionOp op, OpBuilder &builder,
                         const Step &step)
      : op(op), builder(builder), loc(op.getLoc()), step(step),
        ratio(op.getRatio().value_or(0)),
        groups(ratio ? step.totalTokens / ratio : 0),
        slots(step.totalTokens + groups) {}

  /// `window` has the rows of the new tokens, `compressed` may be null.
  Value build(Value query, Value window, Value compressed, Value indices,
              Value sink) {
    ArrayRef<int64_t> shape = getTensorType(query).getShape();
    int64_t size = shape[2];
    Type f32 = builder.getF32Type();
    Value rows = window;
    if (groups > 0)
      rows =
          buildConcat(builder, loc,
                      {window, buildSlice(builder, loc, compressed, {0, 0, 0},
                                          {step.requests, groups, size})},
                      /*dim=*/1);
    auto readRow = [&](IndexMath &math, Value token, Value slot, Value d) {
      Value request = math.div(token, math.index(step.newTokens));
      return math.toF32(math.read(rows, {request, slot, d}));
    };
    Value scores = buildSum(
        builder, loc, RankedTensorType::get({shape[0], shape[1], slots}, f32),
        size, [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          return arith::MulFOp::create(
              inner, at, math.toF32(math.read(query, {i[0], i[1], i[3]})),
              readRow(math, i[0], i[2], i[3]));
        });
    Value weights = buildWeights(scores, indices, sink);
    return buildSum(builder, loc, RankedTensorType::get(shape, f32), slots,
                    [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
                      IndexMath math(inner, at);
                      return arith::MulFOp::create(
                          inner, at, math.read(weights, {i[0], i[1], i[3]}),
                          readRow(math, i[0], i[3], i[2]));
                    });
  }

private:
  /// The softmax of the scores that a token may see, and of the sink.
  Value buildWeights(Value scores, Value indices, Value sink) {
    RankedTensorType type = getTensorType(scores);
    double scale = op.getScale().convertToDouble();
    Value hits = indices && groups > 0 ? buildHits(indices) : Value();
    Value masked = buildByIndex(
        builder, loc, type,
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value scaled = arith::MulFOp::create(inner, at, math.read(scores, i),
                                               math.number(scale));
          return arith::SelectOp::create(inner, at, isSeen(math, i, hits),
                                         scaled, math.number(hidden));
        });
    Value peaks = buildRowReduction(builder, loc, masked, hidden, maximum);
    auto column = getTensorType(peaks);
    auto readSink = [&](IndexMath &math, ValueRange i) {
      return math.toF32(math.read(sink, {i[1]}));
    };
    peaks =
        buildByIndex(builder, loc, column,
                     [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
                       IndexMath math(inner, at);
                       return arith::MaximumFOp::create(
                           inner, at, math.read(peaks, i), readSink(math, i));
                     });
    auto power = [](OpBuilder &inner, Location at, ValueRange args) -> Value {
      return math::ExpOp::create(
          inner, at, arith::SubFOp::create(inner, at, args[0], args[1]));
    };
    Value weights =
        buildElementwise(builder, loc, type, {masked, peaks}, power);
    Value sums = buildRowReduction(builder, loc, weights, 0, add);
    sums = buildByIndex(
        builder, loc, column,
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value share =
              power(inner, at, {readSink(math, i), math.read(peaks, i)});
          return arith::AddFOp::create(inner, at, math.read(sums, i), share);
        });
    return buildElementwise(
        builder, loc, type, {weights, sums},
        [](OpBuilder &inner, Location at, ValueRange args) -> Value {
          return arith::DivFOp::create(inner, at, args[0], args[1]);
        });
  }

  /// Whether token `i[0]` sees slot `i[2]`.
  Value isSeen(IndexMath &math, ValueRange i, Value hits) {
    Value own = math.add(math.rem(i[0], math.index(step.newTokens)),
                         math.index(step.cached()));
    Value isBefore = math.isAtLeast(own, i[2]);
    Value isNear =
        math.isAtLeast(i[2], math.sub(own, math.index(op.getWindow() - 1)));
    Value seen = math.both(isBefore, isNear);
    if (groups == 0)
      return seen;
    Value total = math.index(step.totalTokens);
    Value group = math.max(math.sub(i[2], total), math.index(0));
    Value ready = isComplete(math, step, ratio, i[0], group);
    if (hits) {
      Value times = math.read(hits, {i[0], group});
      Value isHit = arith::CmpFOp::create(math.builder, math.loc,
                                          arith::CmpFPredicate::OGT, times,
                                          math.number(0));
      ready = math.both(ready, isHit);
    }
    return arith::SelectOp::create(math.builder, math.loc,
                                   math.isAtLeast(i[2], total), ready, seen);
  }

  /// How often each group is among the indices of a token.
  Value buildHits(Value indices) {
    RankedTensorType type = getTensorType(indices);
    return buildSum(
        builder, loc,
        RankedTensorType::get({type.getDimSize(0), groups},
                              builder.getF32Type()),
        type.getDimSize(1),
        [&](OpBuilder &inner, Location at, ValueRange i) -> Value {
          IndexMath math(inner, at);
          Value index =
              arith::IndexCastOp::create(inner, at, inner.getIndexType(),
                                         math.read(indices, {i[0], i[2]}));
          return arith::UIToFPOp::create(inner, at, inner.getF32Type(),
                                         math.isEqual(index, i[1]));
        });
  }

  WindowAttentionOp op;
  OpBuilder &builder;
  Location loc;
  Step step;
  int64_t ratio, groups, slots;
};

struct LowerWindowAttention : LinalgRule<WindowAttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(WindowAttentionOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Location loc = op.getLoc();
    std::optional<Step> step = getStep(op, op.getType().getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    // The cache need not have what the step itself brings.
    Value window = buildAppend(rewriter, loc, adaptor.getRows().front(),
                               adaptor.getWindowCache().front(), *step);
    auto get = [](ValueRange range) {
      return range.empty() ? Value() : range.front();
    };
    Value compressed, indices;
    if (op.getCompressed())
      compressed = get(adaptor.getCompressed());
    if (op.getIndices())
      indices = get(adaptor.getIndices());
    Value result = WindowAttentionBuilder(op, rewriter, *step)
                       .build(adaptor.getQuery().front(), window, compressed,
                              indices, adaptor.getSink().front());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), result));
    return success();
  }
};
} // namespace

void tensorcast::populateCompressedRules(RewritePatternSet &patterns,
                                         const RuleContext &rules) {
  patterns.add<LowerAppendWindow, LowerCompress, LowerGroupedProjection,
               LowerRoundFeatures, LowerScoreCompressed, LowerTie,
               LowerTopCompressed, LowerWindowAttention>(patterns.getContext(),
                                                         rules);
}
