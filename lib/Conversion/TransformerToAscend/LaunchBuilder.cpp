//===- LaunchBuilder.cpp - Builds launches from ops -----------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

WorkloadAttr mlir::tensorcast::getWorkload(Value batch) {
  return cast<transformer::BatchType>(batch.getType()).getWorkload();
}

LogicalResult mlir::tensorcast::replaceWithLaunch(Operation *op,
                                                  const KernelSet &kernels,
                                                  PatternRewriter &rewriter,
                                                  const LaunchParts &parts) {
  const Kernel *kernel = kernels.lookup(parts.kernel);
  if (!kernel)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &diag) {
      diag << "kernel set " << kernels.getName() << " has no kernel '"
           << parts.kernel << "'";
    });
  auto text = [&](StringRef value) {
    return value.empty() ? StringAttr() : rewriter.getStringAttr(value);
  };
  Location loc = op->getLoc();
  auto launch = ascend::LaunchOp::create(
      rewriter, loc, op->getResultTypes(), rewriter.getStringAttr(parts.kernel),
      parts.inputs, parts.resident, parts.count,
      text(transformer::getName(loc)), text(kernel->referenceName),
      /*cost=*/ascend::CostAttr());
  if (parts.work) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&launch.getWork());
    parts.work(rewriter, loc, *kernel);
    if (launch.getWork().front().empty())
      rewriter.eraseBlock(&launch.getWork().front());
  }
  rewriter.replaceOp(op, launch.getResults());
  return success();
}
