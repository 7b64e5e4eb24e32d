//===- ElementwiseRules.cpp - Elementwise arithmetic ----------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// input / (1 + exp(-input))
static Value buildSilu(OpBuilder &builder, Location loc, Value input) {
  Value one = makeScalar(builder, loc, input.getType(), 1);
  Value negated = arith::NegFOp::create(builder, loc, input);
  Value exponential = math::ExpOp::create(builder, loc, negated);
  Value divisor = arith::AddFOp::create(builder, loc, one, exponential);
  return arith::DivFOp::create(builder, loc, input, divisor);
}

/// The scalar that `op` makes of the scalars of its operands.
static Value buildScalar(OpBuilder &builder, Location loc, AddOp,
                         ValueRange args) {
  return arith::AddFOp::create(builder, loc, args[0], args[1]);
}

static Value buildScalar(OpBuilder &builder, Location loc, MulOp,
                         ValueRange args) {
  return arith::MulFOp::create(builder, loc, args[0], args[1]);
}

static Value buildScalar(OpBuilder &builder, Location loc, AddScalarOp op,
                         ValueRange args) {
  Value value = makeScalar(builder, loc, args[0].getType(),
                           op.getValue().convertToDouble());
  return arith::AddFOp::create(builder, loc, args[0], value);
}

static Value buildScalar(OpBuilder &builder, Location loc, PowOp op,
                         ValueRange args) {
  Value exponent = makeScalar(builder, loc, args[0].getType(),
                              op.getExponent().convertToDouble());
  return math::PowFOp::create(builder, loc, args[0], exponent);
}

static Value buildScalar(OpBuilder &builder, Location loc, NegOp,
                         ValueRange args) {
  return arith::NegFOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, RsqrtOp,
                         ValueRange args) {
  return math::RsqrtOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, SiluOp,
                         ValueRange args) {
  return buildSilu(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, CastOp,
                         ValueRange args) {
  // A wider input is rounded with the result; so is a narrower one widened.
  return args[0];
}

static Value buildScalar(OpBuilder &builder, Location loc, SwiGLUOp,
                         ValueRange args) {
  return arith::MulFOp::create(builder, loc, buildSilu(builder, loc, args[0]),
                               args[1]);
}

namespace {
/// One loop over all elements, with the scalar that the op has above.
template <typename OpT> struct LowerElementwise : LinalgRule<OpT> {
  using LinalgRule<OpT>::LinalgRule;

  LogicalResult
  matchAndRewrite(OpT op, typename LinalgRule<OpT>::OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
      return buildScalar(builder, loc, op, args);
    };
    rewriter.replaceOp(op, buildElementwise(rewriter, op.getLoc(), op.getType(),
                                            adaptor.getOperands(), body));
    return success();
  }
};
} // namespace

void tensorcast::populateElementwiseRules(RewritePatternSet &patterns,
                                          const RuleContext &rules) {
  patterns.add<LowerElementwise<AddOp>, LowerElementwise<MulOp>,
               LowerElementwise<AddScalarOp>, LowerElementwise<PowOp>,
               LowerElementwise<NegOp>, LowerElementwise<RsqrtOp>,
               LowerElementwise<SiluOp>, LowerElementwise<CastOp>,
               LowerElementwise<SwiGLUOp>>(patterns.getContext(), rules);
}
