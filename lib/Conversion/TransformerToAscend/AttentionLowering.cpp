//===- AttentionLowering.cpp - Attention over a cache ---------------------===//

#include "LatentWork.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include <cmath>

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
    Extras extras = getExtras(op);
    std::optional<double> picked = extras.getPickedTokens();
    if (extras.blocks && !picked)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    BatchExprs batch(op.getBatch(), cache.getBlockSize(), share, extras.window,
                     picked);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ascend::AttentionOp::create(
          builder, loc, batch.pairs, query.getDimSize(1), query.getDimSize(2),
          cache.getValueSize(),
          ExprAttr::constant(context,
                             kernel.getCoefficient("softmax_ops_per_score")),
          batch.rows, cache.getNumHeads(), batch.metadata,
          query.getElementType(), cache.getElementType(), softmaxType);
      // A sink is one more score per token and head.
      double sinkOps = kernel.getCoefficient("sink_ops_per_head");
      if (extras.sink && sinkOps != 0)
        ascend::ElementwiseOp::create(
            builder, loc,
            bind(getTokensExpr(context), getWorkload(op.getBatch())) *
                static_cast<double>(query.getDimSize(1)),
            ExprAttr::constant(context, sinkOps), softmaxType);
      double outputOps = kernel.getCoefficient("output_ops_per_element");
      if (outputOps != 0)
        ascend::ElementwiseOp::create(builder, loc, elements,
                                      ExprAttr::constant(context, outputOps),
                                      softmaxType);
    };
    LaunchParts parts = {
        "attention", {op.getQuery()}, {op.getCache(), op.getBatch()}, {}, work};
    if (extras.blocks) {
      parts.kernel = "block_sparse_attention";
      parts.inputs.push_back(extras.blocks);
    }
    std::string name = addScales(op, parts);
    parts.kernel = name;
    if (extras.sink)
      parts.inputs.push_back(extras.sink);
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

  /// What attention to all tokens does without.
  struct Extras {
    Value sink, blocks;
    std::optional<int64_t> window, blockSize;

    /// How many tokens of a request the blocks of a token hold at most; none
    /// where there are no blocks, or their number is not known.
    std::optional<double> getPickedTokens() const {
      if (!blocks)
        return std::nullopt;
      auto type = cast<RankedTensorType>(blocks.getType());
      if (ShapedType::isDynamic(type.getDimSize(2)))
        return std::nullopt;
      return static_cast<double>(type.getDimSize(2)) * *blockSize;
    }
  };
  static Extras getExtras(PartialAttentionOp) { return {}; }
  template <typename WholeOp> static Extras getExtras(WholeOp op) {
    return {op.getSink(), op.getBlocks(), op.getWindow(), op.getBlockSize()};
  }

  /// Adds the scales of quantized operands; the name of the kernel.
  static std::string addScales(AttentionOp, LaunchParts &parts) {
    return parts.kernel.str();
  }
  static std::string addScales(PartialAttentionOp op, LaunchParts &parts) {
    parts.kernel = "partial_attention";
    return op.getQueryScale() ? addScaleInputs(op, parts) : parts.kernel.str();
  }
  static std::string addScales(QuantizedAttentionOp op, LaunchParts &parts) {
    return addScaleInputs(op, parts);
  }
  static std::string addScaleInputs(AttentionLikeOp op, LaunchParts &parts) {
    if constexpr (std::is_same_v<AttentionLikeOp, AttentionOp>)
      return parts.kernel.str();
    else {
      bool isFloat = isa<FloatType>(op.getCache().getType().getElementType());
      llvm::append_values(parts.inputs, op.getQueryScale(), op.getKeyScale(),
                          op.getValueScale());
      return ("quantized_" + parts.kernel + (isFloat ? "_fp8" : "")).str();
    }
  }

  /// What attention needs to know of the batch.
  struct BatchExprs {
    ExprAttr pairs, rows, metadata;

    BatchExprs(Value batch, int64_t blockSize, int64_t share,
               std::optional<int64_t> window, std::optional<double> picked) {
      MLIRContext *context = batch.getContext();
      WorkloadAttr workload = getWorkload(batch);
      ExprAttr q = getNewTokensExpr(context);
      ExprAttr kv = getKeptTokensExpr(context, share);
      ExprAttr sequences = getSequencesExpr(context);
      auto number = [&](double value) {
        return ExprAttr::constant(context, value);
      };
      auto least = [](ExprAttr lhs, ExprAttr rhs) {
        return getFunctionExpr(ExprKind::Min, {lhs, rhs});
      };
      // Every new token meets every token of its request: kernels skip no
      // blocks for causality here. A window ends at the new token, so that
      // those of all new tokens together are as much longer as they are more.
      ExprAttr met = kv, table = kv;
      if (window) {
        auto size = static_cast<double>(*window);
        met = least(met, number(size));
        table = least(table, q + (size - 1));
      }
      ExprAttr read = table;
      if (picked) {
        met = least(met, number(*picked));
        read = least(read, q * *picked);
      }
      pairs = bind(sumOverRequests(q * met), workload);
      rows = bind(sumOverRequests(read), workload);
      // A block table as wide as the longest request, the starts of the
      // requests in the packed tokens, and two lengths of each.
      ExprAttr blocks = getFunctionExpr(
          ExprKind::CeilDiv,
          {maxOverRequests(table), number(static_cast<double>(blockSize))});
      metadata = bind((sequences * blocks + sequences + 1 + 2 * sequences) *
                          indexBytes,
                      workload);
    }
  };
};

