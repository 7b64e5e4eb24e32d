//===- LinearAttentionWork.cpp - Work of gated delta net kernels ----------===//
//
// Counts of the chunked form follow Yang et al., 2024 (arXiv 2412.06464),
// section 3.3, with `c` tokens in a chunk and P of them in all chunks.
//
//===----------------------------------------------------------------------===//

#include "LinearAttentionWork.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Vector operations on each element: a SiLU is exp, add, divide and multiply,
/// with a negation and a copy; a length is square, sum, root and product, of
/// queries and of keys.
static constexpr double kSiluOps = 6;
static constexpr double kLengthOps = 8;
/// Of a sigmoid, and of a softplus with what is around it; of a gated norm.
static constexpr double kSigmoidOps = 4, kGateOps = 7, kGatedNormOps = 13;

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

ExprAttr mlir::tensorcast::isOfStep(MLIRContext *context, bool decode) {
  ExprAttr isDecode = getDecodeExpr(context);
  return decode ? isDecode : ExprAttr::constant(context, 1) - isDecode;
}

DeltaRuleWork::DeltaRuleWork(const DeltaRuleSizes &sizes, const Kernel &kernel,
                             WorkloadAttr workload, ExprAttr isIn)
    : sizes(sizes), kernel(kernel), workload(workload),
      context(sizes.elementType.getContext()), isIn(isIn) {
  tokens = sumOverRequests(getNewTokensExpr(context) * isIn);
  auto divide = [&](Expr length) {
    return getFunctionExpr(ExprKind::CeilDiv,
                           {length, number(static_cast<double>(sizes.chunk))});
  };
  chunks = kernel.getCoefficient("packs_requests")
               ? divide(tokens)
               : sumOverRequests(divide(getNewTokensExpr(context)) * isIn);
  padded = bind(chunks * static_cast<double>(sizes.chunk), workload);
  chunks = bind(chunks, workload);
  tokens = bind(tokens, workload);
}

ExprAttr DeltaRuleWork::number(double value) {
  return ExprAttr::constant(context, value);
}

void DeltaRuleWork::addMatmul(OpBuilder &builder, Location loc, Expr m,
                              double n, double k) {
  Type type = kernel.getCoefficient("wide_products") ? builder.getF32Type()
                                                     : sizes.elementType;
  ascend::MatmulOp::create(builder, loc, m, number(n), number(k), type);
}

void DeltaRuleWork::addVector(OpBuilder &builder, Location loc, Expr elements,
                              double ops, Type type) {
  ascend::ElementwiseOp::create(builder, loc, elements, number(ops), type);
}

void DeltaRuleWork::addTraffic(OpBuilder &builder, Location loc, Expr rows,
                               double rowBytes) {
  ascend::ScatterOp::create(builder, loc, rows, number(rowBytes), number(0));
}

void DeltaRuleWork::buildLengths(OpBuilder &builder, Location loc) {
  double features = static_cast<double>(sizes.heads * sizes.keySize);
  addVector(builder, loc, tokens * features, kLengthOps, sizes.elementType);
}

void DeltaRuleWork::buildChunkedOperations(OpBuilder &builder, Location loc) {
  double heads = static_cast<double>(sizes.heads);
  double key = static_cast<double>(sizes.keySize);
  double value = static_cast<double>(sizes.valueSize);
  double c = static_cast<double>(sizes.chunk);
  // Pairs of tokens of a chunk: keys with keys and with queries, and what they
  // weigh of values and keys.
  Expr pairs = chunks * (heads * c * c);
  addMatmul(builder, loc, pairs, 1, 3 * key + 2 * value);
  // Keys, queries and values with the state.
  addMatmul(builder, loc, padded * (3 * heads), value, key);
  buildLengths(builder, loc);
  // Per token and head: the scale of queries, values and keys times beta, the
  // sums of gates, keys and values with what decays.
  Type f32 = builder.getF32Type();
  addVector(builder, loc, padded * heads, 3 * key + 3 * value + 3, f32);
  // Per pair: decay, masks and sums. Per chunk: the inverse of a triangle, row
  // by row, and the decay of the state.
  addVector(builder, loc, pairs, 6, f32);
  double inverse = std::floor((c - 1) * c * (2 * c - 1) / 3);
  addVector(builder, loc, chunks * heads, inverse + 2 * key * value + 1, f32);
}

void DeltaRuleWork::buildChunked(OpBuilder &builder, Location loc) {
  buildChunkedOperations(builder, loc);
  if (double starts = kernel.getCoefficient("extra_starts"))
    ascend::ExtraStartsOp::create(builder, loc, number(starts));
  if (!kernel.getCoefficient("spills"))
    return;
  double heads = static_cast<double>(sizes.heads);
  double key = static_cast<double>(sizes.keySize);
  double value = static_cast<double>(sizes.valueSize);
  double c = static_cast<double>(sizes.chunk);
  double bytes = *getElementBytes(sizes.elementType);
  double wideBytes = *getElementBytes(builder.getF32Type());
  // Written and read: scaled keys and values; queries, keys, values and gates
  // in f32; four matrices of pairs.
  addTraffic(builder, loc, padded * heads,
             2 * ((key + value) * bytes + (2 * key + value + 3) * wideBytes));
  addTraffic(builder, loc, chunks * heads, 2 * 4 * c * c * wideBytes);
}

