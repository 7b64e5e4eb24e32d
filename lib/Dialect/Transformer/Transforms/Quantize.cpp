//===- Quantize.cpp - Quantize linear layers ------------------------------===//

#include "FusionLimits.h"
#include "LayerQuantizer.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERQUANTIZE
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;
using llvm::GlobPattern;

//===----------------------------------------------------------------------===//
// What quantizing ops share
//===----------------------------------------------------------------------===//

LogicalResult mlir::transformer::missQuantization(Operation *op,
                                                  PatternRewriter &rewriter,
                                                  StringRef reason) {
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name(op->getName().stripDialect())
                     .category("quantize"))
      << "not quantized" << remark::reason("{0}", reason.str());
  return rewriter.notifyMatchFailure(op, reason);
}

bool NameFilter::accepts(StringRef name) const {
  auto matches = [&](const GlobPattern &glob) { return glob.match(name); };
  return (include.empty() || llvm::any_of(include, matches)) &&
         llvm::none_of(exclude, matches);
}

bool NameFilter::accepts(WeightOp weight) const {
  StringRef name = weight.getName();
  name.consume_back(kWeightSuffix);
  auto function = weight->getParentOfType<func::FuncOp>();
  return accepts(name) && findHighPrecision(function, kLinearOps).empty() &&
         findHighPrecision(function, name).empty();
}

QuantizationScheme QuantizationScheme::get(MLIRContext *context,
                                           LinearAction action,
                                           int64_t groupSize) {
  Builder builder(context);
  Type i8 = builder.getI8Type(), i4 = builder.getIntegerType(4);
  switch (action) {
  case LinearAction::Disabled:
    return {};
  case LinearAction::W8A16Static:
  case LinearAction::W8A16Dynamic:
    return {i8, {}, true, {}};
  case LinearAction::W8A8Static:
    return {i8, i8, true, {}};
  case LinearAction::W8A8Dynamic:
    return {i8, i8, false, {}};
  case LinearAction::W4A8Static:
    return {i4, i8, true, {}};
  case LinearAction::W4A8Dynamic:
    return {i4, i8, false, {}};
  case LinearAction::FP8:
    return {builder.getType<Float8E4M3FNType>(),
            builder.getType<Float8E4M3FNType>(),
            false,
            {}};
  case LinearAction::MXFP4:
    return {builder.getType<Float4E2M1FNType>(),
            builder.getType<Float4E2M1FNType>(), false, groupSize};
  }
}

IntegerAttr QuantizationScheme::getGroupSizeAttr(Builder &builder) const {
  return groupSize ? builder.getI64IntegerAttr(*groupSize) : IntegerAttr();
}

NarrowWeight NarrowWeight::declare(PatternRewriter &rewriter, WeightOp weight,
                                   const QuantizationScheme &scheme) {
  StringRef name = weight.getName();
  name.consume_back(kWeightSuffix);
  auto declareOne = [&](StringRef suffix, RankedTensorType type) -> Value {
    return WeightOp::create(
        rewriter, weight.getLoc(), type, rewriter.getStringAttr(name + suffix),
        type.getRank() == 0 ? ShardingAttr() : weight.getShardingAttr());
  };
  RankedTensorType type = withElementType(weight.getType(), scheme.weightType);
  Value narrow = declareOne(kWeightSuffix, type);
  Value scale = declareOne(".weight_scale", getScaleType(type, scheme.groupSize,
                                                         scheme.sharedByRows));
  return {narrow, scale};
}

Value mlir::transformer::declareScale(PatternRewriter &rewriter, Location loc,
                                      const Twine &name) {
  return WeightOp::create(rewriter, loc,
                          RankedTensorType::get({}, rewriter.getF32Type()),
                          rewriter.getStringAttr(name), ShardingAttr());
}

//===----------------------------------------------------------------------===//
// Linear layers and attention
//===----------------------------------------------------------------------===//

namespace {
/// linear -> quantized activation + quantized_linear.
struct QuantizeLinear : OpRewritePattern<LinearOp> {
  QuantizeLinear(MLIRContext *context, const LayerQuantizer &quantizer)
      : OpRewritePattern(context), quantizer(quantizer) {}