/// Index keys are cached as rows that all heads share.
struct LowerAppendIndexCache : LoweringPattern<AppendIndexCacheOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AppendIndexCacheOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    KVCacheType cache = op.getType();
    ExprAttr tokens = bind(getTokensExpr(context), getWorkload(op.getBatch()));
    double rowBytes = *getElementBytes(cache.getElementType()) *
                      static_cast<double>(cache.getTokenSize());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::ScatterOp::create(builder, loc, tokens,
                                ExprAttr::constant(context, rowBytes),
                                tokens * indexBytes);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"append_index_cache",
                              {op.getKey()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};

/// Scores of all cached tokens, the best of each block, and the best blocks.
struct LowerBlockIndexer : LoweringPattern<BlockIndexerOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(BlockIndexerOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    WorkloadAttr workload = getWorkload(op.getBatch());
    KVCacheType cache = op.getCache().getType();
    RankedTensorType query = op.getQuery().getType();
    if (ShapedType::isDynamic(query.getDimSize(1)))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto number = [&](double value) {
      return ExprAttr::constant(context, value);
    };
    auto heads = static_cast<double>(query.getDimSize(1));
    auto size = static_cast<double>(cache.getTokenSize());
    ExprAttr q = getNewTokensExpr(context), kv = getTotalTokensExpr(context);
    ExprAttr blocks =
        getFunctionExpr(ExprKind::CeilDiv,
                        {kv, number(static_cast<double>(op.getBlockSize()))});
    ExprAttr pairs = bind(sumOverRequests(q * kv), workload);
    ExprAttr ranked = bind(sumOverRequests(q * blocks), workload);
    ExprAttr rows = bind(sumOverRequests(kv), workload);
    ExprAttr table = bind(getSequencesExpr(context) *
                              (maxOverRequests(blocks) + 2) * indexBytes,
                          workload);
    double steps = std::ceil(std::log2(std::max<double>(2, op.getTopK())));
    Type type = query.getElementType();
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ascend::MatmulOp::create(builder, loc, pairs, number(heads), number(size),
                               type);
      ascend::ElementwiseOp::create(
          builder, loc, pairs * heads,
          number(kernel.getCoefficient("ops_per_score")), type);
      ascend::ElementwiseOp::create(
          builder, loc, ranked * heads,
          number(kernel.getCoefficient("top_k_ops_per_block_and_step") * steps),
          type);
      double rowBytes = size * *getElementBytes(cache.getElementType());
      ascend::GatherOp::create(builder, loc, rows, number(rowBytes), table);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"block_indexer",
                              {op.getQuery()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};
} // namespace

void mlir::tensorcast::populateAttentionLowering(RewritePatternSet &patterns,
                                                 const KernelSet &kernels) {
  patterns.add<LowerAppendCache, LowerAppendIndexCache,
               LowerAttention<AttentionOp>, LowerAttention<PartialAttentionOp>,
               LowerAttention<QuantizedAttentionOp>, LowerBlockIndexer>(
      patterns.getContext(), kernels);
}
