//===- LinearOps.cpp - Linear layers, embeddings, quantization ------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "Checks.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinear.cpp.inc"

//===----------------------------------------------------------------------===//
// Embedding and selection of rows
//===----------------------------------------------------------------------===//

LogicalResult EmbeddingOp::verify() {
  RankedTensorType table = getTable().getType(), ids = getIds().getType();
  if (failed(verifyRank(*this, "ids", ids, 1)) ||
      failed(verifyRank(*this, "table", table, 2)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               table.getElementType())))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getDims(ids)[0], getDims(table)[1]});
}

bool EmbeddingOp::isLaunchedWhole() { return true; }

SmallVector<Value> EmbeddingOp::decompose(OpBuilder &builder) {
  return {GatherOp::create(builder, getLoc(), getTable(), getIds(),
                           getFirstRowAttr())};
}

LogicalResult LastTokensOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               input.getElementType())))
    return failure();
  MLIRContext *context = getContext();
  ExprAttr sequences = getSequencesExpr(context);
  ExprAttr rows = sequences;
  if (getSelect() != TokenSelection::Last)
    rows = getLogitRowsExpr(context);
  WorkloadAttr workload = getBatch().getType().getWorkload();
  Dim kept = workload ? Dim(static_cast<int64_t>(evaluate(rows, workload)))
                      : Dim(rows);
  return verifyDims(*this, "result", getType(), {kept, getDims(input)[1]});
}

//===----------------------------------------------------------------------===//
// Linear layers
//===----------------------------------------------------------------------===//

/// Checks `T x K` by `N x K` to `T x N`, with a bias of `N`.
template <typename LinearLikeOp>
static LogicalResult verifyLinear(LinearLikeOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  if (failed(verifyRank(op, "input", input, 2)) ||
      failed(verifyRank(op, "weight", weight, 2)) ||
      failed(verifyDims(op, "weight", weight,
                        {getDims(weight)[0], getDims(input)[1]})) ||
      failed(verifyDims(op, "result", op.getType(),
                        {getDims(input)[0], getDims(weight)[0]})))
    return failure();
  if (!op.getBias())
    return success();
  auto bias = cast<RankedTensorType>(op.getBias().getType());
  if (failed(verifyElementType(op, "bias", bias.getElementType(),
                               op.getType().getElementType())))
    return failure();
  return verifyDims(op, "bias", bias, {getDims(weight)[0]});
}

LogicalResult LinearOp::verify() {
  Type element = getInput().getType().getElementType();
  if (failed(verifyElementType(
          *this, "weight", getWeight().getType().getElementType(), element)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               element)))
    return failure();
  return verifyLinear(*this);
}

bool LinearOp::isLaunchedWhole() { return true; }

SmallVector<Value> LinearOp::decompose(OpBuilder &builder) {
  Value product = MatmulOp::create(builder, getLoc(), getInput(), getWeight(),
                                   /*bias=*/Value(), /*transposed=*/true);
  if (getAllReduce())
    product = AllReduceOp::create(builder, getLoc(), product.getType(), product,
                                  getAllReduceAttr());
  if (getBias())
    product = AddOp::create(builder, getLoc(), product, getBias());
  return {product};
}

LogicalResult QuantizedLinearOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  bool hasScale = static_cast<bool>(getInputScale());
  if (isa<FloatType>(input.getElementType()) &&
      input.getElementTypeBitWidth() >= 16) {
    if (hasScale)
      return emitOpError("expected no scale for an input of ")
             << input.getElementType() << ", but got one";
  } else if (!hasScale) {
    return emitOpError("expected a scale for an input of ")
           << input.getElementType() << ", but got none";
  }
  if (failed(verifyLinear(*this)) ||
      failed(verifyScale(*this, "weight scale", getWeight().getType(),
                         getWeightScale().getType(), getGroupSize())))
    return failure();
  if (!hasScale)
    return success();
  return verifyScale(*this, "input scale", input,
                     cast<RankedTensorType>(getInputScale().getType()),
                     getGroupSize());
}

LogicalResult
ConcatWeightsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                  ConcatWeightsOp::Adaptor adaptor,
                                  SmallVectorImpl<Type> &types) {
  RankedTensorType result;
  int64_t dim = adaptor.getDim().value_or(0);
  for (Value weight : adaptor.getWeights()) {
    auto type = cast<RankedTensorType>(weight.getType());
    if (type.getRank() <= dim || !type.hasStaticShape())
      return emitOptionalError(loc, "expected weights of rank at least ",
                               dim + 1, " and a static shape, but got ", type);
    if (!result) {
      result = type;
      continue;
    }
    SmallVector<int64_t> shape(result.getShape());
    int64_t size = type.getDimSize(dim);
    shape[dim] = size;
    if (type.getElementType() != result.getElementType() ||
        type.getShape() != ArrayRef<int64_t>(shape))
      return emitOptionalError(loc,
                               "expected weights that differ only in "
                               "dimension ",
                               dim, ", but got ", result, " and ", type);
    int64_t before = result.getDimSize(dim);
    if (before > std::numeric_limits<int64_t>::max() - size)
      return emitOptionalError(loc, "expected a size below 2^63, but got ",
                               result, " and ", type);
    shape[dim] = before + size;
    result = RankedTensorType::get(shape, type.getElementType());
  }
  if (!result)
    return emitOptionalError(loc, "expected at least one weight, but got none");
  types.push_back(result);
  return success();
}

//===----------------------------------------------------------------------===//
// Quantization of activations
//===----------------------------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  return verifyQuantized(*this, getInput().getType(), getType());
}

LogicalResult DynamicQuantizeOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyQuantized(*this, input, getResult().getType())))
    return failure();
  return verifyScale(*this, "scale", input, getScale().getType(),
                     getGroupSize());
}
