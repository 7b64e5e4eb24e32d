//===- ExpertRules.cpp - Tokens to experts and back -----------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

RowOrder RowOrder::get(OpBuilder &builder, Location loc, Value ids) {
  RowOrder order;
  order.count = getTensorType(ids).getNumElements();
  order.ids = buildReshape(builder, loc, ids, {order.count});
  order.rowOfChoice = buildRanks(builder, loc, order.ids, /*ascending=*/true);
  order.choiceOfRow =
      buildInverse(builder, loc, order.rowOfChoice, order.count);
  return order;
}

/// Rows of `input` in another order: `result[r, :] = input[at[r] / by, :]`.
static Value buildReordered(OpBuilder &builder, Location loc, Value input,
                            Value at, int64_t by = 1) {
  RankedTensorType type = getTensorType(input);
  int64_t rows = getTensorType(at).getDimSize(0);
  auto body = [&](OpBuilder &inner, Location innerLoc,
                  ValueRange place) -> Value {
    Value row = readIndex(inner, innerLoc, at, place.take_front(), rows);
    Value divisor = arith::ConstantIndexOp::create(inner, innerLoc, by);
    row = arith::DivUIOp::create(inner, innerLoc, row, divisor);
    return tensor::ExtractOp::create(inner, innerLoc, input,
                                     ValueRange{row, place[1]});
  };
  return buildByIndex(
      builder, loc,
      RankedTensorType::get({rows, type.getDimSize(1)}, type.getElementType()),
      body);
}

namespace {
//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

/// Where tokens are divided, on one device, nothing happens.
template <typename OpT> struct LowerDomain : LinalgRule<OpT> {
  using LinalgRule<OpT>::LinalgRule;

  LogicalResult
  matchAndRewrite(OpT op, typename LinalgRule<OpT>::OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};

struct LowerPadRows : LinalgRule<PadRowsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PadRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Value zeros =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    SmallVector<int64_t> offsets(type.getRank(), 0);
    rewriter.replaceOp(
        op, buildInsert(rewriter, loc, adaptor.getInput(), zeros, offsets));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

struct LowerPermuteTokens : LinalgRule<PermuteTokensOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PermuteTokensOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RowOrder order = RowOrder::get(rewriter, loc, adaptor.getIds());
    int64_t choices = getTensorType(adaptor.getIds()).getDimSize(1);
    rewriter.replaceOp(op, buildReordered(rewriter, loc, adaptor.getInput(),
                                          order.choiceOfRow, choices));
    return success();
  }
};

struct LowerUnpermuteTokens : LinalgRule<UnpermuteTokensOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(UnpermuteTokensOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RowOrder order = RowOrder::get(rewriter, loc, adaptor.getIds());
    Value rows =
        buildReordered(rewriter, loc, adaptor.getInput(), order.rowOfChoice);
    rewriter.replaceOp(
        op, buildReshape(rewriter, loc, rows, op.getType().getShape()));
    return success();
  }
};

struct LowerCombineTokens : LinalgRule<CombineTokensOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(CombineTokensOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), weights = adaptor.getWeights();
    RowOrder order = RowOrder::get(rewriter, loc, adaptor.getIds());
    int64_t choices = getTensorType(weights).getDimSize(1);
    Type type = getComputeType(op.getType().getElementType());
    // Loops: token, feature, choice.
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      Value count = arith::ConstantIndexOp::create(inner, innerLoc, choices);
      Value choice = arith::MulIOp::create(inner, innerLoc, at[0], count);
      choice = arith::AddIOp::create(inner, innerLoc, choice, at[2]);
      Value row =
          readIndex(inner, innerLoc, order.rowOfChoice, choice, order.count);
      Value value = tensor::ExtractOp::create(inner, innerLoc, input,
                                              ValueRange{row, at[1]});
      Value weight = tensor::ExtractOp::create(inner, innerLoc, weights,
                                               ValueRange{at[0], at[2]});
      return arith::MulFOp::create(inner, innerLoc,
                                   convertTo(inner, innerLoc, value, type),
                                   convertTo(inner, innerLoc, weight, type));
    };
    Value sum = buildSum(rewriter, loc,
                         RankedTensorType::get(op.getType().getShape(), type),
                         choices, body);
    rewriter.replaceOp(op, buildRound(rewriter, loc, op.getType(), sum));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Between devices
//===----------------------------------------------------------------------===//

/// On the only device, an expert's rows are there already.
template <typename OpT> struct LowerExpertExchange : LinalgRule<OpT> {
  using LinalgRule<OpT>::LinalgRule;

  LogicalResult
  matchAndRewrite(OpT op, typename LinalgRule<OpT>::OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t devices = op.getPlacement().getDevices();
    if (devices > 1)
      return this->decline(op, rewriter,
                           "it sends rows between " + Twine(devices) +
                               " devices, and only one is run");
    rewriter.replaceOp(op, adaptor.getInput());
    return success();
  }
};
} // namespace

void tensorcast::populateExpertRules(RewritePatternSet &patterns,
                                     const RuleContext &rules) {
  patterns.add<LowerDomain<SpreadTokensOp>, LowerDomain<CollectTokensOp>,
               LowerPadRows, LowerPermuteTokens, LowerUnpermuteTokens,
               LowerCombineTokens, LowerExpertExchange<DispatchTokensOp>,
               LowerExpertExchange<ReturnTokensOp>>(patterns.getContext(),
                                                    rules);
}
