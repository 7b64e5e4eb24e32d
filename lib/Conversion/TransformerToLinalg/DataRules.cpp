//===- DataRules.cpp - Moving data, and picking rows ----------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
struct LowerGather : LinalgRule<GatherOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildGather(rewriter, op.getLoc(), adaptor.getTable(),
                                   adaptor.getIndices(), op.getFirstRow()));
    return success();
  }
};

struct LowerEmbedding : LinalgRule<EmbeddingOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(EmbeddingOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildGather(rewriter, op.getLoc(), adaptor.getTable(),
                                   adaptor.getIds(), op.getFirstRow()));
    return success();
  }
};

struct LowerConcat : LinalgRule<ConcatOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildConcat(rewriter, op.getLoc(),
                                       {adaptor.getLhs(), adaptor.getRhs()},
                                       op.getType().getRank() - 1));
    return success();
  }
};

struct LowerConcatWeights : LinalgRule<ConcatWeightsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ConcatWeightsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildConcat(rewriter, op.getLoc(), adaptor.getWeights(),
                                   op.getDim().value_or(0)));
    return success();
  }
};

struct LowerSlice : LinalgRule<SliceOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> offsets(type.getRank(), 0);
    offsets.back() = op.getOffset();
    rewriter.replaceOp(op, buildSlice(rewriter, op.getLoc(), adaptor.getInput(),
                                      offsets, type.getShape()));
    return success();
  }
};

struct LowerReshape : LinalgRule<ReshapeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildReshape(rewriter, op.getLoc(), adaptor.getInput(),
                                    op.getType().getShape()));
    return success();
  }
};

/// Prefill: every q-th row, from the end of the first request. Decode: all.
struct LowerLastTokens : LinalgRule<LastTokensOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LastTokensOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WorkloadAttr workload = op.getBatch().getType().getWorkload();
    if (!workload)
      return decline(op, rewriter, "its batch has no workload");
    Value input = adaptor.getInput().front();
    int64_t rows = workload.getRequests() * workload.getNewTokens();
    if (getTensorType(input).getDimSize(0) != rows)
      return decline(op, rewriter,
                     "its input has not one row per new token of the batch (" +
                         Twine(rows) + ")");
    if (workload.getDecode() && op.getSelect() != TokenSelection::Last) {
      rewriter.replaceOp(op, input);
      return success();
    }
    auto index = [&](int64_t value) -> OpFoldResult {
      return rewriter.getIndexAttr(value);
    };
    int64_t step = workload.getNewTokens();
    int64_t features = op.getType().getDimSize(1);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, input, ArrayRef{index(step - 1), index(0)},
        ArrayRef{index(workload.getRequests()), index(features)},
        ArrayRef{index(step), index(1)});
    return success();
  }
};
} // namespace

void tensorcast::populateDataRules(RewritePatternSet &patterns,
                                   const RuleContext &rules) {
  patterns.add<LowerGather, LowerEmbedding, LowerConcat, LowerConcatWeights,
               LowerSlice, LowerReshape, LowerLastTokens>(patterns.getContext(),
                                                          rules);
}
