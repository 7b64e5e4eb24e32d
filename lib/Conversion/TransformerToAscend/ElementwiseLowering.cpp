//===- ElementwiseLowering.cpp - Elementwise ops, views, gathers ----------===//

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
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    ExprAttr elements = getNumElements(type);
    if (!elements)
      return rewriter.notifyMatchFailure(
          op, "a '?' has no expression; add #transformer.dims to its type");
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      double perElement = kernel.getCoefficient("vector_ops_per_element");
      if (perElement != 0)
        ascend::ElementwiseOp::create(
            builder, loc, elements,
            ExprAttr::constant(op.getContext(), perElement),
            type.getElementType());
    };
    StringRef kernel = op->getName().stripDialect();
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {kernel, llvm::to_vector(op->getOperands()), {}, {}, work});
  }
};

/// An op that names memory in another way.
template <typename SourceOp> struct LowerView : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, op->getResultTypes(),
                                                op->getOperands());
    return success();
  }
};

/// Bytes of one row of a table.
static double getRowBytes(RankedTensorType table) {
  return table.getShape().back() * *getElementBytes(table.getElementType());
}

/// A table lookup: reads the rows in use, not the table.
template <typename SourceOp> struct LowerLookup : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    Value indices = getIndices(op);
    ExprAttr rows = getNumElements(cast<RankedTensorType>(indices.getType()));
    if (!rows || ShapedType::isDynamic(op.getTable().getType().getDimSize(1)))
      return rewriter.notifyMatchFailure(
          op, "a '?' has no expression; add #transformer.dims to its type");
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      MLIRContext *context = op.getContext();
      ascend::GatherOp::create(
          builder, loc, rows,
          ExprAttr::constant(context, getRowBytes(op.getTable().getType())),
          ExprAttr::constant(context, 0));
    };
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {op->getName().stripDialect(), {indices}, {op.getTable()}, {}, work});
  }

private:
  static Value getIndices(GatherOp op) { return op.getIndices(); }
  static Value getIndices(EmbeddingOp op) { return op.getIds(); }
};
} // namespace

void mlir::tensorcast::populateElementwiseLowering(RewritePatternSet &patterns,
                                                   const KernelSet &kernels) {
  patterns
      .add<LowerElementwise<AddOp>, LowerElementwise<AddScalarOp>,
           LowerElementwise<CastOp>, LowerElementwise<ConcatOp>,
           LowerElementwise<DynamicQuantizeOp>, LowerElementwise<MeanOp>,
           LowerElementwise<MulOp>, LowerElementwise<NegOp>,
           LowerElementwise<PowOp>, LowerElementwise<QuantizeOp>,
           LowerElementwise<RsqrtOp>, LowerElementwise<SiluOp>,
           LowerView<ReshapeOp>, LowerView<RopePackOp>, LowerView<RopePartsOp>,
           LowerView<SliceOp>, LowerLookup<EmbeddingOp>, LowerLookup<GatherOp>>(
          patterns.getContext(), kernels);
}
