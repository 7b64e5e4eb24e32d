//===- NormRules.cpp - Means and norms of rows ----------------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Sums `f(element)` over the last dimension, which becomes 1, and divides by
/// its size.
static Value buildMean(OpBuilder &builder, Location loc, Value input,
                       bool squared) {
  int64_t size = getTensorType(input).getShape().back();
  auto add = [&](OpBuilder &inner, Location innerLoc,
                 ValueRange args) -> Value {
    Value element = args[1];
    if (squared)
      element = arith::MulFOp::create(inner, innerLoc, element, element);
    return arith::AddFOp::create(inner, innerLoc, args[0], element);
  };
  Value sum = buildRowReduction(builder, loc, input, 0, add);
  auto divide = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
    Value count = makeScalar(inner, innerLoc, args[0].getType(),
                             static_cast<double>(size));
    return arith::DivFOp::create(inner, innerLoc, args[0], count);
  };
  return buildElementwise(builder, loc, getTensorType(sum), sum, divide);
}

namespace {
struct LowerMean : LinalgRule<MeanOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(MeanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value mean = buildMean(rewriter, op.getLoc(), adaptor.getInput(),
                           /*squared=*/false);
    rewriter.replaceOp(op,
                       buildRound(rewriter, op.getLoc(), op.getType(), mean));
    return success();
  }
};

struct LowerRMSNorm : LinalgRule<RMSNormOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RMSNormOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value square =
        buildMean(rewriter, loc, adaptor.getInput(), /*squared=*/true);
    auto scale = [&](OpBuilder &builder, Location innerLoc,
                     ValueRange args) -> Value {
      Value eps = makeScalar(builder, innerLoc, args[1].getType(),
                             op.getEps().convertToDouble());
      Value stable = arith::AddFOp::create(builder, innerLoc, args[1], eps);
      Value inverse = math::RsqrtOp::create(builder, innerLoc, stable);
      Value normal = arith::MulFOp::create(builder, innerLoc, args[0], inverse);
      return arith::MulFOp::create(builder, innerLoc, normal, args[2]);
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, op.getType(),
                             {adaptor.getInput(), square, adaptor.getWeight()},
                             scale));
    return success();
  }
};

struct LowerLayerNorm : LinalgRule<LayerNormOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LayerNormOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    RankedTensorType type = getTensorType(input);
    Value mean = buildMean(rewriter, loc, input, /*squared=*/false);
    auto center = [](OpBuilder &builder, Location innerLoc,
                     ValueRange args) -> Value {
      return arith::SubFOp::create(builder, innerLoc, args[0], args[1]);
    };
    auto wide = RankedTensorType::get(type.getShape(),
                                      getTensorType(mean).getElementType());
    Value centered =
        buildElementwise(rewriter, loc, wide, {input, mean}, center);
    Value variance = buildMean(rewriter, loc, centered, /*squared=*/true);
    auto scale = [&](OpBuilder &builder, Location innerLoc,
                     ValueRange args) -> Value {
      Value eps = makeScalar(builder, innerLoc, args[1].getType(),
                             op.getEps().convertToDouble());
      Value stable = arith::AddFOp::create(builder, innerLoc, args[1], eps);
      Value inverse = math::RsqrtOp::create(builder, innerLoc, stable);
      Value normal = arith::MulFOp::create(builder, innerLoc, args[0], inverse);
      Value scaled = arith::MulFOp::create(builder, innerLoc, normal, args[2]);
      if (args.size() == 3)
        return scaled;
      return arith::AddFOp::create(builder, innerLoc, scaled, args[3]);
    };
    SmallVector<Value> inputs{centered, variance, adaptor.getWeight()};
    if (adaptor.getBias())
      inputs.push_back(adaptor.getBias());
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, op.getType(), inputs, scale));
    return success();
  }
};
} // namespace

void tensorcast::populateNormRules(RewritePatternSet &patterns,
                                   const RuleContext &rules) {
  patterns.add<LowerMean, LowerRMSNorm, LowerLayerNorm>(patterns.getContext(),
                                                        rules);
}
