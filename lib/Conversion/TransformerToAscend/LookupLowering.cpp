//===- LookupLowering.cpp - Rows of tables --------------------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Bytes of one row of a table.
static double getRowBytes(RankedTensorType table) {
  return table.getShape().back() * *getElementBytes(table.getElementType());
}

static Value getIndices(GatherOp op) { return op.getIndices(); }
static Value getIndices(EmbeddingOp op) { return op.getIds(); }

namespace {
/// A table lookup: reads the rows in use, not the table. Of a part of a table
/// it is charged a row per index, as which indices are in it is not known.
template <typename SourceOp> struct LowerLookup : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    if (!getNumElements(cast<RankedTensorType>(getIndices(op).getType())) ||
        ShapedType::isDynamic(op.getTable().getType().getDimSize(1)))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    std::string name = op->getName().stripDialect().str();
    if (op.getFirstRow()) {
      std::string masked = "masked_" + name;
      if (!this->kernels.lookup(masked))
        return split(op, name, rewriter);
      name = masked;
    }
    FailureOr<Value> rows = lookUp(op, name, getIndices(op), rewriter);
    if (failed(rows))
      return failure();
    rewriter.replaceOp(op, *rows);
    return success();
  }

private:
  FailureOr<Value> lookUp(SourceOp op, StringRef name, Value indices,
                          PatternRewriter &rewriter) const {
    const Kernel *kernel = this->kernels.lookup(name);
    bool isWhole = kernel && kernel->getCoefficient("reads_whole_table");
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      if (isWhole)
        return;
      MLIRContext *context = op.getContext();
      ascend::GatherOp::create(
          builder, loc,
          getNumElements(cast<RankedTensorType>(indices.getType())),
          ExprAttr::constant(context, getRowBytes(op.getTable().getType())),
          ExprAttr::constant(context, 0));
    };
    LaunchParts parts = {name, {indices}, {op.getTable()}, {}, work};
    if (isWhole)
      parts = {name, {op.getTable(), indices}, {}, {}, work};
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(op, op->getResultTypes(), this->kernels, rewriter, parts);
    if (failed(launch))
      return failure();
    return launch->getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Stacks without a kernel for a part of a table
  //===--------------------------------------------------------------------===//

  /// Indices that are not in the part pick some row, which is then set to zero.
  LogicalResult split(SourceOp op, StringRef name,
                      PatternRewriter &rewriter) const {
    for (StringRef piece : {name, StringRef("greater_equal"), StringRef("less"),
                            StringRef("logical_and"), StringRef("logical_not"),
                            StringRef("select"), StringRef("subtract_scalar")})
      if (!this->kernels.lookup(piece))
        return rewriter.notifyMatchFailure(op, [&](Diagnostic &diag) {
          diag << "kernel set " << this->kernels.getName()
               << " has neither a kernel 'masked_" << name << "' nor '" << piece
               << "'";
        });
    auto launch = [&](StringRef kernel, Type type, ValueRange inputs) -> Value {
      return createLaunch(op, type, this->kernels, rewriter,
                          {kernel, llvm::to_vector(inputs), {}, {}, {}})
          ->getResult(0);
    };
    Value indices = getIndices(op);
    auto indexType = cast<RankedTensorType>(indices.getType());
    RankedTensorType maskType =
        withElementType(indexType, rewriter.getI1Type());
    Value isNotBefore = launch("greater_equal", maskType, indices);
    Value isNotBehind = launch("less", maskType, indices);
    Value isInPart =
        launch("logical_and", maskType, {isNotBefore, isNotBehind});
    Value shifted = launch("subtract_scalar", indexType, indices);
    Value zeros = this->kernels.lookup("zeros_like")
                      ? launch("zeros_like", indexType, indices)
                      : getConstant(op.getLoc(), indexType, rewriter);
    Value safe = launch("select", indexType, {isInPart, shifted, zeros});
    FailureOr<Value> rows = lookUp(op, name, safe, rewriter);
    Value isElsewhere = launch("logical_not", maskType, isInPart);
    rewriter.replaceOp(op, fill(op, *rows, isElsewhere, rewriter, launch));
    return success();
  }

  /// `rows` with zeros where `mask` says.
  Value
  fill(SourceOp op, Value rows, Value mask, PatternRewriter &rewriter,
       llvm::function_ref<Value(StringRef, Type, ValueRange)> launch) const {
    RankedTensorType type = op.getType();
    if (this->kernels.lookup("masked_fill"))
      return launch("masked_fill", type, {rows, mask});
    Value zero =
        getConstant(op.getLoc(),
                    RankedTensorType::get({}, type.getElementType()), rewriter);
    return launch("select", type, {mask, zero, rows});
  }

  /// What a compiled graph has in memory from the start.
  static Value getConstant(Location loc, Type type, PatternRewriter &rewriter) {
    return ascend::ViewOp::create(rewriter, loc, TypeRange{type}, ValueRange{})
        .getResult(0);
  }
};
} // namespace

void mlir::tensorcast::populateLookupLowering(RewritePatternSet &patterns,
                                              const KernelSet &kernels) {
  patterns.add<LowerLookup<EmbeddingOp>, LowerLookup<GatherOp>>(
      patterns.getContext(), kernels);
}
