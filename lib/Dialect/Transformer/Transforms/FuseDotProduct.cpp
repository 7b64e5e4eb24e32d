//===- FuseDotProduct.cpp - Attention without a cache ---------------------===//

#include "DotProduct.h"

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
/// exp(x - max(x)) / sum of these -> softmax.
struct RaiseSoftmax : FusionPattern<DivOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(DivOp div,
                                PatternRewriter &rewriter) const override {
    auto exponential = div.getLhs().getDefiningOp<ExpOp>();
    auto sum = div.getRhs().getDefiningOp<SumOp>();
    auto below =
        exponential ? exponential.getInput().getDefiningOp<SubOp>() : SubOp();
    auto peak = below ? below.getRhs().getDefiningOp<MaxOp>() : MaxOp();
    if (!sum || !peak || sum.getInput() != exponential.getResult() ||
        peak.getInput() != below.getLhs())
      return rewriter.notifyMatchFailure(div, "not a softmax");
    auto last = static_cast<uint64_t>(getTensor(div).getRank() - 1);
    if (sum.getDim() != last || peak.getDim() != last)
      return missed(div, rewriter,
                    "the softmax is not over the last dimension");
    if (failed(announce(div, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<SoftmaxOp>(div, div.getType(), below.getLhs());
    return success();
  }
};

/// What is added to scores, by what a kernel takes.
struct AddedToScores {
  Value mask, bias;
  UnitAttr causal;
  IntegerAttr window;

  /// Of scores with `dims`; the reason says what no kernel takes.
  static FailureOr<AddedToScores> sort(ArrayRef<Value> added,
                                       ArrayRef<Dim> dims, Type element,
                                       std::string &reason) {
    AddedToScores sorted;
    for (Value value : llvm::reverse(added)) {
      RankedTensorType type = getTensor(value);
      SmallVector<Dim> own = getDims(type);
      if (type.getElementType() != element && !type.getElementType().isF32()) {
        reason = "what is added to the scores is of another type";
        return failure();
      }
      if (auto causal = value.getDefiningOp<CausalMaskOp>();
          causal && !sorted.causal && mayBeEqual(own[0], dims.end()[-2]) &&
          mayBeEqual(own[1], dims.end()[-1])) {
        sorted.causal = UnitAttr::get(value.getContext());
        sorted.window = causal.getWindowAttr();
        continue;
      }
      bool isForAllHeads = own.size() < 3 || own[own.size() - 3].isOne();
      Value &slot = isForAllHeads && !sorted.mask ? sorted.mask : sorted.bias;
      if (slot) {
        reason = "more is added to the scores than a mask and a bias";
        return failure();
      }
      slot = value;
    }
    return sorted;
  }
};

/// Both products, and what is between them -> scaled_dot_product_attention.
struct RaiseAttention : FusionPattern<SoftmaxOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(SoftmaxOp softmax,
                                PatternRewriter &rewriter) const override {
    std::string reason;
    FailureOr<DotProduct> parts = DotProduct::match(softmax, reason);
    if (failed(parts)) {
      if (reason.empty())
        return rewriter.notifyMatchFailure(softmax, "not in attention");
      return missed(softmax, rewriter, reason);
    }
    RankedTensorType scores = getTensor(parts->scores);
    FailureOr<AddedToScores> added = AddedToScores::sort(
        parts->added, getDims(scores), scores.getElementType(), reason);
    if (failed(added))
      return missed(softmax, rewriter, reason);
    if (failed(announce(softmax, rewriter)))
      return failure();
    rewriter.setInsertionPoint(parts->product);
    rewrite(*parts, *added, rewriter);
    return success();
  }

private:
  static DenseI64ArrayAttr getOrder(int64_t rank, OpBuilder &builder) {
    return rank == 4 ? builder.getDenseI64ArrayAttr({0, 2, 1, 3})
                     : builder.getDenseI64ArrayAttr({1, 0, 2});
  }

  static void rewrite(DotProduct parts, const AddedToScores &added,
                      PatternRewriter &rewriter) {
    BatchedMatmulOp product = parts.product;
    Location loc = product.getLoc();
    int64_t rank = getTensor(product).getRank();
    bool resultByToken = product.getJoined() || parts.copy;
    bool isByToken = resultByToken && parts.query.byToken &&
                     parts.key.byToken && parts.value.byToken;
    auto layout = isByToken       ? AttentionLayout::BSND
                  : resultByToken ? AttentionLayout::BNSD_BSND
                                  : AttentionLayout::BNSD;
    // One sequence, where nothing says which.
    auto widen = [&](Value value) -> Value {
      if (rank == 4)
        return value;
      SmallVector<Dim> dims = getDims(getTensor(value));
      dims.insert(dims.begin(), Dim(1));
      return ReshapeOp::create(
          rewriter, loc, getTensorType(dims, getTensor(value).getElementType()),
          value);
    };
    auto lay = [&](const AttentionFactor &factor) -> Value {
      if (isByToken)
        return widen(factor.byToken);
      Value value = factor.byHead;
      if (!value)
        value = PermuteOp::create(rewriter, loc, factor.byToken,
                                  getOrder(rank, rewriter));
      return widen(value);
    };
    Value query = lay(parts.query), key = lay(parts.key),
          value = lay(parts.value);
    Value sink = parts.sink ? getPerHead(parts.sink, loc, rewriter) : Value();
    Value result = ScaledDotProductAttentionOp::create(
        rewriter, loc, query, key, value, added.mask, added.bias, sink,
        rewriter.getF64FloatAttr(parts.scale), layout, added.causal,
        added.window);
    Operation *last =
        parts.copy ? parts.copy.getOperation() : product.getOperation();
    if (result.getType() != last->getResult(0).getType())
      result = ReshapeOp::create(rewriter, loc, last->getResult(0).getType(),
                                 result);
    rewriter.replaceOp(last, result);
  }

  /// One number per head, of a tensor that has one in all other dimensions.
  static Value getPerHead(Value sink, Location loc, OpBuilder &builder) {
    RankedTensorType type = getTensor(sink);
    RankedTensorType flat = getTensorType({getDims(type)[type.getRank() - 3]},
                                          type.getElementType());
    if (auto reshape = sink.getDefiningOp<ReshapeOp>();
        reshape && reshape.getInput().getType() == flat)
      return reshape.getInput();
    return ReshapeOp::create(builder, loc, flat, sink);
  }
};
} // namespace

void mlir::transformer::populateFuseDotProduct(RewritePatternSet &patterns,
                                               FusionSwitch fusion) {
  addFusions<RaiseAttention>(patterns, fusion);
}

void mlir::transformer::populateRaiseSoftmax(RewritePatternSet &patterns,
                                             FusionSwitch fusion) {
  addFusions<RaiseSoftmax>(patterns, fusion);
}
