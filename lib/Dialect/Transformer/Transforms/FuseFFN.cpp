//===- FuseFFN.cpp - Activations from their pieces, and behind layers -----===//

#include "Fusion.h"
#include "Proposal.h"

#include "tensorcast/Patterns/FusionRegion.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSEFFN
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

/// Whether a constant is `expected`, perhaps rounded to f32.
static bool isNear(const APFloat &value, double expected) {
  return std::abs(value.convertToDouble() - expected) <=
         1e-6 * std::abs(expected);
}

/// The input of `value` if that is the input times a constant near `factor`.
static Value getScaled(Value value, double factor) {
  auto scale = value.getDefiningOp<MulScalarOp>();
  return scale && isNear(scale.getValue(), factor) ? scale.getInput() : Value();
}

namespace {
/// silu(gate) * up, in either order -> swiglu.
struct RaiseSwiGLU : FusionPattern<MulOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    Value up = mul.getRhs();
    auto gate = mul.getLhs().getDefiningOp<SiluOp>();
    if (!gate) {
      gate = mul.getRhs().getDefiningOp<SiluOp>();
      up = mul.getLhs();
    }
    if (!gate)
      return rewriter.notifyMatchFailure(mul, "no operand is a SiLU");
    if (gate.getType() != up.getType())
      return missed(mul, rewriter, "gate and up are not of one type");
    if (gate->getBlock() != mul->getBlock())
      return missed(mul, rewriter, "the gate is in another block");
    if (!gate->hasOneUse())
      return missed(mul, rewriter, "the gate has another reader");
    if (failed(announce(mul, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<SwiGLUOp>(mul, mul.getType(), gate.getInput(),
                                          up);
    return success();
  }
};

/// x * (1 + erf(x / sqrt 2)) or x * (1 + tanh(sqrt(2 / pi) (x + 0.044715
/// x^3))), of which the product or a factor is halved.
class GeluProduct {
public:
  Value input;
  GeluForm form = GeluForm::Erf;
  /// Whether a factor is halved.
  bool isHalved = false;
  /// Why it is none; empty if it is one, or far from it.
  StringRef reason;

  static std::optional<GeluProduct> match(MulOp mul) {
    for (bool swap : {false, true}) {
      Value factor = swap ? mul.getRhs() : mul.getLhs();
      Value gate = swap ? mul.getLhs() : mul.getRhs();
      GeluProduct product;
      if (Value whole = getScaled(gate, 0.5)) {
        product.isHalved = true;
        gate = whole;
      }
      auto sum = gate.getDefiningOp<AddScalarOp>();
      if (!sum || !sum.getInput().getDefiningOp() ||
          !isa<ErfOp, TanhOp>(sum.getInput().getDefiningOp()))
        continue;
      product.describe(factor, sum);
      return product;
    }
    return std::nullopt;
  }

private:
  void describe(Value factor, AddScalarOp sum) {
    if (!isNear(sum.getValue(), 1)) {
      reason = "what is added is not 1";
      return;
    }
    if (auto erf = sum.getInput().getDefiningOp<ErfOp>()) {
      input = getScaled(erf.getInput(), 1 / llvm::numbers::sqrt2);
    } else {
      auto tanh = cast<TanhOp>(sum.getInput().getDefiningOp());
      input = getTanhInput(tanh.getInput());
      form = GeluForm::Tanh;
    }
    if (!input) {
      reason = "the function is not of what a GELU takes it of";
      return;
    }
    if (factor == input)
      return;
    if (!isHalved && getScaled(factor, 0.5) == input)
      isHalved = true;
    else
      reason = "the function is of another value than what it scales";
  }

  /// x, if `value` is sqrt(2 / pi) (x + 0.044715 x^3).
  static Value getTanhInput(Value value) {
    Value bent = getScaled(value, kGeluTanhFactor);
    auto sum = bent ? bent.getDefiningOp<AddOp>() : AddOp();
    if (!sum)
      return {};
    for (Value cube : {sum.getRhs(), sum.getLhs()}) {
      Value power = getScaled(cube, kGeluCubeCoefficient);
      auto pow = power ? power.getDefiningOp<PowOp>() : PowOp();
      Value x = cube == sum.getRhs() ? sum.getLhs() : sum.getRhs();
      if (pow && pow.getInput() == x && isNear(pow.getExponent(), 3))
        return x;
    }
    return {};
  }
};

/// A product of which a factor is halved -> gelu.
struct RaiseGelu : FusionPattern<MulOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    std::optional<GeluProduct> product = GeluProduct::match(mul);
    if (!product)
      return rewriter.notifyMatchFailure(mul, "no factor is 1 + erf or tanh");
    if (!product->reason.empty())
      return missed(mul, rewriter, product->reason);
    if (!product->isHalved) {
      auto isHalf = [&](Operation *user) {
        auto scale = dyn_cast<MulScalarOp>(user);
        return scale && isNear(scale.getValue(), 0.5);
      };
      if (llvm::any_of(mul->getUsers(), isHalf))
        return rewriter.notifyMatchFailure(mul, "halved where it is read");
      return missed(mul, rewriter, "the product is not halved");
    }
    if (failed(announce(mul, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<GeluOp>(mul, mul.getType(), product->input,
                                        product->form);
    return success();
  }
};

/// A product that is halved -> gelu.
struct RaiseHalvedGelu : FusionPattern<MulScalarOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulScalarOp half,
                                PatternRewriter &rewriter) const override {
    Value halved = getScaled(half, 0.5);
    auto mul = halved ? halved.getDefiningOp<MulOp>() : MulOp();
    std::optional<GeluProduct> product =
        mul ? GeluProduct::match(mul) : std::nullopt;
    if (!product || !product->reason.empty() || product->isHalved)
      return rewriter.notifyMatchFailure(half, "not half of a GELU's product");
    if (failed(announce(half, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<GeluOp>(half, half.getType(), product->input,
                                        product->form);
    return success();
  }
};

/// Limits, a sigmoid with a slope and products -> clamped_swiglu.
struct RaiseClampedSwiGLU : FusionPattern<MulOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    for (bool swap : {false, true}) {
      auto above =
          (swap ? mul.getRhs() : mul.getLhs()).getDefiningOp<AddScalarOp>();
      auto gated = (swap ? mul.getLhs() : mul.getRhs()).getDefiningOp<MulOp>();
      if (!above || !gated)
        continue;
      auto open = gated.getLhs().getDefiningOp<SigmoidOp>();
      if (!open)
        open = gated.getRhs().getDefiningOp<SigmoidOp>();
      auto steep =
          open ? open.getInput().getDefiningOp<MulScalarOp>() : MulScalarOp();
      auto limited =
          steep ? getUnconverted(steep.getInput()).getDefiningOp<MinScalarOp>()
                : MinScalarOp();
      auto floor =
          getUnconverted(above.getInput()).getDefiningOp<MaxScalarOp>();
      auto ceiling =
          floor ? floor.getInput().getDefiningOp<MinScalarOp>() : MinScalarOp();
      if (!limited || !ceiling)
        continue;
      Value gate = getUnconverted(limited.getInput());
      Value up = getUnconverted(ceiling.getInput());
      if (gate.getType() != mul.getType() || up.getType() != mul.getType())
        return missed(mul, rewriter, "gate and up are not of one type");
      Proposal proposal(rewriter.getContext());
      auto set = [&](auto &&create) {
        create(mul.getType(), gate, up, limited.getValueAttr(),
               steep.getValueAttr(), UnitAttr());
      };
      set([&](auto... args) { proposal.set<ClampedSwiGLUOp>(args...); });
      if (!proposal.makes(mul.getResult()))
        return missed(mul, rewriter,
                      "the limits are not those of one number, or a piece is "
                      "read elsewhere");
      if (failed(announce(mul, rewriter)))
        return failure();
      set([&](auto... args) {
        rewriter.replaceOpWithNewOp<ClampedSwiGLUOp>(mul, args...);
      });
      return success();
    }
    return rewriter.notifyMatchFailure(mul, "no factor is one more than a "
                                            "limited value");
  }

private:
  /// What a conversion is of, or the value itself.
  static Value getUnconverted(Value value) {
    auto cast = value.getDefiningOp<CastOp>();
    return cast ? cast.getInput() : value;
  }
};

/// What a kernel with this activation in it is called; empty if the op is none.
StringRef getActivationName(GeluOp op) {
  return op.getForm() == GeluForm::Erf ? "gelu_erf" : "gelu_tanh";
}
StringRef getActivationName(SiluOp) { return "silu"; }
StringRef getActivationName(MaxScalarOp op) {
  return op.getValue().isZero() ? "relu" : "";
}

/// The activation behind a linear layer -> the epilogue of its product.
template <typename LinearLikeOp, typename ActivationOp>
struct FuseLinearActivation : FusionPattern<ActivationOp> {
  using FusionPattern<ActivationOp>::FusionPattern;

  LogicalResult matchAndRewrite(ActivationOp op,
                                PatternRewriter &rewriter) const override {
    auto linear = op.getInput().template getDefiningOp<LinearLikeOp>();
    StringRef name = getActivationName(op);
    if (!linear || name.empty())
      return rewriter.notifyMatchFailure(op, "no activation of a layer");
    if (isa_and_nonnull<FusedOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "fused already");
    // Gate and up read one input: one product of both is better.
    if (op->hasOneUse() && isa<MulOp>(*op->user_begin()))
      return rewriter.notifyMatchFailure(op, "part of a gating");
    auto missed = [&](StringRef reason) {
      return FusionPattern<ActivationOp>::missed(op, rewriter, reason);
    };
    if (linear->getBlock() != op->getBlock())
      return missed("the layer is in another block");
    if (!linear->hasOneUse())
      return missed("the layer has another reader");
    if (linear.getAllReduce())
      return missed("the layer is summed over devices before the activation");
    tensorcast::FusionRegion region;
    if (std::optional<std::string> obstacle =
            tensorcast::findFusionRegion({linear, op}, region))
      return missed(*obstacle);
    if (failed(this->announce(op, rewriter)))
      return failure();
    std::string kernel = std::is_same_v<LinearLikeOp, LinearOp>
                             ? "matmul_"
                             : "quantized_matmul_";
    rewriter.replaceOp(
        op, tensorcast::fuse(rewriter, region, kernel + name.str(), op));
    rewriter.eraseOp(linear);
    return success();
  }
};

class TransformerFuseFFNPass
    : public FusionPass<
          TransformerFuseFFNPass,
          transformer::impl::TransformerFuseFFNBase<TransformerFuseFFNPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    add<RaiseSwiGLU>(set, swiglu);
    add<RaiseClampedSwiGLU>(set, clampedSwiGLU);
    add<RaiseGelu, RaiseHalvedGelu>(set, gelu);
    add<FuseLinearActivation<LinearOp, GeluOp>,
        FuseLinearActivation<LinearOp, SiluOp>,
        FuseLinearActivation<LinearOp, MaxScalarOp>,
        FuseLinearActivation<QuantizedLinearOp, GeluOp>,
        FuseLinearActivation<QuantizedLinearOp, SiluOp>,
        FuseLinearActivation<QuantizedLinearOp, MaxScalarOp>>(set,
                                                              linearActivation);
  }
};
} // namespace

void mlir::transformer::listFuseFFN(MLIRContext *context,
                                    SmallVectorImpl<FusionSwitch> &found) {
  TransformerFuseFFNPass::list(context, found);
}
