//===- RoutingRules.cpp - Scores, and the choice of experts ---------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static Value buildAdd(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}

static Value buildMax(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::MaximumFOp::create(builder, loc, args[0], args[1]);
}

static Value buildDivide(OpBuilder &builder, Location loc, ValueRange args) {
  return arith::DivFOp::create(builder, loc, args[0], args[1]);
}

static Value buildSigmoid(OpBuilder &builder, Location loc, ValueRange args) {
  Value one = makeScalar(builder, loc, args[0].getType(), 1);
  Value negated = arith::NegFOp::create(builder, loc, args[0]);
  Value exponential = math::ExpOp::create(builder, loc, negated);
  Value divisor = arith::AddFOp::create(builder, loc, one, exponential);
  return arith::DivFOp::create(builder, loc, one, divisor);
}

/// The type of computation, with the sizes of `value`.
static RankedTensorType getWideType(Value value) {
  RankedTensorType type = getTensorType(value);
  return RankedTensorType::get(type.getShape(),
                               getComputeType(type.getElementType()));
}

/// exp(input - max) / sum of these, in the type of computation.
static Value buildSoftmax(OpBuilder &builder, Location loc, Value input) {
  Value peaks = buildRowReduction(
      builder, loc, input, -std::numeric_limits<double>::infinity(), buildMax);
  auto power = [](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
    Value below = arith::SubFOp::create(inner, innerLoc, args[0], args[1]);
    return math::ExpOp::create(inner, innerLoc, below);
  };
  RankedTensorType type = getWideType(input);
  Value powers = buildElementwise(builder, loc, type, {input, peaks}, power);
  Value sums = buildRowReduction(builder, loc, powers, 0, buildAdd);
  return buildElementwise(builder, loc, type, {powers, sums}, buildDivide);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

namespace {
struct LowerSoftmax : LinalgRule<SoftmaxOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(SoftmaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value result = buildSoftmax(rewriter, loc, adaptor.getInput());
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), result));
    return success();
  }
};

/// The largest or the sum along one dimension, which is made the last one.
template <typename OpT> struct LowerReduction : LinalgRule<OpT> {
  using LinalgRule<OpT>::LinalgRule;

  LogicalResult
  matchAndRewrite(OpT op, typename LinalgRule<OpT>::OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    ArrayRef<int64_t> shape = getTensorType(input).getShape();
    int64_t dim = op.getDim();
    int64_t outer = 1, inner = 1;
    for (int64_t size : shape.take_front(dim))
      outer *= size;
    for (int64_t size : shape.drop_front(dim + 1))
      inner *= size;
    input = buildReshape(rewriter, loc, input, {outer, shape[dim], inner});
    input = buildTransposed(rewriter, loc, input);
    constexpr bool isSum = std::is_same_v<OpT, SumOp>;
    Value result =
        buildRowReduction(rewriter, loc, input,
                          isSum ? 0 : -std::numeric_limits<double>::infinity(),
                          isSum ? buildAdd : buildMax);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    result = buildReshape(rewriter, loc, result, type.getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, type, result));
    return success();
  }

private:
  static Value buildTransposed(OpBuilder &builder, Location loc, Value input) {
    RankedTensorType type = getTensorType(input);
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      return tensor::ExtractOp::create(inner, innerLoc, input,
                                       ValueRange{at[0], at[2], at[1]});
    };
    return buildByIndex(
        builder, loc,
        RankedTensorType::get(
            {type.getDimSize(0), type.getDimSize(2), type.getDimSize(1)},
            type.getElementType()),
        body);
  }
};

struct LowerTopK : LinalgRule<TopKOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(TopKOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value ranks = buildRanks(rewriter, loc, adaptor.getInput());
    Value indices = buildInverse(rewriter, loc, ranks, op.getCount());
    Value values = buildTake(rewriter, loc, adaptor.getInput(), indices);
    rewriter.replaceOp(op, {values, indices});
    return success();
  }
};

