//===- GroupedLinearRules.cpp - The linear layers of experts --------------===//

#include "LinalgRule.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// The operands of a layer; scales are there if it is quantized.
struct GroupedOperands {
  Value input, weight, ids, inputScale, weightScale;
  /// 0: one scale for all.
  int64_t groupSize = 0;
};

/// Builds the products of rows with the matrices of their experts.
class GroupedBuilder {
public:
  GroupedBuilder(OpBuilder &builder, Location loc,
                 const GroupedOperands &operands)
      : builder(builder), loc(loc), operands(operands),
        inputType(getTensorType(operands.input)),
        weightType(getTensorType(operands.weight)) {}

  /// Where in the stack the matrix of each row is. `owned` says which experts
  /// a rank has: the first one, and how many all ranks have.
  void findMatrices(ArrayRef<int64_t> owned) {
    RowOrder order = RowOrder::get(builder, loc, operands.ids);
    matrices = buildTake(builder, loc, order.ids, order.choiceOfRow);
    if (owned.empty())
      return;
    int64_t first = owned[0] % owned[1], all = owned[1];
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
      // Behind the last expert comes the first one again.
      auto number = [&](int64_t value) {
        return makeScalar(inner, innerLoc, args[0].getType(),
                          static_cast<double>(value));
      };
      Value shifted =
          arith::AddIOp::create(inner, innerLoc, args[0], number(all - first));
      return arith::RemUIOp::create(inner, innerLoc, shifted, number(all));
    };
    matrices =
        buildElementwise(builder, loc, getTensorType(matrices), matrices, body);
  }

  /// The sums in f32, or before they are scaled in i32, times the scales.
  Value buildProducts() {
    Type type = getComputeType(inputType.getElementType());
    Type other = getComputeType(weightType.getElementType());
    if (isa<FloatType>(other) || operands.groupSize)
      type = isa<FloatType>(other) ? other : Type(builder.getF32Type());
    int64_t rows = inputType.getDimSize(0), outputs = weightType.getDimSize(1);
    Value weightScales = operands.weightScale;
    if (operands.groupSize)
      weightScales =
          buildReshape(builder, loc, weightScales,
                       {weightType.getDimSize(0) * outputs,
                        getTensorType(weightScales).getShape().back()});
    // Loops: row, output, feature.
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      Value matrix = readIndex(inner, innerLoc, matrices, at.take_front(),
                               weightType.getDimSize(0));
      Value left = tensor::ExtractOp::create(inner, innerLoc, operands.input,
                                             ValueRange{at[0], at[2]});
      Value right = tensor::ExtractOp::create(inner, innerLoc, operands.weight,
                                              ValueRange{matrix, at[1], at[2]});
      left = convertTo(inner, innerLoc, left, type);
      right = convertTo(inner, innerLoc, right, type);
      if (!operands.groupSize)
        return multiply(inner, innerLoc, left, right);
      Value count = arith::ConstantIndexOp::create(inner, innerLoc, outputs);
      Value row = arith::MulIOp::create(inner, innerLoc, matrix, count);
      row = arith::AddIOp::create(inner, innerLoc, row, at[1]);
      right = multiply(inner, innerLoc, right,
                       readGroupScale(inner, innerLoc, weightScales, row, at[2],
                                      operands.groupSize));
      if (operands.inputScale)
        left = multiply(inner, innerLoc, left,
                        readGroupScale(inner, innerLoc, operands.inputScale,
                                       at[0], at[2], operands.groupSize));
      return multiply(inner, innerLoc, left, right);
    };
    Value sums =
        buildSum(builder, loc, RankedTensorType::get({rows, outputs}, type),
                 inputType.getDimSize(1), body);
    if (operands.groupSize || !operands.weightScale)
      return sums;
    return rescale(sums);
  }

private:
  static Value multiply(OpBuilder &builder, Location loc, Value lhs,
                        Value rhs) {
    if (isa<IntegerType>(lhs.getType()))
      return arith::MulIOp::create(builder, loc, lhs, rhs);
    return arith::MulFOp::create(builder, loc, lhs, rhs);
  }

  /// Times the scales of all elements, which are one number together.
  Value rescale(Value sums) {
    SmallVector<Value> inputs = {sums, operands.weightScale};
    if (operands.inputScale)
      inputs.push_back(operands.inputScale);
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
      Value factor = args[1];
      if (args.size() > 2)
        factor = multiply(inner, innerLoc, factor, args[2]);
      Value sum = convertTo(inner, innerLoc, args[0], factor.getType());
      return multiply(inner, innerLoc, sum, factor);
    };
    return buildElementwise(
        builder, loc,
        RankedTensorType::get(getTensorType(sums).getShape(),
                              builder.getF32Type()),
        inputs, body);
  }

  OpBuilder &builder;
  Location loc;
  GroupedOperands operands;
  RankedTensorType inputType, weightType;
  Value matrices;
};
} // namespace

