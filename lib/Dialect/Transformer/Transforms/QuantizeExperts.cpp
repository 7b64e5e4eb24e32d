//===- QuantizeExperts.cpp - Quantize the layers of experts ---------------===//

#include "LayerQuantizer.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// grouped_linear -> quantized activation + quantized_grouped_linear.
struct QuantizeGroupedLinear : OpRewritePattern<GroupedLinearOp> {
  QuantizeGroupedLinear(MLIRContext *context, const LayerQuantizer &quantizer)
      : OpRewritePattern(context), quantizer(quantizer) {}

  LogicalResult matchAndRewrite(GroupedLinearOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBias())
      return missQuantization(op, rewriter,
                              "the kernels of quantized experts add no bias");
    FailureOr<QuantizedOperands> operands =
        quantizer.quantize(op, op.getInput(), op.getWeight(), rewriter);
    if (failed(operands))
      return failure();
    auto weight = op.getWeight().getDefiningOp<WeightOp>();
    auto quantized = QuantizedGroupedLinearOp::create(
        rewriter, op.getLoc(), op.getType(), /*scale=*/Type(), operands->input,
        operands->weight, op.getIds(), operands->inputScale,
        operands->weightScale, op.getPlacementAttr(), operands->groupSize,
        op.getSwigluAttr());
    rewriter.replaceOp(op, quantized.getResult());
    if (weight->use_empty())
      rewriter.eraseOp(weight);
    return success();
  }

private:
  LayerQuantizer quantizer;
};
} // namespace

void mlir::transformer::populateQuantizeExperts(
    RewritePatternSet &patterns, const LayerQuantizer &quantizer) {
  patterns.add<QuantizeGroupedLinear>(patterns.getContext(), quantizer);
}
