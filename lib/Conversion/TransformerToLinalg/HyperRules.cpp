//===- HyperRules.cpp - What hyper-connections compute --------------------===//
//
// The blocks' inputs mean what they decompose to; here are ops that do not
// decompose, and the mix behind a block in one loop.
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
struct LowerRepeatStreams : LinalgRule<RepeatStreamsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RepeatStreamsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value input = buildReshape(rewriter, op.getLoc(), adaptor.getInput(),
                               {type.getDimSize(0), 1, type.getDimSize(2)});
    auto body = [](OpBuilder &, Location, ValueRange args) { return args[0]; };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, op.getLoc(), type, input, body));
    return success();
  }
};

/// result[t, s, i] = post[t, s] * output[t, i]
///                   + sum_r comb[t, r, s] * streams[t, r, i]
struct LowerHyperOutput : LinalgRule<HyperOutputOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(HyperOutputOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    auto wide = RankedTensorType::get(type.getShape(), rewriter.getF32Type());
    Value mixed = buildSum(
        rewriter, loc, wide, type.getDimSize(1),
        [&](OpBuilder &builder, Location at, ValueRange i) -> Value {
          IndexMath math(builder, at);
          return arith::MulFOp::create(
              builder, at,
              math.toF32(math.read(adaptor.getComb(), {i[0], i[3], i[1]})),
              math.toF32(math.read(adaptor.getStreams(), {i[0], i[3], i[2]})));
        });
    Value sum = buildByIndex(
        rewriter, loc, wide,
        [&](OpBuilder &builder, Location at, ValueRange i) -> Value {
          IndexMath math(builder, at);
          Value spread = arith::MulFOp::create(
              builder, at,
              math.toF32(math.read(adaptor.getPost(), {i[0], i[1]})),
              math.toF32(math.read(adaptor.getOutput(), {i[0], i[2]})));
          return arith::AddFOp::create(builder, at, spread,
                                       math.read(mixed, i));
        });
    rewriter.replaceOp(op, buildRound(rewriter, loc, type, sum));
    return success();
  }
};
} // namespace

void tensorcast::populateHyperRules(RewritePatternSet &patterns,
                                    const RuleContext &rules) {
  patterns.add<LowerHyperOutput, LowerRepeatStreams>(patterns.getContext(),
                                                     rules);
}
