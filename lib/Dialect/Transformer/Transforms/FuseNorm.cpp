//===- FuseNorm.cpp - Norms from their pieces, and with the residual ------===//

#include "FusionLimits.h"
#include "LinearAttentionPatterns.h"
#include "Rotation.h"

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
      return missed(scaled, rewriter,
                    "the root is not of a mean of powers plus a constant");
    if (power.getExponent().convertToDouble() != 2)
      return missed(scaled, rewriter, "the mean is not of squares");
    Value wide = power.getInput();
    if (wide.getDefiningOp<SubOp>())
      return rewriter.notifyMatchFailure(scaled, "part of a layer norm");
    auto widen = wide.getDefiningOp<CastOp>();
    if (!widen || getOther(normalized, inverse.getResult()) != wide)
      return missed(scaled, rewriter,
                    "what is normalized is not what the mean is of");
    Value weight = getOther(scaled, narrow.getResult());
    if (!isLegal(scaled, widen, weight, stable.getValue().convertToDouble()))
      return missed(scaled, rewriter,
                    "no norm has these types, weight or constant");
    if (failed(announce(scaled, rewriter)))
      return failure();
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

/// cast, pow 2, mean, + eps, rsqrt, mul, mul by the weight in f32, cast ->
/// rms_norm with a wide weight.
struct RaiseWideRMSNorm : FusionPattern<CastOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(CastOp narrow,
                                PatternRewriter &rewriter) const override {
    auto scaled = narrow.getInput().getDefiningOp<MulOp>();
    if (!scaled)
      return rewriter.notifyMatchFailure(narrow, "not of a product");
    for (Value normal : {scaled.getLhs(), scaled.getRhs()}) {
      auto product = normal.getDefiningOp<MulOp>();
      auto inverse = product ? getOperandFrom<RsqrtOp>(product) : RsqrtOp();
      if (!inverse)
        continue;
      auto stable = inverse.getInput().getDefiningOp<AddScalarOp>();
      auto mean = stable ? stable.getInput().getDefiningOp<MeanOp>() : MeanOp();
      auto power = mean ? mean.getInput().getDefiningOp<PowOp>() : PowOp();
      Value wide = getOther(product, inverse.getResult());
      auto widen = wide.getDefiningOp<CastOp>();
      if (!power || power.getExponent().convertToDouble() != 2)
        return missed(narrow, rewriter,
                      "the root is not of a mean of squares plus a constant");
      if (!widen || power.getInput() != wide)
        return missed(narrow, rewriter,
                      "what is normalized is not what the mean is of");
      Value weight = getOther(scaled, normal);
      if (!isLegal(narrow, widen, weight, stable.getValue().convertToDouble()))
        return missed(narrow, rewriter,
                      "no norm has these types, weight or constant");
      if (failed(announce(narrow, rewriter)))
        return failure();
      rewriter.replaceOpWithNewOp<RMSNormOp>(narrow, widen.getInput(), weight,
                                             stable.getValueAttr(),
                                             rewriter.getUnitAttr());
      return success();
    }
    return rewriter.notifyMatchFailure(narrow, "not a scaled inverse root");
  }

private:
  /// Whether the norm's weight is f32 or of the input's type, the mean in f32.
  static bool isLegal(CastOp narrow, CastOp widen, Value weight, double eps) {
    RankedTensorType input = widen.getInput().getType();
    auto scales = cast<RankedTensorType>(weight.getType());
    bool hasType = scales.getElementType().isF32() ||
                   scales.getElementType() == input.getElementType();
    return widen.getType().getElementType().isF32() && input.getRank() >= 1 &&
           narrow.getType() == input && scales.getRank() == 1 && hasType &&
           mayBeEqual(getDims(scales).front(), getDims(input).back()) &&
           eps > 0 && std::isfinite(eps);
  }
};

