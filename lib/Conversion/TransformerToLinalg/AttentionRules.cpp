//===- AttentionRules.cpp - Attention over a cache ------------------------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
  rows = buildReshape(
      builder, loc, rows,
      {step.requests, step.newTokens, 1, shape[3], rowsType.getDimSize(2)});
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

/// What limits an attention, and what joins its softmax.
struct Limits {
  /// Features of a head of values, and the latest tokens that are seen.
  int64_t valueSize;
  std::optional<int64_t> window;
  /// A number per head, and tokens x KV heads x blocks; or null.
  Value sink, blocks;
  int64_t blockSize = 0;

  template <typename OpT, typename AdaptorT>
  static Limits get(OpT op, AdaptorT adaptor) {
    Limits limits;
    limits.valueSize = op.getType().getDimSize(2);
    limits.window = op.getWindow();
    if (op.getSink())
      limits.sink = adaptor.getSink().front();
    if (op.getBlocks()) {
      limits.blocks = adaptor.getBlocks().front();
      limits.blockSize = *op.getBlockSize();
    }
    return limits;
  }
};

static Value add(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}
static Value max(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::MaximumFOp::create(builder, loc, args[0], args[1]);
}
static Value expOfDifference(OpBuilder &builder, Location loc,
                             ValueRange args) {
  Value below = arith::SubFOp::create(builder, loc, args[0], args[1]);
  return math::ExpOp::create(builder, loc, below);
}

