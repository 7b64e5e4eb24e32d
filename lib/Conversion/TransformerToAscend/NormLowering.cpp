//===- NormLowering.cpp - Fused norms and rotations -----------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// A kernel that reads rows once and writes what it makes of them.
template <typename NormOp> struct LowerNorm : LoweringPattern<NormOp> {
  using LoweringPattern<NormOp>::LoweringPattern;

  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithElementwiseLaunch(op, this->kernels, rewriter,
                                        getKernelName(op));
  }

private:
  static std::string getKernelName(RMSNormOp) { return "rms_norm"; }
  static std::string getKernelName(RMSNormQuantizeOp op) {
    return "rms_norm" + getSuffix(op);
  }
  static std::string getKernelName(AddRMSNormQuantizeOp op) {
    return "add_rms_norm" + getSuffix(op);
  }

  /// How the result is quantized.
  static std::string getSuffix(NormOp op) {
    if (op.getScale())
      return "_quantize";
    return op.getGroupSize() ? "_dynamic_quantize_mx" : "_dynamic_quantize";
  }
};

/// The kernel writes the sum only if something reads it.
struct LowerAddRMSNorm : LoweringPattern<AddRMSNormOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AddRMSNormOp op,
                                PatternRewriter &rewriter) const override {
    bool isSumRead = !op.getSum().use_empty();
    return replaceWithElementwiseLaunch(
        op, kernels, rewriter,
        isSumRead ? "add_rms_norm" : "add_rms_norm_discard",
        isSumRead ? std::nullopt : std::optional<unsigned>(0));
  }
};
} // namespace

/// How many rows of features `type` has; null if that is not known.
static ExprAttr countRows(RankedTensorType type) {
  SmallVector<Dim> dims = getDims(type);
  dims.back() = Dim(1);
  return getNumElements(getTensorType(dims, type.getElementType()));
}

namespace {
/// A norm around the mean, perhaps with the residual. Kernels differ by whether
/// they add a bias, and by whether they write the sum.
template <typename NormOp> struct LowerLayerNorm : LoweringPattern<NormOp> {
  using LoweringPattern<NormOp>::LoweringPattern;

  LogicalResult matchAndRewrite(NormOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    ExprAttr elements = getNumElements(type), rows = countRows(type);
    if (!elements || !rows)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements, type.getElementType());
      // Mean and deviation of each row.
      if (double bytes = kernel.getCoefficient("statistics_bytes_per_row"))
        ascend::ScatterOp::create(builder, loc, rows,
                                  ExprAttr::constant(op.getContext(), bytes),
                                  ExprAttr::constant(op.getContext(), 0));
    };
    bool isSumRead = isSumWritten(op);
    std::string name = op->getName().stripDialect().str();
    if (op.getBias())
      name += "_bias";
    if (!isSumRead)
      name += "_discard";
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {name,
         llvm::to_vector(op->getOperands()),
         {},
         {},
         work,
         isSumRead ? std::nullopt : std::optional<unsigned>(0)});
  }

private:
  static bool isSumWritten(LayerNormOp) { return true; }
  static bool isSumWritten(AddLayerNormOp op) {
    return !op.getSum().use_empty();
  }
};
} // namespace

/// Cosines and sines of a table, as the rotation of `heads` reads them.
static SmallVector<Value> getTableParts(OpBuilder &builder, Location loc,
                                        RankedTensorType heads,
                                        TypedValue<RopeTableType> table) {
  RankedTensorType part = getTensorType(
      {getDims(heads)[0], Dim(1), Dim(table.getType().getWidth())},
      table.getType().getElementType());
  auto parts =
      ascend::ViewOp::create(builder, loc, TypeRange{part, part}, table);
  return llvm::to_vector_of<Value>(parts.getResults());
}

namespace {
/// Heads are rotated in one kernel.
struct LowerRope : LoweringPattern<RopeOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(RopeOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr elements = getNumElements(op.getType());
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    // Complex numbers may have a kernel of their own.
    bool isComplex =
        op.getStyle() == RopeStyle::Complex && kernels.lookup("rope_complex");
    StringRef name = isComplex ? "rope_complex" : "rope";
    if (!kernels.lookup(name))
      return rewriter.notifyMatchFailure(op, "the set has no kernel for it");
    SmallVector<Value> inputs{op.getInput()};
    llvm::append_range(inputs, getTableParts(rewriter, op.getLoc(),
                                             op.getType(), op.getTable()));
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements,
                         op.getTable().getType().getElementType());
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {name, inputs, {}, {}, work});
  }
};

/// Queries and keys are rotated in one kernel, which reads both tables once.
struct LowerRopePair : LoweringPattern<RopePairOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(RopePairOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType query = op.getQuery().getType();
    ExprAttr queries = getNumElements(query);
    ExprAttr keys = getNumElements(op.getKey().getType());
    if (!queries || !keys)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    SmallVector<Value> inputs{op.getQuery(), op.getKey()};
    llvm::append_range(
        inputs, getTableParts(rewriter, op.getLoc(), query, op.getTable()));
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, queries + keys,
                         op.getTable().getType().getElementType());
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"rope_pair", inputs, {}, {}, work});
  }
};
} // namespace

void mlir::tensorcast::populateNormLowering(RewritePatternSet &patterns,
                                            const KernelSet &kernels) {
  patterns.add<LowerAddRMSNorm, LowerLayerNorm<AddLayerNormOp>,
               LowerLayerNorm<LayerNormOp>, LowerNorm<AddRMSNormQuantizeOp>,
               LowerNorm<RMSNormOp>, LowerNorm<RMSNormQuantizeOp>, LowerRope,
               LowerRopePair>(patterns.getContext(), kernels);
}