/// mean, sub, pow 2, mean, + eps, then sqrt and div or rsqrt and mul, mul by
/// the weight, + bias -> layer_norm. All may be in f32 between two casts.
struct RaiseLayerNorm : FusionPattern<MulOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulOp scaled,
                                PatternRewriter &rewriter) const override {
    for (Value normal : {scaled.getLhs(), scaled.getRhs()}) {
      Value difference;
      AddScalarOp stable;
      if (!findQuotient(normal, difference, stable))
        continue;
      auto centered = difference.getDefiningOp<SubOp>();
      auto mean =
          centered ? centered.getRhs().getDefiningOp<MeanOp>() : MeanOp();
      if (!mean)
        continue;
      if (mean.getInput() != centered.getLhs())
        return missed(scaled, rewriter,
                      "what is subtracted is not the mean of the input");
      auto variance =
          stable ? stable.getInput().getDefiningOp<MeanOp>() : MeanOp();
      auto power =
          variance ? variance.getInput().getDefiningOp<PowOp>() : PowOp();
      if (!power)
        return missed(scaled, rewriter,
                      "the root is not of a mean of powers plus a constant");
      if (power.getExponent().convertToDouble() != 2)
        return missed(scaled, rewriter, "the mean is not of squares");
      if (power.getInput() != difference)
        return missed(scaled, rewriter,
                      "what is normalized is not what the variance is of");
      Value weight = getOther(scaled, normal);
      Value input = getInput(normal, centered);
      if (!input || !isLegal(scaled, input, weight, stable))
        return missed(scaled, rewriter,
                      "no norm has these types, weight or constant");
      return fuse(scaled, input, weight, stable.getValueAttr(), rewriter);
    }
    return rewriter.notifyMatchFailure(scaled,
                                       "not a difference from the mean");
  }

private:
  /// Whether `normal`, or what it rounds, is `difference` divided by a root.
  /// `stable` is what the root is of, if a constant was added to it.
  static bool findQuotient(Value normal, Value &difference,
                           AddScalarOp &stable) {
    if (auto narrow = normal.getDefiningOp<CastOp>())
      normal = narrow.getInput();
    Value radicand;
    if (auto quotient = normal.getDefiningOp<DivOp>()) {
      if (auto root = quotient.getRhs().getDefiningOp<SqrtOp>())
        radicand = root.getInput();
      difference = quotient.getLhs();
    } else if (auto product = normal.getDefiningOp<MulOp>()) {
      if (auto root = getOperandFrom<RsqrtOp>(product)) {
        radicand = root.getInput();
        difference = getOther(product, root.getResult());
      }
    }
    if (radicand)
      stable = radicand.getDefiningOp<AddScalarOp>();
    return static_cast<bool>(radicand);
  }

  /// The input of the norm: where the result is rounded, before it was widened.
  static Value getInput(Value normal, SubOp centered) {
    if (!normal.getDefiningOp<CastOp>())
      return centered.getLhs();
    auto widen = centered.getLhs().getDefiningOp<CastOp>();
    return widen && widen.getType().getElementType().isF32() ? widen.getInput()
                                                             : Value();
  }

  /// Whether `vector` has one element per feature of `input`.
  static bool isPerFeature(Value vector, RankedTensorType input) {
    auto type = cast<RankedTensorType>(vector.getType());
    return type.getRank() == 1 &&
           type.getElementType() == input.getElementType() &&
           mayBeEqual(getDims(type).front(), getDims(input).back());
  }

  static bool isLegal(MulOp scaled, Value input, Value weight,
                      AddScalarOp stable) {
    auto type = cast<RankedTensorType>(input.getType());
    double eps = stable.getValue().convertToDouble();
    return scaled.getType() == type && isPerFeature(weight, type) && eps > 0 &&
           std::isfinite(eps);
  }

  /// Puts the norm in the place of the product, or of the bias added to it.
  LogicalResult fuse(MulOp scaled, Value input, Value weight, FloatAttr eps,
                     PatternRewriter &rewriter) const {
    auto type = cast<RankedTensorType>(input.getType());
    Operation *last = scaled;
    Value bias;
    auto add =
        scaled->hasOneUse() ? dyn_cast<AddOp>(*scaled->user_begin()) : AddOp();
    if (add && add->getBlock() == scaled->getBlock() && add.getType() == type) {
      Value other = add.getLhs() == scaled ? add.getRhs() : add.getLhs();
      if (isPerFeature(other, type)) {
        bias = other;
        last = add;
      }
    }
    if (failed(announce(last, rewriter)))
      return failure();
    rewriter.setInsertionPoint(last);
    rewriter.replaceOpWithNewOp<LayerNormOp>(last, type, input, weight, bias,
                                             eps);
    if (last != scaled)
      rewriter.eraseOp(scaled);
    return success();
  }
};

