//===- EncoderLowering.cpp - Attention without a cache --------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/AttentionSizes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Products of one batch are one product of more rows, to the roofline.
struct LowerBatchedMatmul : LoweringPattern<BatchedMatmulOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(BatchedMatmulOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    auto lhs = cast<RankedTensorType>(op.getLhs().getType());
    auto type = cast<RankedTensorType>(op.getType());
    ExprAttr elements = getNumElements(type);
    ExprAttr n = getExpr(context, getDims(type).back());
    ExprAttr k = getExpr(context, getDims(lhs).back());
    SmallVector<Dim> rows = getDims(type);
    rows.back() = Dim(1);
    ExprAttr m = getNumElements(getTensorType(rows, type.getElementType()));
    if (!elements || !n || !k || !m)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::MatmulOp::create(builder, loc, m, n, k, type.getElementType());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"batched_matmul", {op.getLhs(), op.getRhs()}, {}, {}, work});
  }
};

/// Masks are written once, and nothing is read for them.
template <typename MaskOp> struct LowerMask : LoweringPattern<MaskOp> {
  using LoweringPattern<MaskOp>::LoweringPattern;

  LogicalResult matchAndRewrite(MaskOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    ExprAttr elements = getNumElements(type);
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements, type.getElementType());
    };
    LaunchParts parts = {op->getName().stripDialect(), {}, {}, {}, work};
    llvm::append_range(parts.resident, op->getOperands());
    return replaceWithLaunch(op, this->kernels, rewriter, parts);
  }
};

/// One kernel for all sequences and heads. Tokens meet all keys, or as many as
/// a window has: kernels skip no blocks for causality here.
struct LowerAttention : LoweringPattern<ScaledDotProductAttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ScaledDotProductAttentionOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    bool isByToken = hasOperandsByToken(op.getLayout());
    auto getSizes = [&](Value operand) {
      return AttentionSizes(cast<RankedTensorType>(operand.getType()),
                            isByToken);
    };
    AttentionSizes query = getSizes(op.getQuery()), key = getSizes(op.getKey());
    Dim valueSize = getSizes(op.getValue()).features;
    ExprAttr sequences = getExpr(context, query.sequences);
    ExprAttr tokens = getExpr(context, query.tokens);
    ExprAttr keys = getExpr(context, key.tokens);
    if (!sequences || !tokens || !keys || !query.heads.isStatic() ||
        !query.features.isStatic() || !valueSize.isStatic())
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    if (std::optional<int64_t> window = op.getWindow())
      keys = getFunctionExpr(
          ExprKind::Min,
          {keys, ExprAttr::constant(context, static_cast<double>(*window))});
    ExprAttr pairs = sequences * tokens * keys;
    Type element =
        cast<RankedTensorType>(op.getQuery().getType()).getElementType();
    int64_t heads = query.heads.size;
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      auto number = [&](double value) {
        return ExprAttr::constant(context, value);
      };
      // Keys and values are operands, not rows of a cache.
      ascend::AttentionOp::create(
          builder, loc, pairs, heads, query.features.size, valueSize.size,
          number(kernel.getCoefficient("softmax_ops_per_score")), number(0),
          heads, number(0), element, element, element);
      double maskOps = kernel.getCoefficient("mask_ops_per_score");
      double added = !!op.getMask() + !!op.getBias();
      if (maskOps * added != 0)
        ascend::ElementwiseOp::create(builder, loc,
                                      pairs * static_cast<double>(heads),
                                      number(maskOps * added), element);
      double sinkOps = kernel.getCoefficient("sink_ops_per_head");
      if (op.getSink() && sinkOps != 0)
        ascend::ElementwiseOp::create(
            builder, loc, sequences * tokens * static_cast<double>(heads),
            number(sinkOps), element);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"scaled_dot_product_attention",
                              llvm::to_vector(op->getOperands()),
                              {},
                              {},
                              work});
  }
};
} // namespace

void mlir::tensorcast::populateEncoderLowering(RewritePatternSet &patterns,
                                               const KernelSet &kernels) {
  patterns.add<LowerAttention, LowerBatchedMatmul, LowerMask<CausalMaskOp>,
               LowerMask<PaddingMaskOp>>(patterns.getContext(), kernels);
}
