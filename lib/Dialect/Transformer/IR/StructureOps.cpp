//===- StructureOps.cpp - Layers, weights, caches -------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsStructure.cpp.inc"

LogicalResult LayerOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyCall(*this, getCalleeAttr(), "layer", symbolTable);
}

/// The last two parts of a name say enough where the op is printed:
/// `self_attn.q_proj.weight` is `%q_proj.weight`.
static StringRef shortenName(StringRef name) {
  auto [rest, last] = name.rsplit('.');
  size_t dot = rest.rfind('.');
  return last.empty() || dot == StringRef::npos ? name
                                                : name.drop_front(dot + 1);
}

void WeightOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), shortenName(getName()));
}

void KVCacheOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cache");
}

LogicalResult WeightOp::verify() {
  RankedTensorType type = getType();
  if (!type.hasStaticShape())
    return emitOpError("expected a static shape, but got ") << type;
  if (!type.getElementType().isIntOrFloat())
    return emitOpError("expected an integer or float element type, but got ")
           << type.getElementType();
  return success();
}
