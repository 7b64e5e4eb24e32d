//===- TransformOps.cpp - Ops for schedules -------------------------------===//

#include "tensorcast/Dialect/Transformer/TransformOps/TransformOps.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Transform/DebugExtension/DebugExtension.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/TransformOps/TransformOps.cpp.inc"

/// Gives the layers in `chosen` functions of their own, and returns these.
static SmallVector<Operation *> separate(ModuleOp module,
                                         ArrayRef<LayerOp> chosen) {
  SymbolTable symbols(module);
  llvm::MapVector<StringAttr, SmallVector<LayerOp>> calls;
  for (LayerOp layer : chosen)
    calls[layer.getCalleeAttr().getAttr()].push_back(layer);
  llvm::DenseMap<StringAttr, size_t> numCalls;
  module.walk(
      [&](LayerOp layer) { ++numCalls[layer.getCalleeAttr().getAttr()]; });
  SmallVector<Operation *> functions;
  for (auto &[callee, layers] : calls) {
    if (layers.size() == numCalls[callee]) {
      functions.push_back(symbols.lookup(callee));
      continue;
    }
    func::FuncOp copy = specializeLayer(layers.front(), symbols);
    for (LayerOp layer : layers)
      layer.setCalleeAttr(FlatSymbolRefAttr::get(copy));
    functions.push_back(copy);
  }
  return functions;
}

DiagnosedSilenceableFailure
transform::MatchLayersOp::apply(transform::TransformRewriter &,
                                transform::TransformResults &results,
                                transform::TransformState &state) {
  llvm::Expected<llvm::GlobPattern> glob =
      llvm::GlobPattern::create(getLayers());
  if (!glob)
    return emitDefiniteFailure() << "expected names of layers, but got "
                                 << tensorcast::quoteText(getLayers()) << ": "
                                 << llvm::toString(glob.takeError());
  llvm::SetVector<Operation *> functions;
  SmallVector<Operation *> rest;
  for (Operation *payload : state.getPayloadOps(getTarget())) {
    auto module = dyn_cast<ModuleOp>(payload);
    if (!module)
      return emitDefiniteFailure()
             << "expected a module, but got '" << payload->getName() << "'";
    if (failed(checkLayers(module)))
      return DiagnosedSilenceableFailure::definiteFailure();
    SmallVector<StringRef> names;
    SmallVector<LayerOp> chosen;
    module.walk([&](LayerOp layer) {
      names.push_back(layer.getName());
      if (glob->match(layer.getName()))
        chosen.push_back(layer);
    });
    if (chosen.empty())
      return emitDefiniteFailure()
             << tensorcast::unknownName("layer", getLayers(), names);
    functions.insert_range(separate(module, chosen));
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && !functions.contains(function))
        rest.push_back(function);
  }
  results.set(cast<OpResult>(getFunctions()), functions.getArrayRef());
  results.set(cast<OpResult>(getRest()), rest);
  return DiagnosedSilenceableFailure::success();
}

void transform::MatchLayersOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  onlyReadsHandle(getTargetMutable(), effects);
  producesHandle(getOperation()->getOpResults(), effects);
  modifiesPayload(effects);
}

namespace {
class TransformExtension
    : public transform::TransformDialectExtension<TransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransformExtension)

  void init() {
    declareGeneratedDialect<TransformerDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "tensorcast/Dialect/Transformer/TransformOps/TransformOps.cpp.inc"
        >();
  }
};
} // namespace

void transformer::registerTransformOps(DialectRegistry &registry) {
  registry.insert<transform::TransformDialect>();
  transform::registerDebugExtension(registry);
  registry.addExtensions<TransformExtension>();
}
