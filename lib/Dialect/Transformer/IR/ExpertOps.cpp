//===- ExpertOps.cpp - Mixtures of experts --------------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsExperts.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

LogicalResult PadRowsOp::verify() {
  RankedTensorType input = getInput().getType();
  SmallVector<Dim> dims = getDims(input);
  if (dims.empty() || getType().getElementType() != input.getElementType())
    return emitOpError("expected rows of ")
           << input.getElementType() << ", but got " << getType();
  if (dims[0].isStatic())
    dims[0] = Dim(llvm::alignTo(dims[0].size, getMultiple()));
  else
    dims[0] = Dim(ShapedType::kDynamic);
  return verifyDims(*this, "result", getType(), dims);
}

/// Checks the rows of choices against the tokens that made them.
static LogicalResult verifyChoices(Operation *op, RankedTensorType rows,
                                   RankedTensorType ids) {
  if (failed(verifyRank(op, "ids", ids, 2)))
    return failure();
  ExprAttr count = getNumElements(ids);
  Dim expected = count ? getDim(count) : Dim(ShapedType::kDynamic);
  if (!mayBeEqual(getDims(rows)[0], expected))
    return op->emitOpError("expected a row per choice, ")
           << toString(expected) << ", but got " << toString(getDims(rows)[0]);
  return success();
}

LogicalResult PermuteTokensOp::verify() {
  RankedTensorType input = getInput().getType(), ids = getIds().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "result", getType(), 2)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               input.getElementType())) ||
      failed(verifyChoices(*this, getType(), ids)) ||
      failed(
          verifyDims(*this, "ids", ids, {getDims(input)[0], getDims(ids)[1]})))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getDims(getType())[0], getDims(input)[1]});
}

LogicalResult UnpermuteTokensOp::verify() {
  RankedTensorType input = getInput().getType(), ids = getIds().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               input.getElementType())) ||
      failed(verifyChoices(*this, input, ids)))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getDims(ids)[0], getDims(ids)[1], getDims(input)[1]});
}

LogicalResult CombineTokensOp::verify() {
  RankedTensorType input = getInput().getType(), ids = getIds().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyChoices(*this, input, ids)) ||
      failed(
          verifyDims(*this, "weights", getWeights().getType(), getDims(ids))))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getDims(ids)[0], getDims(input)[1]});
}

SmallVector<Value> CombineTokensOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType input = getInput().getType(), ids = getIds().getType();
  SmallVector<Dim> dims = getDims(ids);
  Dim tokens = dims[0], choices = dims[1], width = getDims(input)[1];
  Value parts = UnpermuteTokensOp::create(
      builder, loc,
      getTensorType({tokens, choices, width}, input.getElementType()),
      getInput(), getIds());
  RankedTensorType weightType = getWeights().getType();
  Value weights = ReshapeOp::create(
      builder, loc,
      getTensorType({tokens, choices, Dim(1)}, weightType.getElementType()),
      getWeights());
  parts = MulOp::create(builder, loc, parts, weights);
  Value sum = SumOp::create(builder, loc, parts, 1);
  Type sumType = getTensor(sum).getElementType();
  sum = ReshapeOp::create(builder, loc, getTensorType({tokens, width}, sumType),
                          sum);
  if (sumType != getType().getElementType())
    sum = CastOp::create(builder, loc, getType(), sum);
  return {sum};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

LogicalResult
PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t experts, int64_t devices, int64_t step,
                      int64_t shared, bool holdsShared) {
  constexpr int64_t most = WorkloadAttr::kMaxTokens;
  std::pair<StringRef, int64_t> sizes[] = {
      {"experts", experts}, {"devices", devices}, {"step", step}};
  for (auto [name, size] : sizes)
    if (size < 1 || size > most)
      return emitError() << "expected '" << name << "' from 1 to " << most
                         << ", but got " << size;
  if (shared < 0 || shared >= devices)
    return emitError() << "expected 'shared' of 0 to " << devices - 1
                       << " of the " << devices << " devices, but got "
                       << shared;
  if (holdsShared && shared == 0)
    return emitError() << "expected 'shared' devices, one of which "
                          "'holds_shared' could mean";
  return success();
}

int64_t PlacementAttr::getNumLocal() const {
  return getHoldsShared()
             ? 1
             : llvm::divideCeil(getExperts(), getDevices() - getShared());
}

RanksAttr PlacementAttr::getRanks() const {
  return RanksAttr::get(getContext(), getDevices(), getStep());
}

