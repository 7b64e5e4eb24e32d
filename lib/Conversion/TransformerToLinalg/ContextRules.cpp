//===- ContextRules.cpp - Attention over a shared cache -------------------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

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
static Value multiply(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::MulFOp::create(builder, loc, args[0], args[1]);
}
static Value divide(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::DivFOp::create(builder, loc, args[0], args[1]);
}
static Value maximum(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::MaximumFOp::create(builder, loc, args[0], args[1]);
}
/// The exponential of a difference.
static Value weigh(OpBuilder &builder, Location loc, ValueRange args) {
  Value below = arith::SubFOp::create(builder, loc, args[0], args[1]);
  return math::ExpOp::create(builder, loc, below);
}

/// `offset` to `offset + size` of dimension `dim`.
static Value buildRange(OpBuilder &builder, Location loc, Value input,
                        int64_t dim, int64_t offset, int64_t size) {
  SmallVector<int64_t> sizes(getTensorType(input).getShape());
  SmallVector<int64_t> offsets(sizes.size(), 0);
  offsets[dim] = offset;
  sizes[dim] = size;
  return buildSlice(builder, loc, input, offsets, sizes);
}

//===----------------------------------------------------------------------===//
// The tokens that a device keeps
//===----------------------------------------------------------------------===//

Value tensorcast::insertTokens(OpBuilder &builder, Location loc, Value rows,
                               Value cache, const Step &step, KVCacheType type,
                               ArrayRef<int64_t> offsets) {
  int64_t share = type.getShare(), cached = step.cached();
  // The first of the new tokens whose turn is this device's.
  int64_t first = (type.getFirst() + share - cached % share) % share;
  if (first >= step.newTokens)
    return cache;
  auto getIndices = [&](ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult {
      return builder.getIndexAttr(value);
    });
  };
  if (share > 1) {
    SmallVector<int64_t> sizes(getTensorType(rows).getShape());
    SmallVector<int64_t> begins(sizes.size(), 0), strides(sizes.size(), 1);
    begins[1] = first;
    strides[1] = share;
    sizes[1] = llvm::divideCeil(step.newTokens - first, share);
    rows =
        tensor::ExtractSliceOp::create(builder, loc, rows, getIndices(begins),
                                       getIndices(sizes), getIndices(strides));
  }
  SmallVector<int64_t> slots = {0, (cached + first) / share};
  llvm::append_range(slots, offsets);
  return buildInsert(builder, loc, rows, cache, slots);
}

//===----------------------------------------------------------------------===//
// Attention over the tokens that a device keeps
//===----------------------------------------------------------------------===//

namespace {
/// Builds attention over loops of requests r, new tokens i, KV heads g, query
/// heads j of each, and kept slots s or features d.
class PartialBuilder {
public:
  PartialBuilder(OpBuilder &builder, Location loc, const Step &step,
                 KVCacheType cache)
      : builder(builder), loc(loc), step(step), cache(cache) {}

