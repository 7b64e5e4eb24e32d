//===- LayerFunctions.cpp - One function per kind of layer ----------------===//

#include "LayerFunctions.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// On a constant that nothing uses: the number of the layer whose ops follow,
/// or precede.
static constexpr StringLiteral beginAttrName = "layer_begin";
static constexpr StringLiteral endAttrName = "layer_end";

void tensorcast::markLayers(ModuleOp module) {
  int64_t number = 0;
  module.walk([&](transformer::LayerOp layer) {
    OpBuilder builder(layer);
    auto mark = [&](StringRef name) {
      auto constant = arith::ConstantOp::create(builder, layer.getLoc(),
                                                builder.getBoolAttr(true));
      constant->setDiscardableAttr(name, builder.getI64IntegerAttr(number));
    };
    mark(beginAttrName);
    builder.setInsertionPointAfter(layer);
    mark(endAttrName);
    ++number;
  });
}

namespace {
/// Ops that follow each other, such as those of a layer, and what they exchange
/// with the ops around them.
struct Segment {
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs, outputs;

  void findValues() {
    llvm::SmallPtrSet<Operation *, 32> own(ops.begin(), ops.end());
    Block *block = ops.front()->getBlock();
    auto isOwn = [&](Operation *op) {
      Operation *ancestor = block->findAncestorOpInBlock(*op);
      return ancestor && own.contains(ancestor);
    };
    llvm::SetVector<Value> used;
    for (Operation *op : ops) {
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands()) {
          Operation *producer = operand.getDefiningOp();
          if (producer ? !isOwn(producer) : operand.getParentBlock() == block)
            used.insert(operand);
        }
      });
      for (Value result : op->getResults())
        if (!llvm::all_of(result.getUsers(), isOwn))
          outputs.push_back(result);
    }
    inputs = used.takeVector();
  }
};

/// Outlines the layers of a module.
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  void run() {
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      for (auto &[number, segment] : takeSegments(function))
        outline(segment);
  }

private:
  /// The ops between marks, which are removed, and those around them. Several
  /// ranks have copies of each op and mark side by side, so a number may begin
  /// more than once.
  static llvm::MapVector<int64_t, Segment> takeSegments(func::FuncOp function) {
    llvm::MapVector<int64_t, Segment> segments;
    if (function.isDeclaration())
      return segments;
    constexpr int64_t outside = -1;
    int64_t current = outside, numOutside = 0;
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      if (auto begin = op.getAttrOfType<IntegerAttr>(beginAttrName)) {
        current = begin.getInt();
        op.erase();
      } else if (op.hasAttr(endAttrName)) {
        current = outside - ++numOutside;
        op.erase();
      } else if (!op.hasTrait<OpTrait::IsTerminator>()) {
        segments[current].ops.push_back(&op);
      }
    }
    // Without layers there is nothing to share.
    if (numOutside == 0)
      segments.clear();
    return segments;
  }

  void outline(Segment &segment) {
    segment.findValues();
    Operation *first = segment.ops.front();
    Location loc = first->getLoc();
    OpBuilder builder(first);
    auto type = builder.getFunctionType(ValueRange(segment.inputs).getTypes(),
                                        ValueRange(segment.outputs).getTypes());
    auto function = func::FuncOp::create(loc, kLayerFunctionName, type);
    function.setPrivate();
    Block *body = function.addEntryBlock();
    auto call = func::CallOp::create(builder, loc, kLayerFunctionName,
                                     type.getResults(), segment.inputs);
    // Users outside of the layer take the results of the call.
    SmallVector<Value> returned(segment.outputs);
    llvm::SmallPtrSet<Operation *, 32> own(segment.ops.begin(),
                                           segment.ops.end());
    for (auto [value, result] : llvm::zip(segment.outputs, call.getResults()))
      value.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !own.contains(
            first->getBlock()->findAncestorOpInBlock(*use.getOwner()));
      });
    for (Operation *op : segment.ops)
      op->moveBefore(body, body->end());
    for (auto [input, argument] :
         llvm::zip(segment.inputs, body->getArguments()))
      input.replaceUsesWithIf(argument, [&](OpOperand &use) {
        return function->isProperAncestor(use.getOwner());
      });
    builder.setInsertionPointToEnd(body);
    func::ReturnOp::create(builder, loc, returned);
    call.setCallee(share(function));
  }

  /// The name of a function like `function`, which is added if there is none.
  StringRef share(func::FuncOp function) {
    for (func::FuncOp known : shared)
      if (known.getFunctionType() == function.getFunctionType() &&
          OperationEquivalence::isRegionEquivalentTo(
              &known.getBody(), &function.getBody(),
              OperationEquivalence::IgnoreLocations)) {
        function.erase();
        return known.getName();
      }
    symbols.insert(function);
    shared.push_back(function);
    return function.getName();
  }

  ModuleOp module;
  SymbolTable symbols;
  SmallVector<func::FuncOp> shared;
};
} // namespace

void tensorcast::outlineLayers(ModuleOp module) { Outliner(module).run(); }
