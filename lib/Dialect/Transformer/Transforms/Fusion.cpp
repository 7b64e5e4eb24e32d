//===- Fusion.cpp - What the fusion passes share --------------------------===//

#include "Fusion.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::transformer;

static remark::RemarkOpts getOpts(Operation *op, StringRef category,
                                  StringRef name) {
  remark::RemarkOpts opts = remark::RemarkOpts::name(name).category(category);
  if (auto function = op->getParentOfType<func::FuncOp>())
    return opts.function(function.getName());
  return opts;
}

void mlir::transformer::emitFused(Operation *op, StringRef category,
                                  StringRef name) {
  remark::passed(op->getLoc(), getOpts(op, category, name)) << "fused";
}

void mlir::transformer::emitMissed(Operation *op, StringRef category,
                                   StringRef name, StringRef reason) {
  remark::missed(op->getLoc(), getOpts(op, category, name))
      << "not fused" << remark::reason("{0}", reason);
}

void mlir::transformer::emitCoverage(Operation *op, ArrayRef<StringRef> names,
                                     StringRef what) {
  if (!op->getContext()->getRemarkEngine())
    return;
  auto remark = remark::analysis(op->getLoc(),
                                 getOpts(op, kFusionCoverageCategory, what));
  for (StringRef name : names)
    remark << name;
}

namespace {
/// Near misses of one run over a function. The driver comes to an op more than
/// once, and to ops that do not last; a user wants to hear of each that stays,
/// once.
class NearMisses : public RewriterBase::Listener {
public:
  NearMisses() : outer(current) { current = this; }
  ~NearMisses() override { current = outer; }

  void add(Operation *op, StringRef category, StringRef name,
           StringRef reason) {
    misses.insert({{op, name}, {category, reason.str()}});
  }

  void notifyOperationErased(Operation *op) override {
    misses.remove_if(
        [&](const auto &entry) { return entry.first.first == op; });
  }

  void emit() {
    for (const auto &[where, what] : misses)
      emitMissed(where.first, what.first, where.second, what.second);
  }

  /// The run that the current thread is in.
  static thread_local NearMisses *current;

private:
  NearMisses *outer;
  llvm::MapVector<std::pair<Operation *, StringRef>,
                  std::pair<StringRef, std::string>>
      misses;
};
} // namespace

thread_local NearMisses *NearMisses::current = nullptr;

void mlir::transformer::emitNearMiss(Operation *op, StringRef category,
                                     StringRef name, StringRef reason) {
  if (NearMisses::current && op->getContext()->getRemarkEngine())
    NearMisses::current->add(op, category, name, reason);
}

LogicalResult
mlir::transformer::applyFusions(Operation *op,
                                const FrozenRewritePatternSet &patterns) {
  NearMisses misses;
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true)
      .enableFolding(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setListener(&misses);
  if (failed(applyPatternsGreedily(op, patterns, config)))
    return op->emitError("expected fusions that come to an end, but they went "
                         "on for ")
           << config.getMaxIterations() << " rounds";
  misses.emit();
  SmallVector<StringRef> names;
  for (const auto &[name, candidates] : patterns.getOpSpecificNativePatterns())
    names.push_back(name.getStringRef());
  llvm::sort(names);
  emitCoverage(op, names);
  return success();
}
