//===- LinearOps.cpp - Linear layers, embeddings, quantization ------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinear.cpp.inc"

/// Checks the rank of an operand or result.
static LogicalResult verifyRank(Operation *op, StringRef name,
                                RankedTensorType type, int64_t rank) {
  if (type.getRank() == rank)
    return success();
  return op->emitOpError("expected '")
         << name << "' of rank " << rank << ", but got " << type;
}

/// Checks that `type` has the dimensions `expected`.
static LogicalResult verifyDims(Operation *op, StringRef name,
                                RankedTensorType type, ArrayRef<Dim> expected) {
  if (failed(verifyRank(op, name, type, expected.size())))
    return failure();
  for (auto [index, got] : llvm::enumerate(getDims(type)))
    if (!mayBeEqual(got, expected[index]))
      return op->emitOpError("expected dimension ")
             << index << " of '" << name << "' to be "
             << toString(expected[index]) << ", but got " << toString(got);
  return success();
}

static LogicalResult verifyElementType(Operation *op, StringRef name, Type got,
                                       Type expected) {
  if (got == expected)
    return success();
  return op->emitOpError("expected '")
         << name << "' of " << expected << ", but got " << got;
}

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
  return {GatherOp::create(builder, getLoc(), getTable(), getIds())};
}

LogicalResult LastTokensOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               input.getElementType())))
    return failure();
  MLIRContext *context = getContext();
  ExprAttr sequences = getSequencesExpr(context);
  ExprAttr rows =
      sequences + getDecodeExpr(context) * (getTokensExpr(context) - sequences);
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
  RankedTensorType input = op.getInput().getType();
  RankedTensorType weight = op.getWeight().getType();
  if (failed(verifyRank(op, "input", input, 2)) ||
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
  if (failed(verifyRank(*this, "weight", getWeight().getType(), 2)) ||
      failed(verifyElementType(
          *this, "weight", getWeight().getType().getElementType(), element)) ||
      failed(verifyElementType(*this, "result", getType().getElementType(),
                               element)))
    return failure();
  return verifyLinear(*this);
}

bool LinearOp::isLaunchedWhole() { return true; }

SmallVector<Value> LinearOp::decompose(OpBuilder &builder) {
  Value product = MatmulOp::create(builder, getLoc(), getInput(), getWeight(),
                                   /*transposed=*/true);
  if (getBias())
    product = AddOp::create(builder, getLoc(), product, getBias());
  return {product};
}

void QuantizedLinearOp::build(OpBuilder &, OperationState &state, Type result,
                              Value input, Value weight, Value inputScale,
                              Value weightScale, Value bias) {
  state.addOperands({input, weight, inputScale, weightScale});
  if (bias)
    state.addOperands(bias);
  state.addTypes(result);
}

LogicalResult QuantizedLinearOp::verify() {
  if (failed(verifyRank(*this, "weight", getWeight().getType(), 2)))
    return failure();
  return verifyLinear(*this);
}

//===----------------------------------------------------------------------===//
// Quantization of activations
//===----------------------------------------------------------------------===//

static RankedTensorType getByteType(Type input) {
  return withElementType(cast<RankedTensorType>(input),
                         IntegerType::get(input.getContext(), 8));
}

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           QuantizeOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(getByteType(adaptor.getInput().getType()));
  return success();
}

LogicalResult DynamicQuantizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location>,
    DynamicQuantizeOp::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(getByteType(adaptor.getInput().getType()));
  types.push_back(RankedTensorType::get({}, Float32Type::get(context)));
  return success();
}
