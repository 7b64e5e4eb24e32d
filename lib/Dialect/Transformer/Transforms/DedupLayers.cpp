//===- DedupLayers.cpp - Merge structurally equal layers ------------------===//

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERDEDUPLAYERS
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

static remark::RemarkOpts remarkOpts(func::FuncOp layer) {
  return remark::RemarkOpts::name("layers").category("dedup").function(
      layer.getName());
}

/// `model.layers.7.mlp` becomes `model.layers.*.mlp` in the locations of a
/// function that now stands for several layers.
static void generalizeLocations(func::FuncOp layer) {
  layer.walk([](Operation *op) {
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      op->setLoc(NameLoc::get(
          StringAttr::get(op->getContext(), generalizeName(name.getName())),
          name.getChildLoc()));
  });
}

/// Names an op as the user sees it: by its place in the model, else by itself.
static std::string describe(Operation *op) {
  StringRef name = getName(op->getLoc());
  std::string text = op->getName().getStringRef().str();
  return name.empty() ? text : text + " of " + name.str();
}

/// What two ops disagree on, as far as one line can show it.
static std::string describeDifference(const LayerDifference &difference) {
  auto show = [](Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os, OpPrintingFlags().skipRegions().useLocalScope());
    constexpr size_t longest = 160;
    if (text.size() > longest)
      text = text.substr(0, longest) + "...";
    return text;
  };
  return difference.what + " at " + describe(difference.rhs) + ": `" +
         show(difference.rhs) + "` instead of `" + show(difference.lhs) + "`";
}

namespace {
class TransformerDedupLayersPass
    : public transformer::impl::TransformerDedupLayersBase<
          TransformerDedupLayersPass> {
public:
  void runOnOperation() override {
    if (failed(checkLayers(getOperation())))
      return signalPassFailure();
    // Layers that call equal layers are equal once those are merged.
    for (bool merged = true, first = true; merged; first = false) {
      SmallVector<LayerGroup> groups = groupLayers(getOperation());
      merged = llvm::any_of(
          groups, [](const LayerGroup &group) { return group.size() > 1; });
      // Remarks come before functions go away, while differences can be shown.
      if (getContext().getRemarkEngine() && (merged || first))
        for (const LayerGroup &group : groups)
          report(group, groups);
      merge(getOperation(), groups);
    }
  }

private:
  /// Calls of every function of a group go to its first.
  static void merge(ModuleOp module, ArrayRef<LayerGroup> groups) {
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> replacement;
    for (const LayerGroup &group : groups) {
      func::FuncOp kept = group.front();
      for (func::FuncOp layer : group)
        replacement[layer.getSymNameAttr()] = FlatSymbolRefAttr::get(kept);
      if (group.size() > 1)
        generalizeLocations(kept);
    }
    module.walk([&](LayerOp layer) {
      if (FlatSymbolRefAttr kept =
              replacement.lookup(layer.getCalleeAttr().getAttr()))
        layer.setCalleeAttr(kept);
    });
    eraseUnused(module, groups);
  }

  static void eraseUnused(ModuleOp module, ArrayRef<LayerGroup> groups) {
    llvm::DenseSet<StringAttr> used;
    if (auto uses = SymbolTable::getSymbolUses(module))
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getLeafReference());
    // A public function may have callers that the module does not show.
    for (const LayerGroup &group : groups)
      for (func::FuncOp layer : llvm::drop_begin(group))
        if (layer.isPrivate() && !used.contains(layer.getSymNameAttr()))
          layer.erase();
  }

  static void report(const LayerGroup &group, ArrayRef<LayerGroup> groups) {
    func::FuncOp layer = group.front();
    if (group.size() == 1)
      remark::passed(layer.getLoc(), remarkOpts(layer)) << "a layer of its own";
    else
      remark::passed(layer.getLoc(), remarkOpts(layer))
          << remark::add("{0} equal layers in one function", group.size());
    const LayerGroup *largest =
        std::max_element(groups.begin(), groups.end(),
                         [](const LayerGroup &lhs, const LayerGroup &rhs) {
                           return lhs.size() < rhs.size();
                         });
    if (largest->front() == layer)
      return;
    std::optional<LayerDifference> difference =
        findDifference(largest->front(), layer);
    remark::missed(layer.getLoc(), remarkOpts(layer))
        << remark::add("kept apart from @{0}",
                       func::FuncOp(largest->front()).getName())
        << remark::reason("{0}", describeDifference(*difference));
  }
};
} // namespace
