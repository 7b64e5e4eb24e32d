//===- FuseCombine.cpp - Weighted sums of experts' results ----------------===//

#include "FuseMoE.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// The sum over choices of rows, in the order of tokens, times weights ->
/// combine_tokens.
struct FuseCombineTokens : FusionPattern<SumOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(SumOp sum,
                                PatternRewriter &rewriter) const override {
    auto product = sum.getInput().getDefiningOp<MulOp>();
    if (!product)
      return rewriter.notifyMatchFailure(sum, "the sum is not of products");
    Value factor = product.getRhs();
    auto order = product.getLhs().getDefiningOp<UnpermuteTokensOp>();
    if (!order) {
      factor = product.getLhs();
      order = product.getRhs().getDefiningOp<UnpermuteTokensOp>();
    }
    if (!order)
      return rewriter.notifyMatchFailure(sum, "the rows are not of experts");
    auto miss = [&](StringRef reason) { return missed(sum, rewriter, reason); };
    if (sum.getDim() != 1)
      return miss("the sum is not over the choices of a token");
    Value weights = getWeights(factor, order.getIds());
    if (!weights)
      return miss("the factor is not one weight per choice");
    if (!order->hasOneUse() || !product->hasOneUse())
      return miss("the rows have another reader");
    auto flat = sum->hasOneUse() ? dyn_cast<ReshapeOp>(*sum->user_begin())
                                 : ReshapeOp();
    if (!flat || flat.getType().getRank() != 2)
      return miss("the sum is not read as one row per token");
    if (order->getBlock() != flat->getBlock())
      return miss("the rows are in another block");
    Operation *last = flat;
    if (flat->hasOneUse())
      if (auto cast = dyn_cast<CastOp>(*flat->user_begin()))
        if (cast->getBlock() == flat->getBlock())
          last = cast;
    if (failed(announce(sum, rewriter)))
      return failure();
    rewriter.setInsertionPoint(last);
    rewriter.replaceOpWithNewOp<CombineTokensOp>(
        last, last->getResult(0).getType(), order.getInput(), weights,
        order.getIds());
    return success();
  }

private:
  /// The weights, if `factor` is these, one for each row of `ids`.
  static Value getWeights(Value factor, TypedValue<RankedTensorType> ids) {
    auto reshape = factor.getDefiningOp<ReshapeOp>();
    if (!reshape)
      return {};
    SmallVector<Dim> dims = getDims(ids.getType());
    if (!haveSizes(reshape.getInput(), dims))
      return {};
    dims.push_back(Dim(1));
    return haveSizes(reshape, dims) ? reshape.getInput() : Value();
  }

  static bool haveSizes(Value value, ArrayRef<Dim> expected) {
    return llvm::equal(getDims(cast<RankedTensorType>(value.getType())),
                       expected, mayBeEqual);
  }
};
} // namespace

void mlir::transformer::populateFuseCombine(RewritePatternSet &patterns,
                                            FusionSwitch fusion) {
  addFusions<FuseCombineTokens>(patterns, fusion);
}
