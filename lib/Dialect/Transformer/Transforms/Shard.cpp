//===- Shard.cpp - Split a model over devices -----------------------------===//
//
// Rewrites every function for device 0: weights become what a device holds,
// sizes follow, and exchanges put results together. The types at the edges of
// functions stay.
//
//===----------------------------------------------------------------------===//

#include "ShardPlan.h"
#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERSHARD
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static RankedTensorType withDim(RankedTensorType type, int64_t dim, Dim size) {
  SmallVector<Dim> dims = getDims(type);
  dims[dim] = size;
  return getTensorType(dims, type.getElementType());
}

namespace {
/// Rewrites one function.
class FunctionSharder {
public:
  FunctionSharder(func::FuncOp function, const ShardPlan &plan)
      : function(function), plan(plan), builder(function.getContext()) {}

  LogicalResult run() {
    Block &body = function.getBody().front();
    SmallVector<Operation *> ops;
    for (Operation &op : body)
      ops.push_back(&op);
    for (Operation *op : ops) {
      builder.setInsertionPoint(op);
      if (failed(rewrite(op)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult rewrite(Operation *op) {
    if (auto weight = dyn_cast<WeightOp>(op))
      return shard(weight);
    if (auto cache = dyn_cast<KVCacheOp>(op))
      return shard(cache);
    if (auto linear = dyn_cast<LinearOp>(op))
      return shard(linear);
    if (auto embedding = dyn_cast<EmbeddingOp>(op))
      return shard(embedding);
    if (auto reshape = dyn_cast<ReshapeOp>(op))
      return shard(reshape);
    if (auto attention = dyn_cast<AttentionOp>(op))
      if (failed(checkHeads(attention)))
        return failure();
    // Scales per token and packed bytes have no rule of their own here.
    if (isa<QuantizedLinearOp>(op))
      return op->emitOpError("expected a layer of floats to split; shard a "
                             "model before it is quantized");
    return retype(op);
  }

  //===--------------------------------------------------------------------===//
  // What a device holds
  //===--------------------------------------------------------------------===//

  LogicalResult shard(WeightOp weight) {
    ShardingAttr sharding = weight.getShardingAttr();
    int64_t count = sharding ? plan.getSize(sharding.getGroup()) : 1;
    if (count == 1)
      return success();
    RankedTensorType type = weight.getType();
    int64_t dim = sharding.getKind() == ShardKind::Column ? 0 : 1;
    if (dim >= type.getRank())
      return weight.emitOpError("expected rows to split, but got ") << type;
    FailureOr<int64_t> part =
        getPart(weight, type.getDimSize(dim), sharding.getUnit(), count);
    if (failed(part))
      return failure();
    weight.getResult().setType(withDim(type, dim, Dim(*part)));
    return success();
  }

  /// The size of a part of `size` in whole units; units are repeated where
  /// there are fewer of them than devices.
  FailureOr<int64_t> getPart(Operation *op, int64_t size, int64_t unit,
                             int64_t count) {
    if (unit == 1)
      return llvm::divideCeil(size, count);
    if (size % unit != 0)
      return op->emitOpError("expected a multiple of ")
             << unit << " to split, but got " << size;
    int64_t units = size / unit;
    if (units % count != 0 && count % units != 0)
      return op->emitOpError("expected ")
             << count << " devices to divide the " << units
             << " heads or be divided by them";
    return std::max<int64_t>(units / count, 1) * unit;
  }

  /// Heads of keys may be repeated on devices, those of queries may not.
  LogicalResult checkHeads(AttentionOp attention) {
    int64_t heads =
        cast<RankedTensorType>(oldTypeOf(attention.getResult())).getDimSize(1);
    if (heads % plan.tensor == 0)
      return success();
    return attention.emitOpError("expected 'tp' to divide the ")
           << heads << " heads, but got " << plan.tensor;
  }

  LogicalResult shard(KVCacheOp cache) {
    KVCacheType type = cache.getType();
    FailureOr<int64_t> heads =
        getPart(cache, type.getNumHeads() * type.getHeadSize(),
                type.getHeadSize(), plan.getSize(ShardGroup::Tensor));
    if (failed(heads))
      return failure();
    cache.getResult().setType(KVCacheType::get(
        type.getContext(),
        {type.getShape()[0], *heads / type.getHeadSize(), type.getHeadSize()},
        type.getElementType(), type.getBlockSize()));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Sizes that follow
  //===--------------------------------------------------------------------===//

  /// Gives results the types that the new operand types ask for.
  LogicalResult retype(Operation *op) {
    if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
      SmallVector<Type> types;
      if (failed(infer.inferReturnTypes(
              op->getContext(), op->getLoc(), op->getOperands(),
              op->getAttrDictionary(), op->getPropertiesStorage(),
              op->getRegions(), types)))
        return failure();
      for (auto [result, type] : llvm::zip(op->getResults(), types))
        result.setType(type);
      return success();
    }
    // Ops without inference keep the type of the operand that they had it from.
    for (Value result : op->getResults())
      for (auto [operand, old] : llvm::zip(op->getOperands(), oldTypes(op)))
        if (old == result.getType() && operand.getType() != old) {
          remember(result);
          result.setType(operand.getType());
          break;
        }
    return success();
  }

  LogicalResult shard(ReshapeOp reshape) {
    RankedTensorType input = getTensor(reshape.getInput());
    RankedTensorType result = reshape.getType();
    if (getNumElements(input) == getNumElements(result))
      return success();
    // Heads are split from or joined with their features.
    SmallVector<Dim> from = getDims(input), to = getDims(result);
    if (from.size() == 2 && to.size() == 3 && from[1].isStatic() &&
        to[2].isStatic() && from[1].size % to[2].size == 0)
      to[1] = Dim(from[1].size / to[2].size);
    else if (from.size() == 3 && to.size() == 2 && from[1].isStatic() &&
             from[2].isStatic())
      to[1] = Dim(from[1].size * from[2].size);
    else
      return reshape.emitOpError("expected heads to be split or joined in a "
                                 "sharded model, but got ")
             << input << " to " << result;
    remember(reshape.getResult());
    reshape.getResult().setType(getTensorType(to, result.getElementType()));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Layers and exchanges
  //===--------------------------------------------------------------------===//

  RanksAttr getRanks(int64_t count) {
    return RanksAttr::get(function.getContext(), count, 1);
  }

  Value allGather(Location loc, Value input, int64_t dim, int64_t count,
                  Dim size) {
    if (count == 1)
      return input;
    return AllGatherOp::create(builder, loc,
                               withDim(getTensor(input), dim, size), input,
                               getRanks(count), dim);
  }

  /// This device's share of the tokens.
  Value ownRows(Location loc, Value input, int64_t count) {
    if (count == 1)
      return input;
    RankedTensorType type = getTensor(input);
    return OwnRowsOp::create(builder, loc,
                             withDim(type, 0, divide(getDims(type)[0], count)),
                             input, getRanks(count), 0);
  }

  static Dim divide(const Dim &dim, int64_t count) {
    if (dim.isStatic())
      return Dim(llvm::divideCeil(dim.size, count));
    if (!dim.expr)
      return dim;
    ExprAttr divisor =
        ExprAttr::constant(dim.expr.getContext(), static_cast<double>(count));
    return Dim(getFunctionExpr(ExprKind::CeilDiv, {dim.expr, divisor}));
  }

  static Dim multiply(const Dim &dim, int64_t count) {
    if (dim.isStatic())
      return Dim(dim.size * count);
    return dim.expr ? Dim(dim.expr * static_cast<double>(count)) : dim;
  }

  LogicalResult shard(LinearOp linear) {
    auto weight = linear.getWeight().getDefiningOp<WeightOp>();
    ShardingAttr sharding = weight ? weight.getShardingAttr() : ShardingAttr();
    if (weight && !sharding && isTiedHead(linear, weight))
      sharding = separateHead(linear, weight);
    if (!sharding)
      return retypeLinear(linear);
    int64_t count = plan.getSize(sharding.getGroup());
    bool isRow = sharding.getKind() == ShardKind::Row;
    // Groups that are not the tensor-parallel one exchange tokens.
    bool isTensor = count == plan.tensor || count == 1;
    if (isRow)
      return isTensor ? shardRow(linear, count)
                      : shardRowInGroup(linear, count);
    if (!isTensor)
      return shardColumnInGroup(linear, count);
    if (failed(retypeLinear(linear)))
      return failure();
    if (sharding.getGroup() == ShardGroup::Head)
      gatherLogits(linear, count, fullWidth(linear));
    return success();
  }

  /// Whether the layer's weight is the table of the embedding.
  static bool isTiedHead(LinearOp linear, WeightOp weight) {
    return llvm::any_of(weight->getUsers(), llvm::IsaPred<EmbeddingOp>);
  }

  /// A head that is split has a weight of its own.
  ShardingAttr separateHead(LinearOp linear, WeightOp table) {
    int64_t count = plan.getSize(ShardGroup::Head);
    if (count == 1)
      return {};
    auto sharding = ShardingAttr::get(builder.getContext(), ShardKind::Column,
                                      ShardGroup::Head, 1);
    RankedTensorType type =
        withDim(getTensor(linear.getWeight()), 0,
                Dim(llvm::divideCeil(table.getType().getDimSize(0), count)));
    Value own =
        WeightOp::create(builder, linear.getLoc(), type,
                         builder.getStringAttr("lm_head.weight"), sharding);
    linear.getWeightMutable().assign(own);
    return sharding;
  }

  Dim fullWidth(LinearOp linear) { return getDims(oldType(linear))[1]; }

  /// The result follows rows of the input and columns of the weight.
  LogicalResult retypeLinear(LinearOp linear) {
    RankedTensorType input = getTensor(linear.getInput());
    RankedTensorType weight = getTensor(linear.getWeight());
    if (!mayBeEqual(getDims(input)[1], getDims(weight)[1]))
      return linear.emitOpError("expected an input of ")
             << toString(getDims(weight)[1])
             << " features on each device, but got "
             << toString(getDims(input)[1]);
    remember(linear.getResult());
    linear.getResult().setType(getTensorType(
        {getDims(input)[0], getDims(weight)[0]}, input.getElementType()));
    return success();
  }

  /// Features come split; the sum over devices is the result.
  LogicalResult shardRow(LinearOp linear, int64_t count) {
    Dim needed = getDims(getTensor(linear.getWeight()))[1];
    Dim got = getDims(getTensor(linear.getInput()))[1];
    if (count == 1 && !mayBeEqual(needed, got))
      linear.getInputMutable().assign(allGather(
          linear.getLoc(), linear.getInput(), 1, plan.tensor, needed));
    if (failed(retypeLinear(linear)))
      return failure();
    if (count == 1)
      return success();
    replaceUses(linear, sumOverRanks(linear, count));
    return success();
  }

  /// The sum of a layer's results over the group. The bias is added to the sum:
  /// each device would add its own otherwise.
  Value sumOverRanks(LinearOp linear, int64_t count) {
    Value bias = linear.getBias();
    linear.getBiasMutable().clear();
    builder.setInsertionPointAfter(linear);
    Value sum = AllReduceOp::create(builder, linear.getLoc(), linear.getType(),
                                    linear.getResult(), getRanks(count));
    if (bias)
      sum = AddOp::create(builder, linear.getLoc(), sum, bias);
    return sum;
  }

  /// Lets what is made of the result take its place.
  void replaceUses(LinearOp linear, Value replacement) {
    linear.getResult().replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return replacement.getDefiningOp()->isBeforeInBlock(
          function.getBody().front().findAncestorOpInBlock(*use.getOwner()));
    });
  }

  /// Tokens are spread over the group, which has parts of the features.
  LogicalResult shardRowInGroup(LinearOp linear, int64_t count) {
    Location loc = linear.getLoc();
    RankedTensorType whole = oldType(linear);
    Value input = linear.getInput();
    Dim features = oldInputWidth(linear);
    if (!mayBeEqual(getDims(getTensor(input))[1], features))
      input = allGather(loc, input, 1, plan.tensor, features);
    input = spreadTokens(loc, input, count);
    Dim part = getDims(getTensor(linear.getWeight()))[1];
    input =
        OwnFeaturesOp::create(builder, loc, withDim(getTensor(input), 1, part),
                              input, getRanks(count), 1);
    linear.getInputMutable().assign(input);
    if (failed(retypeLinear(linear)))
      return failure();
    Value sum = sumOverRanks(linear, count);
    replaceUses(linear, collectTokens(loc, sum, count, getDims(whole)[0]));
    return success();
  }

  LogicalResult shardColumnInGroup(LinearOp linear, int64_t count) {
    Location loc = linear.getLoc();
    RankedTensorType whole = oldType(linear);
    linear.getInputMutable().assign(
        spreadTokens(loc, linear.getInput(), count));
    if (failed(retypeLinear(linear)))
      return failure();
    builder.setInsertionPointAfter(linear);
    Value wide =
        allGather(loc, linear.getResult(), 1, count, getDims(whole)[1]);
    Value result = collectTokens(loc, wide, count, getDims(whole)[0]);
    linear.getResult().replaceAllUsesExcept(result, wide.getDefiningOp());
    return success();
  }

  /// All tokens of a group's members, of which this device has its share.
  Value spreadTokens(Location loc, Value input, int64_t count) {
    input = ownRows(loc, input, plan.tensor);
    Dim rows = getDims(getTensor(input))[0];
    return allGather(loc, input, 0, count, multiply(rows, count));
  }

  /// The tokens that this device's tensor-parallel group works on.
  Value collectTokens(Location loc, Value input, int64_t count, Dim rows) {
    input = ownRows(loc, input, count);
    return allGather(loc, input, 0, plan.tensor, rows);
  }

  void gatherLogits(LinearOp linear, int64_t count, Dim width) {
    if (count == 1)
      return;
    builder.setInsertionPointAfter(linear);
    Value all = allGather(linear.getLoc(), linear.getResult(), 1, count, width);
    linear.getResult().replaceAllUsesExcept(all, all.getDefiningOp());
  }

  LogicalResult shard(EmbeddingOp embedding) {
    if (plan.embedding == EmbeddingSplit::None || plan.tensor == 1)
      return retype(embedding);
    auto table = embedding.getTable().getDefiningOp<WeightOp>();
    if (!table)
      return embedding.emitOpError("expected a declared table to split");
    Location loc = embedding.getLoc();
    RankedTensorType whole = embedding.getType(), type = table.getType();
    int64_t width = llvm::divideCeil(type.getDimSize(1), plan.tensor);
    // Another reader of the table, such as a tied head, needs all of it.
    Value own = table;
    if (!table->hasOneUse())
      own = WeightOp::create(builder, table.getLoc(), type, table.getNameAttr(),
                             table.getShardingAttr());
    own.setType(withDim(type, 1, Dim(width)));
    embedding.getTableMutable().assign(own);
    embedding.getResult().setType(withDim(whole, 1, Dim(width)));
    builder.setInsertionPointAfter(embedding);
    Value all = allGather(loc, embedding.getResult(), 1, plan.tensor,
                          getDims(whole)[1]);
    embedding.getResult().replaceAllUsesExcept(all, all.getDefiningOp());
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Types before sharding
  //===--------------------------------------------------------------------===//

  void remember(Value value) { before.try_emplace(value, value.getType()); }

  Type oldTypeOf(Value value) {
    auto found = before.find(value);
    return found == before.end() ? value.getType() : found->second;
  }

  SmallVector<Type> oldTypes(Operation *op) {
    return llvm::map_to_vector(op->getOperands(),
                               [&](Value value) { return oldTypeOf(value); });
  }

  RankedTensorType oldType(LinearOp linear) {
    return cast<RankedTensorType>(oldTypeOf(linear.getResult()));
  }

  Dim oldInputWidth(LinearOp linear) {
    return getDims(cast<RankedTensorType>(oldTypeOf(linear.getInput())))[1];
  }

  func::FuncOp function;
  const ShardPlan &plan;
  OpBuilder builder;
  llvm::DenseMap<Value, Type> before;
};

class TransformerShardPass
    : public transformer::impl::TransformerShardBase<TransformerShardPass> {
public:
  using TransformerShardBase::TransformerShardBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kPlanAttrName) || module->hasAttr(kWorkloadAttrName)) {
      mlir::emitError(module.getLoc(), "expected a module that is not sharded "
                                       "or bound yet");
      return signalPassFailure();
    }
    FailureOr<ShardPlan> plan = ShardPlan::get(
        {devices, tensor, data, output, mlp, head, wordEmbedding},
        module.getLoc());
    if (failed(plan))
      return signalPassFailure();
    if (plan->devices > 1)
      module->setAttr(kPlanAttrName,
                      PlanAttr::get(&getContext(), plan->devices, plan->data));
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.getBody().empty() || plan->isTrivial())
        continue;
      if (failed(FunctionSharder(function, *plan).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
