//===- AttentionRules.cpp - Attention over a cache ------------------------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using utils::IteratorType;

static Value buildAppend(OpBuilder &builder, Location loc, Value rows,
                         Value cache, const Step &step, KVCacheType kept,
                         int64_t part) {
  RankedTensorType type = getTensorType(cache);
  ArrayRef<int64_t> shape = type.getShape();
  RankedTensorType rowsType = getTensorType(rows);
  rows = buildRound(
      builder, loc,
      RankedTensorType::get(rowsType.getShape(), type.getElementType()), rows);
  rows = buildReshape(builder, loc, rows,
                      {step.requests, step.newTokens, 1, shape[3], shape[4]});
  return insertTokens(builder, loc, rows, cache, step, kept, {part, 0, 0});
}

namespace {
struct LowerAppendCache : LinalgRule<AppendCacheOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(AppendCacheOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Value key = adaptor.getKey().front(), value = adaptor.getValue().front();
    std::optional<Step> step =
        getStep(op, getTensorType(key).getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Value cache = adaptor.getCache().front();
    KVCacheType type = op.getType();
    cache = buildAppend(rewriter, op.getLoc(), key, cache, *step, type, 0);
    cache = buildAppend(rewriter, op.getLoc(), value, cache, *step, type, 1);
    rewriter.replaceOp(op, cache);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Builds attention over loops of requests, new tokens i, KV heads g, query
/// heads j of each, and slots s or features d.
class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Location loc, const Step &step,
                   Value cache)
      : builder(builder), loc(loc), step(step), cache(cache) {}

  /// `query` is R x q x G x J x D; so is the result, in f32. If the operands
  /// are quantized, `factors` are what they are to be multiplied by: that of
  /// queries times that of keys, and that of values.
  Value build(Value query, double scale, ArrayRef<Value> factors = {}) {
    Value scores = buildScores(query, scale, factors.take_front());
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
    Value weights = buildElementwise(builder, loc, getTensorType(scores),
                                     {scores, peaks}, exponential);
    auto add = [](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
      return arith::AddFOp::create(inner, innerLoc, args[0], args[1]);
    };
    Value sums = buildRowReduction(builder, loc, weights, 0, add);
    Value mixed = buildMix(weights);
    auto divide = [](OpBuilder &inner, Location innerLoc,
                     ValueRange args) -> Value {
      Value mean = arith::DivFOp::create(inner, innerLoc, args[0], args[1]);
      if (args.size() == 2)
        return mean;
      return arith::MulFOp::create(inner, innerLoc, mean, args[2]);
    };
    SmallVector<Value> operands = {mixed, sums};
    llvm::append_range(operands, factors.drop_front(!factors.empty()));
    return buildElementwise(builder, loc, getTensorType(mixed), operands,
                            divide);
  }

private:
  AffineExpr dim(unsigned position) const {
    return getAffineDimExpr(position, builder.getContext());
  }
  AffineMap map(ArrayRef<AffineExpr> exprs) const {
    return AffineMap::get(6, 0, exprs, builder.getContext());
  }
  AffineExpr part(int64_t index) const {
    return getAffineConstantExpr(index, builder.getContext());
  }

  /// scale * query . key where slot s is not after token i, else -infinity.
  Value buildScores(Value query, double scale, ArrayRef<Value> factors) {
    SmallVector<int64_t> shape(getTensorType(query).getShape());
    shape.back() = step.totalTokens;
    // Loops: r, i, g, j, s, d.
    AffineMap maps[] = {map({dim(0), dim(1), dim(2), dim(3), dim(5)}),
                        map({dim(0), dim(4), part(0), dim(2), dim(5)}),
                        map({dim(0), dim(1), dim(2), dim(3), dim(4)})};
    SmallVector<IteratorType> iterators(6, IteratorType::parallel);
    iterators[5] = IteratorType::reduction;
    Value products =
        buildContraction(builder, loc, shape, query, cache, maps, iterators);
    auto mask = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
      Type type = inner.getF32Type();
      if (args[0].getType().isF64())
        type = args[0].getType();
      Value factor = makeScalar(inner, innerLoc, type, scale);
      for (Value given : args.drop_front())
        factor = arith::MulFOp::create(inner, innerLoc, factor, given);
      Value scaled = arith::MulFOp::create(
          inner, innerLoc, convertTo(inner, innerLoc, args[0], type), factor);
      Value token = linalg::IndexOp::create(inner, innerLoc, 1);
      Value slot = linalg::IndexOp::create(inner, innerLoc, 4);
      Value first =
          arith::ConstantIndexOp::create(inner, innerLoc, step.cached());
      Value own = arith::AddIOp::create(inner, innerLoc, token, first);
      Value seen = arith::CmpIOp::create(inner, innerLoc,
                                         arith::CmpIPredicate::sle, slot, own);
      Value hidden = makeScalar(inner, innerLoc, type,
                                -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, seen, scaled, hidden);
    };
    SmallVector<Value> operands = {products};
    llvm::append_range(operands, factors);
    Type elementType = getTensorType(products).getElementType();
    if (isa<IntegerType>(elementType))
      elementType = builder.getF32Type();
    return buildElementwise(builder, loc,
                            RankedTensorType::get(shape, elementType), operands,
                            mask);
  }

