//===- LatentLowering.cpp - Latent attention ------------------------------===//

#include "LatentWork.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether all sizes of `weights` are numbers.
static bool areKnown(ValueRange weights) {
  return llvm::all_of(
      weights, [](Value weight) { return getTensor(weight).hasStaticShape(); });
}

/// Cosines and sines of a table, as a kernel that rotates reads them.
static SmallVector<Value> getTableParts(OpBuilder &builder, Location loc,
                                        Dim tokens,
                                        TypedValue<RopeTableType> table) {
  RankedTensorType part =
      getTensorType({tokens, Dim(table.getType().getWidth())},
                    table.getType().getElementType());
  auto parts =
      ascend::ViewOp::create(builder, loc, TypeRange{part, part}, table);
  return llvm::to_vector_of<Value>(parts.getResults());
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

namespace {
/// Three products, two norms and two rotations; a quantized one also quantizes
/// what the products read.
template <typename ProjectionOp>
struct LowerLatentProjection : LoweringPattern<ProjectionOp> {
  using LoweringPattern<ProjectionOp>::LoweringPattern;

  LogicalResult matchAndRewrite(ProjectionOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr tokens = getRows(op.getInput().getType());
    if (!tokens ||
        !areKnown({op.getQueryDown(), op.getQueryUp(), op.getLatentDown()}))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addWork(op, tokens, builder, loc, kernel);
    };
    LaunchParts parts = {getKernelName(op), {op.getInput()}, {}, {}, work};
    llvm::append_range(parts.inputs,
                       getTableParts(rewriter, op.getLoc(),
                                     getDims(op.getInput().getType())[0],
                                     op.getTable()));
    llvm::append_values(parts.inputs, op.getQueryDown(), op.getQueryNorm(),
                        op.getQueryUp(), op.getLatentDown(),
                        op.getLatentNorm());
    addScales(op, parts);
    return replaceWithLaunch(op, this->kernels, rewriter, parts);
  }

private:
  static StringRef getKernelName(LatentProjectionOp) {
    return "latent_projection";
  }
  static StringRef getKernelName(QuantizedLatentProjectionOp op) {
    Type weight = op.getQueryUp().getType().getElementType();
    return weight.isInteger(4) ? "quantized_latent_projection_int4"
                               : "quantized_latent_projection";
  }

  static void addScales(LatentProjectionOp, LaunchParts &) {}
  static void addScales(QuantizedLatentProjectionOp op, LaunchParts &parts) {
    llvm::append_values(parts.inputs, op.getQueryDownScale(),
                        op.getQueryUpScale(), op.getLatentDownScale());
    // Scales of calibration are numbers that come with the start.
    if (op.getInputScale())
      llvm::append_values(parts.resident, op.getInputScale(),
                          op.getQueryLatentScale());
  }

  /// The type of the products, and whether what they read is quantized.
  static Type getProductType(LatentProjectionOp op) {
    return op.getInput().getType().getElementType();
  }
  static Type getProductType(QuantizedLatentProjectionOp op) {
    if (!op.getActivation())
      return op.getInput().getType().getElementType();
    return op.getQueryUp().getType().getElementType();
  }
  static bool isQuantized(LatentProjectionOp) { return false; }
  static bool isQuantized(QuantizedLatentProjectionOp op) {
    return op.getActivation().has_value();
  }

  static void addWork(ProjectionOp op, ExprAttr tokens, OpBuilder &builder,
                      Location loc, const Kernel &kernel) {
    MLIRContext *context = op.getContext();
    Type element = op.getInput().getType().getElementType();
    double features = op.getQueryDown().getType().getDimSize(1);
    double queryRank = op.getQueryDown().getType().getDimSize(0);
    double wide = op.getQueryUp().getType().getDimSize(0);
    double both = op.getLatentDown().getType().getDimSize(0);
    double width = op.getTable().getType().getWidth();
    double heads = wide / op.getHeadSize();
    auto number = [&](double value) {
      return ExprAttr::constant(context, value);
    };
    Type type = kernel.operandType.empty()
                    ? getProductType(op)
                    : parseType(kernel.operandType, context);
    auto multiply = [&](double rows, double columns) {
      ascend::MatmulOp::create(builder, loc, tokens, number(rows),
                               number(columns), type);
    };
    multiply(queryRank, features);
    multiply(wide, queryRank);
    multiply(both, features);

    auto add = [&](StringRef coefficient, ExprAttr elements) {
      addOperations(builder, loc, kernel, coefficient, elements, element);
    };
    double latentNorm = kernel.getCoefficient("norms_have_query_rank")
                            ? queryRank
                            : both - width;
    add("norm_ops_per_element", tokens * (queryRank + latentNorm));
    add("rope_ops_per_element", tokens * (heads * width + width));
    if (isQuantized(op)) {
      // The input is quantized for either product that reads it.
      add("quantize_ops_per_element", tokens * (2 * features + queryRank));
      add("dequantize_ops_per_weight",
          number(queryRank * features + wide * queryRank + both * features));
    }
    if (kernel.getCoefficient("intermediates_leave_chip")) {
      // What the norms read and write; the normed query latent is a result.
      double bytes = *getElementBytes(element);
      ascend::GatherOp::create(builder, loc, tokens,
                               number((2 * queryRank + both) * bytes),
                               number(0));
      ascend::ScatterOp::create(builder, loc, tokens,
                                number((queryRank + both) * bytes), number(0));
    }
    if (double starts = kernel.getCoefficient("extra_starts"))
      ascend::ExtraStartsOp::create(builder, loc, number(starts));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

namespace {
struct LowerAppendLatentCache : LoweringPattern<AppendLatentCacheOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AppendLatentCacheOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr tokens = getRows(getTensor(op.getLatent()));
    if (!tokens)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    tokens = getWrittenRows(tokens, op.getType(),
                            kernels.lookup("append_latent_cache"));
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      ascend::ScatterOp::create(
          builder, loc, tokens,
          ExprAttr::constant(op.getContext(), getRowBytes(op.getType())),
          tokens * kIndexBytes);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"append_latent_cache",
                              {op.getLatent(), op.getRopeKey()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
template <typename AttentionLikeOp>
struct LowerLatentAttention : LoweringPattern<AttentionLikeOp> {
  using LoweringPattern<AttentionLikeOp>::LoweringPattern;

  LogicalResult matchAndRewrite(AttentionLikeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType query = getTensor(op.getQuery());
    RankedTensorType weight = getTensor(op.getWeight());
    if (!areKnown(op.getWeight()))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    KVCacheType cache = op.getCache().getType();
    LatentAttentionSizes sizes;
    sizes.heads = query.getDimSize(1);
    sizes.rank = weight.getDimSize(1);
    sizes.ropeSize = cache.getTokenSize() - sizes.rank;
    sizes.keySize = query.getDimSize(2);
    sizes.valueSize = op.getType().getDimSize(2);
    sizes.weightHeads = weight.getDimSize(0) /
                        (sizes.keySize - sizes.ropeSize + sizes.valueSize);
    sizes.share = cache.getShare();
    sizes.rowBytes = getRowBytes(cache);
    sizes.blockSize = cache.getBlockSize();
    sizes.weightBytes = static_cast<double>(weight.getNumElements()) *
                        *getElementBytes(weight.getElementType());
    sizes.productType = query.getElementType();
    sizes.softmaxType = op.getType().getElementType();
    sizes.isQuantized = isa<QuantizedLatentAttentionOp>(op);
    LaunchParts parts = {op.getIndices() ? "sparse_latent_attention"
                                         : "latent_attention",
                         {op.getQuery()},
                         {op.getCache(), op.getBatch(), op.getWeight()},
                         {},
                         {}};
    if (op.getIndices()) {
      parts.inputs.push_back(op.getIndices());
      sizes.picked =
          getExpr(op.getContext(), getDims(getTensor(op.getIndices()))[1]);
      if (!sizes.picked)
        return rewriter.notifyMatchFailure(op, kUnknownSize);
    }
    std::string name = parts.kernel.str();
    if (sizes.isQuantized)
      name = "quantized_" + name;
    parts.kernel = name;
    addScales(op, parts);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      LatentAttentionWork(sizes, kernel, getWorkload(op.getBatch()))
          .build(builder, loc);
    };
    parts.work = work;
    return replaceWithLaunch(op, this->kernels, rewriter, parts);
  }

private:
  static void addScales(LatentAttentionOp, LaunchParts &) {}
  static void addScales(QuantizedLatentAttentionOp op, LaunchParts &parts) {
    llvm::append_values(parts.inputs, op.getQueryScale(), op.getCacheScale(),
                        op.getWeightScale());
  }
};

struct LowerLightningIndexer : LoweringPattern<LightningIndexerOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(LightningIndexerOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr tokens = getRows(op.getInput().getType());
    const Kernel *kernel = kernels.lookup("lightning_indexer");
    if (!tokens ||
        !areKnown({op.getQueryUp(), op.getKeyDown(), op.getHeadWeights()}))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    IndexerSizes sizes;
    KVCacheType cache = op.getCache().getType();
    sizes.features = getTensor(op.getKeyDown()).getDimSize(1);
    sizes.queryRank = getTensor(op.getQueryUp()).getDimSize(1);
    sizes.heads = getTensor(op.getHeadWeights()).getDimSize(0);
    sizes.headSize = cache.getTokenSize();
    sizes.width = op.getTable().getType().getWidth();
    sizes.blockSize = cache.getBlockSize();
    sizes.elementType = op.getInput().getType().getElementType();
    sizes.cacheType = cache.getElementType();
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &used) {
      IndexerWork(sizes, tokens, used, getWorkload(op.getBatch()))
          .build(builder, loc);
    };
    LaunchParts parts = {"lightning_indexer",
                         {op.getInput(), op.getQueryLatent()},
                         {op.getCache(), op.getBatch()},
                         {},
                         work};
    llvm::append_range(parts.inputs,
                       getTableParts(rewriter, op.getLoc(),
                                     getDims(op.getInput().getType())[0],
                                     op.getTable()));
    llvm::append_values(parts.inputs, op.getQueryUp(), op.getKeyDown(),
                        op.getHeadWeights(), op.getNormWeight());
    bool passesScales = kernel && !kernel->getCoefficient("no_bias_and_scales");
    SmallVector<Value> &others = passesScales ? parts.inputs : parts.resident;
    others.push_back(op.getNormBias());
    for (Value scale :
         {op.getQueryUpScale(), op.getKeyDownScale(), op.getHeadWeightsScale()})
      if (scale)
        others.push_back(scale);
    return replaceWithLaunch(op, kernels, rewriter, parts);
  }
};
} // namespace

void mlir::tensorcast::populateLatentLowering(RewritePatternSet &patterns,
                                              const KernelSet &kernels) {
  patterns.add<LowerAppendLatentCache, LowerLatentAttention<LatentAttentionOp>,
               LowerLatentAttention<QuantizedLatentAttentionOp>,
               LowerLatentProjection<LatentProjectionOp>,
               LowerLatentProjection<QuantizedLatentProjectionOp>,
               LowerLightningIndexer>(patterns.getContext(), kernels);
}
