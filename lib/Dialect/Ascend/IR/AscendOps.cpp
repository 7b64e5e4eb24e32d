//===- AscendOps.cpp - Launches and the work they do ----------------------===//

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ascend;
using transformer::ExprAttr;
using transformer::getByteSize;
using transformer::getElementBytes;
using transformer::parseExpr;
using transformer::printExpr;

//===----------------------------------------------------------------------===//
// The body of a launch
//===----------------------------------------------------------------------===//

/// Parses `{ work ops }`, or nothing for a kernel that only moves data.
static ParseResult parseWork(OpAsmParser &parser, Region &work) {
  OptionalParseResult body = parser.parseOptionalRegion(work);
  return body.has_value() ? *body : ParseResult::success();
}

/// Prints a single work op on the line of its launch.
static void printWork(OpAsmPrinter &printer, Operation *, Region &work) {
  if (work.empty() || work.front().empty())
    return;
  if (!llvm::hasSingleElement(work.front())) {
    printer << ' ';
    printer.printRegion(work, /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/false);
    return;
  }
  printer << " { ";
  printer.printCustomOrGenericOp(&work.front().front());
  printer << " }";
}

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Ascend/IR/AscendOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Work multiplies expressions, whose products must not get out of hand.
static LogicalResult verifyNumTerms(Operation *work) {
  size_t numTerms = 1;
  static constexpr size_t maxTerms = 4096;
  for (NamedAttribute attr : work->getAttrDictionary()) {
    auto expr = dyn_cast<ExprAttr>(attr.getValue());
    if (!expr)
      continue;
    numTerms *= transformer::getNumTerms(expr);
    if (numTerms > maxTerms)
      return work->emitOpError("expected expressions whose product has at "
                               "most ")
             << maxTerms << " terms";
  }
  return success();
}

SlotAttr mlir::ascend::getSlot(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launch.getSlotAttr();
  if (auto view = dyn_cast<ViewOp>(op))
    return view.getSlotAttr();
  return {};
}

/// Whether the work of a kernel is nothing but ops of these kinds.
template <typename... Ops> static bool doesOnly(LaunchOp launch) {
  Region &work = launch.getWork();
  return !work.empty() && !work.front().empty() &&
         llvm::all_of(work.front(), llvm::IsaPred<Ops...>);
}

bool mlir::ascend::isExchange(LaunchOp launch) {
  return doesOnly<CollectiveOp, SendReceiveOp>(launch);
}

bool mlir::ascend::isTransfer(LaunchOp launch) {
  return doesOnly<SendReceiveOp>(launch);
}

/// Waits must be for operands that there are.
static LogicalResult verifySlot(Operation *op) {
  SlotAttr slot = getSlot(op);
  if (!slot || slot.getWaits().empty() ||
      slot.getWaits().back() < op->getNumOperands())
    return success();
  return op->emitOpError("expected to wait for one of ")
         << op->getNumOperands() << " operands, but got number "
         << slot.getWaits().back();
}

LogicalResult ViewOp::verify() { return verifySlot(*this); }

LogicalResult LaunchOp::verify() {
  if (getKernel().empty())
    return emitOpError("expected the name of a kernel, but got none");
  if (failed(verifySlot(*this)))
    return failure();
  if (getWork().empty())
    return success();
  for (Operation &op : getWork().front()) {
    if (!isa<WorkOpInterface>(op)) {
      InFlightDiagnostic diag =
          emitOpError("expected only work ops in the body, but got '")
          << op.getName() << "'";
      diag.attachNote(op.getLoc()) << "the op is here";
      return diag;
    }
    if (failed(verifyNumTerms(&op)))
      return failure();
  }
  for (auto exchange : getWork().front().getOps<CollectiveOp>())
    if (exchange.getSerial() && isExchange(*this))
      return exchange.emitOpError(
          "expected other work that a 'serial' exchange "
          "comes before or after, but got none");
  return success();
}

ExprAttr LaunchOp::getCountExpr() {
  return getCountAttr() ? getCountAttr() : ExprAttr::constant(getContext(), 1);
}

/// Adds the stored sizes of `types` to `bytes`.
static void addBytes(ExprAttr &bytes, TypeRange types) {
  for (Type type : types) {
    ExprAttr size = getByteSize(type);
    bytes = bytes && size ? bytes + size : ExprAttr();
  }
}

