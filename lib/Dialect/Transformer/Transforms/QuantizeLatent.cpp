//===- QuantizeLatent.cpp - Quantize latent attention ---------------------===//

#include "Quantization.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

/// How many of `weights` are declared, with names that `filter` accepts.
static size_t countAccepted(ValueRange weights, const NameFilter &filter) {
  return llvm::count_if(weights, [&](Value value) {
    auto weight = value.getDefiningOp<WeightOp>();
    return weight && filter.accepts(weight);
  });
}

static void eraseUnused(PatternRewriter &rewriter, ValueRange weights) {
  for (Value value : weights)
    if (Operation *weight = value.getDefiningOp(); weight->use_empty())
      rewriter.eraseOp(weight);
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
template <typename SourceOp> struct LatentPattern : OpRewritePattern<SourceOp> {
  LatentPattern(MLIRContext *context, const QuantizationScheme &scheme,
                const NameFilter &filter)
      : OpRewritePattern<SourceOp>(context), scheme(scheme), filter(filter) {}

protected:
  /// Checks that all of `weights` are to be quantized, as one kernel reads
  /// them.
  LogicalResult checkWeights(SourceOp op, ValueRange weights,
                             PatternRewriter &rewriter) const {
    size_t accepted = countAccepted(weights, filter);
    if (accepted == weights.size())
      return success();
    if (accepted == 0)
      return rewriter.notifyMatchFailure(op, "excluded by its names");
    return missQuantization(op, rewriter,
                            "one kernel reads its weights, and not all of them "
                            "are declared and chosen by their names");
  }

  SmallVector<NarrowWeight> declare(ValueRange weights,
                                    PatternRewriter &rewriter) const {
    return llvm::map_to_vector(weights, [&](Value weight) {
      return NarrowWeight::declare(rewriter, weight.getDefiningOp<WeightOp>(),
                                   scheme);
    });
  }

  QuantizationScheme scheme;
  const NameFilter &filter;
};

struct QuantizeProjection : LatentPattern<LatentProjectionOp> {
  using LatentPattern::LatentPattern;

  LogicalResult matchAndRewrite(LatentProjectionOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> weights = {op.getQueryDown(), op.getQueryUp(),
                                  op.getLatentDown()};
    if (failed(checkWeights(op, weights, rewriter)))
      return failure();
    SmallVector<NarrowWeight> narrow = declare(weights, rewriter);
    TypeAttr activation;
    Value inputScale, latentScale;
    if (scheme.activationType)
      activation = TypeAttr::get(scheme.activationType);
    if (scheme.activationType && scheme.isStatic) {
      auto declareInput = [&](Value weight) {
        StringRef name = weight.getDefiningOp<WeightOp>().getName();
        name.consume_back(kWeightSuffix);
        return declareScale(rewriter, op.getLoc(), name + ".input_scale");
      };
      inputScale = declareInput(op.getQueryDown());
      latentScale = declareInput(op.getQueryUp());
    }
    rewriter.replaceOpWithNewOp<QuantizedLatentProjectionOp>(
        op, op->getResultTypes(), op.getInput(), op.getTable(),
        narrow[0].weight, op.getQueryNorm(), narrow[1].weight, narrow[2].weight,
        op.getLatentNorm(), narrow[0].scale, narrow[1].scale, narrow[2].scale,
        inputScale, latentScale, activation, scheme.getGroupSizeAttr(rewriter),
        op.getHeadSizeAttr(), op.getEpsAttr(), op.getStyle());
    eraseUnused(rewriter, weights);
    return success();
  }
};

struct QuantizeIndexer : LatentPattern<LightningIndexerOp> {
  using LatentPattern::LatentPattern;

  LogicalResult matchAndRewrite(LightningIndexerOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getQueryUpScale())
      return rewriter.notifyMatchFailure(op, "quantized already");
    SmallVector<Value> weights = {op.getQueryUp()};
    if (!scheme.floatSparseKeys)
      llvm::append_values(weights, op.getKeyDown(), op.getHeadWeights());
    if (failed(checkWeights(op, weights, rewriter)))
      return failure();
    SmallVector<NarrowWeight> narrow = declare(weights, rewriter);
    if (scheme.floatSparseKeys) {
      narrow.push_back({op.getKeyDown(), {}});
      narrow.push_back({op.getHeadWeights(), {}});
    }
    rewriter.replaceOpWithNewOp<LightningIndexerOp>(
        op, op->getResultTypes(), op.getInput(), op.getQueryLatent(),
        op.getTable(), op.getCache(), op.getBatch(), narrow[0].weight,
        narrow[1].weight, narrow[2].weight, op.getNormWeight(),
        op.getNormBias(), narrow[0].scale, narrow[1].scale, narrow[2].scale,
        scheme.getGroupSizeAttr(rewriter), op.getTopKAttr(), op.getEpsAttr(),
        op.getStyle());
    eraseUnused(rewriter, weights);
    return success();
  }
};

