//===- Quantize.cpp - Quantize linear layers ------------------------------===//

#include "LayerQuantizer.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/GlobPattern.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERQUANTIZE
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;
using llvm::GlobPattern;

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
struct QuantizeAttention : OpRewritePattern<AttentionOp> {
  QuantizeAttention(MLIRContext *context, Type type)
      : OpRewritePattern(context), type(type) {}

  LogicalResult matchAndRewrite(AttentionOp attention,
                                PatternRewriter &rewriter) const override {
    auto append = attention.getCache().getDefiningOp<AppendCacheOp>();
    auto cache =
        append ? append.getCache().getDefiningOp<KVCacheOp>() : KVCacheOp();
    if (!cache || !append->hasOneUse() || !cache->hasOneUse())
      return missQuantization(attention, rewriter,
                  "its cache is not declared, written and read once");
    rewriter.setInsertionPoint(append);
    auto quantize = [&](Value value, StringRef name) {
      Location loc = attention.getLoc();
      Value scale = WeightOp::create(
          rewriter, loc, RankedTensorType::get({}, rewriter.getF32Type()),
          rewriter.getStringAttr(cache.getName() + name), ShardingAttr());
      Type narrow =
          withElementType(cast<RankedTensorType>(value.getType()), type);
      return std::pair<Value, Value>(
          QuantizeOp::create(rewriter, loc, narrow, value, scale), scale);
    };
    auto [key, keyScale] = quantize(append.getKey(), ".k_scale");
    auto [value, valueScale] = quantize(append.getValue(), ".v_scale");
    KVCacheType old = cache.getType();
    auto cacheType = KVCacheType::get(old.getContext(), old.getShape(), type,
                                      old.getBlockSize());
    Value narrowCache = KVCacheOp::create(rewriter, cache.getLoc(), cacheType,
                                          cache.getNameAttr());
    Value full =
        AppendCacheOp::create(rewriter, append.getLoc(), cacheType, key, value,
                              narrowCache, append.getBatch());
    rewriter.setInsertionPoint(attention);
    auto [query, queryScale] = quantize(attention.getQuery(), ".q_scale");
    rewriter.replaceOpWithNewOp<QuantizedAttentionOp>(
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
    auto getQuantizer = [&](LinearAction action) {
      QuantizationScheme scheme =
          QuantizationScheme::get(context, action, groupSize);
      scheme.sharedByRows = sharedGroupScales;
      return LayerQuantizer(scheme, filter);
    };
    if (*others != LinearAction::Disabled)
      set.add<QuantizeLinear>(context, getQuantizer(*others));
    if (*linear != LinearAction::Disabled)
      populateQuantizeExperts(set, getQuantizer(*linear));
    Builder builder(context);
    if (*attention == AttentionAction::INT8)
      set.add<QuantizeAttention>(context, builder.getI8Type());
    else if (*attention == AttentionAction::FP8)
      set.add<QuantizeAttention>(context, builder.getType<Float8E4M3FNType>());
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    // The functions that layers call are private; the model itself is public.
    if (getOperation().isPrivate())
      walkAndApplyPatterns(getOperation(), patterns);
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
  FrozenRewritePatternSet patterns;
};
} // namespace
