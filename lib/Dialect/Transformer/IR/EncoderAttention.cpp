//===- EncoderAttention.cpp - Attention without a cache -------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/AttentionSizes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

AttentionSizes::AttentionSizes(RankedTensorType type, bool isByToken)
    : sequences(getDims(type)[0]), heads(getDims(type)[isByToken ? 2 : 1]),
      tokens(getDims(type)[isByToken ? 1 : 2]), features(getDims(type)[3]) {}

RankedTensorType AttentionSizes::getType(bool isByToken,
                                         Type elementType) const {
  return isByToken
             ? getTensorType({sequences, tokens, heads, features}, elementType)
             : getTensorType({sequences, heads, tokens, features}, elementType);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

LogicalResult ScaledDotProductAttentionOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc,
    ScaledDotProductAttentionOp::Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  for (Value operand :
       {adaptor.getQuery(), adaptor.getKey(), adaptor.getValue()})
    if (getTensor(operand).getRank() != 4)
      return emitOptionalError(loc,
                               "expected queries, keys and values of rank 4, "
                               "but got ",
                               operand.getType());
  AttentionLayout layout = adaptor.getLayout();
  bool isByToken = hasOperandsByToken(layout);
  AttentionSizes sizes(getTensor(adaptor.getQuery()), isByToken);
  sizes.features =
      AttentionSizes(getTensor(adaptor.getValue()), isByToken).features;
  types.push_back(
      sizes.getType(hasResultByToken(layout),
                    getTensor(adaptor.getQuery()).getElementType()));
  return success();
}

/// What is expected in place of `type`, added to scores of `B x N x S x T`;
/// empty if it fits.
static std::string checkAddedToScores(RankedTensorType type,
                                      ArrayRef<Dim> scores) {
  SmallVector<Dim> dims = getDims(type);
  bool fits = dims.size() <= scores.size();
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    const Dim &dim = dims[dims.size() - 1 - i];
    fits = dim.isOne() || mayBeEqual(dim, scores[scores.size() - 1 - i]);
  }
  if (fits)
    return "";
  return "sizes that are 1 or those of " +
         llvm::join(llvm::map_range(scores, toString), " x ") + " scores";
}

/// Checks what is added to the scores.
static LogicalResult verifyAdded(ScaledDotProductAttentionOp op, StringRef name,
                                 Value added, ArrayRef<Dim> scores) {
  if (!added)
    return success();
  RankedTensorType type = getTensor(added);
  Type element = getTensor(op.getQuery()).getElementType();
  if (type.getElementType() != element && !type.getElementType().isF32())
    return op.emitOpError("expected '")
           << name << "' of " << element << " or f32, but got " << type;
  std::string expected = checkAddedToScores(type, scores);
  if (expected.empty())
    return success();
  return op.emitOpError("expected '")
         << name << "' of " << expected << ", but got " << type;
}

