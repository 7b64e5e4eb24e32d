//===- ExpertKernelOps.cpp - Experts in one kernel ------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsExpertKernels.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks what is quantized, and by which scales.
static LogicalResult verifyScales(DispatchFFNCombineOp op) {
  Type element = op.getInput().getType().getElementType();
  Type weight = getTensor(op.getUpWeight()).getElementType();
  bool isNarrow = weight != element;
  for (auto [name, scale] : {std::pair("up_scale", op.getUpScale()),
                             {"down_scale", op.getDownScale()}})
    if (isNarrow != static_cast<bool>(scale))
      return op.emitOpError(isNarrow ? "expected '" : "expected no '")
             << name << "' for weights of " << weight;
  if (!isNarrow) {
    if (op.getRows() || op.getInputScale() || op.getInnerScale() ||
        op.getGroupSize())
      return op.emitOpError("expected no quantized rows for weights of ")
             << weight;
    return success();
  }
  if (failed(verifyScale(op, "up scale", getTensor(op.getUpWeight()),
                         getTensor(op.getUpScale()), op.getGroupSize())) ||
      failed(verifyScale(op, "down scale", getTensor(op.getDownWeight()),
                         getTensor(op.getDownScale()), op.getGroupSize())))
    return failure();
  if (static_cast<bool>(op.getInputScale()) !=
      static_cast<bool>(op.getInnerScale()))
    return op.emitOpError("expected both 'input_scale' and 'inner_scale', or "
                          "none, but got one");
  if (op.getInputScale() && (!op.getRows() || op.getGroupSize()))
    return op.emitOpError("expected 'rows' and no 'group_size' beside "
                          "'input_scale'");
  if (op.getRows() && !isa<IntegerType, FloatType>(*op.getRows()))
    return op.emitOpError("expected 'rows' of numbers, but got ")
           << *op.getRows();
  return success();
}

LogicalResult DispatchFFNCombineOp::verify() {
  RankedTensorType input = getInput().getType(), ids = getIds().getType();
  RankedTensorType up = getTensor(getUpWeight());
  RankedTensorType down = getTensor(getDownWeight());
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "up_weight", up, 3)) ||
      failed(verifyRank(*this, "down_weight", down, 3)) ||
      failed(verifyRank(*this, "ids", ids, 2)))
    return failure();
  if (getPlacement().getDevices() < 2)
    return emitOpError("expected experts on other devices, but got one device");
  SmallVector<Dim> dims = getDims(input), choices = getDims(ids);
  Dim local(getPlacement().getNumLocal());
  Dim width = getDims(up)[1];
  if (width.isStatic() && width.size % 2 != 0)
    return emitOpError("expected a gate as wide as what it gates, but got ")
           << width.size << " outputs";
  Dim inner =
      width.isStatic() ? Dim(width.size / 2) : Dim(ShapedType::kDynamic);
  if (failed(verifyDims(*this, "up_weight", up, {local, width, dims[1]})) ||
      failed(verifyDims(*this, "down_weight", down, {local, dims[1], inner})) ||
      failed(verifyElementType(*this, "down_weight", down.getElementType(),
                               up.getElementType())) ||
      failed(verifyDims(*this, "ids", ids, {dims[0], choices[1]})) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               input.getElementType())) ||
      failed(verifyDims(*this, "result", getType(),
                        {dims[0], choices[1], dims[1]})))
    return failure();
  return verifyScales(*this);
}

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

namespace {
/// Builds the ops that the kernel stands for.
class ExpertChain {
public:
  ExpertChain(DispatchFFNCombineOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        element(op.getInput().getType().getElementType()) {}

  Value run() {
    ExprAttr count = getNumElements(op.getIds().getType());
    Dim sent = count ? getDim(count) : Dim(ShapedType::kDynamic);
    Dim received(ShapedType::kDynamic);
    if (auto sizes = ExpertRows::get(op.getIds().getType(), op.getPlacement()))
      received = getDim(sizes->received);
    Dim hidden = getDims(op.getInput().getType())[1];
    Dim inner = getDims(getTensor(op.getDownWeight()))[2];

    Value ids = op.getIds();
    Value rows = PermuteTokensOp::create(builder, loc, type(sent, hidden),
                                         op.getInput(), ids);
    rows = DispatchTokensOp::create(builder, loc, type(received, hidden), rows,
                                    ids, op.getPlacementAttr());
    auto [input, inputScale] = quantize(rows, op.getInputScale());
    Value active, activeScale;
    if (!op.getUpScale()) {
      active = GroupedLinearOp::create(
          builder, loc, type(received, inner), input, op.getUpWeight(), ids,
          /*bias=*/Value(), op.getPlacementAttr(), builder.getUnitAttr());
    } else {
      // Groups are quantized by the kernel that activates them.
      bool quantizes = op.getGroupSize() && op.getRows();
      RankedTensorType to = type(received, inner);
      Type scale;
      if (quantizes) {
        to = withElementType(to, *op.getRows());
        scale = getScaleType(to, op.getGroupSize());
      }
      auto product = QuantizedGroupedLinearOp::create(
          builder, loc, to, scale, input, op.getUpWeight(), ids, inputScale,
          op.getUpScale(), op.getPlacementAttr(), op.getGroupSizeAttr(),
          builder.getUnitAttr());
      active = product.getResult();
      activeScale = product.getScale();
    }
    if (!activeScale)
      std::tie(active, activeScale) = quantize(active, op.getInnerScale());
    rows = project(active, activeScale, type(received, hidden));
    rows = ReturnTokensOp::create(builder, loc, type(sent, hidden), rows, ids,
                                  op.getPlacementAttr());
    return UnpermuteTokensOp::create(builder, loc, op.getType(), rows, ids);
  }

private:
  RankedTensorType type(const Dim &rows, const Dim &width) {
    return getTensorType({rows, width}, element);
  }

  Value project(Value active, Value scale, Type to) {
    if (!op.getDownScale())
      return GroupedLinearOp::create(
          builder, loc, to, active, op.getDownWeight(), op.getIds(),
          /*bias=*/Value(), op.getPlacementAttr(), UnitAttr());
    return QuantizedGroupedLinearOp::create(
               builder, loc, to, Type(), active, op.getDownWeight(),
               op.getIds(), scale, op.getDownScale(), op.getPlacementAttr(),
               op.getGroupSizeAttr(), UnitAttr())
        .getResult();
  }

  /// What a layer reads, and its scale.
  std::pair<Value, Value> quantize(Value value, Value scale) {
    if (!op.getRows())
      return {value, Value()};
    RankedTensorType narrow = withElementType(getTensor(value), *op.getRows());
    if (scale)
      return {QuantizeOp::create(builder, loc, narrow, value, scale), scale};
    auto quantized = DynamicQuantizeOp::create(
        builder, loc, narrow, getScaleType(narrow, op.getGroupSize()), value,
        op.getGroupSizeAttr());
    return {quantized.getResult(), quantized.getScale()};
  }

  DispatchFFNCombineOp op;
  OpBuilder &builder;
  Location loc;
  Type element;
};
} // namespace

SmallVector<Value> DispatchFFNCombineOp::decompose(OpBuilder &builder) {
  return {ExpertChain(*this, builder).run()};
}
