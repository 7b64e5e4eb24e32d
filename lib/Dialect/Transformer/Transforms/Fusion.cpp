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

void mlir::transformer::emitNearMiss(Operation *op, StringRef category,
                                     StringRef name, StringRef reason) {
  remark::missed(op->getLoc(), getOpts(op, category, name))
      << "not fused" << remark::reason("{0}", reason.str());
}

LogicalResult
mlir::transformer::applyFusions(Operation *op,
                                const FrozenRewritePatternSet &patterns) {
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(true)
      .enableFolding(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (succeeded(applyPatternsGreedily(op, patterns, config)))
    return success();
  return op->emitError("expected fusions that come to an end, but they went on "
                       "for ")
         << config.getMaxIterations() << " rounds";
}
