//===- SequenceParallel.cpp - Split the tokens of norms over devices ------===//
//
// The residual stream becomes this device's rows. What makes it of all tokens
// is replaced by what makes it of the own ones, and gathers are left behind for
// the readers that need all; those that nobody reads go at the end.
//
//===----------------------------------------------------------------------===//

#include "SequenceParallel.h"
#include "Sharding.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERSEQUENCEPARALLEL
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Which arguments and results of a function are own rows. Types do not tell:
/// a share of one token is one token.
struct SplitSignature {
  llvm::SmallDenseSet<unsigned> arguments, results;
};
using SplitSignatures = llvm::DenseMap<Operation *, SplitSignature>;

/// Rewrites one function, after those that it calls.
class StreamSplitter {
public:
  StreamSplitter(func::FuncOp function, const TokenSplit &split,
                 SymbolTable &symbols, SplitSignatures &signatures)
      : function(function), split(split), symbols(symbols),
        signatures(signatures), builder(function.getContext()),
        exchanges(builder, split.count) {}

  /// Returns how many sums over devices became scattered ones.
  unsigned run() {
    bool ownsSignature = split.mayRetype(function);
    if (ownsSignature)
      splitArguments();
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      builder.setInsertionPoint(&op);
      rewrite(&op);
    }
    if (ownsSignature)
      splitResults();
    for (Operation *gather : gathers)
      if (gather->use_empty())
        gather->erase();
    return numScattered;
  }

private:
  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// Puts `own` in the place of `all`; who needs all tokens gathers them.
  void replace(Value all, Value own) {
    all.replaceAllUsesWith(gather(own, getTensor(all)));
  }

  /// All rows of `own`, a tensor of `type`.
  Value gather(Value own, RankedTensorType type) {
    builder.setInsertionPointAfterValue(own);
    Value all = exchanges.allGather(own.getLoc(), own, 0, split.count,
                                    getDims(type)[0]);
    shards[all] = own;
    gathers.insert(all.getDefiningOp<AllGatherOp>());
    return all;
  }

  /// Makes `value`, which had all rows, the own ones.
  void splitInPlace(Value value) {
    RankedTensorType type = getTensor(value);
    value.setType(split.getOwnType(type));
    Value all = gather(value, type);
    value.replaceAllUsesExcept(all, all.getDefiningOp());
  }

  /// Whether the own rows of `value` cost no more than all of them.
  bool isStream(Value value) {
    return shards.contains(value) || split.isScatterable(value) ||
           split.getGatheredRows(value);
  }

  /// The own rows of `value`.
  Value getOwnRows(Value value) {
    if (Value own = shards.lookup(value))
      return own;
    if (Value own = split.getGatheredRows(value)) {
      gathers.insert(value.getDefiningOp<AllGatherOp>());
      return own;
    }
    if (!split.isScatterable(value)) {
      Value &own = views[value];
      if (!own) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(value);
        own = exchanges.ownRows(value.getLoc(), value, split.count);
      }
      return own;
    }
    OpBuilder::InsertionGuard guard(builder);
    auto sum = value.getDefiningOp<AllReduceOp>();
    builder.setInsertionPoint(sum);
    RankedTensorType type = sum.getType();
    auto scattered =
        ReduceScatterOp::create(builder, sum.getLoc(), split.getOwnType(type),
                                sum.getInput(), sum.getRanks(), /*dim=*/0);
    replace(sum, scattered);
    sum.erase();
    ++numScattered;
    return scattered;
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  void rewrite(Operation *op) {
    if (auto layer = dyn_cast<LayerOp>(op))
      return rewriteLayer(layer);
    if (auto rows = dyn_cast<OwnRowsOp>(op)) {
      Value own = shards.lookup(rows.getInput());
      if (own && own.getType() == rows.getType() &&
          split.isGroup(rows.getRanks())) {
        rows.replaceAllUsesWith(own);
        rows.erase();
      }
      return;
    }
    if (!TokenSplit::isRowwise(op) ||
        llvm::none_of(op->getOperands(),
                      [&](Value operand) { return isStream(operand); }))
      return;
    // Weights and biases are the same for every token.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() == type)
        operand.set(getOwnRows(operand.get()));
    Operation *own = builder.clone(*op);
    for (Value result : own->getResults())
      result.setType(split.getOwnType(getTensor(result)));
    for (auto [all, part] : llvm::zip(op->getResults(), own->getResults()))
      replace(all, part);
    op->erase();
  }

  void rewriteLayer(LayerOp layer) {
    auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
    const SplitSignature &signature = signatures[callee];
    for (OpOperand &operand : layer->getOpOperands())
      if (signature.arguments.contains(operand.getOperandNumber()))
        operand.set(getOwnRows(operand.get()));
    for (OpResult result : layer->getResults())
      if (signature.results.contains(result.getResultNumber()))
        splitInPlace(result);
  }

  //===--------------------------------------------------------------------===//
  // The edges of the function
  //===--------------------------------------------------------------------===//

  void splitArguments() {
    if (!split.hasScatterableSum(function))
      return;
    for (BlockArgument argument : function.getArguments()) {
      if (!split.isStreamArgument(argument))
        continue;
      splitInPlace(argument);
      signatures[function].arguments.insert(argument.getArgNumber());
    }
  }

  void splitResults() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands())
      if (Value own = shards.lookup(operand.get())) {
        operand.set(own);
        signatures[function].results.insert(operand.getOperandNumber());
      }
    function.setType(FunctionType::get(
        function.getContext(), function.getBody().front().getArgumentTypes(),
        TypeRange(terminator->getOperands())));
  }

  func::FuncOp function;
  const TokenSplit &split;
  SymbolTable &symbols;
  SplitSignatures &signatures;
  OpBuilder builder;
  Exchanges exchanges;
  /// The own rows behind each gather of this pass.
  llvm::DenseMap<Value, Value> shards;
  /// Gathers that may have lost their readers.
  llvm::SetVector<Operation *> gathers;
  /// Own rows of values that stay whole.
  llvm::DenseMap<Value, Value> views;
  unsigned numScattered = 0;
};

