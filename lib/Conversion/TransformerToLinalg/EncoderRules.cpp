//===- EncoderRules.cpp - What encoders launch ----------------------------===//

#include "IndexMath.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
struct LowerPermute : LinalgRule<PermuteOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PermuteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    rewriter.replaceOp(op, linalg::TransposeOp::create(rewriter, op.getLoc(),
                                                       adaptor.getInput(),
                                                       empty, op.getOrder())
                               .getResult());
    return success();
  }
};

/// Repeats what has one element.
struct LowerExpand : LinalgRule<ExpandOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ExpandOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = getTensorType(adaptor.getInput()).getShape();
    auto body = [&](OpBuilder &inner, Location loc, ValueRange at) -> Value {
      IndexMath math(inner, loc);
      SmallVector<Value> from(at);
      for (auto [index, size] : llvm::zip(from, shape))
        if (size == 1)
          index = math.index(0);
      return math.read(adaptor.getInput(), from);
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, op.getLoc(),
                                        cast<RankedTensorType>(op.getType()),
                                        body));
    return success();
  }
};

/// Over loops of the leading dimensions, rows, columns, and what is summed.
struct LowerBatchedMatmul : LinalgRule<BatchedMatmulOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(BatchedMatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    auto rank = static_cast<unsigned>(type.getRank());
    unsigned row = rank - 2, column = rank - 1, inner = rank;
    SmallVector<unsigned> lhs = llvm::to_vector(llvm::seq(0u, row)), rhs = lhs,
                          result = lhs;
    llvm::append_values(lhs, row, inner);
    llvm::append_values(rhs, op.getTransposed() ? column : inner,
                        op.getTransposed() ? inner : column);
    llvm::append_values(result, row, column);
    if (op.getJoined())
      std::swap(result[1], result[2]);
    Value product =
        buildContraction(rewriter, op.getLoc(), type.getShape(),
                         adaptor.getLhs(), adaptor.getRhs(), rank + 1,
                         ArrayRef<ArrayRef<unsigned>>{lhs, rhs, result});
    rewriter.replaceOp(op, buildRound(rewriter, op.getLoc(), type, product));
    return success();
  }
};

/// The lowest number of a type.
static Value getLowest(OpBuilder &builder, Location loc, FloatType type) {
  APFloat lowest = APFloat::getLargest(type.getFloatSemantics(), true);
  return arith::ConstantFloatOp::create(builder, loc, type, lowest);
}

struct LowerCausalMask : LinalgRule<CausalMaskOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(CausalMaskOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    auto element = cast<FloatType>(type.getElementType());
    auto body = [&](OpBuilder &inner, Location loc, ValueRange at) -> Value {
      IndexMath math(inner, loc);
      Value last =
          math.add(at[0], math.index(type.getDimSize(1) - type.getDimSize(0)));
      Value isSeen = math.isAtLeast(last, at[1]);
      if (std::optional<int64_t> window = op.getWindow())
        isSeen = math.both(
            isSeen,
            math.isAtLeast(at[1], math.sub(last, math.index(*window - 1))));
      return arith::SelectOp::create(inner, loc, isSeen,
                                     makeScalar(inner, loc, element, 0),
                                     getLowest(inner, loc, element));
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, op.getLoc(), type, body));
    return success();
  }
};

/// The sequences of a workload have one length.
struct LowerPaddingMask : LinalgRule<PaddingMaskOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PaddingMaskOp op, RangeAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    auto body = [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
      return makeScalar(inner, loc, type.getElementType(), 0);
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, op.getLoc(), type, body));
    return success();
  }
};

struct LowerFirstTokens : LinalgRule<FirstTokensOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(FirstTokensOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    int64_t length =
        getTensorType(adaptor.getInput()).getDimSize(0) / type.getDimSize(0);
    auto body = [&](OpBuilder &inner, Location loc, ValueRange at) -> Value {
      IndexMath math(inner, loc);
      Value row = math.mul(at[0], math.index(length));
      return math.read(adaptor.getInput(), {row, at[1]});
    };
    rewriter.replaceOp(op, buildByIndex(rewriter, op.getLoc(), type, body));
    return success();
  }
};
} // namespace

void tensorcast::populateEncoderRules(RewritePatternSet &patterns,
                                      const RuleContext &rules) {
  patterns.add<LowerPermute, LowerExpand, LowerBatchedMatmul, LowerCausalMask,
               LowerPaddingMask, LowerFirstTokens>(patterns.getContext(),
                                                   rules);
}