namespace {
/// Builds attention over loops of requests, new tokens i, KV heads g, query
/// heads j of each, and slots s or features d.
class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, Location loc, const Step &step,
                   Value cache, const Limits &limits)
      : builder(builder), loc(loc), step(step), cache(cache), limits(limits) {}

  /// `query` is R x q x G x J x D; the result, in f32, has heads of values. If
  /// the operands are quantized, `factors` are what they are to be multiplied
  /// by: that of queries times that of keys, and that of values.
  Value build(Value query, double scale, ArrayRef<Value> factors = {}) {
    Value scores = buildScores(query, scale, factors.take_front());
    Value peaks = buildRowReduction(
        builder, loc, scores, -std::numeric_limits<double>::infinity(), max);
    Value sink;
    if (limits.sink) {
      ArrayRef<int64_t> shape = getTensorType(query).getShape();
      sink = buildReshape(builder, loc, limits.sink, {shape[2], shape[3], 1});
      peaks = buildElementwise(builder, loc, getTensorType(peaks),
                               {peaks, sink}, max);
    }
    Value weights = buildElementwise(builder, loc, getTensorType(scores),
                                     {scores, peaks}, expOfDifference);
    Value sums = buildRowReduction(builder, loc, weights, 0, add);
    if (sink) {
      Value share = buildElementwise(builder, loc, getTensorType(sums),
                                     {sink, peaks}, expOfDifference);
      sums = buildElementwise(builder, loc, getTensorType(sums), {sums, share},
                              add);
    }
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
    auto [keys, index] = getPart(0, getTensorType(query).getDimSize(4));
    AffineMap maps[] = {map({dim(0), dim(1), dim(2), dim(3), dim(5)}),
                        map({dim(0), dim(4), part(index), dim(2), dim(5)}),
                        map({dim(0), dim(1), dim(2), dim(3), dim(4)})};
    SmallVector<IteratorType> iterators(6, IteratorType::parallel);
    iterators[5] = IteratorType::reduction;
    Value products =
        buildContraction(builder, loc, shape, query, keys, maps, iterators);
    Value picked = limits.blocks ? buildPicked() : Value();
    auto mask = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
      Type type = inner.getF32Type();
      if (args[0].getType().isF64())
        type = args[0].getType();
      Value factor = makeScalar(inner, innerLoc, type, scale);
      for (Value given : args.slice(1, factors.size()))
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
      if (limits.window) {
        Value end = arith::AddIOp::create(
            inner, innerLoc, slot,
            arith::ConstantIndexOp::create(inner, innerLoc, *limits.window));
        Value isLate = arith::CmpIOp::create(
            inner, innerLoc, arith::CmpIPredicate::sgt, end, own);
        seen = arith::AndIOp::create(inner, innerLoc, seen, isLate);
      }
      if (picked) {
        Value zero = makeScalar(inner, innerLoc, args.back().getType(), 0);
        Value isPicked = arith::CmpFOp::create(
            inner, innerLoc, arith::CmpFPredicate::OGT, args.back(), zero);
        seen = arith::AndIOp::create(inner, innerLoc, seen, isPicked);
      }
      Value hidden = makeScalar(inner, innerLoc, type,
                                -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, seen, scaled, hidden);
    };
    SmallVector<Value> operands = {products};
    llvm::append_range(operands, factors);
    if (picked)
      operands.push_back(picked);
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
    shape.back() = limits.valueSize;
    auto [values, index] = getPart(1, limits.valueSize);
    // Loops: r, i, g, j, d, s.
    AffineMap maps[] = {map({dim(0), dim(1), dim(2), dim(3), dim(5)}),
                        map({dim(0), dim(5), part(index), dim(2), dim(4)}),
                        map({dim(0), dim(1), dim(2), dim(3), dim(4)})};
    SmallVector<IteratorType> iterators(6, IteratorType::parallel);
    iterators[5] = IteratorType::reduction;
    return buildContraction(builder, loc, shape, weights, values, maps,
                            iterators);
  }

  /// Keys (0) or values (1) with heads of `size`, and which part of the tensor
  /// they are: of the cache itself, unless it has room for larger heads.
  std::pair<Value, int64_t> getPart(int64_t index, int64_t size) {
    SmallVector<int64_t> sizes(getTensorType(cache).getShape());
    if (sizes.back() == size)
      return {cache, index};
    sizes[2] = 1;
    sizes.back() = size;
    return {buildSlice(builder, loc, cache, {0, 0, index, 0, 0}, sizes), 0};
  }

  /// How often the block of each slot is among those of a token: R x q x G x 1
  /// x kv.
  Value buildPicked() {
    ArrayRef<int64_t> shape = getTensorType(limits.blocks).getShape();
    auto type = RankedTensorType::get({shape[0], shape[1], step.totalTokens},
                                      builder.getF32Type());
    auto compare = [&](OpBuilder &inner, Location innerLoc,
                       ValueRange at) -> Value {
      Value block = tensor::ExtractOp::create(inner, innerLoc, limits.blocks,
                                              ValueRange{at[0], at[1], at[3]});
      block = arith::IndexCastOp::create(inner, innerLoc, inner.getIndexType(),
                                         block);
      Value size =
          arith::ConstantIndexOp::create(inner, innerLoc, limits.blockSize);
      Value own = arith::DivUIOp::create(inner, innerLoc, at[2], size);
      Value isEqual = arith::CmpIOp::create(
          inner, innerLoc, arith::CmpIPredicate::eq, block, own);
      return arith::UIToFPOp::create(inner, innerLoc, inner.getF32Type(),
                                     isEqual);
    };
    Value hits = buildSum(builder, loc, type, shape[2], compare);
    return buildReshape(
        builder, loc, hits,
        {step.requests, step.newTokens, shape[1], 1, step.totalTokens});
  }

  OpBuilder &builder;
  Location loc;
  Step step;
  Value cache;
  const Limits &limits;
};

/// Attention of one kind or the other, with the factors of its operands.
template <typename OpT>
FailureOr<Value> lowerAttention(
    OpT op, typename OpT::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
    ArrayRef<Value> factors, ConversionPatternRewriter &rewriter,
    std::string &reason) {
  Value query = adaptor.getQuery().front(), cache = adaptor.getCache().front();
  ArrayRef<int64_t> shape = getTensorType(query).getShape();
  std::optional<Step> step = getStep(op, shape[0], reason);
  if (!step)
    return failure();
  Location loc = op.getLoc();
  int64_t groups = op.getCache().getType().getNumHeads();
  query = buildReshape(
      rewriter, loc, query,
      {step->requests, step->newTokens, groups, shape[1] / groups, shape[2]});
  Limits limits = Limits::get(op, adaptor);
  AttentionBuilder attention(rewriter, loc, *step, cache, limits);
  Value result =
      attention.build(query, op.getScale().convertToDouble(), factors);
  result = buildReshape(rewriter, loc, result, op.getType().getShape());
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