/// The weight is kept narrow; kernels read it as floats.
struct QuantizeAttentionWeight : LatentPattern<LatentAttentionOp> {
  using LatentPattern::LatentPattern;

  LogicalResult matchAndRewrite(LatentAttentionOp op,
                                PatternRewriter &rewriter) const override {
    Value wide = op.getWeight();
    if (wide.getDefiningOp<LoadWeightOp>())
      return rewriter.notifyMatchFailure(op, "quantized already");
    if (op.getIndices() && scheme.floatSparseKeys)
      return rewriter.notifyMatchFailure(op, "makes keys of sparse attention");
    if (failed(checkWeights(op, wide, rewriter)))
      return failure();
    NarrowWeight narrow = declare(wide, rewriter).front();
    Value loaded = LoadWeightOp::create(
        rewriter, wide.getLoc(), wide.getType(), narrow.weight, narrow.scale,
        /*resultScale=*/Value(), scheme.getGroupSizeAttr(rewriter));
    rewriter.modifyOpInPlace(op, [&] { op.getWeightMutable().assign(loaded); });
    eraseUnused(rewriter, wide);
    return success();
  }
};

/// The same where devices share the cache: queries and results meet the weight,
/// which is loaded once.
struct QuantizeAbsorbedWeight : LatentPattern<AbsorbQueryOp> {
  using LatentPattern::LatentPattern;

