//===- Fusion.h - What the fusion passes share ------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSION_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSION_H

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::transformer {

/// A pattern of one fusion pass, with the remarks that it owes its user.
template <typename RootOp> struct FusionPattern : OpRewritePattern<RootOp> {
  FusionPattern(MLIRContext *context, StringRef category)
      : OpRewritePattern<RootOp>(context), category(category) {}

protected:
  /// Says that `name` was fused at `op`.
  void passed(Operation *op, StringRef name) const;

  /// Says why `name`, which nearly applied, was not fused at `op`.
  LogicalResult missed(Operation *op, PatternRewriter &rewriter, StringRef name,
                       StringRef reason) const;

private:
  StringRef category;
};

/// Emits the remark of a fusion.
void emitFused(Operation *op, StringRef category, StringRef name);
void emitNearMiss(Operation *op, StringRef category, StringRef name,
                  StringRef reason);

/// The same where the op is not visited again.
void emitMissed(Operation *op, StringRef category, StringRef name,
                StringRef reason);

template <typename RootOp>
void FusionPattern<RootOp>::passed(Operation *op, StringRef name) const {
  emitFused(op, category, name);
}

template <typename RootOp>
LogicalResult
FusionPattern<RootOp>::missed(Operation *op, PatternRewriter &rewriter,
                              StringRef name, StringRef reason) const {
  emitNearMiss(op, category, name, reason);
  return rewriter.notifyMatchFailure(op, reason);
}

/// Says what a pass knows: the ops that its patterns start at, or the patterns
/// themselves (see kKnownOps and kKnownPatterns).
void emitCoverage(Operation *op, ArrayRef<StringRef> names,
                  StringRef what = kKnownOps);

/// Applies the patterns until none applies, and erases what nothing uses.
/// Reports patterns that do not come to an end.
LogicalResult applyFusions(Operation *op,
                           const FrozenRewritePatternSet &patterns);

/// A pass that is a set of fusions. `BaseT` is the generated base of the pass,
/// whose `addPatterns(RewritePatternSet &)` says which fusions its options ask
/// for.
template <typename PassT, typename BaseT> class FusionPass : public BaseT {
public:
  using BaseT::BaseT;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    static_cast<PassT *>(this)->addPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (this->getOperation()->hasAttr(kEagerAttrName))
      return;
    if (failed(applyFusions(this->getOperation(), patterns)))
      this->signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSION_H
