//===- ShardSharedExperts.cpp - Where the shared expert is ----------------===//

#include "Sharding.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::transformer;

/// Whether the weight of `linear` is a shared expert's.
static bool isShared(LinearOp linear) {
  auto weight = linear.getWeight().getDefiningOp<WeightOp>();
  return weight && weight.getShardingAttr() &&
         weight.getShardingAttr().getGroup() == ShardGroup::SharedExpert;
}

/// Which operand of `sum` is the shared expert's, perhaps times a gate; null if
/// none is.
static Value getShared(AddOp sum) {
  auto isResult = [](Value value) {
    auto linear = value.getDefiningOp<LinearOp>();
    return linear && isShared(linear);
  };
  for (Value value : {sum.getLhs(), sum.getRhs()}) {
    auto gated = value.getDefiningOp<MulOp>();
    if (isResult(value) ||
        (gated && (isResult(gated.getLhs()) || isResult(gated.getRhs()))))
      return value;
  }
  return {};
}

/// The ops that make `value` of the tokens of a division, in order.
static SmallVector<Operation *> getSlice(Value value) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Operation *> slice;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || isa<SpreadTokensOp>(op) || !seen.insert(op).second)
      continue;
    slice.push_back(op);
    llvm::append_range(worklist, op->getOperands());
  }
  llvm::sort(slice, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return slice;
}

