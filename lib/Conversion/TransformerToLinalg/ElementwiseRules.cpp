//===- ElementwiseRules.cpp - Elementwise arithmetic ----------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

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

/// The probability that a normal variable is below the input, times the input:
/// input * erfc(-input / sqrt(2)) / 2
static Value buildExactGelu(OpBuilder &builder, Location loc, Value input) {
  Type type = input.getType();
  Value factor = makeScalar(builder, loc, type, -1 / llvm::numbers::sqrt2);
  Value argument = arith::MulFOp::create(builder, loc, input, factor);
  Value twice = math::ErfcOp::create(builder, loc, argument);
  Value half = makeScalar(builder, loc, type, 0.5);
  Value share = arith::MulFOp::create(builder, loc, half, twice);
  return arith::MulFOp::create(builder, loc, input, share);
}

/// (1 + tanh(u)) / 2 is 1 / (1 + exp(-2 u)).
static Value buildTanhGelu(OpBuilder &builder, Location loc, Value input) {
  Type type = input.getType();
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  };
  Value square = multiply(input, input);
  Value share =
      multiply(square, makeScalar(builder, loc, type, kGeluCubeCoefficient));
  Value one = makeScalar(builder, loc, type, 1);
  Value bent = multiply(input, arith::AddFOp::create(builder, loc, one, share));
  Value exponent =
      multiply(bent, makeScalar(builder, loc, type, -2 * kGeluTanhFactor));
  Value exponential = math::ExpOp::create(builder, loc, exponent);
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

static Value buildScalar(OpBuilder &builder, Location loc, SubOp,
                         ValueRange args) {
  return arith::SubFOp::create(builder, loc, args[0], args[1]);
}

static Value buildScalar(OpBuilder &builder, Location loc, DivOp,
                         ValueRange args) {
  return arith::DivFOp::create(builder, loc, args[0], args[1]);
}

static Value buildScalar(OpBuilder &builder, Location loc, MulScalarOp op,
                         ValueRange args) {
  Value value = makeScalar(builder, loc, args[0].getType(),
                           op.getValue().convertToDouble());
  return arith::MulFOp::create(builder, loc, args[0], value);
}

static Value buildScalar(OpBuilder &builder, Location loc, AddScalarOp op,
                         ValueRange args) {
  Value value = makeScalar(builder, loc, args[0].getType(),
                           op.getValue().convertToDouble());
  return arith::AddFOp::create(builder, loc, args[0], value);
}

static Value buildScalar(OpBuilder &builder, Location loc, MaxScalarOp op,
                         ValueRange args) {
  Value value = makeScalar(builder, loc, args[0].getType(),
                           op.getValue().convertToDouble());
  return arith::MaximumFOp::create(builder, loc, args[0], value);
}

static Value buildScalar(OpBuilder &builder, Location loc, MinScalarOp op,
                         ValueRange args) {
  Value value = makeScalar(builder, loc, args[0].getType(),
                           op.getValue().convertToDouble());
  return arith::MinimumFOp::create(builder, loc, args[0], value);
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

static Value buildScalar(OpBuilder &builder, Location loc, SqrtOp,
                         ValueRange args) {
  return math::SqrtOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, ExpOp,
                         ValueRange args) {
  return math::ExpOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, LogOp,
                         ValueRange args) {
  return math::LogOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, LimitedSwiGLUOp op,
                         ValueRange args) {
  double limit = op.getLimit().convertToDouble();
  Value most = makeScalar(builder, loc, args[0].getType(), limit);
  Value least = makeScalar(builder, loc, args[0].getType(), -limit);
  Value gate = arith::MinimumFOp::create(builder, loc, args[0], most);
  Value up = arith::MinimumFOp::create(builder, loc, args[1], most);
  up = arith::MaximumFOp::create(builder, loc, up, least);
  return arith::MulFOp::create(builder, loc, buildSilu(builder, loc, gate), up);
}

static Value buildScalar(OpBuilder &builder, Location loc, Log1pOp,
                         ValueRange args) {
  return math::Log1pOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, SigmoidOp,
                         ValueRange args) {
  Value one = makeScalar(builder, loc, args[0].getType(), 1);
  Value negated = arith::NegFOp::create(builder, loc, args[0]);
  Value exponential = math::ExpOp::create(builder, loc, negated);
  Value divisor = arith::AddFOp::create(builder, loc, one, exponential);
  return arith::DivFOp::create(builder, loc, one, divisor);
}

static Value buildScalar(OpBuilder &builder, Location loc, CosOp,
                         ValueRange args) {
  return math::CosOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, SinOp,
                         ValueRange args) {
  return math::SinOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, TanhOp,
                         ValueRange args) {
  return math::TanhOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, ErfOp,
                         ValueRange args) {
  return math::ErfOp::create(builder, loc, args[0]);
}

static Value buildScalar(OpBuilder &builder, Location loc, GeluOp op,
                         ValueRange args) {
  return op.getForm() == GeluForm::Erf ? buildExactGelu(builder, loc, args[0])
                                       : buildTanhGelu(builder, loc, args[0]);
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
      // Operands of several types meet in the widest.
      SmallVector<Value> scalars(args);
      Type widest = getComputeType(op.getType().getElementType());
      if (scalars.size() > 1)
        for (Value &scalar : scalars)
          if (scalar.getType().getIntOrFloatBitWidth() <
              widest.getIntOrFloatBitWidth())
            scalar = convertTo(builder, loc, scalar, widest);
      return buildScalar(builder, loc, op, scalars);
    };
    rewriter.replaceOp(op, buildElementwise(rewriter, op.getLoc(), op.getType(),
                                            adaptor.getOperands(), body));
    return success();
  }
};
} // namespace

void tensorcast::populateElementwiseRules(RewritePatternSet &patterns,
                                          const RuleContext &rules) {
  patterns.add<LowerElementwise<AddOp>, LowerElementwise<SubOp>,
               LowerElementwise<MulOp>, LowerElementwise<DivOp>,
               LowerElementwise<AddScalarOp>, LowerElementwise<MulScalarOp>,
               LowerElementwise<MaxScalarOp>, LowerElementwise<MinScalarOp>,
               LowerElementwise<ExpOp>, LowerElementwise<LimitedSwiGLUOp>,
               LowerElementwise<LogOp>, LowerElementwise<Log1pOp>,
               LowerElementwise<SigmoidOp>, LowerElementwise<PowOp>,
               LowerElementwise<NegOp>, LowerElementwise<SqrtOp>,
               LowerElementwise<RsqrtOp>, LowerElementwise<CosOp>,
               LowerElementwise<SinOp>, LowerElementwise<TanhOp>,
               LowerElementwise<ErfOp>, LowerElementwise<SiluOp>,
               LowerElementwise<GeluOp>, LowerElementwise<CastOp>,
               LowerElementwise<SwiGLUOp>>(patterns.getContext(), rules);
}
