//===- QuantizeRules.cpp - Rounding to 8 and 4 bits -----------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// One number
//===----------------------------------------------------------------------===//

/// `value / scale`, ties to even, within the numbers of `type`; 0 where the
/// scale is 0, as for a tensor of zeros. Floats are rounded where they are
/// stored.
static Value buildQuantized(OpBuilder &builder, Location loc, Value value,
                            Value scale, Type type) {
  Type floatType = value.getType();
  scale = roundTo(builder, loc, scale, floatType);
  Value zero = makeScalar(builder, loc, floatType, 0);
  Value quotient = arith::DivFOp::create(builder, loc, value, scale);
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                       scale, zero);
  quotient = arith::SelectOp::create(builder, loc, isZero, zero, quotient);
  if (isa<FloatType>(type))
    return quotient;
  // These two take the bound for what is no number, so that the conversion is
  // defined whatever the data.
  double largest = getLargestValue(type);
  Value least = makeScalar(builder, loc, floatType, -largest - 1);
  Value most = makeScalar(builder, loc, floatType, largest);
  quotient = math::RoundEvenOp::create(builder, loc, quotient);
  quotient = arith::MaxNumFOp::create(builder, loc, quotient, least);
  quotient = arith::MinNumFOp::create(builder, loc, quotient, most);
  return arith::FPToSIOp::create(builder, loc, type, quotient);
}

static Value buildLarger(OpBuilder &builder, Location loc, ValueRange args) {
  Value magnitude = math::AbsFOp::create(builder, loc, args[1]);
  return arith::MaximumFOp::create(builder, loc, args[0], magnitude);
}

//===----------------------------------------------------------------------===//
// One scale per tensor
//===----------------------------------------------------------------------===//

static Value buildQuantize(OpBuilder &builder, Location loc,
                           RankedTensorType type, Value input, Value scale) {
  auto body = [&](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
    return buildQuantized(inner, innerLoc, args[0], args[1],
                          type.getElementType());
  };
  return buildElementwise(builder, loc, type, {input, scale}, body);
}

/// The largest magnitude by the largest number of `type`.
static Value buildScale(OpBuilder &builder, Location loc, Value input,
                        Type type, RankedTensorType scaleType) {
  int64_t size = getTensorType(input).getNumElements();
  Value peak = buildRowReduction(
      builder, loc, buildReshape(builder, loc, input, {size}), 0, buildLarger);
  auto divide = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
    Value most =
        makeScalar(inner, innerLoc, args[0].getType(), getLargestValue(type));
    return arith::DivFOp::create(inner, innerLoc, args[0], most);
  };
  return buildElementwise(builder, loc, scaleType,
                          buildReshape(builder, loc, peak, {}), divide);
}

//===----------------------------------------------------------------------===//
// One scale per group of a row
//===----------------------------------------------------------------------===//

/// The largest magnitudes of columns, in f32; `input` is rows x columns.
static Value buildColumnPeaks(OpBuilder &builder, Location loc, Value input) {
  RankedTensorType type = getTensorType(input);
  auto transposed = RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  auto read = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    Value element = tensor::ExtractOp::create(inner, innerLoc, input,
                                              ValueRange{at[1], at[0]});
    return widen(inner, innerLoc, element);
  };
  Value columns = buildByIndex(builder, loc, transposed, read);
  return buildReshape(builder, loc,
                      buildRowReduction(builder, loc, columns, 0, buildLarger),
                      {1, type.getDimSize(1)});
}

/// The scales of OCP Microscaling Formats 1.0, section 6.3: the power of two
/// of the largest magnitude, by that of the type's largest number.
static Value buildGroupScales(OpBuilder &builder, Location loc, Value input,
                              Type type, int64_t groupSize, bool sharedByRows,
                              RankedTensorType scaleType) {
  ArrayRef<int64_t> shape = getTensorType(input).getShape();
  int64_t rows = shape[0];
  int64_t groups = llvm::divideCeil(shape[1], groupSize);
  // The last group is as long as the others, with zeros at its end.
  auto padded =
      RankedTensorType::get({rows, groups * groupSize}, builder.getF32Type());
  auto read = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    Value last = arith::ConstantIndexOp::create(inner, innerLoc, shape[1] - 1);
    Value column = arith::MinSIOp::create(inner, innerLoc, at[1], last);
    Value element = tensor::ExtractOp::create(inner, innerLoc, input,
                                              ValueRange{at[0], column});
    element = roundTo(inner, innerLoc, element, inner.getF32Type());
    Value isInside = arith::CmpIOp::create(
        inner, innerLoc, arith::CmpIPredicate::sle, at[1], last);
    Value zero = makeScalar(inner, innerLoc, inner.getF32Type(), 0);
    return arith::SelectOp::create(inner, innerLoc, isInside, element, zero);
  };
  Value values = buildByIndex(builder, loc, padded, read);
  Value peaks = buildRowReduction(
      builder, loc,
      buildReshape(builder, loc, values, {rows, groups, groupSize}), 0,
      buildLarger);
  peaks = buildReshape(builder, loc, peaks, {rows, groups});
  if (sharedByRows)
    peaks = buildColumnPeaks(builder, loc, peaks);
  double largest = std::exp2(std::floor(std::log2(getLargestValue(type))));
  auto divide = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange args) -> Value {
    // Stored in f8E8M0FNU, the quotient is rounded down to a power of two.
    Value most = makeScalar(inner, innerLoc, args[0].getType(), largest);
    return arith::DivFOp::create(inner, innerLoc, args[0], most);
  };
  peaks = buildReshape(builder, loc, peaks, scaleType.getShape());
  return buildElementwise(builder, loc, scaleType, peaks, divide);
}

