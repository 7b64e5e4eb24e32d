//===- ExpertLowering.cpp - Rows and layers of experts --------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using ascend::CollectiveKind;

namespace {
/// Copies of rows in another order.
template <typename SourceOp> struct LowerOrder : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithLaunch(op, this->kernels, rewriter,
                             {op->getName().stripDialect(),
                              {op.getInput(), op.getIds()},
                              {},
                              {},
                              {}});
  }
};

/// A product and a sum per element of the rows, in the wider of the types.
struct LowerCombineTokens : LoweringPattern<CombineTokensOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(CombineTokensOp op,
                                PatternRewriter &rewriter) const override {
    if (kernels.getSwitch("no_fused_combine") != 0)
      return rewriter.notifyMatchFailure(
          op, "it is composite; run transformer-decompose first");
    ExprAttr elements = getNumElements(op.getInput().getType());
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    Type rows = op.getInput().getType().getElementType();
    Type weights = op.getWeights().getType().getElementType();
    Type type = weights.getIntOrFloatBitWidth() > rows.getIntOrFloatBitWidth()
                    ? weights
                    : rows;
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements, type);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"combine_tokens",
                              {op.getInput(), op.getWeights(), op.getIds()},
                              {},
                              {},
                              work});
  }
};

/// Nothing is started where the rows are a multiple already.
struct LowerPadRows : LoweringPattern<PadRowsOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(PadRowsOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    // Token ids are read as they are: rows of padding choose no expert.
    RankedTensorType input = op.getInput().getType();
    if (input.getElementType().isInteger()) {
      rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, TypeRange{op.getType()},
                                                  op.getInput());
      return success();
    }
    ExprAttr rows = getExpr(context, getDims(input)[0]);
    if (!rows)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto number = [&](int64_t value) {
      return ExprAttr::constant(context, static_cast<double>(value));
    };
    ExprAttr rest =
        getFunctionExpr(ExprKind::Mod, {rows, number(op.getMultiple())});
    ExprAttr times = getFunctionExpr(ExprKind::NotEqual, {rest, number(0)});
    if (times.isConstant(0)) {
      rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, TypeRange{op.getType()},
                                                  op.getInput());
      return success();
    }
    return replaceWithLaunch(op, kernels, rewriter,
                             {"pad_rows",
                              {op.getInput()},
                              {},
                              times.isConstant(1) ? ExprAttr() : times,
                              {}});
  }
};

/// An all-to-all between tokens and experts.
template <typename SourceOp>
struct LowerExpertExchange : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getInput().getType();
    std::optional<ExpertRows> rows =
        ExpertRows::get(op.getIds().getType(), op.getPlacement());
    Dim width = getDims(type)[1];
    if (!rows || !width.isStatic())
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    double rowBytes = static_cast<double>(width.size) *
                      *getElementBytes(type.getElementType());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::CollectiveOp::create(builder, loc, CollectiveKind::AllToAll,
                                   rows->exchanged * rowBytes,
                                   op.getPlacement().getRanks());
    };
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {op->getName().stripDialect(), {op.getInput()}, {}, {}, work});
  }
};

/// The product of each expert's rows and matrix, in one kernel. Of the stack
/// of matrices, those of experts with rows are read.
template <typename SourceOp>
struct LowerGroupedLinear : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto weight = cast<RankedTensorType>(op.getWeight().getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<ExpertRows> rows =
        ExpertRows::get(op.getIds().getType(), op.getPlacement());
    ExprAttr m = getExpr(context, getDims(input)[0]);
    if (!rows || !m || !weight.hasStaticShape())
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto number = [&](double value) {
      return ExprAttr::constant(context, value);
    };
    double n = static_cast<double>(weight.getDimSize(1));
    double k = static_cast<double>(weight.getDimSize(2));
    ExprAttr inner = getExpr(context, getDims(input)[1]);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      Type type = kernel.operandType.empty()
                      ? input.getElementType()
                      : parseType(kernel.operandType, context);
      ascend::MatmulOp::create(builder, loc, m, number(n), inner, type);
      auto add = [&](ExprAttr elements, StringRef coefficient,
                     Type elementType) {
        if (double operations = kernel.getCoefficient(coefficient))
          ascend::ElementwiseOp::create(builder, loc, elements,
                                        number(operations), elementType);
      };
      Type vector = getVectorType(op);
      add(rows->active * (n * k), "dequantize_ops_per_weight",
          builder.getF32Type());
      if (op.getSwiglu())
        add(m * (n / 2), "swiglu_ops_per_element", vector);
      if (ExprAttr scales = getNumResultScales(op)) {
        add(getNumElements(result), "quantize_ops_per_element", vector);
        add(scales, "quantize_ops_per_scale", vector);
      }
      double expertBytes = n * k * *getElementBytes(weight.getElementType());
      double scaleBytes = getScaleBytes(op, kernel);
      ascend::GatherOp::create(builder, loc, rows->active,
                               number(expertBytes + scaleBytes), number(0));
      addRepeatedScales(op, kernel, rows->active, builder, loc);
    };
    std::string name = getKernelName(op);
    LaunchParts parts = {name, {op.getInput()}, {op.getWeight()}, {}, work};
    addOthers(op, parts);
    return replaceWithLaunch(op, this->kernels, rewriter, parts);
  }

