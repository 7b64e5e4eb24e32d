//===- FuseNorm.cpp - Norms from their pieces, and with the residual ------===//

#include "Fusion.h"
#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include <cmath>

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSENORM
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

/// The other operand of `op` if `value` is one of them.
static Value getOther(MulOp op, Value value) {
  if (op.getLhs() == value)
    return op.getRhs();
  return op.getRhs() == value ? op.getLhs() : Value();
}

/// The operand of `op` that an `OperandOp` makes.
template <typename OperandOp> static OperandOp getOperandFrom(MulOp op) {
  if (auto lhs = op.getLhs().getDefiningOp<OperandOp>())
    return lhs;
  return op.getRhs().getDefiningOp<OperandOp>();
}

namespace {
/// cast, pow 2, mean, + eps, rsqrt, mul, cast, mul by the weight -> rms_norm.
struct RaiseRMSNorm : FusionPattern<MulOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulOp scaled,
                                PatternRewriter &rewriter) const override {
    auto narrow = getOperandFrom<CastOp>(scaled);
    auto normalized =
        narrow ? narrow.getInput().getDefiningOp<MulOp>() : MulOp();
    auto inverse = normalized ? getOperandFrom<RsqrtOp>(normalized) : RsqrtOp();
    if (!inverse)
      return rewriter.notifyMatchFailure(scaled, "not a scaled inverse root");
    auto stable = inverse.getInput().getDefiningOp<AddScalarOp>();
    auto mean = stable ? stable.getInput().getDefiningOp<MeanOp>() : MeanOp();
    auto power = mean ? mean.getInput().getDefiningOp<PowOp>() : PowOp();
    if (!power)
      return missed(scaled, rewriter, "rms-norm",
                    "the root is not of a mean of powers plus a constant");
    if (power.getExponent().convertToDouble() != 2)
      return missed(scaled, rewriter, "rms-norm", "the mean is not of squares");
    Value wide = power.getInput();
    auto widen = wide.getDefiningOp<CastOp>();
    if (!widen || getOther(normalized, inverse.getResult()) != wide)
      return missed(scaled, rewriter, "rms-norm",
                    "what is normalized is not what the mean is of");
    Value weight = getOther(scaled, narrow.getResult());
    if (!isLegal(scaled, widen, weight, stable.getValue().convertToDouble()))
      return missed(scaled, rewriter, "rms-norm",
                    "no norm has these types, weight or constant");
    passed(scaled, "rms-norm");
    rewriter.replaceOpWithNewOp<RMSNormOp>(scaled, widen.getInput(), weight,
                                           stable.getValueAttr());
    return success();
  }

private:
  /// Whether `transformer.rms_norm` can say the same: the mean in f32, one
  /// weight per feature, a finite constant above 0.
  static bool isLegal(MulOp scaled, CastOp widen, Value weight, double eps) {
    RankedTensorType input = widen.getInput().getType();
    auto scales = cast<RankedTensorType>(weight.getType());
    return widen.getType().getElementType().isF32() && input.getRank() >= 1 &&
           scaled.getType() == input && scales.getRank() == 1 &&
           scales.getElementType() == input.getElementType() &&
           mayBeEqual(getDims(scales).front(), getDims(input).back()) &&
           eps > 0 && std::isfinite(eps);
  }
};

/// add, rms_norm -> add_rms_norm, which still yields the sum.
struct FuseResidual : FusionPattern<RMSNormOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(RMSNormOp norm,
                                PatternRewriter &rewriter) const override {
    auto add = norm.getInput().getDefiningOp<AddOp>();
    if (!add)
      return rewriter.notifyMatchFailure(norm, "the input is not a sum");
    if (add->getBlock() != norm->getBlock())
      return missed(norm, rewriter, "add-rms-norm",
                    "the sum is computed in another block");
    if (norm.getWeight() == add.getResult())
      return missed(norm, rewriter, "add-rms-norm",
                    "the sum is the weight as well");
    if (add.getLhs().getType() != add.getRhs().getType())
      return missed(norm, rewriter, "add-rms-norm",
                    "the sum repeats an operand");
    // The kernel yields the sum where it runs; uses before that would have
    // none.
    for (Operation *user : add->getUsers()) {
      Operation *ancestor = norm->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor || ancestor->isBeforeInBlock(norm))
        return missed(norm, rewriter, "add-rms-norm",
                      "the sum is used before the norm");
    }
    passed(norm, "add-rms-norm");
    auto fused =
        AddRMSNormOp::create(rewriter, norm.getLoc(), add.getLhs(),
                             add.getRhs(), norm.getWeight(), norm.getEpsAttr());
    rewriter.replaceOp(norm, fused.getNorm());
    rewriter.replaceOp(add, fused.getSum());
    return success();
  }
};

class TransformerFuseNormPass
    : public FusionPass<
          TransformerFuseNormPass,
          transformer::impl::TransformerFuseNormBase<TransformerFuseNormPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    if (rmsNorm)
      set.add<RaiseRMSNorm>(set.getContext(), "fuse-norm");
    if (residual)
      set.add<FuseResidual>(set.getContext(), "fuse-norm");
  }
};
} // namespace