class TransformerSequenceParallelPass
    : public transformer::impl::TransformerSequenceParallelBase<
          TransformerSequenceParallelPass> {
public:
  using TransformerSequenceParallelBase::TransformerSequenceParallelBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkLayers(module)))
      return signalPassFailure();
    std::optional<TokenSplit> split =
        TokenSplit::find(module, {onlyAfterSum, onlyEvenTokens});
    if (!split)
      return;
    SymbolTable symbols(module);
    SplitSignatures signatures;
    for (func::FuncOp function : sortByCalls(module, symbols)) {
      if (split->whole.contains(function))
        continue;
      unsigned count =
          StreamSplitter(function, *split, symbols, signatures).run();
      if (unsigned routed = routeOwnTokens(function, *split))
        remark::passed(function.getLoc(), remark::RemarkOpts::name("route")
                                              .category("sequence-parallel")
                                              .function(function.getName()))
            << "shares of tokens for experts that devices have already"
            << remark::metric("count", routed);
      if (count == 0)
        continue;
      if (split->assumed)
        assume(module, split->assumed);
      remark::passed(function.getLoc(), remark::RemarkOpts::name("scatter")
                                            .category("sequence-parallel")
                                            .function(function.getName()))
          << "sums over devices that leave each its tokens"
          << remark::metric("count", count);
    }
  }

private:
  /// Functions of the decoder with a body, each behind those that it calls.
  static SmallVector<func::FuncOp> sortByCalls(ModuleOp module,
                                               SymbolTable &symbols) {
    llvm::SetVector<func::FuncOp> sorted;
    auto visit = [&](auto &self, func::FuncOp function) -> void {
      // Patches of images are no tokens, and stay whole.
      if (function.isDeclaration() || function->hasAttr(kTowerAttrName) ||
          sorted.contains(function))
        return;
      function.walk([&](LayerOp layer) {
        self(self, symbols.lookup<func::FuncOp>(layer.getCallee()));
      });
      sorted.insert(function);
    };
    for (auto function : module.getOps<func::FuncOp>())
      visit(visit, function);
    return sorted.takeVector();
  }
};
} // namespace
