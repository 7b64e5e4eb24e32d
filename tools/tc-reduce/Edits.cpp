//===- Edits.cpp - Steps that make a module smaller -----------------------===//

#include "Edits.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Ops of `module` that `isPlace` takes, as they are in the text.
static SmallVector<Operation *>
collect(ModuleOp module, function_ref<bool(Operation *)> isPlace) {
  SmallVector<Operation *> places;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isPlace(op))
      places.push_back(op);
  });
  return places;
}

//===----------------------------------------------------------------------===//
// Bypassing ops
//===----------------------------------------------------------------------===//

/// The operand of `op` that can stand for `result`: one of its type, each for
/// one result.
static Value findStandIn(Operation *op, OpResult result,
                         SmallVectorImpl<Value> &taken) {
  for (Value operand : op->getOperands())
    if (operand.getType() == result.getType() &&
        !llvm::is_contained(taken, operand)) {
      taken.push_back(operand);
      return operand;
    }
  return {};
}

/// What replaces the results of `op`; empty if something used has no stand-in.
static SmallVector<Value> findStandIns(Operation *op) {
  SmallVector<Value> values, taken;
  bool isUsed = false;
  for (OpResult result : op->getResults()) {
    Value value = findStandIn(op, result, taken);
    if (!value && !result.use_empty())
      return {};
    isUsed |= !result.use_empty();
    values.push_back(value);
  }
  return isUsed ? values : SmallVector<Value>();
}

static bool canBypass(Operation *op) {
  return op->getNumRegions() == 0 && !findStandIns(op).empty();
}

static bool isLayer(Operation *op) {
  return isa<transformer::LayerOp>(op) && canBypass(op);
}

static bool isOther(Operation *op) {
  return !isa<transformer::LayerOp>(op) && canBypass(op);
}

template <bool (*IsPlace)(Operation *)> static int64_t count(ModuleOp module) {
  return collect(module, IsPlace).size();
}

template <bool (*IsPlace)(Operation *)>
static void bypass(ModuleOp module, int64_t begin, int64_t end) {
  SmallVector<Operation *> places = collect(module, IsPlace);
  for (Operation *op : ArrayRef(places).slice(begin, end - begin)) {
    SmallVector<Value> values = findStandIns(op);
    for (auto [result, value] : llvm::zip(op->getResults(), values))
      if (value)
        result.replaceAllUsesWith(value);
  }
}

/// What layers hold can end the function that they are part of.
static int64_t countCalls(ModuleOp module) {
  return collect(
             module,
             [](Operation *op) {
               return isa<transformer::LayerOp>(op);
             }).empty()
             ? 0
             : 1;
}

static void inlineCalls(ModuleOp module, int64_t, int64_t) {
  PassManager passes(module.getContext());
  passes.addPass(transformer::createTransformerInlineLayers({true}));
  // A module that cannot be inlined stays as it is, and so is no smaller.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  (void)passes.run(module);
}

//===----------------------------------------------------------------------===//
// Ending functions earlier
//===----------------------------------------------------------------------===//

/// Functions that nothing calls may yield something else.
static bool isEntryReturn(Operation *op) {
  if (!isa<func::ReturnOp>(op))
    return false;
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  return function && function.isPublic();
}

/// What `op`, which yields results that a function returns, could be replaced
/// by: its operands that are tensors.
static SmallVector<Value> findInputs(Operation *op) {
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      inputs.push_back(operand);
  return inputs;
}

/// A place is a result that a function returns, whose op has inputs.
static int64_t countReturned(ModuleOp module) {
  int64_t total = 0;
  for (Operation *op : collect(module, isEntryReturn))
    total += op->getNumOperands();
  return total;
}

static void setReturned(func::ReturnOp op, ArrayRef<Value> values) {
  auto function = cast<func::FuncOp>(op->getParentOp());
  op->setOperands(values);
  function.setType(FunctionType::get(op.getContext(),
                                     function.getArgumentTypes(),
                                     llvm::to_vector(op.getOperandTypes())));
  // Attributes of results belong to those that were.
  function.removeResAttrsAttr();
}

