//===- ElementwiseLowering.cpp - Elementwise ops, and views ---------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// An op that reads its operands and writes its results, element by element;
/// the kernel has the op's name.
template <typename SourceOp>
struct LowerElementwise : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithElementwiseLaunch(op, this->kernels, rewriter,
                                        op->getName().stripDialect());
  }
};

/// What is done with a weight alone is done when the model is loaded, unless
/// the set has a kernel for it.
struct LowerCast : LoweringPattern<CastOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInput().getDefiningOp<WeightOp>())
      return replaceWithElementwiseLaunch(op, kernels, rewriter, "cast");
    if (kernels.lookup("cast_weight"))
      return replaceWithElementwiseLaunch(op, kernels, rewriter, "cast_weight");
    rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, op->getResultTypes(),
                                                op->getOperands());
    return success();
  }
};

/// What a weight was converted from, or the weight itself.
static bool isWeight(Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  else if (auto view = value.getDefiningOp<ascend::ViewOp>();
           view && view.getInputs().size() == 1)
    value = view.getInputs().front();
  else if (auto launch = value.getDefiningOp<ascend::LaunchOp>();
           launch && launch.getKernel() == "cast_weight")
    value = launch.getInputs().front();
  return value.getDefiningOp<WeightOp>() != nullptr;
}

/// The same for what is added to a weight.
struct LowerAddScalar : LoweringPattern<AddScalarOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AddScalarOp op,
                                PatternRewriter &rewriter) const override {
    if (!isWeight(op.getInput()))
      return replaceWithElementwiseLaunch(op, kernels, rewriter, "add_scalar");
    if (kernels.lookup("add_scalar_weight"))
      return replaceWithElementwiseLaunch(op, kernels, rewriter,
                                          "add_scalar_weight");
    rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, op->getResultTypes(),
                                                op->getOperands());
    return success();
  }
};

/// The kernel depends on the formula.
struct LowerGelu : LoweringPattern<GeluOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GeluOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithElementwiseLaunch(
        op, kernels, rewriter,
        op.getForm() == GeluForm::Erf ? "gelu_erf" : "gelu_tanh");
  }
};

/// An op that names memory in another way.
struct LowerView : RewritePattern {
  explicit LowerView(MLIRContext *context)
      : RewritePattern(Pattern::MatchTraitOpTypeTag(),
                       TypeID::get<MovesNothing>(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, op->getResultTypes(),
                                                op->getOperands());
    return success();
  }
};

/// A quantization with one scale per group has a kernel of its own.
struct LowerDynamicQuantize : LoweringPattern<DynamicQuantizeOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DynamicQuantizeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getInput().getType();
    ExprAttr elements = getNumElements(type);
    ExprAttr scales = getNumElements(op.getScale().getType());
    if (!elements || !scales)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements, type.getElementType());
      if (double perScale = kernel.getCoefficient("vector_ops_per_scale"))
        ascend::ElementwiseOp::create(
            builder, loc, scales, ExprAttr::constant(op.getContext(), perScale),
            type.getElementType());
    };
    StringRef name =
        op.getGroupSize() ? "dynamic_quantize_mx" : "dynamic_quantize";
    return replaceWithLaunch(op, kernels, rewriter,
                             {name, {op.getInput()}, {}, {}, work});
  }
};
} // namespace

void mlir::tensorcast::populateElementwiseLowering(RewritePatternSet &patterns,
                                                   const KernelSet &kernels) {
  patterns.add<LowerElementwise<AddOp>, LowerAddScalar, LowerElementwise<CosOp>,
               LowerElementwise<SinOp>, LowerCast, LowerElementwise<ConcatOp>,
               LowerElementwise<DivOp>, LowerDynamicQuantize,
               LowerElementwise<ErfOp>, LowerGelu, LowerElementwise<MeanOp>,
               LowerElementwise<MulOp>, LowerElementwise<MulScalarOp>,
               LowerElementwise<NegOp>, LowerElementwise<PermuteOp>,
               LowerElementwise<PowOp>, LowerElementwise<QuantizeOp>,
               LowerElementwise<RsqrtOp>, LowerElementwise<SiluOp>,
               LowerElementwise<SqrtOp>, LowerElementwise<SubOp>,
               LowerElementwise<SwiGLUOp>, LowerElementwise<TanhOp>,
               LowerElementwise<ExpOp>, LowerElementwise<MaxOp>,
               LowerElementwise<MaxScalarOp>, LowerElementwise<MinScalarOp>,
               LowerElementwise<ClampedSwiGLUOp>,
               LowerElementwise<LimitedSwiGLUOp>, LowerElementwise<LogOp>,
               LowerElementwise<Log1pOp>, LowerElementwise<SigmoidOp>,
               LowerElementwise<SoftmaxOp>, LowerElementwise<SumOp>,
               LowerElementwise<TakeOp>, LowerElementwise<TopKOp>>(
      patterns.getContext(), kernels);
  patterns.add<LowerView>(patterns.getContext());
}
