//===- WindowWays.cpp - Attention without windows and sinks ---------------===//

#include "ReferenceWays.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Takes the window and the sink from an attention; the sink stays a weight.
/// Whether there was a window.
template <typename AttentionLikeOp>
static bool removeLimits(AttentionLikeOp op) {
  op.getSinkMutable().clear();
  return static_cast<bool>(op.removeWindowAttr());
}

void mlir::tensorcast::removeWindows(ModuleOp module) {
  bool hasWindows = false;
  module.walk([&](AttentionOp op) { hasWindows |= removeLimits(op); });
  module.walk([&](QuantizedAttentionOp op) { hasWindows |= removeLimits(op); });
  if (!hasWindows)
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](KVCacheType cache) { return cache.withWindow(0); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
