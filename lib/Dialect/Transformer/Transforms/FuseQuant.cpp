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
      if (failed(this->announce(op, rewriter)))
        return failure();
      rewriter.replaceOp(op, user->getResults());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no equal quantization before it");
  }
};

/// A norm that only a quantization reads -> one kernel of both.
template <typename NormOp, typename QuantizeLikeOp>
struct FuseNormQuantize : FusionPattern<QuantizeLikeOp> {
  FuseNormQuantize(MLIRContext *context, double onlyEps)
      : FusionPattern<QuantizeLikeOp>(context), onlyEps(onlyEps) {}

  LogicalResult matchAndRewrite(QuantizeLikeOp op,
                                PatternRewriter &rewriter) const override {
    auto norm = op.getInput().template getDefiningOp<NormOp>();
    if (!norm || !isNormed(norm, op.getInput()))
      return rewriter.notifyMatchFailure(op, "the input is not from this norm");
    if (!op.getInput().hasOneUse())
      return this->missed(op, rewriter, "the norm has another reader");
    if (norm->getBlock() != op->getBlock())
      return this->missed(op, rewriter, "the norm is in another block");
    if (hasWideWeight(norm))
      return this->missed(op, rewriter,
                          "the norm's weight is multiplied in f32");
    if (onlyEps > 0 && norm.getEps().convertToDouble() != onlyEps)
      return this->missed(op, rewriter,
                          "the kernel exists for another 'eps' only");
    if (!isThereFor(norm, getScale(op)))
      return this->missed(op, rewriter, "the scale is computed after the norm");
    if (failed(this->announce(op, rewriter)))
      return failure();
    fuse(norm, op, rewriter);
    return success();
  }

private:
  /// Whether `value` is the normalized result, not a sum beside it.
  static bool isNormed(RMSNormOp, Value) { return true; }
  static bool isNormed(AddRMSNormOp norm, Value value) {
    return value == norm.getNorm();
  }

  static bool hasWideWeight(RMSNormOp norm) { return norm.getWideWeight(); }
  static bool hasWideWeight(AddRMSNormOp) { return false; }

  /// Whether a kernel in the place of the norm can have `scale`. One with the
  /// residual runs there, since its sum has earlier readers than the
  /// quantization.
  static bool isThereFor(RMSNormOp, Value) { return true; }
  static bool isThereFor(AddRMSNormOp norm, Value scale) {
    Operation *op = scale ? scale.getDefiningOp() : nullptr;
    return !op || isa<WeightOp>(op) || op->getBlock() != norm->getBlock() ||
           op->isBeforeInBlock(norm);
  }

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
    rewriter.setInsertionPoint(norm);
    Value scale = getScale(op);
    Operation *declared = scale ? scale.getDefiningOp() : nullptr;
    if (declared && declared->getBlock() == norm->getBlock() &&
        norm->isBeforeInBlock(declared))
      rewriter.moveOpBefore(declared, norm);
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
    add<ShareQuantization<QuantizeOp>, ShareQuantization<DynamicQuantizeOp>>(
        set, share);
    add<FuseNormQuantize<RMSNormOp, QuantizeOp>,
        FuseNormQuantize<RMSNormOp, DynamicQuantizeOp>,
        FuseNormQuantize<AddRMSNormOp, QuantizeOp>,
        FuseNormQuantize<AddRMSNormOp, DynamicQuantizeOp>>(set, norm, onlyEps);
  }
};
} // namespace

void mlir::transformer::listFuseQuant(MLIRContext *context,
                                      SmallVectorImpl<FusionSwitch> &found) {
  TransformerFuseQuantPass::list(context, found);
}
