//===- StructureOps.cpp - Layers, weights, caches -------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsStructure.cpp.inc"

/// Compares the types that a call passes, or expects, with the function's.
static LogicalResult verifyTypes(LayerOp op, func::FuncOp callee,
                                 StringRef what, TypeRange actual,
                                 TypeRange expected) {
  if (actual.size() != expected.size()) {
    InFlightDiagnostic diag = op.emitOpError("expected ")
                              << expected.size() << " " << what << "s, but got "
                              << actual.size();
    diag.attachNote(callee.getLoc()) << "the layer's function is here";
    return diag;
  }
  for (auto [index, types] : llvm::enumerate(llvm::zip(actual, expected))) {
    auto [got, want] = types;
    if (got == want)
      continue;
    InFlightDiagnostic diag = op.emitOpError("expected ")
                              << what << " " << index << " of type " << want
                              << ", but got " << got;
    diag.attachNote(callee.getLoc()) << "the layer's function is here";
    return diag;
  }
  return success();
}

LogicalResult LayerOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("expected a function, but found none called '")
           << getCallee() << "'";
  if (callee == (*this)->getParentOp())
    return emitOpError("expected another function, but got the one that this "
                       "call is in");
  FunctionType type = callee.getFunctionType();
  if (failed(verifyTypes(*this, callee, "operand", getOperandTypes(),
                         type.getInputs())))
    return failure();
  return verifyTypes(*this, callee, "result", getResultTypes(),
                     type.getResults());
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
