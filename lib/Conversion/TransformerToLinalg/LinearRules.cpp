//===- LinearRules.cpp - Matrix products and linear layers ----------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
struct LowerMatmul : LinalgRule<MatmulOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(MatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value product = buildMatmul(rewriter, op.getLoc(), adaptor.getLhs(),
                                adaptor.getRhs(), op.getTransposed());
    rewriter.replaceOp(
        op, buildRound(rewriter, op.getLoc(), op.getType(), product));
    return success();
  }
};

struct LowerLinear : LinalgRule<LinearOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value product = buildMatmul(rewriter, loc, adaptor.getInput(),
                                adaptor.getWeight(), /*transposed=*/true);
    SmallVector<Value> operands = {product};
    if (adaptor.getBias())
      operands.push_back(adaptor.getBias());
    auto addBias = [](OpBuilder &builder, Location innerLoc,
                      ValueRange args) -> Value {
      if (args.size() == 1)
        return args[0];
      return arith::AddFOp::create(builder, innerLoc, args[0], args[1]);
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, op.getType(), operands, addBias));
    return success();
  }
};

struct LowerQuantizedLinear : LinalgRule<QuantizedLinearOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(QuantizedLinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value product = buildMatmul(rewriter, loc, adaptor.getInput(),
                                adaptor.getWeight(), /*transposed=*/true);
    SmallVector<Value> operands = {product, adaptor.getInputScale(),
                                   adaptor.getWeightScale()};
    if (adaptor.getBias())
      operands.push_back(adaptor.getBias());
    auto rescale = [](OpBuilder &builder, Location innerLoc,
                      ValueRange args) -> Value {
      Value scale = arith::MulFOp::create(builder, innerLoc, args[1], args[2]);
      Value sum =
          arith::SIToFPOp::create(builder, innerLoc, scale.getType(), args[0]);
      Value result = arith::MulFOp::create(builder, innerLoc, sum, scale);
      if (args.size() == 3)
        return result;
      return arith::AddFOp::create(builder, innerLoc, result, args[3]);
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, op.getType(), operands, rescale));
    return success();
  }
};
} // namespace

void tensorcast::populateLinearRules(RewritePatternSet &patterns,
                                     const RuleContext &rules) {
  patterns.add<LowerMatmul, LowerLinear, LowerQuantizedLinear>(
      patterns.getContext(), rules);
}
