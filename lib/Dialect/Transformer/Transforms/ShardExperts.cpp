//===- ShardExperts.cpp - Experts on many devices -------------------------===//

#include "Sharding.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

using namespace mlir;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Who holds what
//===----------------------------------------------------------------------===//

/// The devices of a group that hold nothing but the shared expert, as many as
/// its share of the choices asks for.
static int64_t getNumExternal(const ShardPlan &plan, int64_t choices) {
  if (!plan.externalSharedExperts)
    return 0;
  return choices + 1 > plan.expert ? 1
                                   : llvm::divideCeil(plan.expert, choices + 1);
}

LogicalResult mlir::transformer::placeExperts(func::FuncOp function,
                                              ShardState &state) {
  auto grouped = function.getOps<GroupedLinearOp>();
  if (grouped.empty())
    return success();
  GroupedLinearOp first = *grouped.begin();
  const ShardPlan &plan = state.plan;
  int64_t experts = first.getPlacement().getExperts();
  int64_t choices = first.getIds().getType().getDimSize(1);
  int64_t external = getNumExternal(plan, choices);
  int64_t holders = plan.expert - external;
  if (holders < 1)
    return first.emitOpError("expected devices for routed experts beside ")
           << external << " for the shared one, but 'ep' is " << plan.expert;
  if (external) {
    int64_t missing = holders - experts % holders;
    experts += missing == holders && !plan.redundantExperts ? 0 : missing;
  } else if (plan.redundantExperts) {
    experts += plan.expert;
  }
  if (experts % holders != 0)
    return first.emitOpError("expected 'ep' to divide the ")
           << experts << " experts, but got " << plan.expert;
  state.placement =
      PlacementAttr::get(function.getContext(), experts, plan.expert,
                         plan.expertTensor, external, plan.hostSharedExperts);
  return success();
}

//===----------------------------------------------------------------------===//
// Tokens and rows
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites the ops between the division of tokens and its end.
class ExpertSharder {
public:
  explicit ExpertSharder(ShardState &state)
      : state(state), plan(state.plan), builder(state.builder) {}

  LogicalResult shard(SpreadTokensOp op) {
    Value input = op.getInput();
    Location loc = op.getLoc();
    RankedTensorType type = getTensor(input);
    Dim rows = getDims(type)[0];
    if (gathersTokens()) {
      Type all = withDim(type, 0, multiplyDim(rows, plan.data));
      replace(op, AllGatherOp::create(builder, loc, all, input, getReplicas(),
                                      /*dim=*/0));
    } else if (slicesTokens()) {
      Dim part = divideDim(rows, plan.tensor);
      Value even = PadRowsOp::create(
          builder, loc, withDim(type, 0, multiplyDim(part, plan.tensor)), input,
          plan.tensor);
      replace(op, OwnRowsOp::create(builder, loc, withDim(type, 0, part), even,
                                    state.exchanges.getRanks(plan.tensor),
                                    /*dim=*/0));
    } else {
      op.replaceAllUsesWith(input);
      op.erase();
    }
    return success();
  }

  LogicalResult shard(CollectTokensOp op) {
    Value input = op.getInput(), result = input;
    Type whole = op.getType();
    if (gathersTokens())
      result = OwnRowsOp::create(builder, op.getLoc(), whole, input,
                                 getReplicas(), /*dim=*/0);
    else if (slicesTokens())
      result = AllGatherOp::create(builder, op.getLoc(), whole, input,
                                   state.exchanges.getRanks(plan.tensor),
                                   /*dim=*/0);
    op.replaceAllUsesWith(result);
    op.erase();
    return success();
  }

  LogicalResult shard(CastOp op) {
    state.retype(op.getResult(),
                 withElementType(getTensor(op.getInput()),
                                 op.getType().getElementType()));
    return success();
  }

  LogicalResult shard(SelectExpertsOp op) {
    Dim rows = getDims(op.getLogits().getType())[0];
    for (Value result : op->getResults())
      state.retype(result, withDim(getTensor(result), 0, rows));
    return success();
  }

  LogicalResult shard(AddSharedChoiceOp op) {
    Dim rows = getDims(op.getIds().getType())[0];
    for (Value result : op->getResults())
      state.retype(result, withDim(getTensor(result), 0, rows));
    return success();
  }

