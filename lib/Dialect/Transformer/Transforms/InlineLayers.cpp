//===- InlineLayers.cpp - Dissolve layers into their caller ---------------===//

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERINLINELAYERS
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

/// The name of an op for `layer`, where its function may stand for many:
/// `model.layers.*.mlp` for `model.layers.7` is `model.layers.7.mlp`.
static Location specializeLocation(Location loc, LayerOp layer) {
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return loc;
  std::string general = generalizeName(layer.getName());
  StringRef rest = name.getName();
  if (!rest.consume_front(general))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), layer.getName() + rest),
                      name.getChildLoc());
}

/// Puts the layer's name in front of what belongs to the call.
template <typename DeclarationOp>
static void qualify(Operation *op, LayerOp layer) {
  if (auto declaration = dyn_cast<DeclarationOp>(op))
    declaration.setName((layer.getName() + "." + declaration.getName()).str());
}

static LogicalResult inlineLayer(LayerOp layer, func::FuncOp callee) {
  if (!callee.getBody().hasOneBlock())
    return layer.emitOpError("expected a function of one block to inline, but "
                             "@")
           << callee.getName() << " has "
           << callee.getBody().getBlocks().size();
  Block &body = callee.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), layer.getInputs());
  OpBuilder builder(layer);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](Operation *inner) {
      inner->setLoc(specializeLocation(inner->getLoc(), layer));
      qualify<WeightOp>(inner, layer);
      qualify<KVCacheOp>(inner, layer);
      qualify<StateOp>(inner, layer);
    });
  }
  for (auto [result, value] :
       llvm::zip(layer.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  layer.erase();
  return success();
}

namespace {
class TransformerInlineLayersPass
    : public transformer::impl::TransformerInlineLayersBase<
          TransformerInlineLayersPass> {
public:
  using TransformerInlineLayersBase::TransformerInlineLayersBase;

  void runOnOperation() override {
    if (failed(checkLayers(getOperation())))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    SmallVector<LayerOp> layers;
    getOperation().walk([&](LayerOp layer) {
      // What runs op by op stays apart from what is compiled, and what passes
      // treat in other ways from each other.
      auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
      auto caller = layer->getParentOfType<func::FuncOp>();
      if (all ||
          (!callee->hasAttr(kEagerAttrName) && haveEqualMarks(caller, callee)))
        layers.push_back(layer);
    });
    llvm::SetVector<func::FuncOp> callees;
    for (LayerOp layer : layers) {
      auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
      callees.insert(callee);
      // A layer within a layer would need its caller dissolved first, and more
      // than once; models have none.
      bool nested = false;
      callee.walk([&](LayerOp) { nested = true; });
      if (nested) {
        layer.emitOpError("expected layers that call no layers, but @")
            << callee.getName() << " does";
        return signalPassFailure();
      }
    }
    for (LayerOp layer : layers)
      if (failed(inlineLayer(layer,
                             symbols.lookup<func::FuncOp>(layer.getCallee()))))
        return signalPassFailure();
    llvm::DenseSet<StringAttr> used;
    if (auto uses = SymbolTable::getSymbolUses(getOperation()))
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    for (func::FuncOp callee : callees)
      if (callee.isPrivate() && !used.contains(callee.getSymNameAttr()))
        callee.erase();
  }
};
} // namespace