  LogicalResult matchAndRewrite(LinearOp linear,
                                PatternRewriter &rewriter) const override {
    FailureOr<QuantizedOperands> operands = quantizer.quantize(
        linear, linear.getInput(), linear.getWeight(), rewriter);
    if (failed(operands))
      return failure();
    auto weight = linear.getWeight().getDefiningOp<WeightOp>();
    rewriter.replaceOpWithNewOp<QuantizedLinearOp>(
        linear, linear.getType(), operands->input, operands->weight,
        operands->inputScale, operands->weightScale, linear.getBias(),
        operands->groupSize, linear.getAllReduceAttr());
    if (weight->use_empty())
      rewriter.eraseOp(weight);
    return success();
  }

private:
  LayerQuantizer quantizer;
};

/// attention -> quantized queries, keys and values + quantized_attention.
/// Attention to a part of the tokens stays what it is, in 8 bits.
template <typename AttentionLikeOp>
struct QuantizeAttention : OpRewritePattern<AttentionLikeOp> {
  QuantizeAttention(MLIRContext *context, Type type)
      : OpRewritePattern<AttentionLikeOp>(context), type(type) {}

  LogicalResult matchAndRewrite(AttentionLikeOp attention,
                                PatternRewriter &rewriter) const override {
    auto queryType = cast<RankedTensorType>(attention.getQuery().getType());
    if (queryType.getElementTypeBitWidth() <= 8)
      return rewriter.notifyMatchFailure(attention, "quantized already");
    auto append = attention.getCache().template getDefiningOp<AppendCacheOp>();
    auto cache = append ? append.getCache().template getDefiningOp<KVCacheOp>()
                        : KVCacheOp();
    if (!cache || !append->hasOneUse() || !cache->hasOneUse())
      return missQuantization(
          attention, rewriter,
          "its cache is not declared, written and read once");
    rewriter.setInsertionPoint(append);
    auto quantize = [&](Value value, StringRef name) {
      Location loc = attention.getLoc();
      Value scale = declareScale(rewriter, loc, cache.getName() + name);
      Type narrow =
          withElementType(cast<RankedTensorType>(value.getType()), type);
      return std::pair<Value, Value>(
          QuantizeOp::create(rewriter, loc, narrow, value, scale), scale);
    };
    auto [key, keyScale] = quantize(append.getKey(), ".k_scale");
    auto [value, valueScale] = quantize(append.getValue(), ".v_scale");
    KVCacheType cacheType = cache.getType().withElementType(type);
    Value narrowCache = KVCacheOp::create(
        rewriter, cache.getLoc(), cacheType, cache.getNameAttr(),
        cache.getAuxiliary(), cache.getSpareAttr(), cache.getWindowAttr(),
        cache.getRatioAttr());
    Value full =
        AppendCacheOp::create(rewriter, append.getLoc(), cacheType, key, value,
                              narrowCache, append.getBatch());
    rewriter.setInsertionPoint(attention);
    auto [query, queryScale] = quantize(attention.getQuery(), ".q_scale");
    if constexpr (std::is_same_v<AttentionLikeOp, AttentionOp>)
      rewriter.replaceOpWithNewOp<QuantizedAttentionOp>(
          attention, attention.getType(), query, full, attention.getBatch(),
          queryScale, keyScale, valueScale, attention.getSink(),
          attention.getBlocks(), attention.getScaleAttr(),
          attention.getWindowAttr(), attention.getBlockSizeAttr());
    else
      rewriter.replaceOpWithNewOp<PartialAttentionOp>(
          attention, attention.getType(), query, full, attention.getBatch(),
          queryScale, keyScale, valueScale, attention.getScaleAttr());
    rewriter.eraseOp(append);
    rewriter.eraseOp(cache);
    return success();
  }

private:
  Type type;
};

class TransformerQuantizePass
    : public transformer::impl::TransformerQuantizeBase<
          TransformerQuantizePass> {
public:
  using TransformerQuantizeBase::TransformerQuantizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<LinearAction> linear = getLinearAction(context, linearAction);
    if (failed(linear))
      return failure();
    FailureOr<LinearAction> others = linear;
    if (!nonExpertLinearAction.empty())
      others = getLinearAction(context, nonExpertLinearAction);
    if (failed(others))
      return failure();
    std::optional<AttentionAction> attention =
        symbolizeAttentionAction(attentionAction);
    if (!attention)
      return unknown(context, "attention action", attentionAction,
                     getMaxEnumValForAttentionAction(), [](unsigned value) {
                       return stringifyAttentionAction(AttentionAction(value));
                     });
    if (groupSize < 1)
      return emitError(UnknownLoc::get(context))
             << "expected 'group-size' of at least 1, but got "
             << groupSize.getValue();
    if (failed(compile(context, include, filter.include)) ||
        failed(compile(context, exclude, filter.exclude)))
      return failure();

    RewritePatternSet set(context);
    auto getScheme = [&](LinearAction action) {
      QuantizationScheme scheme =
          QuantizationScheme::get(context, action, groupSize);
      scheme.sharedByRows = sharedGroupScales;
      scheme.floatSparseKeys = floatSparseKeys;
      return scheme;
    };
    if (*others != LinearAction::Disabled) {
      QuantizationScheme scheme = getScheme(*others);
      set.add<QuantizeLinear>(context, LayerQuantizer(scheme, filter));
      populateQuantizeLatentLayers(set, scheme, filter);
      populateQuantizeCompressed(set, scheme, filter);
      populateQuantizeLinearAttention(set, scheme, filter);
    }
    if (*linear != LinearAction::Disabled)
      populateQuantizeExperts(set, LayerQuantizer(getScheme(*linear), filter));
    Builder builder(context);
    Type attentionType;
    if (*attention == AttentionAction::INT8)
      attentionType = builder.getI8Type();
    else if (*attention == AttentionAction::FP8)
      attentionType = builder.getType<Float8E4M3FNType>();
    RewritePatternSet attentionSet(context);
    if (attentionType) {
      attentionSet.add<QuantizeAttention<AttentionOp>,
                       QuantizeAttention<PartialAttentionOp>>(context,
                                                              attentionType);
      populateQuantizeLatentAttention(attentionSet, attentionType);
      populateQuantizeCompressedCaches(attentionSet, attentionType);
    }
    patterns = std::move(set);
    attentionPatterns = std::move(attentionSet);
    return success();
  }

