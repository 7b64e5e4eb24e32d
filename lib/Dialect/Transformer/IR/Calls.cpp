//===- Calls.cpp - Ops that run functions ---------------------------------===//

#include "Checks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::transformer;

FlatSymbolRefAttr mlir::transformer::getCallee(Operation *op) {
  if (auto layer = dyn_cast<LayerOp>(op))
    return layer.getCalleeAttr();
  if (auto stage = dyn_cast<StageOp>(op))
    return stage.getCalleeAttr();
  return {};
}

/// Says where the function is that a call does not fit.
static LogicalResult noteCallee(InFlightDiagnostic diag, func::FuncOp callee,
                                StringRef kind) {
  diag.attachNote(callee.getLoc()) << "the " << kind << "'s function is here";
  return diag;
}

/// Compares the types that a call passes, or expects, with the function's.
static LogicalResult verifyTypes(Operation *op, func::FuncOp callee,
                                 StringRef kind, StringRef what,
                                 TypeRange actual, TypeRange expected) {
  if (actual.size() != expected.size())
    return noteCallee(op->emitOpError("expected ")
                          << expected.size() << " " << what << "s, but got "
                          << actual.size(),
                      callee, kind);
  for (auto [index, types] : llvm::enumerate(llvm::zip(actual, expected))) {
    auto [got, want] = types;
    if (got != want)
      return noteCallee(op->emitOpError("expected ")
                            << what << " " << index << " of type " << want
                            << ", but got " << got,
                        callee, kind);
  }
  return success();
}

LogicalResult
mlir::transformer::verifyCall(Operation *op, FlatSymbolRefAttr symbol,
                              StringRef kind,
                              SymbolTableCollection &symbolTable) {
  auto callee = symbolTable.lookupNearestSymbolFrom<func::FuncOp>(op, symbol);
  if (!callee)
    return op->emitOpError("expected a function, but found none called '")
           << symbol.getValue() << "'";
  if (callee == op->getParentOp())
    return op->emitOpError("expected another function, but got the one that "
                           "this call is in");
  FunctionType type = callee.getFunctionType();
  if (failed(verifyTypes(op, callee, kind, "operand", op->getOperandTypes(),
                         type.getInputs())))
    return failure();
  return verifyTypes(op, callee, kind, "result", op->getResultTypes(),
                     type.getResults());
}
