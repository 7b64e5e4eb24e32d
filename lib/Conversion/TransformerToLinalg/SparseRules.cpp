//===- SparseRules.cpp - Parts of attention over a cache ------------------===//
//
// Other than the rules of whole attentions, these see the cached tokens of all
// requests as one row.
//
//===----------------------------------------------------------------------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using arith::CmpIPredicate;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

namespace {
struct LowerAppendIndexCache : LinalgRule<AppendIndexCacheOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(AppendIndexCacheOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Value key = adaptor.getKey().front(), cache = adaptor.getCache().front();
    std::optional<Step> step =
        getStep(op, getTensorType(key).getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    key = buildReshape(
        rewriter, loc, key,
        {step->requests, step->newTokens, getTensorType(cache).getDimSize(2)});
    rewriter.replaceOp(
        op, buildInsert(rewriter, loc, key, cache, {0, step->cached(), 0}));
    return success();
  }
};

struct LowerReadCache : LinalgRule<ReadCacheOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ReadCacheOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value cache = adaptor.getCache().front();
    RankedTensorType type = op.getType();
    SmallVector<int64_t> sizes(getTensorType(cache).getShape());
    if (sizes.size() == 5) {
      sizes[2] = 1;
      sizes[4] = type.getDimSize(2);
      cache = buildSlice(rewriter, loc, cache,
                         {0, 0, op.getValues() ? 1 : 0, 0, 0}, sizes);
    }
    rewriter.replaceOp(op, buildReshape(rewriter, loc, cache, type.getShape()));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Products, head by head
//===----------------------------------------------------------------------===//

/// `heads` seen as `groups` of them.
Value splitGroups(OpBuilder &builder, Location loc, Value value,
                  int64_t groups) {
  ArrayRef<int64_t> shape = getTensorType(value).getShape();
  return buildReshape(builder, loc, value,
                      {shape[0], groups, shape[1] / groups, shape[2]});
}

/// Contracts `lhs`, T x groups x heads of each x K, with `rhs`, in the order of
/// loops of `rhsLoops`: t, g, j, the result's last, and K.
Value contract(OpBuilder &builder, Location loc, Value lhs, Value rhs,
               ArrayRef<unsigned> rhsLoops, int64_t last) {
  auto map = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(getAffineDimExpr(loop, builder.getContext()));
    return AffineMap::get(5, 0, exprs, builder.getContext());
  };
  SmallVector<int64_t> shape(getTensorType(lhs).getShape());
  shape.back() = last;
  AffineMap maps[] = {map({0, 1, 2, 4}), map(rhsLoops), map({0, 1, 2, 3})};
  SmallVector<IteratorType> iterators(5, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  return buildContraction(builder, loc, shape, lhs, rhs, maps, iterators);
}

struct LowerHeadScores : LinalgRule<HeadScoresOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(HeadScoresOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> keys = op.getKey().getType().getShape();
    Value query = splitGroups(rewriter, loc, adaptor.getQuery(), keys[1]);
    Value scores =
        contract(rewriter, loc, query, adaptor.getKey(), {3, 1, 4}, keys[0]);
    scores = buildReshape(rewriter, loc, scores, op.getType().getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), scores));
    return success();
  }
};

struct LowerHeadMix : LinalgRule<HeadMixOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(HeadMixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> values = op.getValue().getType().getShape();
    Value weights = splitGroups(rewriter, loc, adaptor.getWeights(), values[1]);
    Value mixed = contract(rewriter, loc, weights, adaptor.getValue(),
                           {4, 1, 3}, values[2]);
    mixed = buildReshape(rewriter, loc, mixed, op.getType().getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), mixed));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Who sees what
//===----------------------------------------------------------------------===//

