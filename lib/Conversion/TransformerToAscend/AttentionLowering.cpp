//===- AttentionLowering.cpp - Attention over a cache ---------------------===//

#include "LaunchBuilder.h"

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
    double rowBytes = *getElementBytes(cache.getElementType());
    for (int64_t size : cache.getShape())
      rowBytes *= static_cast<double>(size);
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

struct LowerAttention : LoweringPattern<AttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    KVCacheType cache = op.getCache().getType();
    RankedTensorType type = op.getType();
    WorkloadAttr workload = getWorkload(op.getBatch());
    ExprAttr q = getNewTokensExpr(context), kv = getTotalTokensExpr(context);
    ExprAttr sequences = getSequencesExpr(context);

    // Every new token meets every token of its request: kernels skip no blocks
    // for causality here.
    ExprAttr pairs = bind(sumOverRequests(q * kv), workload);
    ExprAttr rows = bind(sumOverRequests(kv), workload);
    // A block table as wide as the longest request, the starts of the
    // requests in the packed tokens, and two lengths of each.
    ExprAttr blockSize = ExprAttr::constant(context, cache.getBlockSize());
    ExprAttr blocks =
        getFunctionExpr(ExprKind::CeilDiv, {maxOverRequests(kv), blockSize});
    ExprAttr metadata =
        bind((sequences * blocks + sequences + 1 + 2 * sequences) * indexBytes,
             workload);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ascend::AttentionOp::create(
          builder, loc, pairs, type.getDimSize(1), type.getDimSize(2),
          cache.getHeadSize(),
          ExprAttr::constant(context,
                             kernel.getCoefficient("softmax_ops_per_score")),
          rows, cache.getNumHeads(), metadata, type.getElementType(),
          cache.getElementType());
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"attention",
                              {op.getQuery()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};
} // namespace

void mlir::tensorcast::populateAttentionLowering(RewritePatternSet &patterns,
                                                 const KernelSet &kernels) {
  patterns.add<LowerAppendCache, LowerAttention>(patterns.getContext(),
                                                 kernels);
}
