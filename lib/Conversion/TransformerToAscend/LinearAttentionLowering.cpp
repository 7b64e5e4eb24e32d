//===- LinearAttentionLowering.cpp - Gated delta nets ---------------------===//

#include "LinearAttentionWork.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Creates a launch for the requests that are in decode, or for the others;
/// none if it is known that there are none of these.
static FailureOr<ascend::LaunchOp>
launchFor(Operation *op, bool decode, Value batch, const KernelSet &kernels,
          PatternRewriter &rewriter, LaunchParts parts) {
  parts.count = bind(maxOverRequests(isOfStep(op->getContext(), decode)),
                     getWorkload(batch));
  if (parts.count.isConstant(0))
    return ascend::LaunchOp();
  return createLaunch(op, {op->getResult(0).getType()}, kernels, rewriter,
                      parts);
}

/// Replaces `op` by the launches, of which those that start have the results;
/// the state is changed in place.
static LogicalResult
replaceWithEither(Operation *op, Value state,
                  ArrayRef<FailureOr<ascend::LaunchOp>> either,
                  PatternRewriter &rewriter) {
  SmallVector<Value> results;
  for (FailureOr<ascend::LaunchOp> launch : either) {
    if (failed(launch))
      return failure();
    if (*launch)
      results.push_back(launch->getResult(0));
  }
  Value result = results.front();
  if (results.size() > 1)
    result = ascend::ViewOp::create(rewriter, op->getLoc(),
                                    TypeRange{result.getType()}, results)
                 .getResult(0);
  rewriter.replaceOp(op, {result, state});
  return success();
}

namespace {
/// In a decode step, tokens join the state; in prefill, kernels may read the
/// tokens alone.
struct LowerCausalConv : LoweringPattern<CausalConvOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(CausalConvOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr elements = getNumElements(op.getResult().getType());
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto launch = [&](StringRef name, bool decode) {
      auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
        buildConvWork(op, elements, decode, kernel, builder, loc);
      };
      return launchFor(op, decode, op.getBatch(), kernels, rewriter,
                       {name,
                        {op.getInput(), op.getWeight()},
                        {op.getState(), op.getBatch()},
                        {},
                        work});
    };
    return replaceWithEither(
        op, op.getState(),
        {launch("causal_conv", false), launch("causal_conv_update", true)},
        rewriter);
  }
};

struct LowerDeltaGating : LoweringPattern<DeltaGatingOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DeltaGatingOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getStrength().getType();
    ExprAttr gates = getNumElements(type);
    if (!gates || !getNumElements(op.getQuery().getType()))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, gates, type.getElementType());
      double perHead = kernel.getCoefficient("f32_ops_per_head");
      if (perHead != 0)
        ascend::ElementwiseOp::create(
            builder, loc,
            ExprAttr::constant(op.getContext(), type.getDimSize(1)),
            ExprAttr::constant(op.getContext(), perHead), builder.getF32Type());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"delta_gating", llvm::to_vector(op->getOperands()), {}, {}, work});
  }
};

/// Tokens are taken one by one in a decode step, otherwise in chunks.
struct LowerGatedDeltaRule : LoweringPattern<GatedDeltaRuleOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GatedDeltaRuleOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType value = op.getResult().getType();
    if (!getNumElements(op.getQuery().getType()) || !getNumElements(value))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    ArrayRef<int64_t> state = op.getState().getType().getShape();
    DeltaRuleSizes sizes = {state[0],
                            state[1],
                            state[2],
                            static_cast<int64_t>(op.getChunk()),
                            value.getElementType(),
                            op.getState().getType().getElementType()};
    auto launch = [&](StringRef name, bool decode) {
      auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
        DeltaRuleWork rule(sizes, kernel, getWorkload(op.getBatch()),
                           isOfStep(op.getContext(), decode));
        decode ? rule.buildRecurrent(builder, loc)
               : rule.buildChunked(builder, loc);
        rule.buildStates(builder, loc, decode);
      };
      return launchFor(op, decode, op.getBatch(), kernels, rewriter,
                       {name,
                        {op.getQuery(), op.getKey(), op.getValue(),
                         op.getBeta(), op.getLogGate()},
                        {op.getState(), op.getBatch()},
                        {},
                        work});
    };
    return replaceWithEither(op, op.getState(),
                             {launch("chunked_delta_rule", false),
                              launch("recurrent_delta_rule", true)},
                             rewriter);
  }
};

struct LowerGatedRMSNorm : LoweringPattern<GatedRMSNormOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GatedRMSNormOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithElementwiseLaunch(op, kernels, rewriter,
                                        "gated_rms_norm");
  }
};

/// One kernel from hidden state to hidden state.
struct LowerLinearAttention : LoweringPattern<LinearAttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(LinearAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!getNumElements(op.getInput().getType()))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      buildLinearAttentionWork(op, kernel, builder, loc);
    };
    SmallVector<Value> weights(op.getOperands().drop_front());
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(op, {op.getResult().getType()}, kernels, rewriter,
                     {"linear_attention", {op.getInput()}, weights, {}, work});
    if (failed(launch))
      return failure();
    rewriter.replaceOp(
        op, {launch->getResult(0), op.getConvState(), op.getState()});
    return success();
  }
};
} // namespace

void mlir::tensorcast::populateLinearAttentionLowering(
    RewritePatternSet &patterns, const KernelSet &kernels) {
  patterns.add<LowerCausalConv, LowerDeltaGating, LowerGatedDeltaRule,
               LowerGatedRMSNorm, LowerLinearAttention>(patterns.getContext(),
                                                        kernels);
}
