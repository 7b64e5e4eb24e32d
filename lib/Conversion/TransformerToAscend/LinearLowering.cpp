//===- LinearLowering.cpp - Matrix products and selected rows -------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Adds the exchange of a layer whose result is summed over devices.
static void addAllReduce(OpBuilder &builder, Location loc, RanksAttr ranks,
                         Type result) {
  if (ranks)
    ascend::CollectiveOp::create(builder, loc,
                                 ascend::CollectiveKind::AllReduce,
                                 getByteSize(result), ranks);
}

/// Kernels that also sum over devices have names of their own.
static std::string getKernelName(StringRef name, RanksAttr allReduce) {
  return (name + (allReduce ? "_all_reduce" : "")).str();
}

namespace {
/// The sizes of `m x k` by `k x n`.
struct ProductSizes {
  ExprAttr m, n, k;

  /// From the types of the left operand and the result.
  ProductSizes(RankedTensorType lhs, RankedTensorType result) {
    MLIRContext *context = lhs.getContext();
    m = getExpr(context, getDims(result)[0]);
    n = getExpr(context, getDims(result)[1]);
    k = getExpr(context, getDims(lhs)[1]);
  }

  explicit operator bool() const { return m && n && k; }
};

struct LowerMatmul : LoweringPattern<MatmulOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    ProductSizes sizes(op.getLhs().getType(), op.getType());
    if (!sizes)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::MatmulOp::create(builder, loc, sizes.m, sizes.n, sizes.k,
                               op.getType().getElementType());
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {op.getBias() ? "matmul_bias" : "matmul",
                              llvm::to_vector(op->getOperands()),
                              {},
                              {},
                              work});
  }
};

/// A linear layer is one product, which adds the bias on its way out.
struct LowerLinear : LoweringPattern<LinearOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    ProductSizes sizes(op.getInput().getType(), op.getType());
    if (!sizes)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::MatmulOp::create(builder, loc, sizes.m, sizes.n, sizes.k,
                               op.getType().getElementType());
      addAllReduce(builder, loc, op.getAllReduceAttr(), op.getType());
    };
    std::string kernel = ::getKernelName(
        op.getBias() ? "matmul_bias" : "matmul", op.getAllReduceAttr());
    return replaceWithLaunch(
        op, kernels, rewriter,
        {kernel, llvm::to_vector(op->getOperands()), {}, {}, work});
  }
};

struct LowerQuantizedLinear : LoweringPattern<QuantizedLinearOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(QuantizedLinearOp op,
                                PatternRewriter &rewriter) const override {
    auto input = cast<RankedTensorType>(op.getInput().getType());
    ProductSizes sizes(input, op.getType());
    if (!sizes)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      Type type = kernel.operandType.empty()
                      ? input.getElementType()
                      : parseType(kernel.operandType, op.getContext());
      ascend::MatmulOp::create(builder, loc, sizes.m, sizes.n, sizes.k, type);
      auto add = [&](ExprAttr elements, StringRef coefficient, Type type) {
        double operations = kernel.getCoefficient(coefficient);
        if (operations != 0)
          ascend::ElementwiseOp::create(
              builder, loc, elements,
              ExprAttr::constant(op.getContext(), operations), type);
      };
      add(sizes.k * sizes.n, "dequantize_ops_per_weight", builder.getF32Type());
      if (op.getBias())
        add(sizes.m * sizes.n, "bias_ops_per_element",
            op.getType().getElementType());
      addAllReduce(builder, loc, op.getAllReduceAttr(), op.getType());
    };
    std::string kernel =
        ::getKernelName(getKernelName(op), op.getAllReduceAttr());
    return replaceWithLaunch(
        op, kernels, rewriter,
        {kernel, llvm::to_vector(op->getOperands()), {}, {}, work});
  }

private:
  /// Kernels differ by what they multiply.
  static StringRef getKernelName(QuantizedLinearOp op) {
    if (!op.getInputScale())
      return "weight_quantized_matmul";
    if (op.getGroupSize())
      return "quantized_matmul_mx";
    Type weight =
        cast<RankedTensorType>(op.getWeight().getType()).getElementType();
    if (isa<FloatType>(weight))
      return "quantized_matmul_fp8";
    return weight.isInteger(4) ? "quantized_matmul_int4" : "quantized_matmul";
  }
};

/// In prefill a gather of the last rows; in decode nothing.
struct LowerLastTokens : LoweringPattern<LastTokensOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(LastTokensOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    RankedTensorType type = op.getType();
    ExprAttr rows = getExpr(context, getDims(type)[0]);
    if (!rows || ShapedType::isDynamic(type.getDimSize(1)))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    double rowBytes =
        type.getDimSize(1) * *getElementBytes(type.getElementType());
    const Kernel *kernel = kernels.lookup("last_tokens");
    bool whole = kernel && kernel->getCoefficient("reads_whole_table");
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      double indexBytes = kernel.getCoefficient("index_is_free") ? 0 : 8;
      ascend::GatherOp::create(
          builder, loc, rows, ExprAttr::constant(context, whole ? 0 : rowBytes),
          rows * indexBytes);
    };
    // If all requests are in decode, all tokens are kept.
    ExprAttr prefill = ExprAttr::constant(context, 1) - getDecodeExpr(context);
    ExprAttr count = bind(prefill, getWorkload(op.getBatch()));
    if (op.getSelect() != TokenSelection::Needed)
      count = ExprAttr::constant(context, 1);
    LaunchParts parts = {"last_tokens",
                         {},
                         {op.getBatch()},
                         count.isConstant(1) ? ExprAttr() : count,
                         work};
    (whole ? parts.inputs : parts.resident).push_back(op.getInput());
    return replaceWithLaunch(op, kernels, rewriter, parts);
  }
};
} // namespace

void mlir::tensorcast::populateLinearLowering(RewritePatternSet &patterns,
                                              const KernelSet &kernels) {
  patterns.add<LowerLastTokens, LowerLinear, LowerMatmul, LowerQuantizedLinear>(
      patterns.getContext(), kernels);
}
