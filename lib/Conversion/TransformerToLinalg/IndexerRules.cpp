//===- IndexerRules.cpp - Which tokens sparse attention looks at ----------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using utils::IteratorType;

static Value add(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}

namespace {
/// Builds the ranks of cached tokens by score.
class IndexerBuilder {
public:
  IndexerBuilder(OpBuilder &builder, Location loc, const Step &step)
      : builder(builder), loc(loc), step(step) {}

  /// `query` is tokens x heads x size, `shares` tokens x heads, `keys` R x kv x
  /// size. The result is tokens x kv: how many tokens each one comes behind.
  Value buildRanks(Value query, Value shares, Value keys) {
    Value scores = buildScores(query, shares, keys);
    int64_t tokens = getTensorType(scores).getDimSize(0);
    // Loops: token, slot, and the slots that may come before it.
    auto type = RankedTensorType::get(
        {tokens, step.totalTokens, step.totalTokens}, builder.getF32Type());
    auto compare = [&](OpBuilder &inner, Location innerLoc,
                       ValueRange at) -> Value {
      auto read = [&](Value slot) -> Value {
        return tensor::ExtractOp::create(inner, innerLoc, scores,
                                         ValueRange{at[0], slot});
      };
      Value own = read(at[1]), other = read(at[2]);
      Value isBetter = arith::CmpFOp::create(
          inner, innerLoc, arith::CmpFPredicate::OGT, other, own);
      Value isEqual = arith::CmpFOp::create(
          inner, innerLoc, arith::CmpFPredicate::OEQ, other, own);
      Value isEarlier = arith::CmpIOp::create(
          inner, innerLoc, arith::CmpIPredicate::slt, at[2], at[1]);
      Value before = arith::OrIOp::create(
          inner, innerLoc, isBetter,
          arith::AndIOp::create(inner, innerLoc, isEqual, isEarlier));
      return arith::UIToFPOp::create(inner, innerLoc, inner.getF32Type(),
                                     before);
    };
    Value before = buildByIndex(builder, loc, type, compare);
    return buildReshape(builder, loc,
                        buildRowReduction(builder, loc, before, 0, add),
                        {tokens, step.totalTokens});
  }

  /// The slots of ranks 0 to `count`: tokens x count.
  Value buildIndices(Value ranks, RankedTensorType type) {
    auto hits = RankedTensorType::get(
        {type.getDimSize(0), type.getDimSize(1), step.totalTokens},
        builder.getF32Type());
    auto select = [&](OpBuilder &inner, Location innerLoc,
                      ValueRange at) -> Value {
      auto toFloat = [&](Value index) -> Value {
        Value integer = arith::IndexCastOp::create(inner, innerLoc,
                                                   inner.getI64Type(), index);
        return arith::SIToFPOp::create(inner, innerLoc, inner.getF32Type(),
                                       integer);
      };
      Value rank = tensor::ExtractOp::create(inner, innerLoc, ranks,
                                             ValueRange{at[0], at[2]});
      Value isIt = arith::CmpFOp::create(
          inner, innerLoc, arith::CmpFPredicate::OEQ, rank, toFloat(at[1]));
      Value zero = makeScalar(inner, innerLoc, inner.getF32Type(), 0);
      return arith::SelectOp::create(inner, innerLoc, isIt, toFloat(at[2]),
                                     zero);
    };
    Value slots = buildByIndex(builder, loc, hits, select);
    slots = buildReshape(builder, loc,
                         buildRowReduction(builder, loc, slots, 0, add),
                         type.getShape());
    auto convert = [&](OpBuilder &inner, Location innerLoc,
                       ValueRange args) -> Value {
      return arith::FPToSIOp::create(inner, innerLoc, inner.getI64Type(),
                                     args[0]);
    };
    return buildElementwise(builder, loc, type, slots, convert);
  }

private:
  /// sum_h share[t, h] * max(query[t, h] . key[s], 0), or -infinity for later
  /// tokens; tokens x kv.
  Value buildScores(Value query, Value shares, Value keys) {
    ArrayRef<int64_t> shape = getTensorType(query).getShape();
    int64_t tokens = shape[0], heads = shape[1];
    query = buildReshape(builder, loc, query,
                         {step.requests, step.newTokens, heads, shape[2]});
    // Loops: r, i, h, s, d.
    auto map = [&](ArrayRef<unsigned> loops) {
      SmallVector<AffineExpr> exprs;
      for (unsigned loop : loops)
        exprs.push_back(getAffineDimExpr(loop, builder.getContext()));
      return AffineMap::get(5, 0, exprs, builder.getContext());
    };
    AffineMap maps[] = {map({0, 1, 2, 4}), map({0, 3, 4}), map({0, 1, 2, 3})};
    SmallVector<IteratorType> iterators(5, IteratorType::parallel);
    iterators.back() = IteratorType::reduction;
    Value products = buildContraction(
        builder, loc, {step.requests, step.newTokens, heads, step.totalTokens},
        query, keys, maps, iterators);
    products =
        buildReshape(builder, loc, products, {tokens, heads, step.totalTokens});
    auto wide = RankedTensorType::get({tokens, step.totalTokens, heads},
                                      getTensorType(products).getElementType());
    auto weigh = [&](OpBuilder &inner, Location innerLoc,
                     ValueRange at) -> Value {
      Value product = tensor::ExtractOp::create(
          inner, innerLoc, products, ValueRange{at[0], at[2], at[1]});
      Value share = tensor::ExtractOp::create(inner, innerLoc, shares,
                                              ValueRange{at[0], at[2]});
      Value zero = makeScalar(inner, innerLoc, product.getType(), 0);
      product = arith::MaximumFOp::create(inner, innerLoc, product, zero);
      share = roundTo(inner, innerLoc, share, product.getType());
      return arith::MulFOp::create(inner, innerLoc, product, share);
    };
    Value sums = buildRowReduction(
        builder, loc, buildByIndex(builder, loc, wide, weigh), 0, add);
    sums = buildReshape(builder, loc, sums, {tokens, step.totalTokens});
    auto mask = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      auto index = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(inner, innerLoc, value);
      };
      Value token =
          arith::RemSIOp::create(inner, innerLoc, at[0], index(step.newTokens));
      Value own =
          arith::AddIOp::create(inner, innerLoc, token, index(step.cached()));
      Value seen = arith::CmpIOp::create(inner, innerLoc,
                                         arith::CmpIPredicate::sle, at[1], own);
      Value score = tensor::ExtractOp::create(inner, innerLoc, sums, at);
      Value hidden = makeScalar(inner, innerLoc, score.getType(),
                                -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, seen, score, hidden);
    };
    return buildByIndex(builder, loc, getTensorType(sums), mask);
  }

  OpBuilder &builder;
  Location loc;
  Step step;
};

