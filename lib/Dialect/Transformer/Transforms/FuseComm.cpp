//===- FuseComm.cpp - Share exchanges, and fuse them into layers ----------===//

#include "Fusion.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSECOMM
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Equal gathers of one tensor -> one of them.
template <typename ExchangeOp>
struct ShareExchange : FusionPattern<ExchangeOp> {
  using FusionPattern<ExchangeOp>::FusionPattern;

  LogicalResult matchAndRewrite(ExchangeOp op,
                                PatternRewriter &rewriter) const override {
    for (Operation *user : op.getInput().getUsers()) {
      auto other = dyn_cast<ExchangeOp>(user);
      if (!other || other == op || other->getBlock() != op->getBlock() ||
          !other->isBeforeInBlock(op) || other.getType() != op.getType() ||
          other->getAttrDictionary() != op->getAttrDictionary())
        continue;
      if (failed(this->announce(op, rewriter)))
        return failure();
      rewriter.replaceOp(op, other);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no equal exchange before it");
  }
};

/// A linear layer whose result only an all-reduce reads -> one kernel.
template <typename LinearLikeOp>
struct FuseAllReduce : FusionPattern<AllReduceOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto linear = op.getInput().getDefiningOp<LinearLikeOp>();
    if (!linear)
      return rewriter.notifyMatchFailure(op,
                                         "the input is not a linear layer's");
    if (linear->getBlock() != op->getBlock())
      return missed(op, rewriter, "the layer is in another block");
    if (!linear->hasOneUse())
      return missed(op, rewriter, "the layer has another reader");
    if (linear.getAllReduce())
      return missed(op, rewriter,
                    "the layer is summed over other devices already");
    if (linear.getBias())
      return missed(op, rewriter, "the layer adds its bias on each device");
    if (failed(announce(op, rewriter)))
      return failure();
    rewriter.modifyOpInPlace(linear,
                             [&] { linear.setAllReduceAttr(op.getRanks()); });
    rewriter.replaceOp(op, linear);
    return success();
  }
};

class TransformerFuseCommPass
    : public FusionPass<
          TransformerFuseCommPass,
          transformer::impl::TransformerFuseCommBase<TransformerFuseCommPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    add<ShareExchange<AllGatherOp>, ShareExchange<OwnRowsOp>>(set, share);
    add<FuseAllReduce<LinearOp>, FuseAllReduce<QuantizedLinearOp>>(
        set, linearAllReduce);
  }
};
} // namespace

void mlir::transformer::listFuseComm(MLIRContext *context,
                                     SmallVectorImpl<FusionSwitch> &found) {
  TransformerFuseCommPass::list(context, found);
}