  LogicalResult shard(PermuteTokensOp op) {
    RankedTensorType ids = op.getIds().getType();
    ExprAttr count = getNumElements(ids);
    if (!count)
      return op.emitOpError("expected a known number of tokens to divide");
    state.retype(op.getResult(), withDim(op.getType(), 0, getDim(count)));
    if (plan.expert == 1)
      return success();
    std::optional<ExpertRows> rows = ExpertRows::get(ids, state.placement);
    builder.setInsertionPointAfter(op);
    Value received = DispatchTokensOp::create(
        builder, op.getLoc(), withDim(op.getType(), 0, getDim(rows->received)),
        op, op.getIds(), state.placement);
    remember(received, state.getOldType(op.getResult()));
    op.getResult().replaceAllUsesExcept(received, received.getDefiningOp());
    return success();
  }

  LogicalResult shard(GroupedLinearOp op) {
    op.setPlacementAttr(state.placement);
    SmallVector<Dim> dims = getDims(getTensor(op.getInput()));
    SmallVector<Dim> weight = getDims(op.getWeight().getType());
    if (!mayBeEqual(dims[1], weight[2]))
      return op.emitOpError("expected an input of ")
             << toString(weight[2]) << " features on each device, but got "
             << toString(dims[1]);
    dims[1] = op.getSwiglu() ? Dim(weight[1].size / 2) : weight[1];
    state.retype(op.getResult(),
                 getTensorType(dims, op.getType().getElementType()));
    auto declared = op.getWeight().getDefiningOp<WeightOp>();
    ShardingAttr sharding =
        declared ? declared.getShardingAttr() : ShardingAttr();
    if (plan.expertTensor == 1 || !sharding ||
        sharding.getKind() != ShardKind::Row)
      return success();
    builder.setInsertionPointAfter(op);
    Value sum =
        AllReduceOp::create(builder, op.getLoc(), op.getType(), op,
                            state.exchanges.getRanks(plan.expertTensor));
    remember(sum, state.getOldType(op.getResult()));
    op.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
    return success();
  }

  LogicalResult shard(CombineTokensOp op) {
    SmallVector<Dim> ids = getDims(op.getIds().getType());
    if (plan.expert > 1) {
      RankedTensorType type = op.getInput().getType();
      Value returned = ReturnTokensOp::create(
          builder, op.getLoc(),
          withDim(type, 0, getDim(getNumElements(op.getIds().getType()))),
          op.getInput(), op.getIds(), state.placement);
      op.getInputMutable().assign(returned);
    }
    state.retype(op.getResult(), withDim(op.getType(), 0, ids[0]));
    return success();
  }

private:
  /// Without expert parallelism, the experts of a device see the tokens of all
  /// data-parallel groups.
  bool gathersTokens() const { return plan.expert == 1 && plan.data > 1; }

  /// With it, devices of a tensor-parallel group have tokens of their own,
  /// unless there are as many groups as devices with experts.
  bool slicesTokens() const {
    return plan.expert > 1 && plan.data != plan.expert && plan.tensor > 1;
  }

  RanksAttr getReplicas() {
    // Between them are the devices of other stages.
    return RanksAttr::get(builder.getContext(), plan.data,
                          plan.tensor * plan.pipeline);
  }

  void remember(Value value, Type old) {
    Type type = value.getType();
    value.setType(cast<RankedTensorType>(old));
    state.retype(value, type);
  }

  void replace(SpreadTokensOp op, Value value) {
    remember(value, op.getType());
    op.replaceAllUsesWith(value);
    op.erase();
  }

  ShardState &state;
  const ShardPlan &plan;
  OpBuilder &builder;
};

/// Calls the overload for the kind of op, if there is one.
template <typename... OpTs>
std::optional<LogicalResult> dispatch(Operation *op, ShardState &state) {
  std::optional<LogicalResult> result;
  auto attempt = [&](auto typed) {
    if (typed)
      result = ExpertSharder(state).shard(typed);
    return result.has_value();
  };
  // Ends at the first: the op may be gone then.
  (void)(attempt(dyn_cast<OpTs>(op)) || ...);
  return result;
}
} // namespace

std::optional<LogicalResult>
mlir::transformer::shardExperts(Operation *op, ShardState &state) {
  return dispatch<SpreadTokensOp, CollectTokensOp, CastOp, SelectExpertsOp,
                  AddSharedChoiceOp, PermuteTokensOp, GroupedLinearOp,
                  CombineTokensOp>(op, state);
}
