//===- FuseFFN.cpp - Gated activations from their pieces ------------------===//

#include "Fusion.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERFUSEFFN
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// silu(gate) * up, in either order -> swiglu.
struct RaiseSwiGLU : FusionPattern<MulOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(MulOp mul,
                                PatternRewriter &rewriter) const override {
    Value up = mul.getRhs();
    auto gate = mul.getLhs().getDefiningOp<SiluOp>();
    if (!gate) {
      gate = mul.getRhs().getDefiningOp<SiluOp>();
      up = mul.getLhs();
    }
    if (!gate)
      return rewriter.notifyMatchFailure(mul, "no operand is a SiLU");
    if (gate.getType() != up.getType())
      return missed(mul, rewriter, "swiglu", "gate and up are not of one type");
    if (!gate->hasOneUse())
      return missed(mul, rewriter, "swiglu", "the gate has another reader");
    passed(mul, "swiglu");
    rewriter.replaceOpWithNewOp<SwiGLUOp>(mul, mul.getType(), gate.getInput(),
                                          up);
    return success();
  }
};

class TransformerFuseFFNPass
    : public FusionPass<
          TransformerFuseFFNPass,
          transformer::impl::TransformerFuseFFNBase<TransformerFuseFFNPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    if (swiglu)
      set.add<RaiseSwiGLU>(set.getContext(), "fuse-ffn");
  }
};
} // namespace
