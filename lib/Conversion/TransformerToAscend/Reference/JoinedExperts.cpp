//===- JoinedExperts.cpp - Copies around experts --------------------------===//
//
// The reference cuts the rows of experts by sender and expert, and joins the
// pieces again by copying them.
//
//===----------------------------------------------------------------------===//

#include "../ExpertSections.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Copies the rows at `operand`, `times` in a step.
static void copyRows(OpOperand &operand, StringRef kernel, ExprAttr times,
                     const KernelSet &kernels, PatternRewriter &rewriter) {
  if (times && times.isConstant(0))
    return;
  Operation *op = operand.getOwner();
  rewriter.setInsertionPoint(op);
  FailureOr<ascend::LaunchOp> launch =
      createLaunch(op, operand.get().getType(), kernels, rewriter,
                   {kernel, {operand.get()}, {}, times, {}});
  if (succeeded(launch))
    operand.set(launch->getResult(0));
}

void mlir::tensorcast::joinExperts(ModuleOp module, const KernelSet &kernels) {
  PatternRewriter rewriter(module.getContext());
  MLIRContext *context = module.getContext();
  for (const ExpertSection &section : findExpertSections(module)) {
    // Each expert has its pieces joined by itself; or, compiled, pieces are
    // used where they are, unless an expert has none.
    ExprAttr times;
    if (kernels.lookup("join_received_if_uneven")) {
      ExprAttr local = ExprAttr::constant(
          context, static_cast<double>(section.placement.getNumLocal()));
      times = getFunctionExpr(ExprKind::Less, {section.rows.active, local});
    }
    StringRef join = times ? "join_received_if_uneven" : "join_received";
    if (kernels.lookup(join) &&
        (!times || section.placement.getDevices() > 1)) {
      SmallVector<OpOperand *> readers;
      for (OpOperand &use : section.begin.getUses())
        readers.push_back(&use);
      llvm::sort(readers, [](OpOperand *lhs, OpOperand *rhs) {
        return lhs->getOwner()->isBeforeInBlock(rhs->getOwner());
      });
      copyRows(*readers.front(), join, times, kernels, rewriter);
      for (OpOperand *reader : ArrayRef(readers).drop_front())
        reader->set(readers.front()->get());
    }
    copyRows(*section.end, "join_experts", {}, kernels, rewriter);
  }
}