struct LowerTake : LinalgRule<TakeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(TakeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildTake(rewriter, op.getLoc(), adaptor.getInput(),
                                     adaptor.getIndices()));
    return success();
  }
};

struct LowerMaskGroups : LinalgRule<MaskGroupsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(MaskGroupsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResult().getType();
    Value input = adaptor.getInput(), chosen = adaptor.getChosen();
    int64_t choices = getTensorType(chosen).getDimSize(1);
    int64_t size = type.getDimSize(1) / op.getGroups();
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      Value groupSize = arith::ConstantIndexOp::create(inner, innerLoc, size);
      Value group = arith::DivUIOp::create(inner, innerLoc, at[1], groupSize);
      Value isKept =
          arith::ConstantOp::create(inner, innerLoc, inner.getBoolAttr(false));
      for (int64_t i = 0; i < choices; ++i) {
        Value column = arith::ConstantIndexOp::create(inner, innerLoc, i);
        Value kept = readIndex(inner, innerLoc, chosen,
                               ValueRange{at[0], column}, op.getGroups());
        Value isSame = arith::CmpIOp::create(
            inner, innerLoc, arith::CmpIPredicate::eq, kept, group);
        isKept = arith::OrIOp::create(inner, innerLoc, isKept, isSame);
      }
      Value value = tensor::ExtractOp::create(inner, innerLoc, input, at);
      Value zero = makeScalar(inner, innerLoc, type.getElementType(), 0);
      return arith::SelectOp::create(inner, innerLoc, isKept, value, zero);
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, loc, type, body));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Rows of a table of integers; ids out of range pick the nearest row.
static Value buildChoices(OpBuilder &builder, Location loc, Value table,
                          Value tokens, RankedTensorType type) {
  int64_t rows = getTensorType(table).getDimSize(0);
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    Value row = readIndex(inner, innerLoc, tokens, at[0], rows);
    Value id = tensor::ExtractOp::create(inner, innerLoc, table,
                                         ValueRange{row, at[1]});
    return arith::ExtSIOp::create(inner, innerLoc, inner.getI64Type(), id);
  };
  return buildByIndex(builder, loc, type, body);
}

struct LowerLookUpExperts : LinalgRule<LookUpExpertsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LookUpExpertsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildChoices(rewriter, op.getLoc(), adaptor.getTable(),
                                    adaptor.getTokens(), op.getType()));
    return success();
  }
};

/// sqrt(max(x, 0) + log(1 + exp(-|x|)))
static Value buildSqrtSoftplus(OpBuilder &builder, Location loc,
                               ValueRange args) {
  Value zero = makeScalar(builder, loc, args[0].getType(), 0);
  Value ramp = arith::MaximumFOp::create(builder, loc, args[0], zero);
  Value size = math::AbsFOp::create(builder, loc, args[0]);
  Value power = math::ExpOp::create(
      builder, loc, arith::NegFOp::create(builder, loc, size).getResult());
  Value rest = math::Log1pOp::create(builder, loc, power);
  Value sum = arith::AddFOp::create(builder, loc, ramp, rest);
  return math::SqrtOp::create(builder, loc, sum);
}

struct LowerSelectExperts : LinalgRule<SelectExpertsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(SelectExpertsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getScore() == ScoreFunction::SoftmaxOfChosen)
      return decline(op, rewriter, "it chooses by logits, before the softmax");
    Location loc = op.getLoc();
    Value logits = adaptor.getLogits(), scores;
    RankedTensorType type = getWideType(logits);
    if (op.getScore() == ScoreFunction::Softmax)
      scores = buildSoftmax(rewriter, loc, logits);
    else if (op.getScore() == ScoreFunction::SqrtSoftplus)
      scores = buildElementwise(rewriter, loc, type, logits, buildSqrtSoftplus);
    else
      scores = buildElementwise(rewriter, loc, type, logits, buildSigmoid);
    Value ranked = scores;
    if (adaptor.getBias())
      ranked = buildElementwise(rewriter, loc, type,
                                {scores, adaptor.getBias()}, buildAdd);
    if (op.getGroups())
      ranked = excludeGroups(op, ranked, rewriter);
    Value ids =
        op.getTable()
            ? buildChoices(rewriter, loc, adaptor.getTable(),
                           adaptor.getTokens(), op.getIds().getType())
            : buildInverse(rewriter, loc, buildRanks(rewriter, loc, ranked),
                           op.getTopK());
    Value weights =
        buildWeights(op, buildTake(rewriter, loc, scores, ids), rewriter);
    rewriter.replaceOp(op, {weights, ids});
    return success();
  }