  LogicalResult matchAndRewrite(AbsorbQueryOp op,
                                PatternRewriter &rewriter) const override {
    Value wide = op.getWeight();
    if (wide.getDefiningOp<LoadWeightOp>())
      return rewriter.notifyMatchFailure(op, "quantized already");
    if (failed(checkWeights(op, wide, rewriter)))
      return failure();
    NarrowWeight narrow = declare(wide, rewriter).front();
    Value loaded = LoadWeightOp::create(
        rewriter, wide.getLoc(), wide.getType(), narrow.weight, narrow.scale,
        /*resultScale=*/Value(), scheme.getGroupSizeAttr(rewriter));
    rewriter.replaceUsesWithIf(wide, loaded, [](OpOperand &use) {
      return isa<AbsorbQueryOp, ExpandValuesOp>(use.getOwner());
    });
    eraseUnused(rewriter, wide);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The attention itself
//===----------------------------------------------------------------------===//

namespace {
/// latent_attention -> quantized queries and latents + one in 8 bits.
struct QuantizeLatentAttention : OpRewritePattern<LatentAttentionOp> {
  QuantizeLatentAttention(MLIRContext *context, Type type)
      : OpRewritePattern(context), type(type) {}

  LogicalResult matchAndRewrite(LatentAttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto append = op.getCache().getDefiningOp<AppendLatentCacheOp>();
    auto cache =
        append ? append.getCache().getDefiningOp<KVCacheOp>() : KVCacheOp();
    if (!cache || !append->hasOneUse() || !cache->hasOneUse())
      return missQuantization(
          op, rewriter, "its cache is not declared, written and read once");
    auto loaded = op.getWeight().getDefiningOp<LoadWeightOp>();
    if (!loaded)
      return missQuantization(op, rewriter, "its weight is not quantized");
    rewriter.setInsertionPoint(append);
    auto declare = [&](StringRef name) {
      return declareScale(rewriter, op.getLoc(), cache.getName() + name);
    };
    auto quantize = [&](Value value, Value scale) -> Value {
      Type narrow = withElementType(getTensor(value), type);
      return QuantizeOp::create(rewriter, op.getLoc(), narrow, value, scale);
    };
    Value cacheScale = declare(".kv_scale");
    Value latent = quantize(append.getLatent(), cacheScale);
    Value key = quantize(append.getRopeKey(), cacheScale);
    Value narrowCache = narrowStorage(rewriter, cache);
    Value full = AppendLatentCacheOp::create(rewriter, append.getLoc(),
                                             narrowCache.getType(), latent, key,
                                             narrowCache, append.getBatch());
    rewriter.setInsertionPoint(op);
    Value queryScale = declare(".q_scale");
    Value query = quantize(op.getQuery(), queryScale);
    auto [weight, weightScale] = narrowWeight(rewriter, loaded);
    rewriter.replaceOpWithNewOp<QuantizedLatentAttentionOp>(
        op, op.getType(), query, full, op.getBatch(), weight, op.getIndices(),
        queryScale, cacheScale, weightScale, op.getScaleAttr());
    rewriter.eraseOp(append);
    rewriter.eraseOp(cache);
    if (loaded->use_empty())
      rewriter.eraseOp(loaded);
    return success();
  }

private:
  Value narrowStorage(PatternRewriter &rewriter, KVCacheOp cache) const {
    return KVCacheOp::create(
        rewriter, cache.getLoc(), cache.getType().withElementType(type),
        cache.getNameAttr(), cache.getAuxiliary(), cache.getSpareAttr(),
        cache.getWindowAttr(), cache.getRatioAttr());
  }

  /// The weight as it is kept, if that is as narrow, or made so.
  std::pair<Value, Value> narrowWeight(PatternRewriter &rewriter,
                                       LoadWeightOp loaded) const {
    RankedTensorType kept = loaded.getWeight().getType();
    if (kept.getElementType() == type && !loaded.getGroupSize())
      return {loaded.getWeight(), loaded.getScale()};
    auto declared = loaded.getWeight().getDefiningOp<WeightOp>();
    StringRef name = declared.getName();
    name.consume_back(kWeightSuffix);
    Value scale =
        declareScale(rewriter, loaded.getLoc(), name + ".narrow_scale");
    Value weight = LoadWeightOp::create(rewriter, loaded.getLoc(),
                                        withElementType(kept, type),
                                        loaded.getWeight(), loaded.getScale(),
                                        scale, loaded.getGroupSizeAttr());
    return {weight, scale};
  }

  Type type;
};

/// What an indexer caches has the bits of what attention does.
struct QuantizeIndexerCache : OpRewritePattern<LightningIndexerOp> {
  QuantizeIndexerCache(MLIRContext *context, Type type)
      : OpRewritePattern(context), type(type) {}

  LogicalResult matchAndRewrite(LightningIndexerOp op,
                                PatternRewriter &rewriter) const override {
    auto cache = op.getCache().getDefiningOp<KVCacheOp>();
    if (!cache || cache.getType().getElementType() == type)
      return rewriter.notifyMatchFailure(op, "no cache to quantize");
    if (!cache->hasOneUse() || !op.getCacheAfter().use_empty())
      return missQuantization(op, rewriter,
                              "its cache is not declared and written once");
    KVCacheType narrow = cache.getType().withElementType(type);
    rewriter.modifyOpInPlace(cache, [&] { cache.getResult().setType(narrow); });
    rewriter.modifyOpInPlace(op, [&] { op.getCacheAfter().setType(narrow); });
    return success();
  }

private:
  Type type;
};
} // namespace

void mlir::transformer::populateQuantizeLatentLayers(
    RewritePatternSet &patterns, const QuantizationScheme &scheme,
    const NameFilter &filter) {
  patterns.add<QuantizeProjection, QuantizeIndexer, QuantizeAttentionWeight,
               QuantizeAbsorbedWeight>(patterns.getContext(), scheme, filter);
}

void mlir::transformer::populateQuantizeLatentAttention(
    RewritePatternSet &patterns, Type type) {
  patterns.add<QuantizeLatentAttention, QuantizeIndexerCache>(
      patterns.getContext(), type);
}
