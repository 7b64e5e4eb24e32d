//===- QuantizeLinearAttention.cpp - Weights of linear attention ----------===//
//
// Linear attention in one kernel computes with floats. Its weights are kept in
// fewer bits all the same, and converted when the model is loaded.
//
//===----------------------------------------------------------------------===//

#include "Quantization.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
struct QuantizeLinearAttentionWeights : OpRewritePattern<LinearAttentionOp> {
  QuantizeLinearAttentionWeights(MLIRContext *context,
                                 const QuantizationScheme &scheme,
                                 const NameFilter &filter)
      : OpRewritePattern(context), scheme(scheme), filter(filter) {}

  LogicalResult matchAndRewrite(LinearAttentionOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpOperand *> layers;
    for (OpOperand &operand : op.getProjectionsMutable())
      layers.push_back(&operand);
    layers.push_back(&op.getOutputMutable());
    bool changed = false;
    for (OpOperand *layer : layers) {
      auto weight = layer->get().getDefiningOp<WeightOp>();
      if (!weight || !filter.accepts(weight))
        continue;
      rewriter.setInsertionPoint(op);
      NarrowWeight kept = NarrowWeight::declare(rewriter, weight, scheme);
      Value loaded = LoadWeightOp::create(
          rewriter, weight.getLoc(), weight.getType(), kept.weight, kept.scale,
          /*resultScale=*/Value(), scheme.getGroupSizeAttr(rewriter));
      rewriter.modifyOpInPlace(op, [&] { layer->set(loaded); });
      if (weight->use_empty())
        rewriter.eraseOp(weight);
      changed = true;
    }
    if (changed)
      return success();
    return rewriter.notifyMatchFailure(op, "no weight to quantize");
  }

private:
  QuantizationScheme scheme;
  NameFilter filter;
};
} // namespace

void mlir::transformer::populateQuantizeLinearAttention(
    RewritePatternSet &patterns, const QuantizationScheme &scheme,
    const NameFilter &filter) {
  patterns.add<QuantizeLinearAttentionWeights>(patterns.getContext(), scheme,
                                               filter);
}
