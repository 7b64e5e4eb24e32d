//===- Decompose.cpp - Expand composite ops -------------------------------===//

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Builders.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERDECOMPOSE
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Remembers composite ops that expansions make, which are to be expanded too.
struct CompositeCollector : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (auto composite = dyn_cast<CompositeOpInterface>(op))
      worklist.push_back(composite);
  }

  SmallVector<CompositeOpInterface> worklist;
};

class TransformerDecomposePass
    : public transformer::impl::TransformerDecomposeBase<
          TransformerDecomposePass> {
public:
  using TransformerDecomposeBase::TransformerDecomposeBase;

  LogicalResult initialize(MLIRContext *context) override {
    return success(succeeded(findOps(context, ops, names)) &&
                   succeeded(findOps(context, keep, kept)) &&
                   succeeded(findOps(context, eagerKeep, keptInTowers)));
  }

  void runOnOperation() override {
    isEager = eagerTowers && getOperation()->hasAttr(kTowerAttrName);
    if (isEager)
      getOperation()->setAttr(kEagerAttrName, UnitAttr::get(&getContext()));
    CompositeCollector collector;
    // The last is expanded first: what is within an op before the op itself.
    getOperation().walk<WalkOrder::PreOrder>(
        [&](CompositeOpInterface op) { collector.worklist.push_back(op); });
    OpBuilder builder(&getContext(), &collector);
    while (!collector.worklist.empty()) {
      CompositeOpInterface op = collector.worklist.pop_back_val();
      if (!isExpanded(op))
        continue;
      builder.setInsertionPoint(op);
      SmallVector<Value> values = op.decompose(builder);
      // Where a size is not known, the parts may know more or less than the op.
      for (auto [value, type] : llvm::zip(values, op->getResultTypes()))
        if (value.getType() != type)
          value = ReshapeOp::create(builder, op->getLoc(), type, value);
      op->replaceAllUsesWith(values);
      op->erase();
    }
  }

private:
  /// Whether the options ask for the expansion of `op`.
  bool isExpanded(CompositeOpInterface op) {
    if (level == DecomposeLevel::Framework && op.isLaunchedWhole())
      return false;
    StringAttr name = op->getName().getIdentifier();
    return !llvm::is_contained(isEager ? keptInTowers : kept, name) &&
           (names.empty() || llvm::is_contained(names, name));
  }

  /// Sets `found` to the composite ops that an option names.
  static LogicalResult findOps(MLIRContext *context,
                               ArrayRef<std::string> names,
                               SmallVectorImpl<StringAttr> &found) {
    found.clear();
    for (StringRef op : names) {
      FailureOr<StringAttr> name = findOp(context, op);
      if (failed(name))
        return failure();
      found.push_back(*name);
    }
    return success();
  }

  /// The composite op called `name`, with or without the dialect's prefix.
  static FailureOr<StringAttr> findOp(MLIRContext *context, StringRef name) {
    StringRef prefix = "transformer.";
    SmallVector<StringRef> known;
    for (RegisteredOperationName op : context->getRegisteredOperations()) {
      StringRef full = op.getStringRef();
      if (!op.hasInterface<CompositeOpInterface>())
        continue;
      if (full == name || full == (prefix + name).str())
        return op.getIdentifier();
      known.push_back(full.drop_front(prefix.size()));
    }
    llvm::sort(known);
    return emitError(UnknownLoc::get(context))
           << tensorcast::unknownName("composite op", name, known);
  }

  SmallVector<StringAttr> names, kept, keptInTowers;
  bool isEager = false;
};
} // namespace
