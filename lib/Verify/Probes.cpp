//===- Probes.cpp - Values on the way to the result -----------------------===//

#include "Probes.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

SmallVector<Probe> tensorcast::findLayerResults(func::FuncOp function) {
  SmallVector<Probe> probes;
  function.walk([&](LayerOp layer) {
    for (OpResult result : layer.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      std::string name = layer.getName().str();
      if (result.getResultNumber() > 0)
        name += "#" + std::to_string(result.getResultNumber());
      probes.push_back({{name}, result});
    }
  });
  return probes;
}

/// The names in a location, of all ops that it stands for.
static void collectNames(Location loc, SmallVectorImpl<std::string> &names) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    if (!llvm::is_contained(names, name.getName().getValue()))
      names.push_back(name.getName().str());
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      collectNames(part, names);
}

SmallVector<Probe> tensorcast::findOpResults(func::FuncOp function) {
  SmallVector<Probe> probes;
  llvm::StringMap<unsigned> numOfKind;
  for (Operation &op : function.getBody().front()) {
    if (isa<WeightOp, KVCacheOp, StateOp>(op) ||
        op.hasTrait<OpTrait::ConstantLike>())
      continue;
    SmallVector<std::string, 1> names;
    collectNames(op.getLoc(), names);
    if (names.empty()) {
      StringRef kind = op.getName().stripDialect();
      names.push_back(
          (kind + " " + Twine(numOfKind[op.getName().getStringRef()]++)).str());
    }
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()))
        probes.push_back({names, result});
  }
  return probes;
}

/// The inputs of the layers that read `weight`, as it is or joined with others.
static void findLayerInputs(Value weight, StringRef name,
                            SmallVectorImpl<Probe> &probes) {
  for (Operation *user : weight.getUsers()) {
    if (auto concat = dyn_cast<ConcatWeightsOp>(user)) {
      findLayerInputs(concat.getResult(), name, probes);
      continue;
    }
    Value input = user->getOperand(0);
    // The kernel makes what its second layer reads.
    if (auto projection = dyn_cast<LatentProjectionOp>(user);
        projection && projection.getQueryUp() == weight)
      input = projection.getQueryLatent();
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (input != weight && type && isa<FloatType>(type.getElementType()))
      probes.push_back({{name.str()}, input});
  }
}

SmallVector<Probe> tensorcast::findScaledValues(func::FuncOp function) {
  SmallVector<Probe> probes;
  function.walk([&](WeightOp weight) {
    StringRef name = weight.getName();
    // A matrix, or a stack of those of experts.
    if (name.consume_back(".weight") && weight.getType().getRank() >= 2)
      findLayerInputs(weight, (name + ".input_scale").str(), probes);
  });
  function.walk([&](KVCacheOp cache) {
    auto add = [&](StringRef suffix, Value value) {
      probes.push_back({{(cache.getName() + suffix).str()}, value});
    };
    for (Operation *user : cache->getUsers()) {
      if (auto append = dyn_cast<AppendLatentCacheOp>(user)) {
        add(".kv_scale", append.getLatent());
        add(".kv_scale", append.getRopeKey());
        for (Operation *reader : append->getUsers())
          if (auto attention = dyn_cast<LatentAttentionOp>(reader))
            add(".q_scale", attention.getQuery());
      }
      auto append = dyn_cast<AppendCacheOp>(user);
      if (!append)
        continue;
      add(".k_scale", append.getKey());
      add(".v_scale", append.getValue());
      for (Operation *reader : append->getUsers())
        if (isa<AttentionOp, PartialAttentionOp>(reader))
          add(".q_scale", reader->getOperand(0));
    }
  });
  return probes;
}

LogicalResult tensorcast::addResults(func::FuncOp function,
                                     ArrayRef<Probe> probes) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const Probe &probe : probes) {
    values.push_back(probe.value);
    types.push_back(probe.value.getType());
  }
  terminator->insertOperands(terminator->getNumOperands(), values);
  SmallVector<unsigned> positions(types.size(), function.getNumResults());
  SmallVector<DictionaryAttr> attrs(types.size(),
                                    DictionaryAttr::get(function.getContext()));
  return function.insertResults(positions, types, attrs);
}
