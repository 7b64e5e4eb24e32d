//===- SafeRewrites.cpp - Guards what patterns do -------------------------===//

#include "SafeRewrites.h"

#include "Natives.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Dialect/PDL/IR/PDLTypes.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// Guards one pattern.
class Guard {
public:
  explicit Guard(pdl::PatternOp pattern)
      : pattern(pattern), rewrite(pattern.getRewriter()),
        builder(pattern.getContext()),
        operationType(pdl::OperationType::get(pattern.getContext())) {}

  void run() {
    // No pattern is tried after a mistake, within what is fused, or where it is
    // switched off.
    builder.setInsertionPoint(rewrite);
    constrain(guarded::kMayMatch,
              {rewrite.getRoot(),
               attribute(pattern.getLoc(), pattern.getSymNameAttr())});
    for (Operation &op :
         llvm::make_early_inc_range(rewrite.getBodyRegion().front()))
      guard(&op);

    Block &body = rewrite.getBodyRegion().front();
    builder.setInsertionPointToStart(&body);
    Location loc = pattern.getLoc();
    Value name = attribute(loc, pattern.getSymNameAttr());
    call(guarded::kBegin, loc, {name, rewrite.getRoot()});
    builder.setInsertionPointToEnd(&body);
    call(guarded::kEnd, loc, {});
  }

private:
  void guard(Operation *op) {
    builder.setInsertionPoint(op);
    if (auto operation = dyn_cast<pdl::OperationOp>(op)) {
      guard(operation);
    } else if (auto replace = dyn_cast<pdl::ReplaceOp>(op)) {
      SmallVector<Value> args = {replace.getOpValue()};
      if (replace.getReplOperation())
        args.push_back(replace.getReplOperation());
      llvm::append_range(args, replace.getReplValues());
      call(guarded::kReplace, op->getLoc(), args);
      op->erase();
    } else if (auto erase = dyn_cast<pdl::EraseOp>(op)) {
      call(guarded::kErase, op->getLoc(), {erase.getOpValue()});
      op->erase();
    } else if (auto rewriteCall = dyn_cast<pdl::ApplyNativeRewriteOp>(op)) {
      guardFuse(rewriteCall);
    }
  }

  void guard(pdl::OperationOp op) {
    SmallVector<Value> args = {
        attribute(op.getLoc(), op.getOpNameAttr()),
        attribute(op.getLoc(), op.getAttributeValueNames())};
    llvm::append_range(args, op.getAttributeValues());
    llvm::append_range(args, op.getOperandValues());
    llvm::append_range(args, op.getTypeValues());
    // An op that replaces another has its types.
    if (op.getTypeValues().empty())
      for (Operation *user : op->getUsers())
        if (auto replace = dyn_cast<pdl::ReplaceOp>(user);
            replace && replace.getReplOperation() == op.getOp()) {
          args.push_back(replace.getOpValue());
          break;
        }
    auto created = call(guarded::kCreate, op.getLoc(), args, operationType);
    op->replaceAllUsesWith(created);
    op->erase();
  }

  void guardFuse(pdl::ApplyNativeRewriteOp op) {
    auto fused = call(guarded::kFuse, op.getLoc(), op.getOperands(),
                      op.getResultTypes());
    SmallVector<Value> values = {op.getOperand(1)};
    if (auto range = values.front().getDefiningOp<pdl::RangeOp>())
      values = llvm::to_vector(range.getArguments());
    SmallVector<Value> ops;
    for (Value value : values) {
      Operation *definition = value.getDefiningOp();
      if (auto result = dyn_cast<pdl::ResultOp>(definition))
        ops.push_back(result.getParent());
      else
        ops.push_back(cast<pdl::ResultsOp>(definition).getParent());
    }
    op->replaceAllUsesWith(fused);
    op->erase();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(rewrite);
    constrain(guarded::kFusable, ops);
  }

  Value attribute(Location loc, Attribute value) {
    return pdl::AttributeOp::create(builder, loc,
                                    pdl::AttributeType::get(value.getContext()),
                                    Value(), value);
  }

  pdl::ApplyNativeRewriteOp call(StringRef name, Location loc, ValueRange args,
                                 TypeRange results = {}) {
    SmallVector<Value> all = {attribute(loc, LocationAttr(loc))};
    llvm::append_range(all, args);
    return pdl::ApplyNativeRewriteOp::create(builder, loc, results, name, all);
  }

  void constrain(StringRef name, ValueRange args) {
    pdl::ApplyNativeConstraintOp::create(builder, rewrite.getLoc(), TypeRange(),
                                         name, args,
                                         /*isNegated=*/false);
  }

  pdl::PatternOp pattern;
  pdl::RewriteOp rewrite;
  OpBuilder builder;
  Type operationType;
};
} // namespace

void mlir::tensorcast::guardRewrites(ModuleOp patterns) {
  for (auto pattern : patterns.getOps<pdl::PatternOp>())
    Guard(pattern).run();
}
