//===- LinearRules.cpp - Matrix products and linear layers ----------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Why a layer that sums over devices cannot be run on one.
template <typename LinearLikeOp>
static std::optional<std::string> getExchange(LinearLikeOp op) {
  std::optional<RanksAttr> ranks = op.getAllReduce();
  if (!ranks || ranks->getCount() == 1)
    return std::nullopt;
  return "it sums over " + std::to_string(ranks->getCount()) +
         " devices, and only one is run";
}

/// `product` plus `bias`, if there is one, rounded once to `type`.
static Value addBias(OpBuilder &builder, Location loc, RankedTensorType type,
                     Value product, Value bias) {
  if (!bias)
    return buildRound(builder, loc, type, product);
  auto add = [](OpBuilder &inner, Location innerLoc, ValueRange args) -> Value {
    return arith::AddFOp::create(inner, innerLoc, args[0], args[1]);
  };
  return buildElementwise(builder, loc, type, {product, bias}, add);
}

Value tensorcast::buildGroupScaled(OpBuilder &builder, Location loc,
                                   Value input, Value scales,
                                   int64_t groupSize) {
  auto type = RankedTensorType::get(getTensorType(input).getShape(),
                                    builder.getF32Type());
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    Value value = tensor::ExtractOp::create(inner, innerLoc, input, at);
    Value scale =
        readGroupScale(inner, innerLoc, scales, at[0], at[1], groupSize);
    value = convertTo(inner, innerLoc, value, inner.getF32Type());
    return arith::MulFOp::create(inner, innerLoc, value, scale);
  };
  return buildByIndex(builder, loc, type, body);
}

namespace {
struct LowerMatmul : LinalgRule<MatmulOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(MatmulOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value product = buildMatmul(rewriter, op.getLoc(), adaptor.getLhs(),
                                adaptor.getRhs(), op.getTransposed());
    rewriter.replaceOp(op, addBias(rewriter, op.getLoc(), op.getType(), product,
                                   adaptor.getBias()));
    return success();
  }
};

struct LowerLinear : LinalgRule<LinearOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (std::optional<std::string> reason = getExchange(op))
      return decline(op, rewriter, *reason);
    Location loc = op.getLoc();
    Value product = buildMatmul(rewriter, loc, adaptor.getInput(),
                                adaptor.getWeight(), /*transposed=*/true);
    rewriter.replaceOp(
        op, addBias(rewriter, loc, op.getType(), product, adaptor.getBias()));
    return success();
  }
};

/// Scales per tensor are factors of the sum; scales per group are factors of
/// the elements, which are summed as floats then.
struct LowerQuantizedLinear : LinalgRule<QuantizedLinearOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(QuantizedLinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (std::optional<std::string> reason = getExchange(op))
      return decline(op, rewriter, *reason);
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), weight = adaptor.getWeight();
    SmallVector<Value> scales;
    if (std::optional<int64_t> groupSize = op.getGroupSize()) {
      weight = buildGroupScaled(rewriter, loc, weight, adaptor.getWeightScale(),
                                *groupSize);
      if (adaptor.getInputScale())
        input = buildGroupScaled(rewriter, loc, input, adaptor.getInputScale(),
                                 *groupSize);
    } else {
      scales.push_back(adaptor.getWeightScale());
      if (adaptor.getInputScale())
        scales.push_back(adaptor.getInputScale());
    }
    Value product =
        buildMatmul(rewriter, loc, input, weight, /*transposed=*/true);
    SmallVector<Value> operands = {product};
    llvm::append_range(operands, scales);
    if (adaptor.getBias())
      operands.push_back(adaptor.getBias());
    auto rescale = [&](OpBuilder &builder, Location innerLoc,
                       ValueRange args) -> Value {
      Type type = getComputeType(op.getType().getElementType());
      Value sum = convertTo(builder, innerLoc, args[0], type);
      // The scales first: their product is one number for all elements.
      Value factor;
      for (Value scale : args.slice(1, scales.size())) {
        scale = convertTo(builder, innerLoc, scale, type);
        factor = factor
                     ? arith::MulFOp::create(builder, innerLoc, factor, scale)
                     : scale;
      }
      if (factor)
        sum = arith::MulFOp::create(builder, innerLoc, sum, factor);
      if (!adaptor.getBias())
        return sum;
      return arith::AddFOp::create(builder, innerLoc, sum, args.back());
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, op.getType(), operands, rescale));
    return success();
  }
};
} // namespace

void tensorcast::populateLinearRules(RewritePatternSet &patterns,
                                     const RuleContext &rules) {
  patterns.add<LowerMatmul, LowerLinear, LowerQuantizedLinear>(
      patterns.getContext(), rules);
}
