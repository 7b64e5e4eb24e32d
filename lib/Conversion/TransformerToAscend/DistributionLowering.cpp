//===- DistributionLowering.cpp - Exchange between devices ----------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using ascend::CollectiveKind;

namespace {
/// A collective reads its input, writes its result, and uses the links.
template <typename CollectiveOp, CollectiveKind kind>
struct LowerCollective : LoweringPattern<CollectiveOp> {
  using LoweringPattern<CollectiveOp>::LoweringPattern;

  LogicalResult matchAndRewrite(CollectiveOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr bytes = getByteSize(op.getInput().getType());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::CollectiveOp::create(builder, loc, kind, bytes, op.getRanks());
    };
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {op->getName().stripDialect(), {op.getInput()}, {}, {}, work});
  }
};

/// What goes from stage to stage, over one link.
struct LowerSendReceive : LoweringPattern<SendReceiveOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SendReceiveOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr bytes = getByteSize(op.getType());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::SendReceiveOp::create(builder, loc, bytes, op.getFrom(),
                                    op.getTo());
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"send_receive", {op.getInput()}, {}, {}, work});
  }
};

/// Reads the part that it copies, in place and as it lies in the whole.
struct LowerOwnFeatures : LoweringPattern<OwnFeaturesOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(OwnFeaturesOp op,
                                PatternRewriter &rewriter) const override {
    auto part = ascend::ViewOp::create(rewriter, op.getLoc(),
                                       TypeRange{op.getType()}, op.getInput());
    Value source = part.getResult(0);
    return replaceWithLaunch(op, kernels, rewriter,
                             {"own_features", {source, source}, {}, {}, {}});
  }
};
} // namespace

void mlir::tensorcast::populateDistributionLowering(RewritePatternSet &patterns,
                                                    const KernelSet &kernels) {
  patterns.add<LowerCollective<AllReduceOp, CollectiveKind::AllReduce>,
               LowerCollective<AllGatherOp, CollectiveKind::AllGather>,
               LowerCollective<ReduceScatterOp, CollectiveKind::ReduceScatter>,
               LowerOwnFeatures, LowerSendReceive>(patterns.getContext(),
                                                   kernels);
}
