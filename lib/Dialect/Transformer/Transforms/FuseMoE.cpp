//===- FuseMoE.cpp - Kernels of mixtures of experts -----------------------===//

#include "FuseMoE.h"
#include "tensorcast/Dialect/Transformer/IR/Dims.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSEMOE
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// The two halves of experts' products as gate and up -> one kernel.
template <typename GroupedOp>
struct FuseGroupedSwiGLU : FusionPattern<SwiGLUOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(SwiGLUOp op,
                                PatternRewriter &rewriter) const override {
    auto gate = op.getGate().getDefiningOp<SliceOp>();
    auto up = op.getUp().getDefiningOp<SliceOp>();
    auto grouped =
        gate ? gate.getInput().getDefiningOp<GroupedOp>() : GroupedOp();
    if (!grouped)
      return rewriter.notifyMatchFailure(op, "the gate is not of experts");
    if (!up || up.getInput() != gate.getInput() || gate.getOffset() != 0 ||
        up.getOffset() != gate.getSize() || up.getSize() != gate.getSize())
      return missed(op, rewriter,
                    "gate and up are not the halves of one product");
    if (!gate->hasOneUse() || !up->hasOneUse() ||
        !llvm::hasNItems(gate.getInput().getUses(), 2))
      return missed(op, rewriter, "the product has another reader");
    if (failed(announce(op, rewriter)))
      return failure();
    rewriter.setInsertionPoint(grouped);
    rewriter.replaceOp(op, fuse(grouped, op.getType(), rewriter));
    return success();
  }

private:
  static Value fuse(GroupedLinearOp op, Type type, PatternRewriter &rewriter) {
    return GroupedLinearOp::create(
        rewriter, op.getLoc(), type, op.getInput(), op.getWeight(), op.getIds(),
        op.getBias(), op.getPlacementAttr(), rewriter.getUnitAttr());
  }
  static Value fuse(QuantizedGroupedLinearOp op, Type type,
                    PatternRewriter &rewriter) {
    return QuantizedGroupedLinearOp::create(
               rewriter, op.getLoc(), type, Type(), op.getInput(),
               op.getWeight(), op.getIds(), op.getInputScale(),
               op.getWeightScale(), op.getPlacementAttr(),
               op.getGroupSizeAttr(), rewriter.getUnitAttr())
        .getResult();
  }
};

/// A quantization to groups behind experts' activations -> one kernel.
struct FuseGroupedQuantize : FusionPattern<DynamicQuantizeOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(DynamicQuantizeOp op,
                                PatternRewriter &rewriter) const override {
    auto grouped = op.getInput().getDefiningOp<QuantizedGroupedLinearOp>();
    if (!grouped || !grouped.getSwiglu() || !op.getGroupSize())
      return rewriter.notifyMatchFailure(op,
                                         "not of experts, or not in groups");
    if (!grouped->hasOneUse() || grouped.getScale())
      return missed(op, rewriter, "the activation has another reader");
    if (failed(announce(op, rewriter)))
      return failure();
    rewriter.setInsertionPoint(grouped);
    auto fused = QuantizedGroupedLinearOp::create(
        rewriter, grouped.getLoc(), op.getResult().getType(),
        op.getScale().getType(), grouped.getInput(), grouped.getWeight(),
        grouped.getIds(), grouped.getInputScale(), grouped.getWeightScale(),
        grouped.getPlacementAttr(), grouped.getGroupSizeAttr(),
        rewriter.getUnitAttr());
    rewriter.replaceOp(op, fused.getResults());
    return success();
  }
};

class TransformerFuseMoEPass
    : public FusionPass<
          TransformerFuseMoEPass,
          transformer::impl::TransformerFuseMoEBase<TransformerFuseMoEPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    add<FuseGroupedSwiGLU<GroupedLinearOp>,
        FuseGroupedSwiGLU<QuantizedGroupedLinearOp>>(set, groupedSwiglu);
    add<FuseGroupedQuantize>(set, groupedQuantize);
    if (dispatchFFNCombine)
      populateFuseDispatch(set, getSwitch(dispatchFFNCombine));
    if (combine)
      populateFuseCombine(set, getSwitch(combine));
    if (gating)
      populateFuseGating(set, getSwitch(gating));
  }
};
} // namespace

void mlir::transformer::listFuseMoE(MLIRContext *context,
                                    SmallVectorImpl<FusionSwitch> &found) {
  TransformerFuseMoEPass::list(context, found);
}
