//===- FusedLowering.cpp - One launch for what is fused -------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Merges the launches in the body of one op.
class FusedMerger {
public:
  explicit FusedMerger(FusedOp op) : op(op), builder(op) {
    outside.map(op.getBody().front().getArguments(), op.getInputs());
  }

  LogicalResult run() {
    for (Operation &inner : op.getBody().front().without_terminator())
      if (failed(collect(&inner)))
        return failure();
    replace();
    return success();
  }

private:
  LogicalResult collect(Operation *inner) {
    if (auto view = dyn_cast<ascend::ViewOp>(inner)) {
      hoist(view);
      return success();
    }
    auto launch = dyn_cast<ascend::LaunchOp>(inner);
    if (!launch) {
      InFlightDiagnostic diag =
          op.emitOpError("expected ops that lower to kernels, but got '")
          << inner->getName() << "'";
      diag.attachNote(inner->getLoc()) << "the op is here";
      return diag;
    }
    ExprAttr count = launch.getCountExpr();
    if (count.isConstant() && !count.isConstant(0) && !count.isConstant(1)) {
      InFlightDiagnostic diag = op.emitOpError(
          "expected kernels that start at most once, to be part of one start");
      diag.attachNote(launch.getLoc())
          << "'" << launch.getKernel() << "' does not";
      return diag;
    }
    if (!isInMemory(launch.getResident()))
      dropLookups(launch);
    if (!count.isConstant(1))
      weigh(launch, count);
    launches.push_back(launch);
    addOperands(launch.getInputs(), inputs);
    addOperands(launch.getResident(), resident);
    return success();
  }

  /// Whether there is a tensor in device memory among `values`.
  bool isInMemory(ValueRange values) {
    return llvm::any_of(values, [&](Value value) {
      return isa<RankedTensorType>(value.getType()) && outside.contains(value);
    });
  }

  /// Rows of a table that is on the chip are not read from device memory.
  static void dropLookups(ascend::LaunchOp launch) {
    if (launch.getWork().empty())
      return;
    for (auto gather : launch.getWork().front().getOps<ascend::GatherOp>())
      gather.setRowBytesAttr(ExprAttr::constant(launch.getContext(), 0));
  }

  /// A kernel that a batch may not need does its work `count` times, once or
  /// not at all. Without it, its result is its input, which who comes next
  /// reads from where it is.
  void weigh(ascend::LaunchOp launch, ExprAttr count) {
    if (!launch.getWork().empty())
      for (auto work :
           launch.getWork().front().getOps<ascend::WorkOpInterface>())
        work.scale(count);
    ExprAttr bytes = getByteSize(launch.getResultTypes().front());
    if (!isInMemory(launch.getResident()) || !bytes)
      return;
    OpBuilder inner(launch.getContext());
    if (launch.getWork().empty())
      inner.createBlock(&launch.getWork());
    inner.setInsertionPointToEnd(&launch.getWork().front());
    ExprAttr one = ExprAttr::constant(launch.getContext(), 1);
    ascend::GatherOp::create(inner, launch.getLoc(), one - count, bytes,
                             ExprAttr::constant(launch.getContext(), 0));
  }

  /// Remembers those of `values` that are in device memory.
  void addOperands(ValueRange values, llvm::SetVector<Value> &operands) {
    for (Value value : values)
      if (Value outer = outside.lookupOrNull(value))
        operands.insert(outer);
  }

  /// A view of device memory is made in front of the kernel; one of what stays
  /// on the chip is none of device memory. One of both is put together on the
  /// chip: the kernel reads its part in device memory.
  void hoist(ascend::ViewOp view) {
    if (!llvm::all_of(view.getInputs(),
                      [&](Value input) { return outside.contains(input); })) {
      addOperands(view.getInputs(), inputs);
      return;
    }
    // The whole of a tensor in another shape is read once for both.
    if (view.getInputs().size() == 1 && view.getOutputs().size() == 1) {
      Value input = view.getInputs().front(),
            output = view.getOutputs().front();
      ExprAttr size = getByteSize(input.getType());
      if (isa<RankedTensorType>(input.getType()) && size &&
          size == getByteSize(output.getType()) && !isYielded(output)) {
        outside.map(output, outside.lookup(input));
        return;
      }
    }
    for (Operation *other : views)
      if (isSame(other, view)) {
        outside.map(view.getResults(), other->getResults());
        return;
      }
    views.push_back(builder.clone(*view, outside));
  }

  static bool isYielded(Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<YieldOp>);
  }

  /// Whether a view that was hoisted is what `view` would be.
  bool isSame(Operation *hoisted, ascend::ViewOp view) {
    return hoisted->getResultTypes() == view->getResultTypes() &&
           hoisted->getAttrDictionary() == view->getAttrDictionary() &&
           llvm::equal(hoisted->getOperands(),
                       llvm::map_range(view.getInputs(), [&](Value input) {
                         return outside.lookup(input);
                       }));
  }

  void replace() {
    if (launches.empty()) {
      for (Operation *view : llvm::reverse(views))
        view->erase();
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
      return;
    }
    // What the body passes on is no result of the kernel.
    SmallVector<Type> types;
    SmallVector<Value> results;
    Operation *yield = op.getBody().front().getTerminator();
    for (Value value : yield->getOperands()) {
      results.push_back(outside.lookupOrNull(value));
      if (!results.back())
        types.push_back(value.getType());
    }
    // What is read whole needs no second mention.
    resident.set_subtract(inputs);
    auto provenance =
        llvm::find_if(llvm::reverse(launches), [](ascend::LaunchOp launch) {
          return launch.getProvenanceAttr();
        });
    auto launch = ascend::LaunchOp::create(
        builder, op.getLoc(), types, op.getKernelAttr(), inputs.getArrayRef(),
        resident.getArrayRef(), /*count=*/ExprAttr(),
        provenance == launches.rend() ? StringAttr()
                                      : (*provenance).getProvenanceAttr(),
        /*reference_name=*/StringAttr(), /*cost=*/ascend::CostAttr());
    moveWork(launch);
    auto written = launch.getOutputs().begin();
    for (Value &result : results)
      if (!result)
        result = *written++;
    op->replaceAllUsesWith(results);
    op->erase();
  }

  void moveWork(ascend::LaunchOp launch) {
    Block *block = builder.createBlock(&launch.getWork());
    for (ascend::LaunchOp inner : launches) {
      if (inner.getWork().empty())
        continue;
      for (auto work :
           inner.getWork().front().getOps<ascend::WorkOpInterface>())
        if (!work->hasAttr(ascend::kPartAttrName))
          work->setAttr(ascend::kPartAttrName, inner.getKernelAttr());
      block->getOperations().splice(block->end(),
                                    inner.getWork().front().getOperations());
    }
    if (block->empty())
      block->erase();
  }

  FusedOp op;
  OpBuilder builder;
  /// Values of the body that are in device memory before the kernel starts.
  IRMapping outside;
  SmallVector<Operation *> views;
  SmallVector<ascend::LaunchOp> launches;
  llvm::SetVector<Value> inputs, resident;
};
} // namespace

LogicalResult mlir::tensorcast::mergeFusedLaunches(ModuleOp module) {
  // Inner ones first: they become launches of the outer ones.
  WalkResult result = module.walk([](FusedOp op) {
    return failed(FusedMerger(op).run()) ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
