//===- LinearAttentionOps.cpp - Gated delta nets --------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinearAttention.cpp.inc"

void StateOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "state");
}

//===----------------------------------------------------------------------===//
// What several verifiers check
//===----------------------------------------------------------------------===//

/// Checks that the state called `name` has the sizes `expected` per request.
static LogicalResult verifyState(Operation *op, StringRef name, StateType type,
                                 ArrayRef<Dim> expected) {
  bool fits = type.getShape().size() == expected.size();
  if (fits)
    for (auto [size, dim] : llvm::zip(type.getShape(), expected))
      fits &= mayBeEqual(Dim(size), dim);
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected '") << name << "' of ";
  llvm::interleave(
      expected, [&](const Dim &dim) { diag << toString(dim); },
      [&] { diag << " x "; });
  return diag << " per request, but got " << type;
}

static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  double value = eps.convertToDouble();
  if (value > 0 && std::isfinite(value))
    return success();
  return op->emitOpError("expected a finite 'eps' above 0, but got ")
         << tensorcast::describeNumber(value);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

LogicalResult CausalConvOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType weight = getWeight().getType();
  if (failed(verifyRank(*this, "input", input, 2)) ||
      failed(verifyRank(*this, "weight", weight, 2)) ||
      failed(verifyDims(*this, "weight", weight,
                        {getDims(input)[1], getDims(weight)[1]})))
    return failure();
  Dim taps = getDims(weight)[1];
  if (!taps.isStatic() || taps.size < 2)
    return emitOpError("expected a 'weight' of at least 2 tokens, but got ")
           << toString(taps);
  return verifyState(*this, "state", getState().getType(),
                     {getDims(input)[1], Dim(taps.size - 1)});
}

//===----------------------------------------------------------------------===//
// The gated delta rule
//===----------------------------------------------------------------------===//

LogicalResult DeltaGatingOp::verify() {
  RankedTensorType query = getQuery().getType();
  RankedTensorType strength = getStrength().getType();
  RankedTensorType wide = getWideQuery().getType();
  if (failed(verifyRank(*this, "query", query, 3)) ||
      failed(verifyRank(*this, "strength", strength, 2)))
    return failure();
  SmallVector<Dim> dims = getDims(query), heads = getDims(strength);
  if (!dims[1].isStatic() || !heads[1].isStatic() || dims[1].size == 0 ||
      heads[1].size % dims[1].size != 0 || heads[1].size == 0)
    return emitOpError("expected value heads to be a multiple of the ")
           << toString(dims[1]) << " key heads, but got " << toString(heads[1]);
  if (failed(verifyDims(*this, "strength", strength, {dims[0], heads[1]})) ||
      failed(verifyDims(*this, "decay", getDecay().getType(), {heads[1]})) ||
      failed(verifyDims(*this, "wide_query", wide,
                        {dims[0], heads[1], dims[2]})) ||
      failed(verifyElementType(*this, "wide_query", wide.getElementType(),
                               query.getElementType())) ||
      failed(verifyDims(*this, "log_gate", getLogGate().getType(),
                        {dims[0], heads[1]})))
    return failure();
  return verifyElementType(*this, "log_gate",
                           getLogGate().getType().getElementType(),
                           Float32Type::get(getContext()));
}

SmallVector<Type> DeltaGatingOp::getResultTypesFor(RankedTensorType query,
                                                   RankedTensorType strength) {
  SmallVector<Dim> dims = getDims(query);
  dims[1] = getDims(strength)[1];
  Type wide = getTensorType(dims, query.getElementType());
  Type f32 = Float32Type::get(query.getContext());
  return {wide, wide, strength, withElementType(strength, f32)};
}

LogicalResult GatedDeltaRuleOp::verify() {
  RankedTensorType query = getQuery().getType(), value = getValue().getType();
  if (failed(verifyRank(*this, "query", query, 3)) ||
      failed(verifyRank(*this, "value", value, 3)))
    return failure();
  SmallVector<Dim> dims = getDims(query), values = getDims(value);
  for (auto [name, type] : {std::pair("beta", getBeta().getType()),
                            std::pair("log_gate", getLogGate().getType())})
    if (failed(verifyRank(*this, name, type, 2)) ||
        failed(verifyDims(*this, name, type, {dims[0], dims[1]})))
      return failure();
  if (failed(verifyDims(*this, "value", value, {dims[0], dims[1], values[2]})))
    return failure();
  return verifyState(*this, "state", getState().getType(),
                     {dims[1], dims[2], values[2]});
}

LogicalResult GatedRMSNormOp::verify() {
  RankedTensorType input = getInput().getType();
  if (input.getRank() < 1)
    return emitOpError("expected an input of rank at least 1, but got ")
           << input;
  if (failed(verifyDims(*this, "weight", getWeight().getType(),
                        {getDims(input).back()})) ||
      failed(verifyElementType(*this, "weight",
                               getWeight().getType().getElementType(),
                               input.getElementType())))
    return failure();
  return verifyEps(*this, getEps());
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

LogicalResult LinearAttentionOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(verifyRank(*this, "input", input, 2)))
    return failure();
  StateType state = getState().getType();
  if (state.getShape().size() != 3)
    return emitOpError("expected a 'state' of heads x key size x value size "
                       "per request, but got ")
           << state;
  int64_t keys = getKeyHeads(), values = getValueHeads();
  if (values % keys != 0)
    return emitOpError("expected value heads to be a multiple of the ")
           << keys << " key heads, but got " << values;
  int64_t queryWidth = 2 * keys * getKeySize();
  int64_t valueWidth = values * getValueSize();
  int64_t channels = queryWidth + valueWidth;
  SmallVector<int64_t> rows;
  if (getProjections().size() == 2)
    rows = {channels + valueWidth, 2 * values};
  else if (getProjections().size() == 4)
    rows = {channels, valueWidth, values, values};
  else
    return emitOpError("expected 2 or 4 'projections', but got ")
           << getProjections().size();
  Dim hidden = getDims(input)[1];
  for (auto [projection, size] : llvm::zip(getProjections(), rows))
    if (failed(verifyDims(*this, "projections",
                          cast<RankedTensorType>(projection.getType()),
                          {Dim(size), hidden})))
      return failure();
  RankedTensorType conv = getConv().getType();
  if (failed(verifyRank(*this, "conv", conv, 2)))
    return failure();
  Dim taps = getDims(conv)[1];
  if (!taps.isStatic() || taps.size < 2)
    return emitOpError("expected a 'conv' of at least 2 tokens, but got ")
           << toString(taps);
  if (failed(verifyDims(*this, "conv", conv, {Dim(channels), taps})) ||
      failed(verifyDims(*this, "decay", getDecay().getType(), {Dim(values)})) ||
      failed(verifyDims(*this, "step_bias", getStepBias().getType(),
                        {Dim(values)})) ||
      failed(verifyDims(*this, "norm", getNorm().getType(),
                        {Dim(getValueSize())})) ||
      failed(verifyDims(*this, "output", getOutput().getType(),
                        {hidden, Dim(valueWidth)})) ||
      failed(verifyState(*this, "conv_state", getConvState().getType(),
                         {Dim(channels), Dim(taps.size - 1)})))
    return failure();
  SmallVector<Value> weights = {getConv(), getDecay(), getStepBias(), getNorm(),
                                getOutput()};
  llvm::append_range(weights, getProjections());
  for (Value weight : weights)
    if (failed(verifyElementType(
            *this, "weights",
            cast<RankedTensorType>(weight.getType()).getElementType(),
            input.getElementType())))
      return failure();
  return verifyEps(*this, getEps());
}
