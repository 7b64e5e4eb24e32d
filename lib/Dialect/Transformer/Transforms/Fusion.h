//===- Fusion.h - What the fusion passes share ------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSION_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSION_H

#include "FusionSwitch.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::transformer {

/// Emits the remark of a fusion.
void emitFused(Operation *op, FusionSwitch fusion);
void emitNearMiss(Operation *op, FusionSwitch fusion, const Twine &reason);

/// The same where the op is not visited again.
void emitMissed(Operation *op, FusionSwitch fusion, StringRef reason);

/// Says that `fusion` is applied at `op`, if no mark of the function keeps it
/// from that; else says which does, and fails.
LogicalResult announceFusion(Operation *op, FusionSwitch fusion,
                             PatternRewriter &rewriter);

/// A pattern of one fusion, with the remarks that it owes its user. Which
/// fusion that is, its labels say: see addFusions.
template <typename RootOp> struct FusionPattern : OpRewritePattern<RootOp> {
  explicit FusionPattern(MLIRContext *context)
      : OpRewritePattern<RootOp>(context) {}

protected:
  /// Says that the fusion is applied at `op`, or which mark of the function
  /// keeps it from that, and fails. All conditions of the pattern hold, and
  /// nothing is changed yet.
  LogicalResult announce(Operation *op, PatternRewriter &rewriter) const {
    return announceFusion(op, getSwitch(), rewriter);
  }

  /// Says why the fusion, which nearly applied, is not at `op`.
  LogicalResult missed(Operation *op, PatternRewriter &rewriter,
                       StringRef reason) const {
    emitNearMiss(op, getSwitch(), reason);
    return rewriter.notifyMatchFailure(op, reason);
  }

private:
  FusionSwitch getSwitch() const {
    ArrayRef<StringRef> labels = this->getDebugLabels();
    return {labels[0], labels[1]};
  }
};

/// Adds patterns of one fusion.
template <typename... PatternTs, typename... Args>
void addFusions(RewritePatternSet &set, FusionSwitch fusion,
                const Args &...args) {
  set.addWithLabel<PatternTs...>({fusion.category, fusion.name},
                                 set.getContext(), args...);
}

/// Says what a pass knows: the ops that its patterns start at, or the patterns
/// themselves (see kKnownOps and kKnownPatterns).
void emitCoverage(Operation *op, ArrayRef<StringRef> names,
                  StringRef what = kKnownOps);

/// Applies the patterns until none applies, and erases what nothing uses.
/// Reports patterns that do not come to an end.
LogicalResult applyFusions(func::FuncOp function,
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

  /// Appends the fusions that the options ask for, one per pattern.
  static void list(MLIRContext *context, SmallVectorImpl<FusionSwitch> &found) {
    RewritePatternSet set(context);
    PassT().addPatterns(set);
    for (const std::unique_ptr<RewritePattern> &pattern :
         set.getNativePatterns())
      found.push_back(
          {pattern->getDebugLabels()[0], pattern->getDebugLabels()[1]});
  }

protected:
  /// The fusion that an option of this pass switches.
  FusionSwitch getSwitch(const Pass::Option<bool> &option) const {
    return {this->getArgument().substr(StringRef("transformer-").size()),
            option.ArgStr};
  }

  /// Adds patterns of the fusion of `option`, if that is on.
  template <typename... PatternTs, typename... Args>
  void add(RewritePatternSet &set, const Pass::Option<bool> &option,
           const Args &...args) const {
    if (option)
      addFusions<PatternTs...>(set, getSwitch(option), args...);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSION_H