Value tensorcast::readGroupScale(OpBuilder &builder, Location loc, Value scales,
                                 Value row, Value column, int64_t groupSize) {
  Value size = arith::ConstantIndexOp::create(builder, loc, groupSize);
  SmallVector<Value> at;
  if (getTensorType(scales).getRank() > 1)
    at.push_back(row);
  at.push_back(arith::DivUIOp::create(builder, loc, column, size));
  return widen(builder, loc,
               tensor::ExtractOp::create(builder, loc, scales, at));
}

/// Rows of groups: all dimensions but the last are one.
static Value flattenRows(OpBuilder &builder, Location loc, Value value) {
  ArrayRef<int64_t> shape = getTensorType(value).getShape();
  int64_t columns = shape.empty() ? 1 : shape.back();
  int64_t rows =
      getTensorType(value).getNumElements() / std::max<int64_t>(columns, 1);
  return buildReshape(builder, loc, value, {rows, columns});
}

/// Scales with rows, unless rows share them.
static Value flattenScales(OpBuilder &builder, Location loc, Value scales,
                           bool sharedByRows) {
  return sharedByRows ? scales : flattenRows(builder, loc, scales);
}

static Value buildGroupQuantize(OpBuilder &builder, Location loc,
                                RankedTensorType type, Value input,
                                Value scales, int64_t groupSize) {
  auto flat = RankedTensorType::get(getTensorType(input).getShape(),
                                    type.getElementType());
  auto body = [&](OpBuilder &inner, Location innerLoc, ValueRange at) -> Value {
    Value value = tensor::ExtractOp::create(inner, innerLoc, input, at);
    Value scale =
        readGroupScale(inner, innerLoc, scales, at[0], at[1], groupSize);
    return buildQuantized(inner, innerLoc, widen(inner, innerLoc, value), scale,
                          type.getElementType());
  };
  Value result = buildByIndex(builder, loc, flat, body);
  return buildReshape(builder, loc, result, type.getShape());
}

std::pair<Value, Value> tensorcast::buildGroupQuantized(
    OpBuilder &builder, Location loc, RankedTensorType type,
    RankedTensorType scaleType, Value input, int64_t groupSize) {
  bool sharedByRows = scaleType.getRank() < type.getRank();
  Value rows = flattenRows(builder, loc, input);
  Value scales = buildGroupScales(builder, loc, rows, type.getElementType(),
                                  groupSize, sharedByRows, scaleType);
  Value result = buildGroupQuantize(
      builder, loc, type, rows,
      flattenScales(builder, loc, scales, sharedByRows), groupSize);
  return {result, scales};
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
struct LowerQuantize : LinalgRule<QuantizeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(QuantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       buildQuantize(rewriter, op.getLoc(), op.getType(),
                                     adaptor.getInput(), adaptor.getScale()));
    return success();
  }
};

struct LowerDynamicQuantize : LinalgRule<DynamicQuantizeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(DynamicQuantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput();
    RankedTensorType type = op.getResult().getType();
    RankedTensorType scaleType = op.getScale().getType();
    if (!op.getGroupSize()) {
      Value scale =
          buildScale(rewriter, loc, input, type.getElementType(), scaleType);
      rewriter.replaceOp(
          op, {buildQuantize(rewriter, loc, type, input, scale), scale});
      return success();
    }
    auto [result, scales] = buildGroupQuantized(rewriter, loc, type, scaleType,
                                                input, *op.getGroupSize());
    rewriter.replaceOp(op, {result, scales});
    return success();
  }
};
} // namespace

void tensorcast::populateQuantizeRules(RewritePatternSet &patterns,
                                       const RuleContext &rules) {
  patterns.add<LowerQuantize, LowerDynamicQuantize>(patterns.getContext(),
                                                    rules);
}