WorkTotal LaunchOp::getWorkTotal() {
  WorkTotal total(getContext());
  if (!getWork().empty())
    for (auto op : getWork().front().getOps<WorkOpInterface>())
      op.addWork(total);
  addBytes(total.bytesRead, getInputs().getTypes());
  addBytes(total.bytesWritten, getOutputs().getTypes());
  return total;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

WorkTotal::WorkTotal(MLIRContext *context)
    : bytesRead(ExprAttr::constant(context, 0)),
      bytesWritten(ExprAttr::constant(context, 0)),
      extraStarts(ExprAttr::constant(context, 0)) {}

/// Adds to the operations of one element type.
static void addOps(llvm::MapVector<Type, ExprAttr> &ops, Type elementType,
                   ExprAttr count) {
  ExprAttr &entry = ops[elementType];
  entry = entry ? entry + count : count;
}

void WorkTotal::addCubeOps(Type elementType, ExprAttr ops) {
  addOps(cubeOps, elementType, ops);
}

void WorkTotal::addVectorOps(Type elementType, ExprAttr ops) {
  addOps(vectorOps, elementType, ops);
}

void MatmulOp::addWork(WorkTotal &total) {
  total.addCubeOps(getElementType(), 2 * getM() * getN() * getK());
}

void MatmulOp::scale(ExprAttr factor) { setMAttr(getM() * factor); }

LogicalResult AttentionOp::verify() {
  std::pair<StringRef, int64_t> sizes[] = {{"heads", getHeads()},
                                           {"key_size", getKeySize()},
                                           {"value_size", getValueSize()},
                                           {"kv_heads", getKvHeads()}};
  for (auto [name, size] : sizes)
    if (size < 1)
      return emitOpError("expected '")
             << name << "' to be at least 1, but got " << size;
  if (!getElementBytes(getCacheType()))
    return emitOpError("expected an integer or float cache type, but got ")
           << getCacheType();
  return success();
}

void AttentionOp::addWork(WorkTotal &total) {
  double headOps = static_cast<double>(getKeySize()) + getValueSize();
  ExprAttr scores = getPairs() * static_cast<double>(getHeads());
  total.addCubeOps(getElementType(), 2 * scores * headOps);
  total.addVectorOps(getSoftmaxType(), getSoftmax() * scores);
  double rowBytes = getKvHeads() * headOps * *getElementBytes(getCacheType());
  total.bytesRead = total.bytesRead + getRows() * rowBytes + getMetadata();
}

void AttentionOp::scale(ExprAttr factor) {
  setPairsAttr(getPairs() * factor);
  setRowsAttr(getRows() * factor);
  setMetadataAttr(getMetadata() * factor);
}

void ElementwiseOp::addWork(WorkTotal &total) {
  total.addVectorOps(getElementType(), getElements() * getOperations());
}

void ElementwiseOp::scale(ExprAttr factor) {
  setElementsAttr(getElements() * factor);
}

void GatherOp::addWork(WorkTotal &total) {
  total.bytesRead = total.bytesRead + getRows() * getRowBytes() + getIndex();
}

void GatherOp::scale(ExprAttr factor) {
  setRowsAttr(getRows() * factor);
  setIndexAttr(getIndex() * factor);
}

void ScatterOp::addWork(WorkTotal &total) {
  total.bytesRead = total.bytesRead + getIndex();
  total.bytesWritten = total.bytesWritten + getRows() * getRowBytes();
}

void ScatterOp::scale(ExprAttr factor) {
  setRowsAttr(getRows() * factor);
  setIndexAttr(getIndex() * factor);
}

void CollectiveOp::addWork(WorkTotal &total) {
  total.exchanges.push_back({getKind(), getBytes(), getRanks(), getSerial()});
}

LogicalResult SendReceiveOp::verify() {
  if (getFrom() == getTo())
    return emitOpError("expected two devices, but got ")
           << getFrom() << " twice";
  for (int64_t device : {getFrom(), getTo()})
    if (device > transformer::WorkloadAttr::kMaxTokens)
      return emitOpError("expected a device up to ")
             << transformer::WorkloadAttr::kMaxTokens << ", but got " << device;
  return success();
}

void SendReceiveOp::addWork(WorkTotal &total) {
  int64_t from = getFrom(), to = getTo();
  auto ranks = transformer::RanksAttr::get(getContext(), /*count=*/2,
                                           std::abs(to - from));
  total.exchanges.push_back({std::nullopt, getBytes(), ranks,
                             /*isSerial=*/false, std::min(from, to)});
}

void SendReceiveOp::scale(ExprAttr factor) {
  setBytesAttr(getBytes() * factor);
}

void CollectiveOp::scale(ExprAttr factor) { setBytesAttr(getBytes() * factor); }

void ExtraStartsOp::addWork(WorkTotal &total) {
  total.extraStarts = total.extraStarts + getCount();
}

void ExtraStartsOp::scale(ExprAttr factor) {
  setCountAttr(getCount() * factor);
}
