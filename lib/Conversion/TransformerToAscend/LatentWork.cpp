//===- LatentWork.cpp - Work of latent attention kernels ------------------===//

#include "LatentWork.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

ExprAttr mlir::tensorcast::getRows(RankedTensorType type) {
  return getExpr(type.getContext(), getDims(type)[0]);
}

ExprAttr mlir::tensorcast::getKeptTokensExpr(MLIRContext *context,
                                             int64_t share) {
  ExprAttr kv = getTotalTokensExpr(context);
  if (share == 1)
    return kv;
  return getFunctionExpr(
      ExprKind::CeilDiv,
      {kv, ExprAttr::constant(context, static_cast<double>(share))});
}

ExprAttr mlir::tensorcast::getWrittenRows(ExprAttr tokens, KVCacheType cache,
                                          const Kernel *kernel) {
  bool writesAll = kernel && kernel->getCoefficient("writes_all_rows") != 0;
  if (cache.getShare() == 1 || writesAll)
    return tokens;
  return getFunctionExpr(
      ExprKind::CeilDiv,
      {tokens, ExprAttr::constant(tokens.getContext(),
                                  static_cast<double>(cache.getShare()))});
}

ExprAttr mlir::tensorcast::getSentBytes(RankedTensorType type,
                                        RanksAttr ranks) {
  ExprAttr bytes = getByteSize(type);
  auto count = static_cast<double>(ranks.getCount());
  return bytes ? bytes * ((count - 1) / count) : bytes;
}

double mlir::tensorcast::getRowBytes(KVCacheType cache) {
  return *getElementBytes(cache.getElementType()) *
         static_cast<double>(cache.getTokenSize());
}

void mlir::tensorcast::addOperations(OpBuilder &builder, Location loc,
                                     const Kernel &kernel,
                                     StringRef coefficient, ExprAttr elements,
                                     Type elementType) {
  double operations = kernel.getCoefficient(coefficient);
  if (operations != 0 && !elements.isConstant(0))
    ascend::ElementwiseOp::create(
        builder, loc, elements,
        ExprAttr::constant(builder.getContext(), operations), elementType);
}

ExprAttr mlir::tensorcast::divide(ExprAttr dividend, ExprAttr divisor) {
  if (divisor.isConstant(1))
    return dividend;
  return getFunctionExpr(ExprKind::Divide, {dividend, divisor});
}

ExprAttr mlir::tensorcast::getReadShare(const Kernel &kernel, StringRef step,
                                        ExprAttr blocks) {
  MLIRContext *context = blocks.getContext();
  auto number = [&](StringRef name) {
    return ExprAttr::constant(
        context, kernel.getCoefficient((step + "_read_" + name).str()));
  };
  double share = kernel.getCoefficient((step + "_read_share").str());
  if (share == 0)
    return ExprAttr::constant(context, 1);
  if (number("per_doubling").isConstant(0))
    return ExprAttr::constant(context, share);
  ExprAttr doublings = getFunctionExpr(
      ExprKind::Log2,
      getFunctionExpr(ExprKind::Divide, {blocks, number("blocks")}));
  ExprAttr grown =
      ExprAttr::constant(context, share) + doublings * number("per_doubling");
  grown = getFunctionExpr(ExprKind::Min, {grown, number("most")});
  return getFunctionExpr(ExprKind::Max, {grown, number("least")});
}

