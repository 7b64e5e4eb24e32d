//===- ShardLinear.cpp - Layers whose weight is split ---------------------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Rewrites one layer.
class LinearSharder {
public:
  LinearSharder(LinearOp linear, ShardState &state)
      : linear(linear), state(state), exchanges(state.exchanges),
        loc(linear.getLoc()), whole(linear.getType()) {}

  LogicalResult run() {
    ShardingAttr sharding = getSharding();
    if (!sharding)
      return retype();
    int64_t count = state.plan.getSize(sharding.getGroup());
    bool isRow = sharding.getKind() == ShardKind::Row;
    // Groups that are not the tensor-parallel one exchange tokens; those that
    // share a tower have the same images.
    bool isTensor = count == state.plan.tensor || count == 1 ||
                    sharding.getGroup() == ShardGroup::Vision;
    if (isRow)
      return isTensor ? shardRow(count) : shardRowInGroup(count);
    if (!isTensor)
      return shardColumnInGroup(count);
    if (failed(retype()))
      return failure();
    if (sharding.getGroup() == ShardGroup::Head && count > 1)
      gatherLogits(count);
    return success();
  }

private:
  //===--------------------------------------------------------------------===//
  // The weight
  //===--------------------------------------------------------------------===//

  /// How the layer's weight is split; null if every device has all of it.
  ShardingAttr getSharding() {
    auto weight = linear.getWeight().getDefiningOp<WeightOp>();
    if (!weight)
      return {};
    if (ShardingAttr sharding = weight.getShardingAttr())
      return sharding;
    if (!state.tables.contains(weight) || state.plan.head == 1)
      return {};
    bool isSplit = llvm::any_of(weight->getUsers(), [](Operation *user) {
      auto embedding = dyn_cast<EmbeddingOp>(user);
      return embedding && embedding.getFirstRow();
    });
    auto sharding = ShardingAttr::get(state.builder.getContext(),
                                      ShardKind::Column, ShardGroup::Head, 1);
    // The words that the embedding has are those that the head needs.
    if (!isSplit)
      separateHead(weight, sharding);
    return sharding;
  }

  /// A head that is split has a weight of its own.
  void separateHead(WeightOp table, ShardingAttr sharding) {
    int64_t words = table.getType().getDimSize(0);
    RankedTensorType type = withDim(
        table.getType(), 0, Dim(llvm::divideCeil(words, state.plan.head)));
    Value own = WeightOp::create(state.builder, loc, type,
                                 state.builder.getStringAttr("lm_head.weight"),
                                 sharding);
    linear.getWeightMutable().assign(own);
  }

  //===--------------------------------------------------------------------===//
  // The tensor-parallel group
  //===--------------------------------------------------------------------===//

  /// The result follows rows of the input and columns of the weight.
  LogicalResult retype() {
    RankedTensorType input = getTensor(linear.getInput());
    RankedTensorType weight = getTensor(linear.getWeight());
    if (!mayBeEqual(getDims(input)[1], getDims(weight)[1]))
      return linear.emitOpError("expected an input of ")
             << toString(getDims(weight)[1])
             << " features on each device, but got "
             << toString(getDims(input)[1]);
    state.retype(linear.getResult(),
                 getTensorType({getDims(input)[0], getDims(weight)[0]},
                               input.getElementType()));
    return success();
  }

  /// Features come split; the sum over devices is the result.
  LogicalResult shardRow(int64_t count) {
    Dim needed = getDims(getTensor(linear.getWeight()))[1];
    Dim got = getDims(getTensor(linear.getInput()))[1];
    if (count == 1 && !mayBeEqual(needed, got))
      linear.getInputMutable().assign(exchanges.allGather(
          loc, linear.getInput(), 1, state.plan.tensor, needed));
    if (failed(retype()))
      return failure();
    if (count > 1)
      replaceUses(sumOverRanks(count));
    return success();
  }

  void gatherLogits(int64_t count) {
    state.builder.setInsertionPointAfter(linear);
    Value all = exchanges.allGather(loc, linear.getResult(), 1, count,
                                    getDims(whole)[1]);
    linear.getResult().replaceAllUsesExcept(all, all.getDefiningOp());
  }

  /// The sum of the layer's results over the group. The bias is added to the
  /// sum: each device would add its own otherwise.
  Value sumOverRanks(int64_t count) {
    Value bias = linear.getBias();
    linear.getBiasMutable().clear();
    state.builder.setInsertionPointAfter(linear);
    Value sum =
        AllReduceOp::create(state.builder, loc, linear.getType(),
                            linear.getResult(), exchanges.getRanks(count));
    if (bias)
      sum = AddOp::create(state.builder, loc, sum, bias);
    return sum;
  }

  /// Lets what is made of the result take its place.
  void replaceUses(Value replacement) {
    Block *block = linear->getBlock();
    linear.getResult().replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return replacement.getDefiningOp()->isBeforeInBlock(
          block->findAncestorOpInBlock(*use.getOwner()));
    });
  }

  //===--------------------------------------------------------------------===//
  // Groups of another size
  //===--------------------------------------------------------------------===//

  /// Tokens are spread over the group, which has parts of the features.
  LogicalResult shardRowInGroup(int64_t count) {
    Value input = linear.getInput();
    Dim features = getDims(state.getOldTensor(input))[1];
    if (!mayBeEqual(getDims(getTensor(input))[1], features))
      input = exchanges.allGather(loc, input, 1, state.plan.tensor, features);
    input = exchanges.spreadTokens(loc, input, count);
    Dim part = getDims(getTensor(linear.getWeight()))[1];
    input = OwnFeaturesOp::create(state.builder, loc,
                                  withDim(getTensor(input), 1, part), input,
                                  exchanges.getRanks(count), 1);
    linear.getInputMutable().assign(input);
    if (failed(retype()))
      return failure();
    Value sum = sumOverRanks(count);
    replaceUses(exchanges.collectTokens(loc, sum, count, getDims(whole)[0]));
    return success();
  }

  LogicalResult shardColumnInGroup(int64_t count) {
    linear.getInputMutable().assign(
        exchanges.spreadTokens(loc, linear.getInput(), count));
    if (failed(retype()))
      return failure();
    state.builder.setInsertionPointAfter(linear);
    Value wide = exchanges.allGather(loc, linear.getResult(), 1, count,
                                     getDims(whole)[1]);
    Value result = exchanges.collectTokens(loc, wide, count, getDims(whole)[0]);
    linear.getResult().replaceAllUsesExcept(result, wide.getDefiningOp());
    return success();
  }

  LinearOp linear;
  ShardState &state;
  Exchanges &exchanges;
  Location loc;
  /// The layer's result before sharding.
  RankedTensorType whole;
};
} // namespace

LogicalResult mlir::transformer::shardLinear(LinearOp linear,
                                             ShardState &state) {
  return LinearSharder(linear, state).run();
}
