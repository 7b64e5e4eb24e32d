//===- SamplingLowering.cpp - From logits to tokens -----------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// One kernel reads all logits; or, in a stack without one for drafts, one
/// those of the last tokens and another those in front of them.
struct LowerSampleTokens : LoweringPattern<SampleTokensOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SampleTokensOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType logits = op.getLogits().getType();
    ExprAttr all = getNumElements(logits);
    ExprAttr last = getNumElements(op.getType());
    Dim width = getDims(logits)[1];
    if (!all || !last || !width.isStatic())
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    ExprAttr ofLast = last * static_cast<double>(width.size);
    if (kernels.lookup("sample_drafts") && all != ofLast) {
      ExprAttr checks = bind(maxOverRequests(getDecodeExpr(op.getContext())),
                             getWorkload(op.getBatch()));
      if (failed(read(op, "sample_drafts", all - ofLast, checks, rewriter)))
        return failure();
      all = ofLast;
    }
    FailureOr<ascend::LaunchOp> launch =
        read(op, "sample_tokens", all, {}, rewriter);
    if (failed(launch))
      return failure();
    rewriter.replaceOp(op, *launch);
    return success();
  }

private:
  /// Starts a kernel that looks at so many logits.
  FailureOr<ascend::LaunchOp> read(SampleTokensOp op, StringRef kernel,
                                   ExprAttr logits, ExprAttr count,
                                   PatternRewriter &rewriter) const {
    MLIRContext *context = op.getContext();
    Type type = op.getLogits().getType().getElementType();
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &used) {
      addElementwiseWork(builder, loc, used, logits, type);
      ascend::GatherOp::create(
          builder, loc, logits,
          ExprAttr::constant(context, *getElementBytes(type)),
          ExprAttr::constant(context, 0));
    };
    return createLaunch(op, op->getResultTypes(), kernels, rewriter,
                        {kernel, {}, {op.getLogits()}, count, work});
  }
};

struct LowerShiftTokens : LoweringPattern<ShiftTokensOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ShiftTokensOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"shift_tokens", {op.getIds(), op.getNext()}, {op.getBatch()}, {}, {}});
  }
};
} // namespace

void mlir::tensorcast::populateSamplingLowering(RewritePatternSet &patterns,
                                                const KernelSet &kernels) {
  patterns.add<LowerSampleTokens, LowerShiftTokens>(patterns.getContext(),
                                                    kernels);
}
