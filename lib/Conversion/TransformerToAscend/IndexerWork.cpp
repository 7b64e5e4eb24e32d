//===- IndexerWork.cpp - Work of the indexer of sparse attention ----------===//

#include "LatentWork.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

IndexerWork::IndexerWork(const IndexerSizes &sizes, ExprAttr tokens,
                         const Kernel &kernel, WorkloadAttr workload)
    : sizes(sizes), tokens(tokens), kernel(kernel), workload(workload),
      context(tokens.getContext()), q(getNewTokensExpr(context)),
      kv(getTotalTokensExpr(context)),
      longest(bind(maxOverRequests(kv), workload)) {}

ExprAttr IndexerWork::number(double value) {
  return ExprAttr::constant(context, value);
}

void IndexerWork::build(OpBuilder &builder, Location loc) {
  auto multiply = [&](double columns, double rows) {
    ascend::MatmulOp::create(builder, loc, tokens, number(columns),
                             number(rows), sizes.elementType);
  };
  auto heads = static_cast<double>(sizes.heads);
  auto size = static_cast<double>(sizes.headSize);
  multiply(heads * size, static_cast<double>(sizes.queryRank));
  multiply(size, static_cast<double>(sizes.features));
  multiply(heads, static_cast<double>(sizes.features));
  buildScores(builder, loc);
  buildReads(builder, loc);
}

void IndexerWork::buildScores(OpBuilder &builder, Location loc) {
  auto heads = static_cast<double>(sizes.heads);
  auto size = static_cast<double>(sizes.headSize);
  bool isFloat8 = isa<FloatType>(sizes.cacheType) &&
                  sizes.cacheType.getIntOrFloatBitWidth() == 8;
  // Every new token meets as many as the longest request has.
  ascend::MatmulOp::create(builder, loc, tokens * heads, longest, number(size),
                           isFloat8 ? sizes.cacheType : sizes.elementType);
  ExprAttr pairs = tokens * longest;
  auto add = [&](StringRef coefficient, ExprAttr elements, Type type) {
    addOperations(builder, loc, kernel, coefficient, elements, type);
  };
  add("norm_ops_per_element", tokens * size, sizes.elementType);
  add("rope_ops_per_element",
      tokens * ((heads + 1) * static_cast<double>(sizes.width)),
      sizes.elementType);
  add("ops_per_score", pairs * heads, sizes.elementType);
  add("top_k_ops_per_token", pairs, sizes.elementType);
  if (!isFloat8)
    return;
  Type type = kernel.getCoefficient("float8_ops_at_float8_rate")
                  ? sizes.cacheType
                  : sizes.elementType;
  add("float8_ops_per_element", tokens * ((heads + 1) * size), type);
  add("float8_ops_per_score", pairs * heads, type);
  add("float8_ops_per_token", pairs, type);
}

void IndexerWork::buildReads(OpBuilder &builder, Location loc) {
  // 8-bit floats come with an f32 scale per 128 elements.
  constexpr double groupSize = 128, scaleBytes = 4;
  double rowBytes = *transformer::getElementBytes(sizes.cacheType) *
                    static_cast<double>(sizes.headSize);
  if (isa<FloatType>(sizes.cacheType) &&
      sizes.cacheType.getIntOrFloatBitWidth() == 8)
    rowBytes += scaleBytes * std::ceil(sizes.headSize / groupSize);
  ExprAttr sequences = getSequencesExpr(context);
  ExprAttr blockSize = number(static_cast<double>(sizes.blockSize));
  auto getBlocks = [&](ExprAttr expr) {
    return getFunctionExpr(ExprKind::CeilDiv, {expr, blockSize});
  };
  // Slots of new tokens, the block table, and one or two lengths.
  ExprAttr index = getTokensExpr(context) +
                   sequences * getBlocks(maxOverRequests(kv)) +
                   sequences * kernel.getCoefficient("lengths_per_request");
  index = bind(index * kIndexBytes, workload);
  ExprAttr decode = getDecodeExpr(context);
  auto add = [&](StringRef step, ExprAttr isStep, ExprAttr metadata) {
    ExprAttr share = getReadShare(kernel, step, getBlocks(kv));
    ExprAttr rows = divide(getPasses(kernel, step, q) * kv, share);
    rows = bind(sumOverRequests(rows * isStep), workload);
    if (!rows.isConstant(0) || !metadata.isConstant(0))
      ascend::GatherOp::create(builder, loc, rows, number(rowBytes), metadata);
  };
  add("prefill", number(1) - decode, index);
  add("decode", decode, number(0));
  if (!kernel.getCoefficient("keys_stay_on_chip"))
    ascend::ScatterOp::create(builder, loc, tokens, number(rowBytes),
                              number(0));
}
