//===- Fusion.cpp - What the fusion passes share --------------------------===//

#include "Fusion.h"

#include "FusionLimits.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::transformer;

static remark::RemarkOpts getOpts(Operation *op, FusionSwitch fusion) {
  remark::RemarkOpts opts =
      remark::RemarkOpts::name(fusion.name).category(fusion.category);
  if (auto function = op->getParentOfType<func::FuncOp>())
    return opts.function(function.getName());
  return opts;
}

void mlir::transformer::emitFused(Operation *op, FusionSwitch fusion) {
  remark::passed(op->getLoc(), getOpts(op, fusion)) << "fused";
}

void mlir::transformer::emitMissed(Operation *op, FusionSwitch fusion,
                                   StringRef reason) {
  remark::missed(op->getLoc(), getOpts(op, fusion))
      << "not fused" << remark::reason("{0}", reason);
}

LogicalResult mlir::transformer::announceFusion(Operation *op,
                                                FusionSwitch fusion,
                                                PatternRewriter &rewriter) {
  std::string obstacle =
      findObstacle(op->getParentOfType<func::FuncOp>(), fusion);
  if (obstacle.empty()) {
    emitFused(op, fusion);
    return success();
  }
  emitNearMiss(op, fusion, obstacle);
  return rewriter.notifyMatchFailure(op, obstacle);
}

void mlir::transformer::emitCoverage(Operation *op, ArrayRef<StringRef> names,
                                     StringRef what) {
  if (!op->getContext()->getRemarkEngine())
    return;
  auto remark = remark::analysis(op->getLoc(),
                                 getOpts(op, {kFusionCoverageCategory, what}));
  for (StringRef name : names)
    remark << name;
}

namespace {
/// Near misses of one run over a function. The driver comes to an op more than
/// once, and to ops that do not last; a user wants to hear of each that stays,
/// once, and of what was in the way last.
class NearMisses : public RewriterBase::Listener {
public:
  NearMisses() : outer(current) { current = this; }
  ~NearMisses() override { current = outer; }

  void add(Operation *op, FusionSwitch fusion, const Twine &reason) {
    misses[{op, fusion.name}] = {fusion, reason.str()};
  }

  void notifyOperationErased(Operation *op) override {
    misses.remove_if(
        [&](const auto &entry) { return entry.first.first == op; });
  }

  void emit() {
    for (const auto &[where, what] : misses)
      emitMissed(where.first, what.first, what.second);
  }

  /// The run that the current thread is in.
  static thread_local NearMisses *current;

private:
  NearMisses *outer;
  llvm::MapVector<std::pair<Operation *, StringRef>,
                  std::pair<FusionSwitch, std::string>>
      misses;
};
} // namespace

thread_local NearMisses *NearMisses::current = nullptr;

void mlir::transformer::emitNearMiss(Operation *op, FusionSwitch fusion,
                                     const Twine &reason) {
  if (NearMisses::current && op->getContext()->getRemarkEngine())
    NearMisses::current->add(op, fusion, reason);
}

LogicalResult
mlir::transformer::applyFusions(func::FuncOp function,
                                const FrozenRewritePatternSet &patterns) {
  if (failed(checkDisabledFusions(function)))
    return failure();
  NearMisses misses;
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true)
      .enableFolding(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setListener(&misses);
  if (failed(applyPatternsGreedily(function, patterns, config)))
    return function.emitError(
               "expected fusions that come to an end, but they went "
               "on for ")
           << config.getMaxIterations() << " rounds";
  misses.emit();
  SmallVector<StringRef> names;
  for (const auto &[name, candidates] : patterns.getOpSpecificNativePatterns())
    names.push_back(name.getStringRef());
  llvm::sort(names);
  emitCoverage(function, names);
  return success();
}
