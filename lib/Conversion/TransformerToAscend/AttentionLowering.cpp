//===- AttentionLowering.cpp - Attention over a cache ---------------------===//

#include "LatentWork.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Indices, lengths and block numbers are 64-bit integers.
static constexpr double indexBytes = 8;

namespace {
/// The cache is changed in place: the new rows are read, then written to their
/// slots.
struct LowerAppendCache : LoweringPattern<AppendCacheOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AppendCacheOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    KVCacheType cache = op.getType();
    ExprAttr tokens = bind(getTokensExpr(context), getWorkload(op.getBatch()));
    tokens = getWrittenRows(tokens, cache, kernels.lookup("append_cache"));
    double rowBytes = *getElementBytes(cache.getElementType()) *
                      static_cast<double>(cache.getTokenSize());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::ScatterOp::create(builder, loc, tokens,
                                ExprAttr::constant(context, rowBytes),
                                tokens * indexBytes);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"append_cache",
                              {op.getKey(), op.getValue()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};

/// Attention over the cache, or the part of it that a device keeps; quantized
/// attention also converts its scores and its result.
template <typename AttentionLikeOp>
struct LowerAttention : LoweringPattern<AttentionLikeOp> {
  using LoweringPattern<AttentionLikeOp>::LoweringPattern;

  LogicalResult matchAndRewrite(AttentionLikeOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    KVCacheType cache = op.getCache().getType();
    auto query = cast<RankedTensorType>(op.getQuery().getType());
    Type softmaxType = getSoftmaxType(op);
    ExprAttr elements = getNumElements(query);
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    int64_t share = isa<PartialAttentionOp>(op) ? cache.getShare() : 1;
    BatchExprs batch(op.getBatch(), cache.getBlockSize(), share);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ascend::AttentionOp::create(
          builder, loc, batch.pairs, query.getDimSize(1), query.getDimSize(2),
          cache.getHeadSize(),
          ExprAttr::constant(context,
                             kernel.getCoefficient("softmax_ops_per_score")),
          batch.rows, cache.getNumHeads(), batch.metadata,
          query.getElementType(), cache.getElementType(), softmaxType);
      double outputOps = kernel.getCoefficient("output_ops_per_element");
      if (outputOps != 0)
        ascend::ElementwiseOp::create(builder, loc, elements,
                                      ExprAttr::constant(context, outputOps),
                                      softmaxType);
    };
    LaunchParts parts = {
        "attention", {op.getQuery()}, {op.getCache(), op.getBatch()}, {}, work};
    addScales(op, parts);
    return replaceWithLaunch(op, this->kernels, rewriter, parts);
  }

private:
  static Type getSoftmaxType(PartialAttentionOp op) {
    Type query =
        cast<RankedTensorType>(op.getQuery().getType()).getElementType();
    return op.getQueryScale() ? op.getType().getElementType() : query;
  }
  template <typename WholeOp> static Type getSoftmaxType(WholeOp op) {
    return op.getType().getElementType();
  }

  static void addScales(AttentionOp, LaunchParts &) {}
  static void addScales(QuantizedAttentionOp op, LaunchParts &parts) {
    bool isFloat = isa<FloatType>(op.getCache().getType().getElementType());
    parts.kernel = isFloat ? "quantized_attention_fp8" : "quantized_attention";
    llvm::append_values(parts.inputs, op.getQueryScale(), op.getKeyScale(),
                        op.getValueScale());
  }
  static void addScales(PartialAttentionOp op, LaunchParts &parts) {
    parts.kernel = "partial_attention";
    if (!op.getQueryScale())
      return;
    bool isFloat = isa<FloatType>(op.getCache().getType().getElementType());
    parts.kernel = isFloat ? "quantized_partial_attention_fp8"
                           : "quantized_partial_attention";
    llvm::append_values(parts.inputs, op.getQueryScale(), op.getKeyScale(),
                        op.getValueScale());
  }

  /// What attention needs to know of the batch.
  struct BatchExprs {
    ExprAttr pairs, rows, metadata;

    BatchExprs(Value batch, int64_t blockSize, int64_t share) {
      MLIRContext *context = batch.getContext();
      WorkloadAttr workload = getWorkload(batch);
      ExprAttr q = getNewTokensExpr(context);
      ExprAttr kv = getKeptTokensExpr(context, share);
      ExprAttr sequences = getSequencesExpr(context);
      // Every new token meets every token of its request: kernels skip no
      // blocks for causality here.
      pairs = bind(sumOverRequests(q * kv), workload);
      rows = bind(sumOverRequests(kv), workload);
      // A block table as wide as the longest request, the starts of the
      // requests in the packed tokens, and two lengths of each.
      ExprAttr blocks = getFunctionExpr(
          ExprKind::CeilDiv,
          {maxOverRequests(kv),
           ExprAttr::constant(context, static_cast<double>(blockSize))});
      metadata = bind((sequences * blocks + sequences + 1 + 2 * sequences) *
                          indexBytes,
                      workload);
    }
  };
};
} // namespace

void mlir::tensorcast::populateAttentionLowering(RewritePatternSet &patterns,
                                                 const KernelSet &kernels) {
  patterns.add<LowerAppendCache, LowerAttention<AttentionOp>,
               LowerAttention<PartialAttentionOp>,
               LowerAttention<QuantizedAttentionOp>>(patterns.getContext(),
                                                     kernels);
}
