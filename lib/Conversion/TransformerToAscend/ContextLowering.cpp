//===- ContextLowering.cpp - Attention over a shared cache ----------------===//

#include "LatentWork.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static ExprAttr number(Operation *op, int64_t value) {
  return ExprAttr::constant(op->getContext(), static_cast<double>(value));
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Every head meets the same cached rows, which are read once.
struct LowerPartialLatentAttention : LoweringPattern<PartialLatentAttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(PartialLatentAttentionOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    KVCacheType cache = op.getCache().getType();
    RankedTensorType query = op.getQuery().getType();
    WorkloadAttr workload = getWorkload(op.getBatch());
    ExprAttr q = getNewTokensExpr(context);
    ExprAttr kept = getKeptTokensExpr(context, cache.getShare());
    ExprAttr blocks =
        getFunctionExpr(ExprKind::CeilDiv, {maxOverRequests(kept),
                                            number(op, cache.getBlockSize())});
    // A block table as wide as the longest request, the starts of the requests
    // in the packed tokens, and two lengths of each.
    ExprAttr metadata = bind((getSequencesExpr(context) * blocks +
                              getSequencesExpr(context) * 3 + 1) *
                                 kIndexBytes,
                             workload);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ascend::AttentionOp::create(
          builder, loc, bind(sumOverRequests(q * kept), workload),
          query.getDimSize(1), cache.getTokenSize(),
          static_cast<int64_t>(op.getRank()),
          ExprAttr::constant(context,
                             kernel.getCoefficient("softmax_ops_per_score")),
          /*rows=*/number(op, 0), /*kv_heads=*/1, /*metadata=*/number(op, 0),
          query.getElementType(), query.getElementType(),
          query.getElementType());
      ascend::GatherOp::create(
          builder, loc, bind(sumOverRequests(kept), workload),
          ExprAttr::constant(context, getRowBytes(cache)), metadata);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"partial_latent_attention",
                              {op.getQuery()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The results of all devices
//===----------------------------------------------------------------------===//

namespace {
struct LowerExchangeHeads : LoweringPattern<ExchangeHeadsOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ExchangeHeadsOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr bytes = getSentBytes(op.getInput().getType(), op.getRanks());
    if (!bytes)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::CollectiveOp::create(
          builder, loc, ascend::CollectiveKind::AllToAll, bytes, op.getRanks());
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"exchange_heads", {op.getInput()}, {}, {}, work});
  }
};

/// Each feature is multiplied and added; weights take a maximum, a difference,
/// an exponential, a sum and a quotient.
struct LowerMergeAttention : LoweringPattern<MergeAttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(MergeAttentionOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType parts = op.getParts().getType();
    SmallVector<Dim> dims = getDims(parts);
    ExprAttr features = getNumElements(parts);
    dims.back() = Dim(1);
    ExprAttr weights =
        getNumElements(getTensorType(dims, parts.getElementType()));
    if (!features || !weights)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, features,
                         parts.getElementType());
      addOperations(builder, loc, kernel, "weight_ops_per_head", weights,
                    parts.getElementType());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"merge_attention", {op.getParts()}, {}, {}, work});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The weight of latent attention, on queries and results
//===----------------------------------------------------------------------===//

/// The rows of `weight` that make keys, or values, of `size` features each.
static Value getWeightPart(OpBuilder &builder, Value weight, int64_t heads,
                           int64_t size) {
  auto type = cast<RankedTensorType>(weight.getType());
  auto part = RankedTensorType::get({heads * size, type.getDimSize(1)},
                                    type.getElementType());
  return ascend::ViewOp::create(builder, weight.getLoc(), TypeRange{part},
                                weight)
      .getResult(0);
}

namespace {
/// One product per head.
template <typename SourceOp>
struct LowerWeightProduct : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    Value input = op->getOperand(0);
    auto type = cast<RankedTensorType>(input.getType());
    ExprAttr tokens = getRows(type);
    if (!tokens)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    int64_t heads = type.getDimSize(1);
    int64_t rank = op.getWeight().getType().getDimSize(1);
    auto [size, columns, reduced] = getSizes(op, rank);
    Value part = getWeightPart(rewriter, op.getWeight(), heads, size);
    auto work = [&, columns = columns, reduced = reduced](
                    OpBuilder &builder, Location loc, const Kernel &) {
      ascend::MatmulOp::create(builder, loc, tokens,
                               number(op, heads * columns), number(op, reduced),
                               type.getElementType());
    };
    return replaceWithLaunch(
        op, this->kernels, rewriter,
        {op->getName().stripDialect(), {input, part}, {}, {}, work});
  }

private:
  /// Rows of the weight per head, and the sizes of a head's product.
  static std::tuple<int64_t, int64_t, int64_t> getSizes(AbsorbQueryOp op,
                                                        int64_t rank) {
    return {op.getKeySize(), rank, op.getKeySize()};
  }
  static std::tuple<int64_t, int64_t, int64_t> getSizes(ExpandValuesOp op,
                                                        int64_t rank) {
    int64_t size = op.getType().getDimSize(2);
    return {size, size, rank};
  }
};
} // namespace

void mlir::tensorcast::populateContextLowering(RewritePatternSet &patterns,
                                               const KernelSet &kernels) {
  patterns.add<LowerExchangeHeads, LowerMergeAttention,
               LowerPartialLatentAttention, LowerWeightProduct<AbsorbQueryOp>,
               LowerWeightProduct<ExpandValuesOp>>(patterns.getContext(),
                                                   kernels);
}
