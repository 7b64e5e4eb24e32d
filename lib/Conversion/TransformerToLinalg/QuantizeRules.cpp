//===- QuantizeRules.cpp - Rounding to 8 bits -----------------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// The widest symmetric 8-bit range is -127 to 127.
static constexpr double largestByte = 127;

/// clamp(round(input / scale), -128, 127), ties to even; 0 where the scale is
/// 0, as for a tensor of zeros.
static Value buildQuantize(OpBuilder &builder, Location loc,
                           RankedTensorType type, Value input, Value scale) {
  auto body = [](OpBuilder &inner, Location innerLoc,
                 ValueRange args) -> Value {
    Type floatType = args[0].getType();
    Value zero = makeScalar(inner, innerLoc, floatType, 0);
    Value least = makeScalar(inner, innerLoc, floatType, -largestByte - 1);
    Value most = makeScalar(inner, innerLoc, floatType, largestByte);
    Value factor = roundTo(inner, innerLoc, args[1], floatType);
    Value value = arith::DivFOp::create(inner, innerLoc, args[0], factor);
    value = math::RoundEvenOp::create(inner, innerLoc, value);
    Value isZero = arith::CmpFOp::create(
        inner, innerLoc, arith::CmpFPredicate::OEQ, factor, zero);
    value = arith::SelectOp::create(inner, innerLoc, isZero, zero, value);
    // These two take the bound for what is no number, so that the conversion
    // is defined whatever the data.
    value = arith::MaxNumFOp::create(inner, innerLoc, value, least);
    value = arith::MinNumFOp::create(inner, innerLoc, value, most);
    return arith::FPToSIOp::create(inner, innerLoc, inner.getI8Type(), value);
  };
  return buildElementwise(builder, loc, type, {input, scale}, body);
}

namespace {
struct LowerQuantize : LinalgRule<QuantizeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(QuantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildQuantize(rewriter, op.getLoc(), op.getType(),
                                     adaptor.getInput(), adaptor.getScale()));
    return success();
  }
};

struct LowerDynamicQuantize : LinalgRule<DynamicQuantizeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(DynamicQuantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    int64_t size = getTensorType(input).getNumElements();
    auto largest = [](OpBuilder &builder, Location innerLoc,
                      ValueRange args) -> Value {
      Value magnitude = math::AbsFOp::create(builder, innerLoc, args[1]);
      return arith::MaximumFOp::create(builder, innerLoc, args[0], magnitude);
    };
    Value peak = buildRowReduction(
        rewriter, loc, buildReshape(rewriter, loc, input, {size}), 0, largest);
    auto divide = [](OpBuilder &builder, Location innerLoc,
                     ValueRange args) -> Value {
      Value most =
          makeScalar(builder, innerLoc, args[0].getType(), largestByte);
      return arith::DivFOp::create(builder, innerLoc, args[0], most);
    };
    Value scale =
        buildElementwise(rewriter, loc, op.getScale().getType(),
                         buildReshape(rewriter, loc, peak, {}), divide);
    Value result =
        buildQuantize(rewriter, loc, op.getResult().getType(), input, scale);
    rewriter.replaceOp(op, {result, scale});
    return success();
  }
};
} // namespace

void tensorcast::populateQuantizeRules(RewritePatternSet &patterns,
                                       const RuleContext &rules) {
  patterns.add<LowerQuantize, LowerDynamicQuantize>(patterns.getContext(),
                                                    rules);
}