private:
  //===--------------------------------------------------------------------===//
  // What is quantized
  //===--------------------------------------------------------------------===//

  static std::string getKernelName(GroupedLinearOp op) {
    return op.getSwiglu() ? "grouped_matmul_swiglu" : "grouped_matmul";
  }
  static std::string getKernelName(QuantizedGroupedLinearOp op) {
    Type type =
        cast<RankedTensorType>(op.getWeight().getType()).getElementType();
    std::string name = "quantized_grouped_matmul";
    if (!op.getInputScale())
      name = "weight_quantized_grouped_matmul";
    else if (op.getGroupSize())
      name += "_mx";
    else if (isa<FloatType>(type))
      name += "_fp8";
    else if (type.isInteger(4))
      name += "_int4";
    if (op.getSwiglu())
      name += "_swiglu";
    return op.getScale() ? name + "_quantize" : name;
  }

  /// What activations are computed in.
  static Type getVectorType(GroupedLinearOp op) {
    return op.getType().getElementType();
  }
  static Type getVectorType(QuantizedGroupedLinearOp op) {
    Type type =
        cast<RankedTensorType>(op.getResult().getType()).getElementType();
    return op.getScale() ? Float16Type::get(op.getContext()) : type;
  }

  static ExprAttr getNumResultScales(GroupedLinearOp) { return {}; }
  static ExprAttr getNumResultScales(QuantizedGroupedLinearOp op) {
    return op.getScale()
               ? getNumElements(cast<RankedTensorType>(op.getScale().getType()))
               : ExprAttr();
  }

  /// Bytes of the scales of one expert's matrix.
  static double getScaleBytes(GroupedLinearOp, const Kernel &) { return 0; }
  static double getScaleBytes(QuantizedGroupedLinearOp op,
                              const Kernel &kernel) {
    auto type = cast<RankedTensorType>(op.getWeightScale().getType());
    double bytes = *getElementBytes(type.getElementType());
    for (int64_t size : type.getShape().drop_front(type.getRank() == 3 ? 1 : 0))
      bytes *= static_cast<double>(size);
    // Some stacks keep the scales of one part where parts are joined.
    if (op.getSwiglu() && kernel.getCoefficient("scales_of_one_part"))
      bytes /= 2;
    return bytes;
  }

  /// Kernels that are given the scales of the rows once per expert.
  static void addRepeatedScales(GroupedLinearOp, const Kernel &, ExprAttr,
                                OpBuilder &, Location) {}
  static void addRepeatedScales(QuantizedGroupedLinearOp op,
                                const Kernel &kernel, ExprAttr active,
                                OpBuilder &builder, Location loc) {
    if (!op.getInputScale() ||
        !kernel.getCoefficient("input_scales_per_expert"))
      return;
    ExprAttr bytes = getByteSize(op.getInputScale().getType());
    ExprAttr one = ExprAttr::constant(op.getContext(), 1);
    ascend::GatherOp::create(builder, loc, active - one, bytes,
                             ExprAttr::constant(op.getContext(), 0));
  }

  static void addOthers(GroupedLinearOp op, LaunchParts &parts) {
    if (op.getBias())
      parts.inputs.push_back(op.getBias());
  }
  static void addOthers(QuantizedGroupedLinearOp op, LaunchParts &parts) {
    if (op.getInputScale())
      parts.inputs.push_back(op.getInputScale());
    parts.resident.push_back(op.getWeightScale());
  }
};
} // namespace

void mlir::tensorcast::populateExpertLowering(RewritePatternSet &patterns,
                                              const KernelSet &kernels) {
  patterns.add<
      LowerOrder<PermuteTokensOp>, LowerOrder<UnpermuteTokensOp>,
      LowerCombineTokens, LowerPadRows, LowerExpertExchange<DispatchTokensOp>,
      LowerExpertExchange<ReturnTokensOp>, LowerGroupedLinear<GroupedLinearOp>,
      LowerGroupedLinear<QuantizedGroupedLinearOp>>(patterns.getContext(),
                                                    kernels);
}