/// Calls `edit` for the returned values `begin` to `end` with the index among
/// the values of its op, the last first, and what to change.
static void
editReturned(ModuleOp module, int64_t begin, int64_t end,
             function_ref<void(int64_t, SmallVectorImpl<Value> &)> edit) {
  int64_t first = 0;
  for (Operation *op : collect(module, isEntryReturn)) {
    SmallVector<Value> values(op->getOperands());
    int64_t size = values.size();
    for (int64_t i = size - 1; i >= 0; --i)
      if (first + i >= begin && first + i < end)
        edit(i, values);
    first += size;
    setReturned(cast<func::ReturnOp>(op), values);
  }
}

static void dropReturned(ModuleOp module, int64_t begin, int64_t end) {
  editReturned(module, begin, end, [](int64_t i, SmallVectorImpl<Value> &all) {
    all.erase(all.begin() + i);
  });
}

static void returnInputs(ModuleOp module, int64_t begin, int64_t end) {
  editReturned(module, begin, end, [](int64_t i, SmallVectorImpl<Value> &all) {
    Operation *op = all[i].getDefiningOp();
    if (!op)
      return;
    SmallVector<Value> inputs = findInputs(op);
    if (inputs.empty())
      return;
    all.erase(all.begin() + i);
    all.insert(all.begin() + i, inputs.begin(), inputs.end());
  });
}

//===----------------------------------------------------------------------===//
// Beginning functions later
//===----------------------------------------------------------------------===//

/// Whether the results can be inputs of the function: tensors, in one that
/// nothing calls.
static bool canBeInput(Operation *op) {
  auto function = dyn_cast_or_null<func::FuncOp>(op->getParentOp());
  return function && function.isPublic() && op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

static void makeInputs(ModuleOp module, int64_t begin, int64_t end) {
  SmallVector<Operation *> places = collect(module, canBeInput);
  for (Operation *op : ArrayRef(places).slice(begin, end - begin)) {
    auto function = cast<func::FuncOp>(op->getParentOp());
    for (OpResult result : op->getResults()) {
      if (result.use_empty())
        continue;
      unsigned index = function.getNumArguments();
      if (failed(function.insertArgument(index, result.getType(), {},
                                         result.getLoc())))
        return;
      result.replaceAllUsesWith(function.getArgument(index));
    }
  }
}

/// A place is an argument that its function has no use for.
static SmallVector<BlockArgument> collectUnusedArguments(ModuleOp module) {
  SmallVector<BlockArgument> unused;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      llvm::append_range(unused, llvm::make_filter_range(
                                     function.getArguments(), [](Value value) {
                                       return value.use_empty();
                                     }));
  return unused;
}

static int64_t countUnusedArguments(ModuleOp module) {
  return collectUnusedArguments(module).size();
}

static void dropArguments(ModuleOp module, int64_t begin, int64_t end) {
  SmallVector<BlockArgument> places = collectUnusedArguments(module);
  for (BlockArgument argument :
       llvm::reverse(ArrayRef(places).slice(begin, end - begin))) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    (void)function.eraseArgument(argument.getArgNumber());
  }
}

//===----------------------------------------------------------------------===//
// What nothing uses
//===----------------------------------------------------------------------===//

void tensorcast::eraseUnused(ModuleOp module) {
  // Users come before what they use.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op->use_empty() && op->getNumResults() > 0 && op->getNumRegions() == 0)
      op->erase();
  });
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(function, module)) {
        function.erase();
        changed = true;
      }
  }
}

ArrayRef<EditKind> tensorcast::getEditKinds() {
  static constexpr EditKind kinds[] = {
      {"layers", count<isLayer>, bypass<isLayer>},
      {"calls", countCalls, inlineCalls},
      {"results", countReturned, dropReturned},
      {"ops at the end", countReturned, returnInputs},
      {"ops", count<isOther>, bypass<isOther>},
      {"ops at the beginning", count<canBeInput>, makeInputs},
      {"arguments", countUnusedArguments, dropArguments},
  };
  return kinds;
}
