//===- Quantize.cpp - Quantize linear layers ------------------------------===//

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

static constexpr StringLiteral weightSuffix = ".weight";

namespace {
/// Which weights to quantize, by patterns on their names.
struct NameFilter {
  SmallVector<GlobPattern> include, exclude;

  bool accepts(StringRef name) const {
    auto matches = [&](const GlobPattern &glob) { return glob.match(name); };
    return (include.empty() || llvm::any_of(include, matches)) &&
           llvm::none_of(exclude, matches);
  }
};

/// linear -> quantized activation + quantized_linear.
struct QuantizeLinear : OpRewritePattern<LinearOp> {
  QuantizeLinear(MLIRContext *context, LinearAction action,
                 const NameFilter &filter)
      : OpRewritePattern(context), action(action), filter(filter) {}

  LogicalResult matchAndRewrite(LinearOp linear,
                                PatternRewriter &rewriter) const override {
    auto weight = linear.getWeight().getDefiningOp<WeightOp>();
    if (!weight)
      return miss(linear, rewriter, "its weight is computed, not declared");
    StringRef name = weight.getName();
    name.consume_back(weightSuffix);
    if (!filter.accepts(name))
      return rewriter.notifyMatchFailure(linear, "excluded by its name");

    Location loc = linear.getLoc();
    RankedTensorType byteType =
        withElementType(weight.getType(), rewriter.getI8Type());
    auto scaleType = RankedTensorType::get({}, rewriter.getF32Type());
    auto declare = [&](StringRef suffix, Type type) -> Value {
      return WeightOp::create(rewriter, loc, type,
                              rewriter.getStringAttr(name + suffix));
    };
    Value bytes = declare(weightSuffix, byteType);
    Value weightScale = declare(".weight_scale", scaleType);
    Value input, inputScale;
    if (action == LinearAction::W8A8Static) {
      inputScale = declare(".input_scale", scaleType);
      input = QuantizeOp::create(rewriter, loc, linear.getInput(), inputScale);
    } else {
      auto quantize =
          DynamicQuantizeOp::create(rewriter, loc, linear.getInput());
      input = quantize.getResult();
      inputScale = quantize.getScale();
    }
    rewriter.replaceOpWithNewOp<QuantizedLinearOp>(
        linear, linear.getType(), input, bytes, inputScale, weightScale,
        linear.getBias());
    if (weight->use_empty())
      rewriter.eraseOp(weight);
    return success();
  }

private:
  static LogicalResult miss(LinearOp linear, PatternRewriter &rewriter,
                            StringRef reason) {
    remark::missed(linear.getLoc(),
                   remark::RemarkOpts::name("linear").category("quantize"))
        << "did not quantize the linear layer" << remark::reason("{0}", reason);
    return rewriter.notifyMatchFailure(linear, reason);
  }

  LinearAction action;
  const NameFilter &filter;
};

class TransformerQuantizePass
    : public transformer::impl::TransformerQuantizeBase<
          TransformerQuantizePass> {
public:
  using TransformerQuantizeBase::TransformerQuantizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<LinearAction> chosen = symbolizeLinearAction(action);
    if (!chosen) {
      SmallVector<StringRef> known;
      for (unsigned i = 0; i <= getMaxEnumValForLinearAction(); ++i)
        known.push_back(stringifyLinearAction(LinearAction(i)));
      return emitError(UnknownLoc::get(context))
             << tensorcast::unknownName("linear action", action, known);
    }
    if (failed(compile(context, include, filter.include)) ||
        failed(compile(context, exclude, filter.exclude)))
      return failure();
    if (*chosen == LinearAction::Disabled)
      return success();
    RewritePatternSet set(context);
    set.add<QuantizeLinear>(context, *chosen, filter);
    patterns.emplace(std::move(set));
    return success();
  }

  void runOnOperation() override {
    // The functions that layers call are private; the model itself is public.
    if (patterns && getOperation().isPrivate())
      walkAndApplyPatterns(getOperation(), *patterns);
  }

private:
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
  std::optional<FrozenRewritePatternSet> patterns;
};
} // namespace