LogicalResult ScaledDotProductAttentionOp::verify() {
  bool isByToken = hasOperandsByToken(getLayout());
  AttentionSizes query(getTensor(getQuery()), isByToken),
      key(getTensor(getKey()), isByToken),
      value(getTensor(getValue()), isByToken);
  Type element = getTensor(getQuery()).getElementType();
  AttentionSizes keys = query, values = query;
  keys.tokens = values.tokens = key.tokens;
  values.features = value.features;
  for (auto [name, operand, expected] :
       {std::tuple("key", getKey(), keys),
        std::tuple("value", getValue(), values)})
    if (failed(verifyDims(*this, name, getTensor(operand),
                          getDims(expected.getType(isByToken, element)))) ||
        failed(verifyElementType(*this, name,
                                 getTensor(operand).getElementType(), element)))
      return failure();
  if (!std::isfinite(getScale().convertToDouble()))
    return emitOpError("expected a finite 'scale', but got ")
           << getScale().convertToDouble();
  if (getWindow() && !getCausal())
    return emitOpError("expected 'causal' beside a 'window', but got none");
  if (getCausal() && query.tokens.isStatic() && key.tokens.isStatic() &&
      query.tokens.size > key.tokens.size)
    return emitOpError("expected at least as many keys as queries, of which "
                       "the last are the same token, but got ")
           << key.tokens.size << " and " << query.tokens.size;
  Dim scores[] = {query.sequences, query.heads, query.tokens, key.tokens};
  if (failed(verifyAdded(*this, "mask", getMask(), scores)) ||
      failed(verifyAdded(*this, "bias", getBias(), scores)))
    return failure();
  if (Value mask = getMask()) {
    SmallVector<Dim> dims = getDims(getTensor(mask));
    if (dims.size() >= 3 && !dims[dims.size() - 3].isOne())
      return emitOpError("expected a 'mask' that is the same for all heads, "
                         "but got ")
             << mask.getType();
  }
  if (Value sink = getSink()) {
    if (!key.tokens.isStatic())
      return emitOpError("expected a known number of keys beside a 'sink', but "
                         "got ")
             << toString(key.tokens);
    if (failed(verifyRank(*this, "sink", getTensor(sink), 1)) ||
        failed(verifyDims(*this, "sink", getTensor(sink), {query.heads})) ||
        failed(verifyElementType(*this, "sink",
                                 getTensor(sink).getElementType(), element)))
      return failure();
  }
  return success();
}

/// The softmax of `scores`, which a score per head may join.
static Value buildSoftmax(OpBuilder &builder, Location loc, Value scores,
                          Value sink) {
  if (!sink)
    return SoftmaxOp::create(builder, loc, scores.getType(), scores);
  RankedTensorType type = getTensor(scores);
  SmallVector<Dim> dims = getDims(type);
  Type element = getTensor(sink).getElementType();
  sink = ReshapeOp::create(builder, loc,
                           getTensorType({1, dims[1], 1, 1}, element), sink);
  sink = ExpandOp::create(
      builder, loc, getTensorType({dims[0], dims[1], dims[2], 1}, element),
      sink);
  if (element != type.getElementType())
    sink = CastOp::create(
        builder, loc, withElementType(getTensor(sink), type.getElementType()),
        sink);
  Value all = ConcatOp::create(builder, loc, scores, sink);
  all = SoftmaxOp::create(builder, loc, all.getType(), all);
  return SliceOp::create(builder, loc, all, 0, dims[3].size);
}

SmallVector<Value> ScaledDotProductAttentionOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  bool isByToken = hasOperandsByToken(getLayout());
  Type element = getTensor(getQuery()).getElementType();
  auto byHead = [&](Value operand) -> Value {
    if (!isByToken)
      return operand;
    return PermuteOp::create(builder, loc, operand,
                             builder.getDenseI64ArrayAttr({0, 2, 1, 3}));
  };
  UnitAttr unit = builder.getUnitAttr();
  Value query = byHead(getQuery()), key = byHead(getKey()),
        value = byHead(getValue());
  Value scores = BatchedMatmulOp::create(builder, loc, query, key,
                                         /*transposed=*/unit, UnitAttr());
  scores = MulScalarOp::create(builder, loc, scores, getScaleAttr());
  for (Value added : {getMask(), getBias()})
    if (added)
      scores = AddOp::create(builder, loc, scores, added);
  if (getCausal()) {
    SmallVector<Dim> dims = getDims(getTensor(scores));
    Value mask = CausalMaskOp::create(
        builder, loc, getTensorType({dims[2], dims[3]}, element),
        getWindowAttr());
    scores = AddOp::create(builder, loc, scores, mask);
  }
  Value weights = buildSoftmax(builder, loc, scores, getSink());
  if (getTensor(weights).getElementType() != element)
    weights = CastOp::create(
        builder, loc, withElementType(getTensor(weights), element), weights);
  UnitAttr joined = hasResultByToken(getLayout()) ? unit : UnitAttr();
  return {BatchedMatmulOp::create(builder, loc, weights, value, UnitAttr(),
                                  joined)};
}
