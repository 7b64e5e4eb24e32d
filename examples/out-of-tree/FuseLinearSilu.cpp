//===- FuseLinearSilu.cpp - A fusion in C++ -------------------------------===//

#include "FuseLinearSilu.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Patterns/FusionRegion.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
struct LinearSilu : OpRewritePattern<transformer::SiluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(transformer::SiluOp silu,
                                PatternRewriter &rewriter) const override {
    auto linear = silu.getInput().getDefiningOp<transformer::LinearOp>();
    if (!linear)
      return rewriter.notifyMatchFailure(silu, "no linear layer in front");
    if (!linear->hasOneUse())
      return rewriter.notifyMatchFailure(silu, "the layer is read elsewhere");
    FusionRegion region;
    if (std::optional<std::string> obstacle =
            findFusionRegion({linear, silu}, region))
      return rewriter.notifyMatchFailure(silu, *obstacle);
    rewriter.replaceOp(silu, fuse(rewriter, region, "linear_silu", silu));
    rewriter.eraseOp(linear);
    return success();
  }
};
} // namespace

void FuseLinearSilu::runOnOperation() {
  RewritePatternSet patterns(&getContext());
  patterns.add<LinearSilu>(&getContext());
  walkAndApplyPatterns(getOperation(), std::move(patterns));
}
