//===- LinearAttentionRules.cpp - Gated delta nets ------------------------===//

#include "Step.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using utils::IteratorType;

/// What is added to a sum of squares in front of its root.
static constexpr double lengthEps = 1e-6;

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

static Value add(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}

static Value subtract(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::SubFOp::create(builder, loc, args[0], args[1]);
}

static Value multiply(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::MulFOp::create(builder, loc, args[0], args[1]);
}

static Value multiplyByExp(OpBuilder &builder, Location loc, ValueRange args) {
  Value factor = math::ExpOp::create(builder, loc, args[1]);
  return arith::MulFOp::create(builder, loc, args[0], factor);
}

namespace {
/// Builds tensors of one float type.
class TensorMath {
public:
  TensorMath(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  RankedTensorType getType(ArrayRef<int64_t> shape) const {
    return RankedTensorType::get(shape, type);
  }

  Value combine(ArrayRef<int64_t> shape, ValueRange inputs, ScalarBody body) {
    auto convert = [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
      SmallVector<Value> scalars;
      for (Value arg : args)
        scalars.push_back(convertTo(inner, innerLoc, arg, type));
      return body(inner, innerLoc, scalars);
    };
    return buildElementwise(builder, loc, getType(shape), inputs, convert);
  }

  /// A sum of products over the last of `numLoops` loops; `maps` are the loops
  /// of left, right and result.
  Value contract(ArrayRef<int64_t> shape, Value lhs, Value rhs,
                 unsigned numLoops, ArrayRef<ArrayRef<unsigned>> maps) {
    SmallVector<AffineMap> affine;
    for (ArrayRef<unsigned> loops : maps) {
      SmallVector<AffineExpr> exprs;
      for (unsigned loop : loops)
        exprs.push_back(getAffineDimExpr(loop, builder.getContext()));
      affine.push_back(
          AffineMap::get(numLoops, 0, exprs, builder.getContext()));
    }
    SmallVector<IteratorType> iterators(numLoops, IteratorType::parallel);
    iterators.back() = IteratorType::reduction;
    return buildContraction(builder, loc, shape, lhs, rhs, affine, iterators);
  }

  /// `count` of dimension 1 from `first` on.
  Value takeTokens(Value value, int64_t first, int64_t count) {
    SmallVector<int64_t> sizes(getTensorType(value).getShape());
    SmallVector<int64_t> offsets(sizes.size(), 0);
    offsets[1] = first;
    sizes[1] = count;
    return buildSlice(builder, loc, value, offsets, sizes);
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return buildReshape(builder, loc, value, shape);
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};
} // namespace

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
struct LowerCausalConv : LinalgRule<CausalConvOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(CausalConvOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    Value input = adaptor.getInput().front();
    Value state = adaptor.getState().front();
    ArrayRef<int64_t> shape = getTensorType(input).getShape();
    std::optional<Step> step = getStep(op, shape[0], reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    int64_t requests = step->requests, tokens = step->newTokens;
    int64_t channels = shape[1];
    RankedTensorType stateType = getTensorType(state);
    int64_t taps = stateType.getDimSize(2) + 1;
    TensorMath math(rewriter, loc, getComputeType(stateType.getElementType()));

    // Inputs of each request by channel and token, old ones first.
    Value fresh = math.reshape(input, {requests, tokens, channels});
    fresh = transpose(math, fresh, {requests, channels, tokens});
    fresh = buildRound(rewriter, loc,
                       RankedTensorType::get({requests, channels, tokens},
                                             stateType.getElementType()),
                       fresh);
    Value all = buildConcat(rewriter, loc, {state, fresh}, 2);
    Value sum = convolve(math, all, adaptor.getWeight().front(),
                         {requests, tokens, channels}, taps);
    auto silu = [](OpBuilder &builder, Location innerLoc,
                   ValueRange args) -> Value {
      Value one = makeScalar(builder, innerLoc, args[0].getType(), 1);
      Value negated = arith::NegFOp::create(builder, innerLoc, args[0]);
      Value exponential = math::ExpOp::create(builder, innerLoc, negated);
      Value divisor =
          arith::AddFOp::create(builder, innerLoc, one, exponential);
      return arith::DivFOp::create(builder, innerLoc, args[0], divisor);
    };
    Value result = math.combine({requests, tokens, channels}, sum, silu);
    result = math.reshape(result, shape);
    Value last = buildSlice(rewriter, loc, all, {0, 0, tokens},
                            {requests, channels, taps - 1});
    rewriter.replaceOp(
        op,
        {buildRound(rewriter, loc, op.getResult().getType(), result), last});
    return success();
  }

private:
  /// Exchanges the last two dimensions.
  static Value transpose(TensorMath &math, Value value,
                         ArrayRef<int64_t> shape) {
    auto type =
        RankedTensorType::get(shape, getTensorType(value).getElementType());
    Value init = tensor::EmptyOp::create(math.builder, math.loc, shape,
                                         type.getElementType());
    return linalg::TransposeOp::create(math.builder, math.loc, value, init,
                                       ArrayRef<int64_t>{0, 2, 1})
        ->getResult(0);
  }

  /// `result[r, t, c] = sum_j all[r, c, t + j] * weight[c, j]`
  static Value convolve(TensorMath &math, Value all, Value weight,
                        ArrayRef<int64_t> shape, int64_t taps) {
    Value sum;
    for (int64_t tap = 0; tap < taps; ++tap) {
      Value part = buildSlice(math.builder, math.loc, all, {0, 0, tap},
                              {shape[0], shape[2], shape[1]});
      part = transpose(math, part, shape);
      Value factor =
          buildSlice(math.builder, math.loc, weight, {0, tap}, {shape[2], 1});
      factor = math.reshape(factor, {shape[2]});
      Value product = math.combine(shape, {part, factor}, multiply);
      sum = sum ? math.combine(shape, {sum, product}, add) : product;
    }
    return sum;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The delta rule
//===----------------------------------------------------------------------===//

namespace {
/// Builds the rule over requests R, their new tokens q, heads H and features D
/// of keys and E of values.
class DeltaRuleBuilder {
public:
  /// Queries and keys are R x q x H x D, values R x q x H x E, gates R x q x H,
  /// the state R x H x D x E.
  DeltaRuleBuilder(TensorMath &math, Value query, Value key, Value value,
                   Value beta, Value gate, Value state)
      : math(math), value(value), beta(beta), gate(gate), state(state) {
    ArrayRef<int64_t> keys = getTensorType(key).getShape();
    requests = keys[0];
    tokens = keys[1];
    heads = keys[2];
    keySize = keys[3];
    valueSize = getTensorType(value).getShape()[3];
    this->key = normalize(key, 1);
    this->query = normalize(query, 1 / std::sqrt(static_cast<double>(keySize)));
  }

  /// Takes `chunk` tokens at a time, by products of matrices if it is more than
  /// 1, and leaves the state that they make.
  Value run(int64_t chunk) {
    SmallVector<Value> results;
    for (int64_t first = 0; first < tokens;) {
      int64_t count = std::min(chunk, tokens - first);
      results.push_back(chunk == 1 ? takeOne(first) : takeChunk(first, count));
      first += count;
    }
    return buildConcat(math.builder, math.loc, results, 1);
  }

  Value getState() const { return state; }

private:
  /// `scale * input / |input|` over the last dimension.
  Value normalize(Value input, double scale) {
    SmallVector<int64_t> shape(getTensorType(input).getShape());
    Value squares = math.combine(
        shape, input, [](OpBuilder &builder, Location loc, ValueRange args) {
          return arith::MulFOp::create(builder, loc, args[0], args[0])
              .getResult();
        });
    Value sum = buildRowReduction(math.builder, math.loc, squares, 0, add);
    auto divide = [&](OpBuilder &builder, Location loc,
                      ValueRange args) -> Value {
      Type type = args[0].getType();
      Value eps = makeScalar(builder, loc, type, lengthEps);
      Value stable = arith::AddFOp::create(builder, loc, args[1], eps);
      Value inverse = math::RsqrtOp::create(builder, loc, stable);
      Value unit = arith::MulFOp::create(builder, loc, args[0], inverse);
      return arith::MulFOp::create(builder, loc, unit,
                                   makeScalar(builder, loc, type, scale));
    };
    return math.combine(shape, {input, sum}, divide);
  }

  //===--------------------------------------------------------------------===//
  // Token by token
  //===--------------------------------------------------------------------===//

  Value takeOne(int64_t token) {
    SmallVector<int64_t> values = {requests, heads, valueSize};
    auto take = [&](Value from, ArrayRef<int64_t> shape) {
      return math.reshape(math.takeTokens(from, token, 1), shape);
    };
    SmallVector<int64_t> shape = {requests, heads, keySize, valueSize};
    Value kept = math.combine(
        shape, {state, take(gate, {requests, heads, 1, 1})}, multiplyByExp);
    Value keys = take(key, {requests, heads, keySize});
    // Loops: r, h, e, d.
    Value known = math.contract(values, kept, keys, 4,
                                {{0, 1, 3, 2}, {0, 1, 3}, {0, 1, 2}});
    Value missing =
        math.combine(values, {take(value, values), known}, subtract);
    missing = math.combine(values, {missing, take(beta, {requests, heads, 1})},
                           multiply);
    Value change =
        math.combine(shape,
                     {math.reshape(keys, {requests, heads, keySize, 1}),
                      math.reshape(missing, {requests, heads, 1, valueSize})},
                     multiply);
    state = math.combine(shape, {kept, change}, add);
    Value result =
        math.contract(values, state, take(query, {requests, heads, keySize}), 4,
                      {{0, 1, 3, 2}, {0, 1, 3}, {0, 1, 2}});
    return math.reshape(result, {requests, 1, heads, valueSize});
  }

  //===--------------------------------------------------------------------===//
  // By chunks
  //===--------------------------------------------------------------------===//

  Value takeChunk(int64_t first, int64_t count) {
    Value q = math.takeTokens(query, first, count);
    Value k = math.takeTokens(key, first, count);
    Value v = math.takeTokens(value, first, count);
    Value b = math.reshape(math.takeTokens(beta, first, count),
                           {requests, count, heads, 1});
    Value sums = accumulate(math.takeTokens(gate, first, count), count);
    Value decay = math.reshape(sums, {requests, count, heads, 1});
    SmallVector<int64_t> keys = {requests, count, heads, keySize};
    SmallVector<int64_t> values = {requests, count, heads, valueSize};

    // What each token takes back of what the others in front of it write.
    Value strong = math.combine(keys, {k, b}, multiply);
    Value inverse =
        invert(buildPairs(strong, k, sums, count, /*own=*/false), count);
    Value corrected =
        apply(inverse, math.combine(values, {v, b}, multiply), values);
    Value decayed = apply(
        inverse, math.combine(keys, {strong, decay}, multiplyByExp), keys);
    Value fresh =
        math.combine(values, {corrected, read(decayed, values)}, subtract);

    Value old = read(math.combine(keys, {q, decay}, multiplyByExp), values);
    Value own =
        apply(buildPairs(q, k, sums, count, /*own=*/true), fresh, values);
    update(k, fresh, sums, count);
    return math.combine(values, {old, own}, add);
  }

  /// The sums of gates from the beginning of the chunk on: R x c x H.
  Value accumulate(Value gates, int64_t count) {
    Value sum;
    SmallVector<Value> all;
    for (int64_t token = 0; token < count; ++token) {
      Value one = math.takeTokens(gates, token, 1);
      sum = sum ? math.combine({requests, 1, heads}, {sum, one}, add) : one;
      all.push_back(sum);
    }
    return buildConcat(math.builder, math.loc, all, 1);
  }

  /// `lhs_i . rhs_j * exp(sums_i - sums_j)` for j below i, and i itself if
  /// `own`: R x H x c x c.
  Value buildPairs(Value lhs, Value rhs, Value sums, int64_t count, bool own) {
    SmallVector<int64_t> shape = {requests, heads, count, count};
    // Loops: r, h, i, j, d.
    Value products = math.contract(shape, lhs, rhs, 5,
                                   {{0, 2, 1, 4}, {0, 3, 1, 4}, {0, 1, 2, 3}});
    auto weigh = [&](OpBuilder &builder, Location loc, ValueRange at) -> Value {
      auto extract = [&](Value from, ValueRange place) -> Value {
        return convertTo(builder, loc,
                         tensor::ExtractOp::create(builder, loc, from, place),
                         math.type);
      };
      Value later = extract(sums, {at[0], at[2], at[1]});
      Value earlier = extract(sums, {at[0], at[3], at[1]});
      Value gates = arith::SubFOp::create(builder, loc, later, earlier);
      Value weight = math::ExpOp::create(builder, loc, gates);
      Value product = arith::MulFOp::create(
          builder, loc, extract(products, {at[0], at[1], at[2], at[3]}),
          weight);
      auto isIn = own ? arith::CmpIPredicate::ule : arith::CmpIPredicate::ult;
      Value seen = arith::CmpIOp::create(builder, loc, isIn, at[3], at[2]);
      Value zero = makeScalar(builder, loc, math.type, 0);
      return arith::SelectOp::create(builder, loc, seen, product, zero);
    };
    return buildByIndex(math.builder, math.loc, math.getType(shape), weigh);
  }

  /// The inverse of one plus `matrices`, which have nothing on or above the
  /// diagonal: with N = -matrices, it is (1 + N) (1 + N^2) (1 + N^4) .., up to
  /// the power that is 0.
  Value invert(Value matrices, int64_t count) {
    SmallVector<int64_t> shape = {requests, heads, count, count};
    auto product = [&](Value lhs, Value rhs) {
      // Loops: r, h, i, j, k.
      return math.contract(shape, lhs, rhs, 5,
                           {{0, 1, 2, 4}, {0, 1, 4, 3}, {0, 1, 2, 3}});
    };
    auto negate = [](OpBuilder &builder, Location loc, ValueRange args) {
      return arith::NegFOp::create(builder, loc, args[0]).getResult();
    };
    Value power = math.combine(shape, matrices, negate);
    Value inverse = addIdentity(power, shape);
    for (int64_t reach = 2; reach < count; reach *= 2) {
      power = product(power, power);
      inverse = product(inverse, addIdentity(power, shape));
    }
    return inverse;
  }

  Value addIdentity(Value matrices, ArrayRef<int64_t> shape) {
    auto body = [&](OpBuilder &builder, Location loc, ValueRange at) -> Value {
      Value element = tensor::ExtractOp::create(builder, loc, matrices, at);
      Value diagonal = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, at[2], at[3]);
      Value one = makeScalar(builder, loc, math.type, 1);
      Value more = arith::AddFOp::create(builder, loc, element, one);
      return arith::SelectOp::create(builder, loc, diagonal, more, element);
    };
    return buildByIndex(math.builder, math.loc, math.getType(shape), body);
  }

  /// `result[r, i, h, :] = sum_j pairs[r, h, i, j] * rows[r, j, h, :]`
  Value apply(Value pairs, Value rows, ArrayRef<int64_t> shape) {
    // Loops: r, i, h, e, j.
    return math.contract(shape, pairs, rows, 5,
                         {{0, 2, 1, 4}, {0, 4, 2, 3}, {0, 1, 2, 3}});
  }

  /// What the state holds for `rows` of keys or queries.
  Value read(Value rows, ArrayRef<int64_t> shape) {
    // Loops: r, i, h, e, d.
    return math.contract(shape, rows, state, 5,
                         {{0, 1, 2, 4}, {0, 2, 4, 3}, {0, 1, 2, 3}});
  }

  /// Lets the state decay over the chunk, and writes `fresh` to it.
  void update(Value keys, Value fresh, Value sums, int64_t count) {
    Value last = math.takeTokens(sums, count - 1, 1);
    Value rest = math.combine({requests, count, heads}, {last, sums}, subtract);
    Value late = math.combine(
        {requests, count, heads, keySize},
        {keys, math.reshape(rest, {requests, count, heads, 1})}, multiplyByExp);
    SmallVector<int64_t> shape = {requests, heads, keySize, valueSize};
    Value kept = math.combine(
        shape, {state, math.reshape(last, {requests, heads, 1, 1})},
        multiplyByExp);
    // Loops: r, h, d, e, i.
    Value change = math.contract(shape, late, fresh, 5,
                                 {{0, 4, 1, 2}, {0, 4, 1, 3}, {0, 1, 2, 3}});
    state = math.combine(shape, {kept, change}, add);
  }

  TensorMath &math;
  Value query, key, value, beta, gate, state;
  int64_t requests, tokens, heads, keySize, valueSize;
};

struct LowerGatedDeltaRule : LinalgRule<GatedDeltaRuleOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(GatedDeltaRuleOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    RankedTensorType type = op.getResult().getType();
    std::optional<Step> step = getStep(op, type.getDimSize(0), reason);
    if (!step)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    Value state = adaptor.getState().front();
    RankedTensorType stateType = getTensorType(state);
    TensorMath math(rewriter, loc, getComputeType(stateType.getElementType()));
    auto perRequest = [&](ValueRange given) {
      SmallVector<int64_t> shape = {step->requests, step->newTokens};
      llvm::append_range(shape,
                         getTensorType(given.front()).getShape().drop_front());
      return math.reshape(given.front(), shape);
    };
    DeltaRuleBuilder rule(
        math, perRequest(adaptor.getQuery()), perRequest(adaptor.getKey()),
        perRequest(adaptor.getValue()), perRequest(adaptor.getBeta()),
        perRequest(adaptor.getLogGate()), state);
    bool isDecode = op.getBatch().getType().getWorkload().getDecode();
    Value result = rule.run(isDecode ? 1 : static_cast<int64_t>(op.getChunk()));
    result = math.reshape(result, type.getShape());
    rewriter.replaceOp(op,
                       {buildRound(rewriter, loc, type, result),
                        buildRound(rewriter, loc, stateType, rule.getState())});
    return success();
  }
};
} // namespace

void tensorcast::populateLinearAttentionRules(RewritePatternSet &patterns,
                                              const RuleContext &rules) {
  patterns.add<LowerCausalConv, LowerGatedDeltaRule>(patterns.getContext(),
                                                     rules);
}