ExprAttr mlir::tensorcast::getPasses(const Kernel &kernel, StringRef step,
                                     ExprAttr q) {
  double tile = kernel.getCoefficient((step + "_tile").str());
  if (tile == 0)
    return ExprAttr::constant(q.getContext(), 1);
  return getFunctionExpr(ExprKind::CeilDiv,
                         {q, ExprAttr::constant(q.getContext(), tile)});
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LatentAttentionWork::LatentAttentionWork(const LatentAttentionSizes &sizes,
                                         const Kernel &kernel,
                                         WorkloadAttr workload)
    : sizes(sizes), kernel(kernel), workload(workload),
      context(sizes.productType.getContext()), q(getNewTokensExpr(context)),
      kv(getKeptTokensExpr(context, sizes.share)), seen(kv) {
  if (sizes.picked)
    seen = getFunctionExpr(ExprKind::Min, {kv, sizes.picked});
  double least = kernel.getCoefficient("expanded_from_new_tokens");
  // Sets that have no number of tokens go by the step.
  absorbed = least == 0 ? getDecodeExpr(context)
                        : getFunctionExpr(ExprKind::Less, {q, number(least)});
}

ExprAttr LatentAttentionWork::number(double value) {
  return ExprAttr::constant(context, value);
}

ExprAttr LatentAttentionWork::sumAbsorbed(ExprAttr expr) {
  return bind(sumOverRequests(expr * absorbed), workload);
}

ExprAttr LatentAttentionWork::sumExpanded(ExprAttr expr) {
  return bind(sumOverRequests(expr - expr * absorbed), workload);
}

ExprAttr LatentAttentionWork::getBlocks(ExprAttr tokens) {
  return getFunctionExpr(
      ExprKind::CeilDiv,
      {tokens, number(static_cast<double>(sizes.blockSize))});
}

/// A block table as wide as the longest request.
ExprAttr LatentAttentionWork::getTable() {
  return bind(getSequencesExpr(context) * getBlocks(maxOverRequests(kv)) *
                  kIndexBytes,
              workload);
}

void LatentAttentionWork::build(OpBuilder &builder, Location loc) {
  buildProducts(builder, loc);
  if (sizes.isQuantized)
    buildConversions(builder, loc);
  // Either form of the weight has as many elements; the start of each request
  // in the packed tokens, and two lengths.
  ExprAttr forms =
      bind(maxOverRequests(absorbed) + maxOverRequests(number(1) - absorbed),
           workload);
  ExprAttr lengths =
      bind((getSequencesExpr(context) * 3 + 1) * kIndexBytes, workload);
  lengths = lengths + kernel.getCoefficient("other_scale_bytes");
  ascend::GatherOp::create(builder, loc, forms, number(sizes.weightBytes),
                           lengths);
  if (sizes.picked)
    buildSparseReads(builder, loc);
  else
    buildReads(builder, loc);
}

void LatentAttentionWork::buildProducts(OpBuilder &builder, Location loc) {
  auto heads = static_cast<double>(sizes.weightHeads);
  auto rank = static_cast<double>(sizes.rank);
  auto rest = static_cast<double>(sizes.keySize - sizes.ropeSize);
  auto value = static_cast<double>(sizes.valueSize);
  ExprAttr softmax = number(kernel.getCoefficient("softmax_ops_per_score"));
  auto add = [&](ExprAttr tokens, ExprAttr pairs, int64_t key, int64_t mixed) {
    if (tokens.isConstant(0))
      return;
    // The weight meets new tokens in either form.
    ascend::MatmulOp::create(builder, loc, tokens,
                             number(heads * (rest + value)), number(rank),
                             sizes.productType);
    ascend::AttentionOp::create(
        builder, loc, pairs, sizes.heads, key, mixed, softmax,
        /*rows=*/number(0), /*kv_heads=*/1, /*metadata=*/number(0),
        sizes.productType, sizes.productType, sizes.softmaxType);
  };
  add(sumExpanded(q), sumExpanded(q * seen), sizes.keySize, sizes.valueSize);
  add(sumAbsorbed(q), sumAbsorbed(q * seen), sizes.rank + sizes.ropeSize,
      sizes.rank);
}

void LatentAttentionWork::buildConversions(OpBuilder &builder, Location loc) {
  auto heads = static_cast<double>(sizes.heads);
  auto expanded =
      static_cast<double>(sizes.keySize - sizes.ropeSize + sizes.valueSize);
  auto add = [&](StringRef coefficient, ExprAttr elements) {
    addOperations(builder, loc, kernel, coefficient, elements,
                  sizes.softmaxType);
  };
  // Of keys and values, or of absorbed queries and results.
  add("conversion_ops_per_element",
      sumExpanded(q) * (heads * expanded) +
          sumAbsorbed(q) * (heads * 2 * static_cast<double>(sizes.rank)));
  ExprAttr scored = kernel.getCoefficient("converts_all_scores") ? kv : seen;
  add("conversion_ops_per_score",
      bind(sumOverRequests(q * scored), workload) * heads);
  add("output_ops_per_element",
      bind(getTokensExpr(context), workload) *
          (heads * static_cast<double>(sizes.valueSize)));
}

void LatentAttentionWork::buildReads(OpBuilder &builder, Location loc) {
  ascend::GatherOp::create(builder, loc, bind(sumOverRequests(kv), workload),
                           number(sizes.rowBytes), getTable());
}

void LatentAttentionWork::buildSparseReads(OpBuilder &builder, Location loc) {
  bool readsAll = kernel.getCoefficient("prefill_reads_all") != 0;
  auto add = [&](StringRef step, ExprAttr isStep, ExprAttr tokens, auto sum) {
    ExprAttr passes = getPasses(kernel, step, q);
    ExprAttr blocks = maxOverRequests(getBlocks(seen) * isStep);
    ExprAttr share = bind(getReadShare(kernel, step, blocks), workload);
    ExprAttr rows = divide(sum(passes * tokens), share);
    ExprAttr index = sum(passes * getBlocks(tokens)) * kIndexBytes;
    if (kernel.getCoefficient("reads_whole_block_table"))
      index = number(0);
    if (!rows.isConstant(0))
      ascend::GatherOp::create(builder, loc, rows, number(sizes.rowBytes),
                               index);
  };
  add("prefill", number(1) - absorbed, readsAll ? kv : seen,
      [&](ExprAttr expr) { return sumExpanded(expr); });
  add("decode", absorbed, seen,
      [&](ExprAttr expr) { return sumAbsorbed(expr); });
  if (kernel.getCoefficient("reads_whole_block_table"))
    ascend::GatherOp::create(builder, loc, number(0), number(0), getTable());
}
