//===- QuantizeCompressed.cpp - Quantize compressed attention -------------===//

#include "Quantization.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// The weight is kept narrow; the kernel reads it as floats.
struct QuantizeGroupedProjection : OpRewritePattern<GroupedProjectionOp> {
  QuantizeGroupedProjection(MLIRContext *context,
                            const QuantizationScheme &scheme,
                            const NameFilter &filter)
      : OpRewritePattern(context), scheme(scheme), filter(filter) {}

  LogicalResult matchAndRewrite(GroupedProjectionOp op,
                                PatternRewriter &rewriter) const override {
    Value wide = op.getWeight();
    if (wide.getDefiningOp<LoadWeightOp>())
      return rewriter.notifyMatchFailure(op, "quantized already");
    auto weight = wide.getDefiningOp<WeightOp>();
    if (!weight)
      return missQuantization(op, rewriter, "its weight is not declared");
    if (!filter.accepts(weight))
      return rewriter.notifyMatchFailure(op, "excluded by its name");
    NarrowWeight narrow = NarrowWeight::declare(rewriter, weight, scheme);
    Value loaded = LoadWeightOp::create(
        rewriter, wide.getLoc(), wide.getType(), narrow.weight, narrow.scale,
        /*resultScale=*/Value(), scheme.getGroupSizeAttr(rewriter));
    rewriter.modifyOpInPlace(op, [&] { op.getWeightMutable().assign(loaded); });
    if (weight->use_empty())
      rewriter.eraseOp(weight);
    return success();
  }

private:
  QuantizationScheme scheme;
  const NameFilter &filter;
};

/// What the indexer compares with is kept in 8 bits; the rows of attention stay
/// as they are.
struct NarrowIndexerCache : OpRewritePattern<PickCompressedOp> {
  NarrowIndexerCache(MLIRContext *context, Type type)
      : OpRewritePattern(context), type(type) {}

  LogicalResult matchAndRewrite(PickCompressedOp op,
                                PatternRewriter &rewriter) const override {
    auto compress = op.getCache().getDefiningOp<CompressOp>();
    auto cache =
        compress ? compress.getCache().getDefiningOp<KVCacheOp>() : KVCacheOp();
    if (!cache || !cache->hasOneUse() || !compress.getCacheAfter().hasOneUse())
      return missQuantization(
          op, rewriter, "its cache is not declared, written and read once");
    KVCacheType old = cache.getType();
    auto narrow = KVCacheType::get(old.getContext(), old.getShape(), type,
                                   old.getBlockSize());
    if (narrow == old)
      return rewriter.notifyMatchFailure(op, "quantized already");
    rewriter.modifyOpInPlace(cache, [&] { cache.getResult().setType(narrow); });
    rewriter.modifyOpInPlace(compress,
                             [&] { compress.getCacheAfter().setType(narrow); });
    return success();
  }

private:
  Type type;
};
} // namespace

void mlir::transformer::populateQuantizeCompressed(
    RewritePatternSet &patterns, const QuantizationScheme &scheme,
    const NameFilter &filter) {
  patterns.add<QuantizeGroupedProjection>(patterns.getContext(), scheme,
                                          filter);
}

void mlir::transformer::populateQuantizeCompressedCaches(
    RewritePatternSet &patterns, Type type) {
  patterns.add<NarrowIndexerCache>(patterns.getContext(), type);
}