/// Erases those of `ops`, in order, whose results nothing reads.
static void eraseUnused(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

//===----------------------------------------------------------------------===//
// On all devices, split as the MLP
//===----------------------------------------------------------------------===//

/// Lets the sum be made behind the end of the tokens' division, and the shared
/// expert read the tokens in front of it.
static void separate(AddOp sum, CollectTokensOp end, Value shared) {
  for (Operation *op : getSlice(shared))
    for (OpOperand &operand : op->getOpOperands())
      if (auto spread = operand.get().getDefiningOp<SpreadTokensOp>())
        operand.set(spread.getInput());
  Value routed = sum.getLhs() == shared ? sum.getRhs() : sum.getLhs();
  OpBuilder builder(end);
  Value all =
      CollectTokensOp::create(builder, end.getLoc(), routed.getType(), routed);
  Value whole = AddOp::create(builder, sum.getLoc(), all, shared);
  end.replaceAllUsesWith(whole);
  end.erase();
  if (sum.use_empty())
    sum.erase();
}

void mlir::transformer::separateSharedExperts(func::FuncOp function,
                                              const ShardPlan &plan) {
  if (plan.sharedExpert == 1)
    return;
  SmallVector<CollectTokensOp> ends(function.getOps<CollectTokensOp>());
  for (CollectTokensOp end : ends)
    if (auto sum = end.getInput().getDefiningOp<AddOp>())
      if (Value shared = getShared(sum))
        separate(sum, end, shared);
}

//===----------------------------------------------------------------------===//
// On devices of its own
//===----------------------------------------------------------------------===//

namespace {
/// Makes the shared expert of one mixture a choice of every token.
class SharedChoice {
public:
  SharedChoice(AddOp sum, Value shared, CombineTokensOp combine,
               SelectExpertsOp select, PermuteTokensOp permute,
               const ShardPlan &plan)
      : sum(sum), shared(shared), combine(combine), select(select),
        permute(permute), plan(plan), builder(select.getContext()) {}

  void run() {
    addChoice();
    resize();
    if (plan.hostSharedExperts)
      hostShared();
    SmallVector<Operation *> mlp = getSlice(shared);
    sum.replaceAllUsesWith(getRouted());
    sum.erase();
    eraseUnused(mlp);
  }

private:
  void addChoice() {
    builder.setInsertionPointAfter(select);
    RankedTensorType weights = select.getWeights().getType();
    RankedTensorType ids = select.getIds().getType();
    choices = getDims(ids)[1].size + 1;
    auto more = AddSharedChoiceOp::create(
        builder, select.getLoc(),
        withDim(plan.wideSharedChoice
                    ? withElementType(weights, builder.getF32Type())
                    : weights,
                1, Dim(choices)),
        withDim(ids, 1, Dim(choices)), select.getWeights(), select.getIds());
    select.getWeights().replaceAllUsesExcept(more.getAllWeights(), more);
    select.getIds().replaceAllUsesExcept(more.getAllIds(), more);
  }

  /// Gives experts a row more for every token.
  void resize() {
    auto ids = cast<RankedTensorType>(permute.getIds().getType());
    ExprAttr count = getNumElements(ids);
    after = count ? getDim(count) : Dim(ShapedType::kDynamic);
    experts = getExperts();
    permute.getResult().setType(withDim(permute.getType(), 0, after));
    for (Operation *op : experts)
      for (Value result : op->getResults())
        result.setType(withDim(getTensor(result), 0, after));
    Type weights =
        cast<RankedTensorType>(combine.getWeights().getType()).getElementType();
    combine.getResult().setType(withElementType(combine.getType(), weights));
  }

  /// The ops that work on the rows of experts, in order.
  SmallVector<Operation *> getExperts() {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> worklist = {permute.getResult()};
    while (!worklist.empty())
      for (Operation *user : worklist.pop_back_val().getUsers())
        if (user != combine && ops.insert(user))
          llvm::append_range(worklist, user->getResults());
    SmallVector<Operation *> list = ops.takeVector();
    llvm::sort(list, [](Operation *lhs, Operation *rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    return list;
  }

  /// Lets the shared expert run on the rows in place of the others.
  void hostShared() {
    builder.setInsertionPoint(combine);
    IRMapping mapping;
    for (Operation *op : getSlice(shared)) {
      for (Value operand : op->getOperands())
        if (operand.getDefiningOp<SpreadTokensOp>())
          mapping.map(operand, permute.getResult());
      if (isa<WeightOp>(op)) {
        op->moveBefore(permute);
        continue;
      }
      Operation *copy = builder.clone(*op, mapping);
      for (Value result : copy->getResults())
        result.setType(withDim(getTensor(result), 0, after));
    }
    combine.getInputMutable().assign(mapping.lookup(shared));
    SmallVector<Operation *> weights;
    for (Operation *op : experts)
      for (Value operand : op->getOperands())
        if (auto weight = operand.getDefiningOp<WeightOp>())
          weights.push_back(weight);
    eraseUnused(experts);
    eraseUnused(weights);
  }

  /// The sum over the choices, in the type that the shared expert's had.
  Value getRouted() {
    if (combine.getType() == sum.getType())
      return combine;
    builder.setInsertionPoint(sum);
    return CastOp::create(builder, combine.getLoc(), sum.getType(), combine);
  }

  AddOp sum;
  Value shared;
  CombineTokensOp combine;
  SelectExpertsOp select;
  PermuteTokensOp permute;
  const ShardPlan &plan;
  OpBuilder builder;
  int64_t choices = 0;
  Dim after = Dim(0);
  SmallVector<Operation *> experts;
};
} // namespace

LogicalResult
mlir::transformer::externalizeSharedExperts(func::FuncOp function,
                                            const ShardPlan &plan) {
  if (!plan.externalSharedExperts)
    return success();
  SmallVector<PermuteTokensOp> permutes(function.getOps<PermuteTokensOp>());
  for (PermuteTokensOp permute : permutes) {
    auto select = permute.getIds().getDefiningOp<SelectExpertsOp>();
    CombineTokensOp combine;
    for (Operation *user : permute.getIds().getUsers())
      if (auto found = dyn_cast<CombineTokensOp>(user))
        combine = found;
    auto sum = combine && combine->hasOneUse()
                   ? dyn_cast<AddOp>(*combine->user_begin())
                   : AddOp();
    Value shared = sum ? getShared(sum) : Value();
    if (!select || !shared)
      return permute.emitOpError(
          "expected a shared expert beside the routed ones, which "
          "'external-shared-experts' could take to other devices, but got "
          "none");
    SharedChoice(sum, shared, combine, select, permute, plan).run();
  }
  return success();
}