/// Checks an exchange between the rows of tokens and those of experts.
static LogicalResult verifyExchange(Operation *op, RankedTensorType ofTokens,
                                    RankedTensorType ofExperts,
                                    RankedTensorType ids,
                                    PlacementAttr placement) {
  if (failed(verifyRank(op, "input", ofTokens, 2)) ||
      failed(verifyRank(op, "result", ofExperts, 2)) ||
      failed(verifyChoices(op, ofTokens, ids)))
    return failure();
  if (ofTokens.getElementType() != ofExperts.getElementType() ||
      !mayBeEqual(getDims(ofTokens)[1], getDims(ofExperts)[1]))
    return op->emitOpError("expected rows of one width and type, but got ")
           << ofTokens << " and " << ofExperts;
  std::optional<ExpertRows> rows = ExpertRows::get(ids, placement);
  if (rows && !mayBeEqual(getDims(ofExperts)[0], getDim(rows->received)))
    return op->emitOpError("expected ")
           << toString(getDim(rows->received))
           << " rows for the experts of a device, but got "
           << toString(getDims(ofExperts)[0]);
  return success();
}

LogicalResult DispatchTokensOp::verify() {
  return verifyExchange(*this, getInput().getType(), getType(),
                        getIds().getType(), getPlacement());
}

LogicalResult ReturnTokensOp::verify() {
  return verifyExchange(*this, getType(), getInput().getType(),
                        getIds().getType(), getPlacement());
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Checks `R x K` by `E x N x K` to `R x N`, or half as wide.
template <typename GroupedOp>
static LogicalResult verifyGrouped(GroupedOp op, RankedTensorType input,
                                   RankedTensorType result) {
  RankedTensorType weight = getTensor(op.getWeight());
  if (failed(verifyRank(op, "ids", op.getIds().getType(), 2)) ||
      failed(verifyRank(op, "input", input, 2)) ||
      failed(verifyRank(op, "weight", weight, 3)))
    return failure();
  SmallVector<Dim> dims = getDims(weight);
  int64_t local = op.getPlacement().getNumLocal();
  if (failed(verifyDims(op, "weight", weight,
                        {Dim(local), dims[1], getDims(input)[1]})))
    return failure();
  Dim width = dims[1];
  if (op.getSwiglu()) {
    if (width.isStatic() && width.size % 2 != 0)
      return op.emitOpError(
                 "expected a gate as wide as what it gates, but got ")
             << width.size << " outputs";
    width = width.isStatic() ? Dim(width.size / 2) : Dim(ShapedType::kDynamic);
  }
  return verifyDims(op, "result", result, {getDims(input)[0], width});
}

LogicalResult GroupedLinearOp::verify() {
  Type element = getInput().getType().getElementType();
  if (failed(verifyElementType(
          *this, "weight", getWeight().getType().getElementType(), element)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               element)))
    return failure();
  if (getBias()) {
    auto bias = cast<RankedTensorType>(getBias().getType());
    SmallVector<Dim> dims = getDims(getWeight().getType());
    if (failed(verifyRank(*this, "weight", getWeight().getType(), 3)) ||
        failed(verifyDims(*this, "bias", bias, {dims[0], dims[1]})) ||
        failed(
            verifyElementType(*this, "bias", bias.getElementType(), element)))
      return failure();
  }
  return verifyGrouped(*this, getInput().getType(), getType());
}

LogicalResult QuantizedGroupedLinearOp::verify() {
  RankedTensorType input = getTensor(getInput());
  RankedTensorType result = getTensor(getResult());
  if (failed(verifyGrouped(*this, input, result)) ||
      failed(verifyScale(*this, "weight scale", getWeight().getType(),
                         getWeightScale().getType(), getGroupSize())))
    return failure();
  bool isNarrow = !isa<FloatType>(input.getElementType()) ||
                  input.getElementTypeBitWidth() < 16;
  if (isNarrow != static_cast<bool>(getInputScale()))
    return emitOpError(isNarrow ? "expected a scale" : "expected no scale")
           << " for an input of " << input.getElementType();
  if (getInputScale() &&
      failed(verifyScale(*this, "input scale", input,
                         getTensor(getInputScale()), getGroupSize())))
    return failure();
  if (!getScale())
    return success();
  if (!getSwiglu())
    return emitOpError("expected 'swiglu' where the result is quantized");
  return verifyScale(*this, "result scale", result, getTensor(getScale()),
                     getGroupSize());
}