private:
  /// Scores, below all others for the experts of groups that are not among the
  /// best ones.
  static Value excludeGroups(SelectExpertsOp op, Value scores,
                             OpBuilder &builder) {
    Location loc = op.getLoc();
    RankedTensorType type = getTensorType(scores);
    int64_t tokens = type.getDimSize(0), groups = *op.getGroups();
    int64_t size = type.getDimSize(1) / groups;
    Value grouped = buildReshape(builder, loc, scores, {tokens, groups, size});
    Value best = buildInverse(builder, loc, buildRanks(builder, loc, grouped),
                              std::min<int64_t>(size, 2));
    Value sums = buildRowReduction(
        builder, loc, buildTake(builder, loc, grouped, best), 0, buildAdd);
    Value places = buildRanks(
        builder, loc, buildReshape(builder, loc, sums, {tokens, groups}));
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      Value groupSize = arith::ConstantIndexOp::create(inner, innerLoc, size);
      Value group = arith::DivUIOp::create(inner, innerLoc, at[1], groupSize);
      Value place = tensor::ExtractOp::create(inner, innerLoc, places,
                                              ValueRange{at[0], group});
      Value count = makeScalar(inner, innerLoc, inner.getI64Type(),
                               static_cast<double>(*op.getTopGroups()));
      Value isOpen = arith::CmpIOp::create(
          inner, innerLoc, arith::CmpIPredicate::slt, place, count);
      Value score = tensor::ExtractOp::create(inner, innerLoc, scores, at);
      Value least = makeScalar(inner, innerLoc, score.getType(),
                               -std::numeric_limits<double>::infinity());
      return arith::SelectOp::create(inner, innerLoc, isOpen, score, least);
    };
    return buildByIndex(builder, loc, type, body);
  }

  static Value buildWeights(SelectExpertsOp op, Value chosen,
                            OpBuilder &builder) {
    Location loc = op.getLoc();
    SmallVector<Value> operands = {chosen};
    if (op.getNormalize())
      operands.push_back(buildRowReduction(builder, loc, chosen, 0, buildAdd));
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
      Value weight = args[0];
      auto number = [&](const APFloat &value) {
        return makeScalar(inner, innerLoc, weight.getType(),
                          value.convertToDouble());
      };
      if (op.getNormalize()) {
        Value sum = args[1];
        if (op.getEpsilon() && op.getScore() == ScoreFunction::Softmax)
          sum = arith::MaximumFOp::create(inner, innerLoc, sum,
                                          number(*op.getEpsilon()));
        else if (op.getEpsilon())
          sum = arith::AddFOp::create(inner, innerLoc, sum,
                                      number(*op.getEpsilon()));
        weight = arith::DivFOp::create(inner, innerLoc, weight, sum);
      }
      if (op.getScale())
        weight = arith::MulFOp::create(inner, innerLoc, weight,
                                       number(*op.getScale()));
      return weight;
    };
    return buildElementwise(builder, loc, op.getWeights().getType(), operands,
                            body);
  }
};
} // namespace

void tensorcast::populateRoutingRules(RewritePatternSet &patterns,
                                      const RuleContext &rules) {
  patterns.add<LowerSoftmax, LowerReduction<SumOp>, LowerReduction<MaxOp>,
               LowerTopK, LowerTake, LowerMaskGroups, LowerLookUpExperts,
               LowerSelectExperts>(patterns.getContext(), rules);
}