/// How the norm and its kernel with the residual are made.
template <typename NormOp> struct ResidualTraits;

template <> struct ResidualTraits<RMSNormOp> {
  static bool isParameter(RMSNormOp norm, Value value) {
    return norm.getWeight() == value;
  }
  static bool hasWideWeight(RMSNormOp norm) { return norm.getWideWeight(); }
  static AddRMSNormOp fuse(PatternRewriter &rewriter, RMSNormOp norm,
                           AddOp add) {
    return AddRMSNormOp::create(rewriter, norm.getLoc(), add.getLhs(),
                                add.getRhs(), norm.getWeight(),
                                norm.getEpsAttr());
  }
};

template <> struct ResidualTraits<LayerNormOp> {
  static bool isParameter(LayerNormOp norm, Value value) {
    return norm.getWeight() == value || norm.getBias() == value;
  }
  static bool hasWideWeight(LayerNormOp) { return false; }
  static AddLayerNormOp fuse(PatternRewriter &rewriter, LayerNormOp norm,
                             AddOp add) {
    Type type = norm.getType();
    return AddLayerNormOp::create(rewriter, norm.getLoc(), type, type,
                                  add.getLhs(), add.getRhs(), norm.getWeight(),
                                  norm.getBias(), norm.getEpsAttr());
  }
};

/// add, norm -> one kernel, which still yields the sum.
template <typename NormOp> struct FuseResidual : FusionPattern<NormOp> {
  using FusionPattern<NormOp>::FusionPattern;
  using Traits = ResidualTraits<NormOp>;

  LogicalResult matchAndRewrite(NormOp norm,
                                PatternRewriter &rewriter) const override {
    auto add = norm.getInput().template getDefiningOp<AddOp>();
    auto missed = [&](StringRef reason) {
      return FusionPattern<NormOp>::missed(norm, rewriter, reason);
    };
    if (!add)
      return rewriter.notifyMatchFailure(norm, "the input is not a sum");
    if (add->getBlock() != norm->getBlock())
      return missed("the sum is computed in another block");
    if (Traits::hasWideWeight(norm))
      return missed("the weight is multiplied in f32");
    if (Traits::isParameter(norm, add.getResult()))
      return missed("the sum is the weight or bias as well");
    if (add.getLhs().getType() != add.getRhs().getType())
      return missed("the sum repeats an operand");
    // The kernel yields the sum where it runs; uses before that would have
    // none.
    for (Operation *user : add->getUsers()) {
      Operation *ancestor = norm->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor || ancestor->isBeforeInBlock(norm))
        return missed("the sum is used before the norm");
    }
    if (isTraining(norm) && add->hasOneUse())
      return missed(
          "the gradient of the norm reads the sum, which nothing else "
          "would keep");
    if (failed(this->announce(norm, rewriter)))
      return failure();
    auto fused = Traits::fuse(rewriter, norm, add);
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
    add<RaiseRMSNorm>(set, rmsNorm);
    add<RaiseWideRMSNorm>(set, wideRMSNorm);
    add<RaiseLayerNorm>(set, layerNorm);
    if (gatedRMSNorm)
      populateFuseGatedNorm(set, getSwitch(gatedRMSNorm));
    // What has a norm within it, where the rest is there already: the fusions
    // are those of attention, whichever pass comes last.
    StringRef category = "fuse-attention";
    if (latentProjection)
      populateFuseLatent(set, {category, latentProjection.ArgStr});
    if (linearAttention)
      populateFuseLinearAttention(set, {category, linearAttention.ArgStr});
    add<FuseResidual<RMSNormOp>>(set, residual);
    add<FuseResidual<LayerNormOp>>(set, layerNormResidual);
  }
};
} // namespace

void mlir::transformer::listFuseNorm(MLIRContext *context,
                                     SmallVectorImpl<FusionSwitch> &found) {
  TransformerFuseNormPass::list(context, found);
}