  void runOnOperation() override {
    // The functions that layers call are private; the model itself is public.
    // What calls layers is a stage, with its share of what is outside of them.
    if (!getOperation().isPrivate() ||
        !getOperation().getOps<LayerOp>().empty())
      return;
    // So few of the weights look at images that they are kept as they are.
    if (getOperation()->hasAttr(kTowerAttrName))
      return;
    walkAndApplyPatterns(getOperation(), patterns);
    if (!findHighPrecision(getOperation(), kAttentionOps).empty())
      return;
    // Latent attention in 8 bits needs the weight that the layers have left.
    walkAndApplyPatterns(getOperation(), attentionPatterns);
    bool valid = true;
    if (symbolizeAttentionAction(attentionAction) != AttentionAction::Disabled)
      getOperation().walk([&](Operation *op) {
        if (auto attention = dyn_cast<LatentAttentionOp>(op))
          valid &= succeeded(checkWeight(attention));
        if (isa<PartialLatentAttentionOp>(op)) {
          op->emitOpError("expected latents of floats where devices share "
                          "their tokens, but got attention-action ")
              << attentionAction.getValue();
          valid = false;
        }
      });
    if (!valid)
      signalPassFailure();
  }

private:
  static FailureOr<LinearAction> getLinearAction(MLIRContext *context,
                                                 StringRef name) {
    if (std::optional<LinearAction> action = symbolizeLinearAction(name))
      return *action;
    return unknown(context, "linear action", name,
                   getMaxEnumValForLinearAction(), [](unsigned value) {
                     return stringifyLinearAction(LinearAction(value));
                   });
  }

  /// Kernels multiply 8-bit queries by the weight, so it must be as narrow.
  LogicalResult checkWeight(LatentAttentionOp attention) {
    auto weight = attention.getWeight().getDefiningOp<WeightOp>();
    if (!weight)
      return success();
    return attention.emitOpError("expected a quantized '")
           << weight.getName() << "' for attention-action "
           << attentionAction.getValue() << ", but got "
           << weight.getType().getElementType()
           << "; choose a linear-action that quantizes it";
  }

  static LogicalResult unknown(MLIRContext *context, StringRef kind,
                               StringRef name, unsigned last,
                               function_ref<StringRef(unsigned)> stringify) {
    SmallVector<StringRef> known;
    for (unsigned value = 0; value <= last; ++value)
      known.push_back(stringify(value));
    return emitError(UnknownLoc::get(context))
           << tensorcast::unknownName(kind, name, known);
  }

  static LogicalResult compile(MLIRContext *context,
                               ArrayRef<std::string> texts,
                               SmallVector<GlobPattern> &globs) {
    for (StringRef text : texts) {
      llvm::Expected<GlobPattern> glob = GlobPattern::create(text);
      if (!glob)
        return emitError(UnknownLoc::get(context))
               << "expected a name pattern, but got '" << text
               << "': " << llvm::toString(glob.takeError());
      globs.push_back(std::move(*glob));
    }
    return success();
  }

  NameFilter filter;
  FrozenRewritePatternSet patterns, attentionPatterns;
};
} // namespace