  /// `query` is R x q x G x J x D, `keys` R x S x G x D and `values` R x S x G
  /// x E; the result is R x q x G x J x (E + 1). `factors` are what quantized
  /// products of queries and keys, and values, are multiplied by, if any.
  Value build(Value query, Value keys, Value values, double scale,
              ArrayRef<Value> factors = {}) {
    SmallVector<int64_t> shape(getTensorType(query).getShape());
    shape.back() = getTensorType(keys).getDimSize(1);
    // Loops: r, i, g, j, s, d.
    Value scores =
        buildContraction(builder, loc, shape, query, keys, 6,
                         {{0, 1, 2, 3, 5}, {0, 4, 2, 5}, {0, 1, 2, 3, 4}});
    scores = buildMasked(scores, scale, factors.take_front());
    // Where nothing is kept, exponentials are 0 rather than undefined.
    Value peaks = buildRowReduction(
        builder, loc, scores, std::numeric_limits<float>::lowest(), maximum);
    Value weights = buildElementwise(builder, loc, getTensorType(scores),
                                     {scores, peaks}, weigh);
    Value sums = buildRowReduction(builder, loc, weights, 0, add);
    shape.back() = getTensorType(values).getDimSize(3);
    // Loops: r, i, g, j, d, s.
    Value mixed =
        buildContraction(builder, loc, shape, weights, values, 6,
                         {{0, 1, 2, 3, 5}, {0, 5, 2, 4}, {0, 1, 2, 3, 4}});
    return buildResult(mixed, sums, peaks,
                       factors.drop_front(!factors.empty()));
  }

private:
  /// scale * scores where the token of slot s is not after token i, else
  /// -infinity.
  Value buildMasked(Value scores, double scale, ArrayRef<Value> factors) {
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
      auto index = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(inner, innerLoc, value);
      };
      Value token = linalg::IndexOp::create(inner, innerLoc, 1);
      Value own =
          arith::AddIOp::create(inner, innerLoc, token, index(step.cached()));
      Value slot = linalg::IndexOp::create(inner, innerLoc, 4);
      slot =
          arith::MulIOp::create(inner, innerLoc, slot, index(cache.getShare()));
      slot =
          arith::AddIOp::create(inner, innerLoc, slot, index(cache.getFirst()));
      Value seen = arith::CmpIOp::create(inner, innerLoc,
                                         arith::CmpIPredicate::sle, slot, own);
      Value hidden = makeScalar(inner, innerLoc, type,
                                -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, seen, scaled, hidden);
    };
    SmallVector<Value> operands = {scores};
    llvm::append_range(operands, factors);
    RankedTensorType type = getTensorType(scores);
    Type elementType = type.getElementType();
    if (isa<IntegerType>(elementType))
      elementType = builder.getF32Type();
    return buildElementwise(builder, loc,
                            RankedTensorType::get(type.getShape(), elementType),
                            operands, mask);
  }

  /// mixed / sums, and log(sums) + peaks behind it.
  Value buildResult(Value mixed, Value sums, Value peaks,
                    ArrayRef<Value> factors) {
    auto average = [](OpBuilder &inner, Location innerLoc,
                      ValueRange args) -> Value {
      Value least = makeScalar(inner, innerLoc, args[1].getType(),
                               std::numeric_limits<float>::min());
      Value sum = arith::MaximumFOp::create(inner, innerLoc, args[1], least);
      Value mean = arith::DivFOp::create(inner, innerLoc, args[0], sum);
      if (args.size() == 2)
        return mean;
      return arith::MulFOp::create(inner, innerLoc, mean, args[2]);
    };
    auto logarithm = [](OpBuilder &inner, Location innerLoc,
                        ValueRange args) -> Value {
      Value log = math::LogOp::create(inner, innerLoc, args[0]);
      return arith::AddFOp::create(inner, innerLoc, log, args[1]);
    };
    SmallVector<Value> operands = {mixed, sums};
    llvm::append_range(operands, factors);
    Value result =
        buildElementwise(builder, loc, getTensorType(mixed), operands, average);
    Value logs = buildElementwise(builder, loc, getTensorType(sums),
                                  {sums, peaks}, logarithm);
    return buildConcat(builder, loc, {result, logs}, 4);
  }

  OpBuilder &builder;
  Location loc;
  Step step;
  KVCacheType cache;
};

struct LowerPartialAttention : LinalgRule<PartialAttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PartialAttentionOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op.getQuery().getType()).getShape();
    std::optional<Step> step = getStep(op, shape[0], reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    KVCacheType type = op.getCache().getType();
    int64_t groups = type.getNumHeads();
    Value query = buildReshape(
        rewriter, loc, adaptor.getQuery().front(),
        {step->requests, step->newTokens, groups, shape[1] / groups, shape[2]});
    Value cache = adaptor.getCache().front();
    ArrayRef<int64_t> stored = getTensorType(cache).getShape();
    auto getPart = [&](int64_t part) {
      return buildReshape(rewriter, loc,
                          buildRange(rewriter, loc, cache, 2, part, 1),
                          {stored[0], stored[1], stored[3], stored[4]});
    };
    SmallVector<Value> factors;
    if (op.getQueryScale()) {
      Value scale = adaptor.getQueryScale().front();
      factors = {buildElementwise(rewriter, loc, getTensorType(scale),
                                  {scale, adaptor.getKeyScale().front()},
                                  multiply),
                 adaptor.getValueScale().front()};
    }
    Value result = PartialBuilder(rewriter, loc, *step, type)
                       .build(query, getPart(0), getPart(1),
                              op.getScale().convertToDouble(), factors);
    result = buildReshape(rewriter, loc, result, op.getType().getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), result));
    return success();
  }
};