/// Arithmetic on indices of tokens.
class Places {
public:
  Places(OpBuilder &builder, Location loc, const Step &step)
      : builder(builder), loc(loc), step(step) {}

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value divide(Value value, int64_t by) {
    return arith::DivUIOp::create(builder, loc, value, number(by));
  }
  Value remainder(Value value, int64_t by) {
    return arith::RemUIOp::create(builder, loc, value, number(by));
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value compare(CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(builder, loc, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(builder, loc, lhs, rhs);
  }
  /// The place of new token `token` within its request.
  Value getOwnSlot(Value token) {
    return add(remainder(token, step.newTokens), number(step.cached()));
  }

private:
  OpBuilder &builder;
  Location loc;
  const Step &step;
};

struct LowerMaskScores : LinalgRule<MaskScoresOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(MaskScoresOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    RankedTensorType type = op.getType();
    std::optional<Step> step = getStep(op, type.getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    Value scores = adaptor.getScores().front(), hits;
    int64_t perGroup = 1;
    if (op.getBlocks()) {
      Value blocks = adaptor.getBlocks().front();
      perGroup = type.getDimSize(1) / getTensorType(blocks).getDimSize(1);
      hits = buildHits(rewriter, loc, blocks, *op.getBlockSize(), *step);
    }
    auto mask = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      Places places(inner, innerLoc, *step);
      Value slot = places.remainder(at[2], step->totalTokens);
      Value own = places.getOwnSlot(at[0]);
      Value seen =
          places.both(places.compare(CmpIPredicate::eq,
                                     places.divide(at[0], step->newTokens),
                                     places.divide(at[2], step->totalTokens)),
                      places.compare(CmpIPredicate::sle, slot, own));
      if (op.getWindow())
        seen = places.both(
            seen,
            places.compare(CmpIPredicate::slt, own,
                           places.add(slot, places.number(*op.getWindow()))));
      if (hits) {
        Value count = tensor::ExtractOp::create(
            inner, innerLoc, hits,
            ValueRange{at[0], places.divide(at[1], perGroup), slot});
        Value zero = makeScalar(inner, innerLoc, inner.getI64Type(), 0);
        seen =
            places.both(seen, places.compare(CmpIPredicate::sgt, count, zero));
      }
      Value score = tensor::ExtractOp::create(inner, innerLoc, scores, at);
      Value hidden = makeScalar(inner, innerLoc, score.getType(),
                                -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, seen, score, hidden);
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, loc, type, mask));
    return success();
  }

private:
  /// How often the block of a slot is among those of a token: T x groups x kv.
  static Value buildHits(OpBuilder &builder, Location loc, Value blocks,
                         int64_t blockSize, const Step &step) {
    ArrayRef<int64_t> shape = getTensorType(blocks).getShape();
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      Places places(inner, innerLoc, step);
      Value block = tensor::ExtractOp::create(inner, innerLoc, blocks,
                                              ValueRange{at[0], at[1], at[3]});
      Value own = arith::IndexCastOp::create(
          inner, innerLoc, inner.getI64Type(), places.divide(at[2], blockSize));
      Value isEqual = places.compare(CmpIPredicate::eq, block, own);
      return arith::ExtUIOp::create(inner, innerLoc, inner.getI64Type(),
                                    isEqual);
    };
    return buildSum(
        builder, loc,
        RankedTensorType::get({shape[0], shape[1], step.totalTokens},
                              builder.getI64Type()),
        shape[2], body);
  }
};

struct LowerPoolScores : LinalgRule<PoolScoresOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PoolScoresOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    RankedTensorType type = op.getType();
    std::optional<Step> step = getStep(op, type.getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    int64_t blockSize = op.getBlockSize();
    Value scores = adaptor.getScores().front();
    Type element = type.getElementType();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    // Each block's scores side by side.
    auto spread = [&](OpBuilder &inner, Location innerLoc,
                      ValueRange at) -> Value {
      Places places(inner, innerLoc, *step);
      Value slot = places.add(arith::MulIOp::create(inner, innerLoc, at[2],
                                                    places.number(blockSize)),
                              at[3]);
      Value last = places.number(step->totalTokens - 1);
      Value isThere = places.compare(CmpIPredicate::sle, slot, last);
      slot = arith::MinSIOp::create(inner, innerLoc, slot, last);
      Value request = places.divide(at[0], step->newTokens);
      Value row =
          places.add(arith::MulIOp::create(inner, innerLoc, request,
                                           places.number(step->totalTokens)),
                     slot);
      Value score = tensor::ExtractOp::create(inner, innerLoc, scores,
                                              ValueRange{at[0], at[1], row});
      return arith::SelectOp::create(
          inner, innerLoc, isThere, score,
          makeScalar(inner, innerLoc, element, -infinity));
    };
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(blockSize);
    Value best = buildByIndex(rewriter, loc,
                              RankedTensorType::get(shape, element), spread);
    auto max = [](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
      return arith::MaximumFOp::create(inner, innerLoc, args[0], args[1]);
    };
    best = buildRowReduction(rewriter, loc, best, -infinity, max);
    best = buildReshape(rewriter, loc, best, type.getShape());
    auto force = [&](OpBuilder &inner, Location innerLoc,
                     ValueRange at) -> Value {
      Places places(inner, innerLoc, *step);
      Value own = places.divide(places.getOwnSlot(at[0]), blockSize);
      Value isForced = places.both(
          places.compare(CmpIPredicate::sle, at[2], own),
          places.either(
              places.compare(CmpIPredicate::slt, at[2],
                             places.number(op.getInitial())),
              places.compare(CmpIPredicate::sgt,
                             places.add(at[2], places.number(op.getLocal())),
                             own)));
      Value score = tensor::ExtractOp::create(inner, innerLoc, best, at);
      return arith::SelectOp::create(
          inner, innerLoc, isForced,
          makeScalar(inner, innerLoc, element, infinity), score);
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, loc, type, force));
    return success();
  }
};
} // namespace

void tensorcast::populateSparseRules(RewritePatternSet &patterns,
                                     const RuleContext &rules) {
  patterns.add<LowerAppendIndexCache, LowerHeadMix, LowerHeadScores,
               LowerMaskScores, LowerPoolScores, LowerReadCache>(
      patterns.getContext(), rules);
}
