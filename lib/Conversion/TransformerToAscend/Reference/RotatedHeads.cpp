//===- RotatedHeads.cpp - Copies behind rotations -------------------------===//

#include "ReferenceWays.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Whether `op` adds the two products of a rotation.
static bool endsRotation(AddOp op) {
  auto product = op.getRhs().getDefiningOp<MulOp>();
  auto turned =
      product ? product.getLhs().getDefiningOp<ConcatOp>() : ConcatOp();
  return turned && op.getType().getRank() == 3 &&
         turned.getLhs().getDefiningOp<NegOp>();
}

/// Lets a copy of `value` by `kernel` take its place behind `op`.
static Value copyBehind(Operation *op, Value value, StringRef kernel,
                        const KernelSet &kernels, PatternRewriter &rewriter) {
  rewriter.setInsertionPointAfter(op);
  FailureOr<ascend::LaunchOp> launch = createLaunch(
      op, value.getType(), kernels, rewriter, {kernel, {value}, {}, {}, {}});
  if (failed(launch))
    return value;
  value.replaceAllUsesExcept(launch->getResult(0), *launch);
  return launch->getResult(0);
}

void mlir::tensorcast::copyRotatedHeads(ModuleOp module,
                                        const KernelSet &kernels) {
  if (!kernels.getSwitch("copies_partly_rotated_heads"))
    return;
  bool joinsWhole =
      kernels.hasFamilyWay(getFamily(module), "joins_whole_rotations");
  PatternRewriter rewriter(module.getContext());
  module.walk([&](AddOp add) {
    if (!endsRotation(add))
      return;
    Operation *last = add;
    Value heads = add.getResult();
    auto join =
        add->hasOneUse() ? dyn_cast<ConcatOp>(*add->user_begin()) : ConcatOp();
    if (join) {
      last = join;
      heads = join.getResult();
    } else if (joinsWhole) {
      heads = copyBehind(add, heads, "concat", kernels, rewriter);
      last = heads.getDefiningOp();
    } else {
      return;
    }
    if (cast<RankedTensorType>(heads.getType()).getDimSize(1) > 1)
      copyBehind(last, heads, "clone", kernels, rewriter);
  });
  // Halves that were rotated apart are joined in that order too.
  module.walk([&](ConcatOp join) {
    if (join.getType().getRank() == 3 && join.getType().getDimSize(1) > 1 &&
        join.getLhs().getDefiningOp<SubOp>() &&
        join.getRhs().getDefiningOp<AddOp>())
      copyBehind(join, join.getResult(), "clone", kernels, rewriter);
  });
}