struct LowerPartialLatentAttention : LinalgRule<PartialLatentAttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PartialLatentAttentionOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    ArrayRef<int64_t> shape = op.getQuery().getType().getShape();
    std::optional<Step> step = getStep(op, shape[0], reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    Value query =
        buildReshape(rewriter, loc, adaptor.getQuery().front(),
                     {step->requests, step->newTokens, 1, shape[1], shape[2]});
    Value rows = adaptor.getCache().front();
    ArrayRef<int64_t> stored = getTensorType(rows).getShape();
    rows =
        buildReshape(rewriter, loc, rows, {stored[0], stored[1], 1, stored[2]});
    Value values = buildRange(rewriter, loc, rows, 3, 0,
                              static_cast<int64_t>(op.getRank()));
    Value result =
        PartialBuilder(rewriter, loc, *step, op.getCache().getType())
            .build(query, rows, values, op.getScale().convertToDouble());
    result = buildReshape(rewriter, loc, result, op.getType().getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), result));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The results of all devices
//===----------------------------------------------------------------------===//

namespace {
struct LowerMergeAttention : LinalgRule<MergeAttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(MergeAttentionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value parts = adaptor.getParts();
    ArrayRef<int64_t> shape = getTensorType(parts).getShape();
    int64_t features = shape[3] - 1;
    auto getPart = [&](int64_t part, int64_t offset, int64_t size) {
      Value range = buildRange(rewriter, loc, parts, 0, part, 1);
      range = buildRange(rewriter, loc, range, 3, offset, size);
      return buildReshape(rewriter, loc, range, {shape[1], shape[2], size});
    };
    auto combine = [&](Value all, Value one, ScalarBody body) {
      return all ? buildElementwise(rewriter, loc, getTensorType(all),
                                    {all, one}, body)
                 : one;
    };
    SmallVector<Value> logs;
    Value peaks;
    for (int64_t part = 0; part < shape[0]; ++part) {
      logs.push_back(getPart(part, features, 1));
      peaks = combine(peaks, logs.back(), maximum);
    }
    Value total, mixed;
    for (auto [part, log] : llvm::enumerate(logs)) {
      Value weight = buildElementwise(rewriter, loc, getTensorType(log),
                                      {log, peaks}, weigh);
      total = combine(total, weight, add);
      Value own = getPart(static_cast<int64_t>(part), 0, features);
      own = buildElementwise(rewriter, loc, getTensorType(own), {own, weight},
                             multiply);
      mixed = combine(mixed, own, add);
    }
    Value result = combine(mixed, total, divide);
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), result));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The weight of latent attention, on queries and results
//===----------------------------------------------------------------------===//

namespace {
struct LowerAbsorbQuery : LinalgRule<AbsorbQueryOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(AbsorbQueryOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value query = adaptor.getQuery();
    ArrayRef<int64_t> shape = getTensorType(query).getShape();
    ArrayRef<int64_t> stored = op.getWeight().getType().getShape();
    int64_t heads = shape[1], size = op.getKeySize(), rank = stored[1];
    Value weight = buildReshape(rewriter, loc, adaptor.getWeight(),
                                {heads, stored[0] / heads, rank});
    weight = buildRange(rewriter, loc, weight, 1, 0, size);
    // Loops: t, h, c, j.
    Value product =
        buildContraction(rewriter, loc, {shape[0], heads, rank},
                         buildRange(rewriter, loc, query, 2, 0, size), weight,
                         4, {{0, 1, 3}, {1, 3, 2}, {0, 1, 2}});
    RankedTensorType type = op.getType();
    auto narrow =
        RankedTensorType::get({shape[0], heads, rank}, type.getElementType());
    Value result = buildRound(rewriter, loc, narrow, product);
    if (shape[2] > size)
      result = buildConcat(
          rewriter, loc,
          {result, buildRange(rewriter, loc, query, 2, size, shape[2] - size)},
          2);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerExpandValues : LinalgRule<ExpandValuesOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ExpandValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = op.getType().getShape();
    ArrayRef<int64_t> stored = op.getWeight().getType().getShape();
    int64_t heads = shape[1], rows = stored[0] / heads;
    Value weight = buildReshape(rewriter, loc, adaptor.getWeight(),
                                {heads, rows, stored[1]});
    weight = buildRange(rewriter, loc, weight, 1, rows - shape[2], shape[2]);
    // Loops: t, h, j, c.
    Value product =
        buildContraction(rewriter, loc, shape, adaptor.getInput(), weight, 4,
                         {{0, 1, 3}, {1, 2, 3}, {0, 1, 2}});
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), product));
    return success();
  }
};
} // namespace

void tensorcast::populateContextRules(RewritePatternSet &patterns,
                                      const RuleContext &rules) {
  patterns.add<LowerAbsorbQuery, LowerExpandValues, LowerMergeAttention,
               LowerPartialAttention, LowerPartialLatentAttention>(
      patterns.getContext(), rules);
}
