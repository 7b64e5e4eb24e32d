//===- FusedOp.cpp - Kernels of one's own ---------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Syntax: (%a = %x, ...) : (types) -> types { body }
//===----------------------------------------------------------------------===//

static ParseResult
parseFusedBody(OpAsmParser &parser,
               SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inputs,
               SmallVectorImpl<Type> &inputTypes,
               SmallVectorImpl<Type> &outputTypes, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  SMLoc place = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseAssignmentList(arguments, inputs) ||
      parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != inputs.size())
    return parser.emitError(place, "expected as many inputs as types, but got ")
           << inputs.size() << " and " << type.getNumInputs();
  llvm::append_range(inputTypes, type.getInputs());
  llvm::append_range(outputTypes, type.getResults());
  for (auto [argument, argumentType] : llvm::zip(arguments, type.getInputs()))
    argument.type = argumentType;
  if (parser.parseRegion(body, arguments))
    return failure();
  FusedOp::ensureTerminator(body, parser.getBuilder(),
                            parser.getEncodedSourceLoc(place));
  return success();
}

static void printFusedBody(OpAsmPrinter &printer, FusedOp op,
                           OperandRange inputs, TypeRange inputTypes,
                           TypeRange outputTypes, Region &body) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(body.getArguments(), inputs), printer, [&](auto pair) {
        printer << std::get<0>(pair) << " = " << std::get<1>(pair);
      });
  printer << ") : ";
  printer.printFunctionalType(inputTypes, outputTypes);
  printer << ' ';
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFused.cpp.inc"

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

/// Compares types at the edge of the body with those of the op.
static LogicalResult verifyTypes(FusedOp op, StringRef what, TypeRange inner,
                                 TypeRange outer) {
  if (inner.size() != outer.size())
    return op.emitOpError("expected ")
           << outer.size() << ' ' << what << "s in the body, but got "
           << inner.size();
  for (auto [index, types] : llvm::enumerate(llvm::zip(inner, outer)))
    if (auto [got, want] = types; got != want)
      return op.emitOpError("expected ") << what << ' ' << index << " of type "
                                         << want << ", but got " << got;
  return success();
}

LogicalResult FusedOp::verify() {
  if (getKernel().empty())
    return emitOpError("expected the name of a kernel, but got none");
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  Block &block = getBody().front();
  if (failed(verifyTypes(*this, "argument", block.getArgumentTypes(),
                         getInputs().getTypes())) ||
      failed(verifyTypes(*this, "result",
                         block.getTerminator()->getOperandTypes(),
                         getResultTypes())))
    return failure();
  for (Operation &op : block) {
    if (!isa<WeightOp, KVCacheOp, LayerOp, StageOp, StateOp>(op))
      continue;
    InFlightDiagnostic diag =
        emitOpError("expected ops that compute in the body, but got '")
        << op.getName() << "'";
    diag.attachNote(op.getLoc()) << "the op is here";
    return diag;
  }
  return success();
}

SmallVector<Value> FusedOp::decompose(OpBuilder &builder) {
  Block &block = getBody().front();
  IRMapping mapping;
  mapping.map(block.getArguments(), getInputs());
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

bool FusedOp::isLaunchedWhole() { return true; }