/// The first half of the columns gates the second.
static Value buildSwiGLU(OpBuilder &builder, Location loc, Value products,
                         RankedTensorType type) {
  int64_t rows = type.getDimSize(0), width = type.getDimSize(1);
  Value gate = buildSlice(builder, loc, products, {0, 0}, {rows, width});
  Value up = buildSlice(builder, loc, products, {0, width}, {rows, width});
  auto body = [](OpBuilder &inner, Location innerLoc,
                 ValueRange args) -> Value {
    Value one = makeScalar(inner, innerLoc, args[0].getType(), 1);
    Value power = math::ExpOp::create(
        inner, innerLoc, arith::NegFOp::create(inner, innerLoc, args[0]));
    Value silu = arith::DivFOp::create(
        inner, innerLoc, args[0],
        arith::AddFOp::create(inner, innerLoc, one, power));
    return arith::MulFOp::create(inner, innerLoc, silu, args[1]);
  };
  return buildElementwise(builder, loc, type, {gate, up}, body);
}

/// The products of `op`, gated if it says so, in the sizes of its result and
/// the type of computation; null where its rows are not those of its choices.
template <typename OpT>
static Value buildGrouped(OpT op, const GroupedOperands &operands,
                          OpBuilder &builder, std::string &reason) {
  int64_t rows = getTensorType(operands.input).getDimSize(0);
  int64_t choices = getTensorType(operands.ids).getNumElements();
  if (rows != choices) {
    reason = ("it has " + Twine(rows) + " rows, but its ids are " +
              Twine(choices) + " choices")
                 .str();
    return {};
  }
  auto owned =
      op->template getAttrOfType<DenseI64ArrayAttr>(kOwnedExpertsAttrName);
  Location loc = op.getLoc();
  GroupedBuilder grouped(builder, loc, operands);
  grouped.findMatrices(owned ? owned.asArrayRef() : ArrayRef<int64_t>());
  Value products = grouped.buildProducts();
  if (!op.getSwiglu())
    return products;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  return buildSwiGLU(
      builder, loc, products,
      RankedTensorType::get(type.getShape(),
                            getTensorType(products).getElementType()));
}

namespace {
struct LowerGroupedLinear : LinalgRule<GroupedLinearOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(GroupedLinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getBias())
      return decline(op, rewriter, "it adds biases of experts");
    GroupedOperands operands = {
        adaptor.getInput(), adaptor.getWeight(), adaptor.getIds(), {}, {}, 0};
    std::string reason;
    Value result = buildGrouped(op, operands, rewriter, reason);
    if (!result)
      return decline(op, rewriter, reason);
    rewriter.replaceOp(op,
                       buildRound(rewriter, op.getLoc(), op.getType(), result));
    return success();
  }
};

struct LowerQuantizedGroupedLinear : LinalgRule<QuantizedGroupedLinearOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(QuantizedGroupedLinearOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GroupedOperands operands = {
        adaptor.getInput(),
        adaptor.getWeight(),
        adaptor.getIds(),
        adaptor.getInputScale(),
        adaptor.getWeightScale(),
        static_cast<int64_t>(op.getGroupSize().value_or(0))};
    std::string reason;
    Value result = buildGrouped(op, operands, rewriter, reason);
    if (!result)
      return decline(op, rewriter, reason);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (!op.getScale()) {
      rewriter.replaceOp(op, buildRound(rewriter, loc, type, result));
      return success();
    }
    auto [quantized, scales] = buildGroupQuantized(
        rewriter, loc, type, cast<RankedTensorType>(op.getScale().getType()),
        result, operands.groupSize);
    rewriter.replaceOp(op, {quantized, scales});
    return success();
  }
};
} // namespace

void tensorcast::populateGroupedLinearRules(RewritePatternSet &patterns,
                                            const RuleContext &rules) {
  patterns.add<LowerGroupedLinear, LowerQuantizedGroupedLinear>(
      patterns.getContext(), rules);
}
