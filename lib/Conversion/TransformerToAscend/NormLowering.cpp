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
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    ExprAttr elements = getNumElements(type);
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements, type.getElementType());
    };
    std::string name = getKernelName(op);
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {name, llvm::to_vector(op->getOperands()), {}, {}, work});
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
    ExprAttr elements = getNumElements(op.getLhs().getType());
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements,
                         op.getLhs().getType().getElementType());
    };
    LaunchParts parts = {
        "add_rms_norm", llvm::to_vector(op->getOperands()), {}, {}, work};
    if (op.getSum().use_empty()) {
      parts.kernel = "add_rms_norm_discard";
      parts.discardedResult = 0;
    }
    return replaceWithLaunch(op, kernels, rewriter, parts);
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
    RopeTableType table = op.getTable().getType();
    RankedTensorType part =
        getTensorType({getDims(query)[0], Dim(1), Dim(table.getWidth())},
                      table.getElementType());
    auto parts = ascend::ViewOp::create(rewriter, op.getLoc(),
                                        TypeRange{part, part}, op.getTable());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, queries + keys,
                         query.getElementType());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"rope_pair",
         {op.getQuery(), op.getKey(), parts.getResult(0), parts.getResult(1)},
         {},
         {},
         work});
  }
};
} // namespace

void mlir::tensorcast::populateNormLowering(RewritePatternSet &patterns,
                                            const KernelSet &kernels) {
  patterns
      .add<LowerAddRMSNorm, LowerNorm<AddRMSNormQuantizeOp>,
           LowerNorm<RMSNormOp>, LowerNorm<RMSNormQuantizeOp>, LowerRopePair>(
          patterns.getContext(), kernels);
}
