//===- StagePlan.cpp - Which stage runs which op --------------------------===//

#include "StagePlan.h"

using namespace mlir;
using namespace mlir::transformer;

SmallVector<int64_t> mlir::transformer::cutLayers(int64_t layers,
                                                  int64_t stages) {
  SmallVector<int64_t> cuts = {0};
  int64_t rest = layers % stages;
  for (int64_t stage = 0; stage < stages; ++stage) {
    bool takesOneMore = stage < stages - 1 && stage >= stages - 1 - rest;
    cuts.push_back(cuts.back() + layers / stages + (takesOneMore ? 1 : 0));
  }
  return cuts;
}

//===----------------------------------------------------------------------===//
// The layers
//===----------------------------------------------------------------------===//

/// The function that calls the layers.
static FailureOr<func::FuncOp> findFunction(ModuleOp module) {
  llvm::SmallPtrSet<Attribute, 8> called;
  module.walk([&](Operation *op) {
    if (FlatSymbolRefAttr callee = getCallee(op))
      called.insert(callee.getAttr());
  });
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (called.contains(function.getSymNameAttr()))
      continue;
    bool calls = function.walk([](LayerOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
    if (!calls)
      continue;
    if (found) {
      InFlightDiagnostic diag =
          function.emitOpError("expected one function that calls layers, but "
                               "got @")
          << found.getName() << " and @" << function.getName();
      diag.attachNote(found.getLoc()) << "the first is here";
      return diag;
    }
    found = function;
  }
  if (!found)
    return mlir::emitError(module.getLoc(),
                           "expected a function that calls layers, but the "
                           "module has none; split stages before layers are "
                           "dissolved");
  if (!found.getBody().hasOneBlock())
    return found.emitOpError("expected one block, but got ")
           << found.getBody().getBlocks().size();
  return found;
}

/// The layer whose result `value` is, perhaps with images placed in it.
static Operation *getLayerOf(Value value) {
  Operation *producer = value.getDefiningOp();
  while (auto place = dyn_cast_if_present<PlaceImagesOp>(producer))
    producer = place.getHidden().getDefiningOp();
  return producer;
}

/// Calls of layers, each of which takes a result of the one before it. Layers
/// that run again, as those that predict several tokens, begin another chain.
static SmallVector<SmallVector<LayerOp>> findChains(func::FuncOp function) {
  SmallVector<SmallVector<LayerOp>> chains;
  for (auto layer : function.getOps<LayerOp>()) {
    auto continues = [&](ArrayRef<LayerOp> chain) {
      return llvm::any_of(layer.getOperands(),
                          [&](Value operand) {
                            return getLayerOf(operand) == chain.back();
                          }) &&
             llvm::none_of(chain, [&](LayerOp other) {
               return other.getNameAttr() == layer.getNameAttr();
             });
    };
    if (!chains.empty() && continues(chains.back()))
      chains.back().push_back(layer);
    else
      chains.push_back({layer});
  }
  return chains;
}

/// The chain that is cut: the decoder's, whose layers remember tokens.
static SmallVector<LayerOp> findLayers(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  auto hasCache = [&](LayerOp layer) {
    auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
    return callee.walk([](KVCacheOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  SmallVector<SmallVector<LayerOp>> chains = findChains(function);
  if (chains.empty())
    return {};
  for (ArrayRef<LayerOp> chain : chains)
    if (llvm::any_of(chain, hasCache))
      return SmallVector<LayerOp>(chain);
  return chains.front();
}

//===----------------------------------------------------------------------===//
// The other ops
//===----------------------------------------------------------------------===//

void StagePlan::placeBehindLayers(ArrayRef<LayerOp> layers) {
  SmallVector<int64_t> cuts =
      cutLayers(static_cast<int64_t>(layers.size()), numStages);
  llvm::SmallDenseMap<Operation *, int64_t> stageOfLayer;
  for (int64_t stage = 0; stage < numStages; ++stage)
    for (LayerOp layer :
         layers.slice(cuts[stage], cuts[stage + 1] - cuts[stage]))
      stageOfLayer[layer] = stage;
  constexpr int64_t none = -1;
  for (Operation &op : function.getBody().front().without_terminator()) {
    int64_t stage = none;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (auto found = stages.find(producer); found != stages.end())
            stage = std::max<int64_t>(stage, found->second.find_last());
    });
    if (auto found = stageOfLayer.find(&op); found != stageOfLayer.end())
      stage = found->second;
    if (stage != none)
      stages.try_emplace(&op, numStages).first->second.set(stage);
  }
}

void StagePlan::placeOthers() {
  Block &body = function.getBody().front();
  llvm::SmallPtrSet<Operation *, 16> repeated;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (stages.contains(&op))
      continue;
    llvm::SmallBitVector users(numStages);
    bool isRepeated =
        isa<WeightOp>(op) ||
        !llvm::all_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
    for (Operation *user : op.getUsers()) {
      user = body.findAncestorOpInBlock(*user);
      isRepeated |= repeated.contains(user);
      if (user == body.getTerminator())
        users.set(numStages - 1);
      else
        users |= stages.find(user)->second;
    }
    if (users.none())
      users.set(0);
    if (isRepeated) {
      repeated.insert(&op);
    } else {
      int64_t first = users.find_first();
      users.reset();
      users.set(first);
    }
    stages.try_emplace(&op, users);
  }
}

LogicalResult StagePlan::checkTransfers() {
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults()) {
      if (isa<RankedTensorType>(result.getType()))
        continue;
      for (Operation *user : result.getUsers()) {
        user = body.findAncestorOpInBlock(*user);
        if (user == body.getTerminator() || !isSent(&op, user))
          continue;
        InFlightDiagnostic diag =
            op.emitOpError("expected only tensors to go from stage to stage, "
                           "but got ")
            << result.getType();
        diag.attachNote(user->getLoc()) << "a later stage needs it here";
        return diag;
      }
    }
  return success();
}

FailureOr<StagePlan> StagePlan::get(ModuleOp module, int64_t numStages) {
  FailureOr<func::FuncOp> function = findFunction(module);
  if (failed(function))
    return failure();
  SmallVector<LayerOp> layers = findLayers(*function);
  if (static_cast<int64_t>(layers.size()) < numStages)
    return function->emitOpError("expected at most as many stages as the ")
           << layers.size() << " layers, but got " << numStages;
  StagePlan plan(*function, numStages);
  plan.placeBehindLayers(layers);
  plan.placeOthers();
  if (failed(plan.checkTransfers()))
    return failure();
  return plan;
}