  /// The values of the slots, each times its weight.
  Value buildMix(Value weights) {
    SmallVector<int64_t> shape(getTensorType(weights).getShape());
    shape.back() = getTensorType(cache).getDimSize(4);
    // Loops: r, i, g, j, d, s.
    AffineMap maps[] = {map({dim(0), dim(1), dim(2), dim(3), dim(5)}),
                        map({dim(0), dim(5), part(1), dim(2), dim(4)}),
                        map({dim(0), dim(1), dim(2), dim(3), dim(4)})};
    SmallVector<IteratorType> iterators(6, IteratorType::parallel);
    iterators[5] = IteratorType::reduction;
    return buildContraction(builder, loc, shape, weights, cache, maps,
                            iterators);
  }

  OpBuilder &builder;
  Location loc;
  Step step;
  Value cache;
};

/// Attention of one kind or the other, with the factors of its operands.
template <typename OpT>
FailureOr<Value> lowerAttention(
    OpT op, typename OpT::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
    ArrayRef<Value> factors, ConversionPatternRewriter &rewriter,
    std::string &reason) {
  Value query = adaptor.getQuery().front(), cache = adaptor.getCache().front();
  ArrayRef<int64_t> shape = op.getType().getShape();
  std::optional<Step> step = getStep(op, shape[0], reason);
  if (!step)
    return failure();
  Location loc = op.getLoc();
  int64_t groups = op.getCache().getType().getNumHeads();
  query = buildReshape(
      rewriter, loc, query,
      {step->requests, step->newTokens, groups, shape[1] / groups, shape[2]});
  AttentionBuilder attention(rewriter, loc, *step, cache);
  Value result =
      attention.build(query, op.getScale().convertToDouble(), factors);
  result = buildReshape(rewriter, loc, result, shape);
  return buildRound(rewriter, loc, op.getType(), result);
}

struct LowerAttention : LinalgRule<AttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(AttentionOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    FailureOr<Value> result = lowerAttention(op, adaptor, {}, rewriter, reason);
    if (failed(result))
      return decline(op, rewriter, reason);
    rewriter.replaceOp(op, *result);
    return success();
  }
};

struct LowerQuantizedAttention : LinalgRule<QuantizedAttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(QuantizedAttentionOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto multiply = [](OpBuilder &builder, Location loc,
                       ValueRange args) -> Value {
      return arith::MulFOp::create(builder, loc, args[0], args[1]);
    };
    Value queryScale = adaptor.getQueryScale().front();
    Value keyScale = adaptor.getKeyScale().front();
    Value product =
        buildElementwise(rewriter, op.getLoc(), getTensorType(queryScale),
                         {queryScale, keyScale}, multiply);
    std::string reason;
    FailureOr<Value> result =
        lowerAttention(op, adaptor, {product, adaptor.getValueScale().front()},
                       rewriter, reason);
    if (failed(result))
      return decline(op, rewriter, reason);
    rewriter.replaceOp(op, *result);
    return success();
  }
};
} // namespace

void tensorcast::populateAttentionRules(RewritePatternSet &patterns,
                                        const RuleContext &rules) {
  patterns.add<LowerAppendCache, LowerAttention, LowerQuantizedAttention>(
      patterns.getContext(), rules);
}
