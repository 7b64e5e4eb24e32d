//===- SpecializeLayers.cpp - Give single layers their own function -------===//

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERSPECIALIZELAYERS
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
class TransformerSpecializeLayersPass
    : public transformer::impl::TransformerSpecializeLayersBase<
          TransformerSpecializeLayersPass> {
public:
  using TransformerSpecializeLayersBase::TransformerSpecializeLayersBase;

  void runOnOperation() override {
    FailureOr<SmallVector<LayerOp>> chosen = chooseLayers();
    if (failed(chosen))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    llvm::DenseMap<StringAttr, unsigned> numCalls;
    getOperation().walk(
        [&](LayerOp layer) { ++numCalls[layer.getCalleeAttr().getAttr()]; });
    for (LayerOp layer : *chosen) {
      unsigned &calls = numCalls[layer.getCalleeAttr().getAttr()];
      if (calls == 1)
        continue;
      --calls;
      specializeLayer(layer, symbols);
    }
  }

private:
  /// The layers that the option names, in module order.
  FailureOr<SmallVector<LayerOp>> chooseLayers() {
    if (failed(checkLayers(getOperation())))
      return failure();
    SmallVector<LayerOp> all;
    getOperation().walk([&](LayerOp layer) { all.push_back(layer); });
    if (layers.empty())
      return all;
    SmallVector<StringRef> names =
        llvm::map_to_vector(all, [](LayerOp layer) { return layer.getName(); });
    for (const std::string &name : layers)
      if (!llvm::is_contained(names, name))
        return mlir::emitError(getOperation().getLoc())
               << tensorcast::unknownName("layer", name, names);
    llvm::erase_if(all, [&](LayerOp layer) {
      return !llvm::is_contained(layers, layer.getName().str());
    });
    return all;
  }
};
} // namespace
