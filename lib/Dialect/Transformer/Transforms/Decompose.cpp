//===- Decompose.cpp - Expand composite ops -------------------------------===//

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

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
                   succeeded(findKept(context, keep, kept)) &&
                   succeeded(findKept(context, eagerKeep, keptInTowers)));
  }

  void runOnOperation() override {
    auto model =
        getOperation()->getParentOfType<ModuleOp>()->getAttrOfType<ModelAttr>(
            kModelAttrName);
    StringRef family =
        model && model.getFamily() ? model.getFamily().getValue() : "";
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
      if (!isExpanded(op, family))
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
  /// Whether the options ask for the expansion of `op` in a model of `family`.
  bool isExpanded(CompositeOpInterface op, StringRef family) {
    if (level == DecomposeLevel::Framework && op.isLaunchedWhole())
      return false;
    StringAttr name = op->getName().getIdentifier();
    auto isKept = [&](const KeptOp &entry) {
      return entry.first == name &&
             (entry.second.empty() || entry.second == family);
    };
    return llvm::none_of(isEager ? keptInTowers : kept, isKept) &&
           (names.empty() || llvm::is_contained(names, name));
  }

  /// An op, and the family that it is kept for; empty for all.
  using KeptOp = std::pair<StringAttr, std::string>;

  /// Sets `found` to the ops of `op` or `op@family`.
  static LogicalResult findKept(MLIRContext *context,
                                ArrayRef<std::string> entries,
                                SmallVectorImpl<KeptOp> &found) {
    found.clear();
    for (StringRef entry : entries) {
      auto [op, family] = entry.split('@');
      FailureOr<StringAttr> name = findOp(context, op);
      if (failed(name))
        return failure();
      found.emplace_back(*name, family.str());
    }
    return success();
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

  SmallVector<StringAttr> names;
  SmallVector<KeptOp> kept, keptInTowers;
  bool isEager = false;
};
} // namespace