/// The layers and the norm are those of the dialect, and run by their rules.
struct LowerLightningIndexer : LinalgRule<LightningIndexerOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LightningIndexerOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    std::optional<Step> step =
        getStep(op, op.getInput().getType().getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Type cacheType = op.getCache().getType().getElementType();
    if (cacheType.getIntOrFloatBitWidth() <= 8)
      return decline(op, rewriter,
                     "how it scales keys of 8 bits is not defined yet");
    Location loc = op.getLoc();
    int64_t size = op.getCache().getType().getTokenSize();
    int64_t heads =
        cast<RankedTensorType>(op.getHeadWeights().getType()).getDimSize(0);
    Value query = multiply(op, op.getQueryLatent(), op.getQueryUp(),
                           op.getQueryUpScale(), rewriter);
    Value key = multiply(op, op.getInput(), op.getKeyDown(),
                         op.getKeyDownScale(), rewriter);
    Value shares = multiply(op, op.getInput(), op.getHeadWeights(),
                            op.getHeadWeightsScale(), rewriter);
    key = LayerNormOp::create(rewriter, loc, key.getType(), key,
                              op.getNormWeight(), op.getNormBias(),
                              op.getEpsAttr());
    query = rotate(op, query, heads, size, rewriter);
    key = rotate(op, key, 1, size, rewriter);

    Value cache = adaptor.getCache().front();
    // What ops of the dialect yield is read in its converted form, which has
    // the same type.
    Value rows = buildReshape(rewriter, loc, key,
                              {step->requests, step->newTokens, size});
    cache = buildInsert(rewriter, loc, rows, cache, {0, step->cached(), 0});
    IndexerBuilder indexer(rewriter, loc, *step);
    Value ranks = indexer.buildRanks(query, shares, cache);
    Value indices = indexer.buildIndices(ranks, op.getIndices().getType());
    rewriter.replaceOp(op, {indices, cache});
    return success();
  }

private:
  static Value multiply(LightningIndexerOp op, Value input, Value weight,
                        Value scale, ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(input.getType());
    int64_t rows = cast<RankedTensorType>(weight.getType()).getDimSize(0);
    auto result = RankedTensorType::get({type.getDimSize(0), rows},
                                        type.getElementType());
    if (!scale)
      return LinearOp::create(rewriter, loc, result, input, weight,
                              /*bias=*/Value(), RanksAttr());
    return QuantizedLinearOp::create(rewriter, loc, result, input, weight,
                                     /*inputScale=*/Value(), scale,
                                     /*bias=*/Value(), op.getGroupSizeAttr(),
                                     RanksAttr());
  }

  static Value rotate(LightningIndexerOp op, Value input, int64_t heads,
                      int64_t size, ConversionPatternRewriter &rewriter) {
    auto type = cast<RankedTensorType>(input.getType());
    auto shaped = RankedTensorType::get({type.getDimSize(0), heads, size},
                                        type.getElementType());
    Value parts = ReshapeOp::create(rewriter, op.getLoc(), shaped, input);
    return RopeOp::create(rewriter, op.getLoc(), shaped, parts, op.getTable(),
                          op.getStyle());
  }
};
} // namespace

void tensorcast::populateIndexerRules(RewritePatternSet &patterns,
                                      const RuleContext &rules) {
  patterns.add<LowerLightningIndexer>(patterns.getContext(), rules);
}