void DeltaRuleWork::buildRecurrent(OpBuilder &builder, Location loc) {
  double heads = static_cast<double>(sizes.heads);
  double key = static_cast<double>(sizes.keySize);
  double value = static_cast<double>(sizes.valueSize);
  Expr rows = tokens * heads;
  // The key and the query with the state.
  addMatmul(builder, loc, rows * 2.0, key, value);
  buildLengths(builder, loc);
  // The scale of the query, the correction of the value, the decay of the state
  // and what is added to it.
  addVector(builder, loc, rows, key + 2 * value + 2 + 2 * key * value,
            builder.getF32Type());
}

void DeltaRuleWork::buildStates(OpBuilder &builder, Location loc, bool decode) {
  double bytes =
      *getElementBytes(sizes.stateType) *
      static_cast<double>(sizes.heads * sizes.keySize * sizes.valueSize);
  Expr cached = getTotalTokensExpr(context) - getNewTokensExpr(context);
  auto isPositive = [&](Expr count) {
    return getFunctionExpr(ExprKind::Less, {number(0), count});
  };
  Expr written = sumOverRequests(isIn);
  Expr read = sumOverRequests(isPositive(cached) * isIn);
  if (decode) {
    if (kernel.getCoefficient("states_per_token"))
      written = sumOverRequests(getNewTokensExpr(context) * isIn);
    read = written;
  } else if (kernel.getCoefficient("packs_requests")) {
    written = number(1);
    read = isPositive(maxOverRequests(cached * isIn));
  }
  read = bind(read, workload);
  if (!read.isConstant(0))
    ascend::GatherOp::create(builder, loc, read, number(bytes), number(0));
  ascend::ScatterOp::create(builder, loc, bind(written, workload),
                            number(bytes), number(0));
}

//===----------------------------------------------------------------------===//
// The convolution
//===----------------------------------------------------------------------===//

void mlir::tensorcast::buildConvWork(CausalConvOp op, ExprAttr elements,
                                     bool decode, const Kernel &kernel,
                                     OpBuilder &builder, Location loc) {
  MLIRContext *context = op.getContext();
  auto number = [&](double value) {
    return ExprAttr::constant(context, value);
  };
  Type type = op.getResult().getType().getElementType();
  double taps = static_cast<double>(op.getWeight().getType().getDimSize(1));
  WorkloadAttr workload = getWorkload(op.getBatch());
  ExprAttr isIn = isOfStep(context, decode);
  ExprAttr newTokens = getNewTokensExpr(context);
  ExprAttr tokens = bind(sumOverRequests(newTokens * isIn), workload);
  ExprAttr others =
      bind(sumOverRequests(newTokens - newTokens * isIn), workload);
  RankedTensorType result = op.getResult().getType();
  elements = elements - others * static_cast<double>(result.getDimSize(1));
  ascend::ElementwiseOp::create(builder, loc, elements,
                                number(2 * taps + kSiluOps), type);
  StateType state = op.getState().getType();
  double channels = static_cast<double>(state.getShape()[0]);
  double bytes = *getElementBytes(state.getElementType());
  ExprAttr sequences = bind(sumOverRequests(isIn), workload);
  // Some kernels keep one more input than they need, and move all once.
  if (kernel.getCoefficient("moves_state_once")) {
    if (decode)
      ascend::ScatterOp::create(builder, loc, tokens,
                                number(channels * taps * bytes), number(0));
    return;
  }
  ExprAttr rowBytes =
      number(static_cast<double>(state.getRequestSize()) * bytes);
  ascend::GatherOp::create(builder, loc, sequences, rowBytes, number(0));
  ascend::ScatterOp::create(builder, loc, sequences, rowBytes, number(0));
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

void mlir::tensorcast::buildLinearAttentionWork(LinearAttentionOp op,
                                                const Kernel &kernel,
                                                OpBuilder &builder,
                                                Location loc) {
  MLIRContext *context = op.getContext();
  auto number = [&](double value) {
    return ExprAttr::constant(context, value);
  };
  RankedTensorType input = op.getInput().getType();
  Type type = input.getElementType(), f32 = builder.getF32Type();
  WorkloadAttr workload = getWorkload(op.getBatch());
  ExprAttr tokens = bind(getTokensExpr(context), workload);
  double hidden = static_cast<double>(input.getDimSize(1));
  double heads = static_cast<double>(op.getValueHeads());
  double values = heads * static_cast<double>(op.getValueSize());
  double channels = static_cast<double>(op.getConv().getType().getDimSize(0));
  double taps = static_cast<double>(op.getConv().getType().getDimSize(1));
  ascend::MatmulOp::create(builder, loc, tokens,
                           number(channels + values + 2 * heads),
                           number(hidden), type);
  ascend::MatmulOp::create(builder, loc, tokens, number(hidden), number(values),
                           type);
  auto vector = [&](ExprAttr elements, double ops, Type elementType) {
    ascend::ElementwiseOp::create(builder, loc, elements, number(ops),
                                  elementType);
  };
  vector(tokens * channels, 2 * taps + kSiluOps, type);
  vector(tokens * heads, kSigmoidOps, type);
  vector(tokens * heads, kGateOps, f32);
  vector(number(heads), 1, f32);
  vector(tokens * values, kGatedNormOps, f32);
  DeltaRuleSizes sizes = {op.getValueHeads(),
                          op.getKeySize(),
                          op.getValueSize(),
                          static_cast<int64_t>(op.getChunk()),
                          type,
                          op.getState().getType().getElementType()};
  DeltaRuleWork(sizes, kernel, workload, /*isIn=*/number(1))
      .buildChunkedOperations(builder, loc);
}
