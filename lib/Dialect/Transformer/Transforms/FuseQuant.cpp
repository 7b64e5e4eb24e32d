//===- FuseQuant.cpp - Share quantizations, and fuse them into norms ------===//

#include "Fusion.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSEQUANT
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

/// Whether two ops differ in nothing but their place.
static bool areEqual(Operation *lhs, Operation *rhs) {
  return lhs->getName() == rhs->getName() &&
         lhs->getOperands() == rhs->getOperands() &&
         lhs->getResultTypes() == rhs->getResultTypes() &&
         lhs->getAttrDictionary() == rhs->getAttrDictionary();
}

namespace {
/// Quantizations of one tensor to one type -> one of them.
template <typename QuantizeLikeOp>
struct ShareQuantization : FusionPattern<QuantizeLikeOp> {
  using FusionPattern<QuantizeLikeOp>::FusionPattern;

  LogicalResult matchAndRewrite(QuantizeLikeOp op,
                                PatternRewriter &rewriter) const override {
    for (Operation *user : op.getInput().getUsers()) {
      if (user == op || user->getBlock() != op->getBlock() ||
          !user->isBeforeInBlock(op) || !areEqual(user, op))
        continue;
      this->passed(op, "share-quantize");
      rewriter.replaceOp(op, user->getResults());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no equal quantization before it");
  }
};

/// A norm that only a quantization reads -> one kernel of both.
template <typename NormOp, typename QuantizeLikeOp>
struct FuseNormQuantize : FusionPattern<QuantizeLikeOp> {
  FuseNormQuantize(MLIRContext *context, StringRef category, double onlyEps)
      : FusionPattern<QuantizeLikeOp>(context, category), onlyEps(onlyEps) {}

  LogicalResult matchAndRewrite(QuantizeLikeOp op,
                                PatternRewriter &rewriter) const override {
    auto norm = op.getInput().template getDefiningOp<NormOp>();
    if (!norm)
      return rewriter.notifyMatchFailure(op, "the input is not from this norm");
    if (!op.getInput().hasOneUse())
      return this->missed(op, rewriter, "norm-quantize",
                          "the norm has another reader");
    if (norm->getBlock() != op->getBlock())
      return this->missed(op, rewriter, "norm-quantize",
                          "the norm is in another block");
    if (onlyEps > 0 && norm.getEps().convertToDouble() != onlyEps)
      return this->missed(op, rewriter, "norm-quantize",
                          "the kernel exists for another 'eps' only");
    this->passed(op, "norm-quantize");
    fuse(norm, op, rewriter);
    return success();
  }

private:
  static Value getScale(QuantizeOp op) { return op.getScale(); }
  static Value getScale(DynamicQuantizeOp) { return {}; }
  static Type getScaleType(QuantizeOp) { return {}; }
  static Type getScaleType(DynamicQuantizeOp op) {
    return op.getScale().getType();
  }
  static IntegerAttr getGroupSize(QuantizeOp) { return {}; }
  static IntegerAttr getGroupSize(DynamicQuantizeOp op) {
    return op.getGroupSizeAttr();
  }

  static void fuse(RMSNormOp norm, QuantizeLikeOp op,
                   PatternRewriter &rewriter) {
    auto fused = RMSNormQuantizeOp::create(
        rewriter, norm.getLoc(), op.getResult().getType(), getScaleType(op),
        norm.getInput(), norm.getWeight(), getScale(op), norm.getEpsAttr(),
        getGroupSize(op));
    rewriter.replaceOp(op, fused.getResults());
  }

  static void fuse(AddRMSNormOp norm, QuantizeLikeOp op,
                   PatternRewriter &rewriter) {
    // The sum has readers before the quantization, so the kernel runs where
    // the norm did; a known scale must be there by then.
    rewriter.setInsertionPoint(norm);
    Value scale = getScale(op);
    if (auto weight = scale ? scale.getDefiningOp<WeightOp>() : WeightOp())
      rewriter.moveOpBefore(weight, norm);
    auto fused = AddRMSNormQuantizeOp::create(
        rewriter, norm.getLoc(), norm.getSum().getType(),
        op.getResult().getType(), getScaleType(op), norm.getLhs(),
        norm.getRhs(), norm.getWeight(), scale, norm.getEpsAttr(),
        getGroupSize(op));
    rewriter.replaceOp(op, fused->getResults().drop_front());
    rewriter.replaceAllUsesWith(norm.getSum(), fused.getSum());
    rewriter.eraseOp(norm);
  }

  double onlyEps;
};

class TransformerFuseQuantPass
    : public FusionPass<TransformerFuseQuantPass,
                        transformer::impl::TransformerFuseQuantBase<
                            TransformerFuseQuantPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    if (share)
      set.add<ShareQuantization<QuantizeOp>,
              ShareQuantization<DynamicQuantizeOp>>(set.getContext(),
                                                    "fuse-quant");
    if (norm)
      set.add<FuseNormQuantize<RMSNormOp, QuantizeOp>,
              FuseNormQuantize<RMSNormOp, DynamicQuantizeOp>,
              FuseNormQuantize<AddRMSNormOp, QuantizeOp>,
              FuseNormQuantize<AddRMSNormOp, DynamicQuantizeOp>>(
          set.getContext(), "fuse-quant", onlyEps);
  }
};
} // namespace
