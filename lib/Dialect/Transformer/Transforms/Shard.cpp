//===- Shard.cpp - Split a model over devices -----------------------------===//
//
// Rewrites every function for device 0: weights become what a device holds,
// sizes follow, and exchanges put results together. The types at the edges of
// functions stay.
//
//===----------------------------------------------------------------------===//

#include "Sharding.h"

#include "tensorcast/Dialect/Transformer/IR/AttentionSizes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERSHARD
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Sizes that follow
//===----------------------------------------------------------------------===//

/// Gives results the types that the new operand types ask for.
static LogicalResult followOperands(Operation *op, ShardState &state) {
  if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(infer.inferReturnTypes(
            op->getContext(), op->getLoc(), op->getOperands(),
            op->getAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    for (auto [result, type] : llvm::zip(op->getResults(), types))
      state.retype(result, type);
    return success();
  }
  // Ops without inference keep the type of the operand that they had it from.
  for (Value result : op->getResults())
    for (Value operand : op->getOperands()) {
      Type old = state.getOldType(operand);
      if (old != result.getType() || operand.getType() == old)
        continue;
      state.retype(result, operand.getType());
      break;
    }
  return success();
}

/// Heads are split from or joined with their features. Tokens may become
/// sequences of them on the way.
static LogicalResult shardReshape(ReshapeOp reshape, ShardState &state) {
  RankedTensorType input = getTensor(reshape.getInput());
  RankedTensorType result = cast<RankedTensorType>(reshape.getType());
  if (getNumElements(input) == getNumElements(result))
    return success();
  SmallVector<Dim> from = getDims(input), to = getDims(result);
  auto hasHeads = [](ArrayRef<Dim> dims) {
    return dims.size() == 3 || dims.size() == 4;
  };
  if (from.size() == 2 && hasHeads(to) && from[1].isStatic() &&
      to.back().isStatic() && from[1].size % to.back().size == 0)
    to[to.size() - 2] = Dim(from[1].size / to.back().size);
  else if (hasHeads(from) && to.size() == 2 &&
           from[from.size() - 2].isStatic() && from.back().isStatic())
    to[1] = Dim(from[from.size() - 2].size * from.back().size);
  else
    return reshape.emitOpError("expected heads to be split or joined in a "
                               "sharded model, but got ")
           << input << " to " << result;
  state.retype(reshape.getResult(), getTensorType(to, result.getElementType()));
  return success();
}

/// Heads of keys may be repeated on devices, those of queries may not.
static LogicalResult checkHeads(AttentionOp attention,
                                const ShardState &state) {
  int64_t heads = state.getOldTensor(attention.getResult()).getDimSize(1);
  if (heads % state.plan.tensor == 0)
    return success();
  return attention.emitOpError("expected 'tp' to divide the ")
         << heads << " heads, but got " << state.plan.tensor;
}

/// The same without a cache; what is given for each head is not split.
static LogicalResult checkHeads(ScaledDotProductAttentionOp attention,
                                const ShardState &state) {
  AttentionSizes sizes(state.getOldTensor(attention.getQuery()),
                       hasOperandsByToken(attention.getLayout()));
  if (!sizes.heads.isStatic() || sizes.heads.size % state.plan.tensor != 0)
    return attention.emitOpError("expected 'tp' to divide the ")
           << toString(sizes.heads) << " heads, but got " << state.plan.tensor;
  if (attention.getBias() || attention.getSink())
    return attention.emitOpError("expected no 'bias' or 'sink' in a sharded "
                                 "model, as heads are on several devices, but "
                                 "got one");
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static LogicalResult shardOp(Operation *op, ShardState &state) {
  bool sharesTokens = state.plan.context > 1;
  if (auto weight = dyn_cast<WeightOp>(op))
    return shardWeight(weight, state);
  if (auto cache = dyn_cast<KVCacheOp>(op))
    return shardCache(cache, state);
  if (auto declared = dyn_cast<StateOp>(op))
    return shardState(declared, state);
  if (auto linear = dyn_cast<LinearOp>(op))
    return shardLinear(linear, state);
  if (auto embedding = dyn_cast<EmbeddingOp>(op))
    return shardEmbedding(embedding, state);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return shardReshape(reshape, state);
  if (auto append = dyn_cast<AppendCacheOp>(op); append && sharesTokens)
    if (failed(gatherKeyHeads(append, state)))
      return failure();
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    if (failed(checkHeads(attention, state)))
      return failure();
    if (sharesTokens)
      return shardContext(attention, state);
  }
  if (auto attention = dyn_cast<ScaledDotProductAttentionOp>(op))
    if (failed(checkHeads(attention, state)))
      return failure();
  if (auto gating = dyn_cast<DeltaGatingOp>(op))
    return shardDeltaGating(gating, state);
  if (auto slice = dyn_cast<SliceOp>(op))
    if (failed(shardSlice(slice, state)))
      return failure();
  if (auto attention = dyn_cast<ImageAttentionOp>(op))
    if (failed(shardImageAttention(attention, state)))
      return failure();
  if (auto projection = dyn_cast<LatentProjectionOp>(op))
    return shardLatentProjection(projection, state);
  if (auto attention = dyn_cast<LatentAttentionOp>(op))
    return sharesTokens ? shardContext(attention, state)
                        : shardLatentAttention(attention, state);
  if (auto attention = dyn_cast<WindowAttentionOp>(op))
    return shardWindowAttention(attention, state);
  if (auto pick = dyn_cast<PickCompressedOp>(op))
    return shardPickCompressed(pick, state);
  if (auto projection = dyn_cast<GroupedProjectionOp>(op))
    return shardGroupedProjection(projection, state);
  if (std::optional<LogicalResult> done = shardExperts(op, state))
    return *done;
  // Scales per token and packed bytes have no rule of their own here.
  if (isa<LoadWeightOp, QuantizedLatentProjectionOp, QuantizedLinearOp,
          QuantizedGroupedLinearOp>(op))
    return op->emitOpError("expected a layer of floats to split; shard a "
                           "model before it is quantized");
  if (isa<FusedOp>(op))
    return op->emitOpError("expected ops that are not fused; shard a model "
                           "before patterns are applied");
  return followOperands(op, state);
}

/// Whether `function` attends to tokens that an indexer picks.
static bool isSparse(func::FuncOp function) {
  return llvm::any_of(function.getOps<LatentAttentionOp>(),
                      [](LatentAttentionOp op) { return op.getIndices(); });
}

static LogicalResult shardFunction(func::FuncOp function, ShardPlan plan) {
  if (plan.wholeSparseAttention && isSparse(function))
    plan.heads = plan.output = 1;
  separateSharedExperts(function, plan);
  keepLinearAttentionWhole(function);
  ShardState state(function.getContext(), plan);
  if (failed(placeExperts(function, state)) ||
      failed(externalizeSharedExperts(function, plan)))
    return failure();
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front()) {
    ops.push_back(&op);
    if (auto embedding = dyn_cast<EmbeddingOp>(op))
      if (auto table = embedding.getTable().getDefiningOp<WeightOp>())
        state.tables.insert(table);
  }
  for (Operation *op : ops) {
    state.builder.setInsertionPoint(op);
    if (failed(shardOp(op, state)))
      return failure();
  }
  return success();
}

/// Whether tokens meet experts in `function`.
static bool hasExperts(func::FuncOp function) {
  return !function.getOps<SpreadTokensOp>().empty();
}

namespace {
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
    // A prefill step makes keys and values of most of the tokens it needs.
    ExprAttr isDecode = getDecodeExpr(&getContext());
    if (isAssumed(module, isDecode) == false)
      context = 1;
    FailureOr<ShardPlan> plan = ShardPlan::get(
        {devices, tensor, data, pipeline, output, mlp, head, wordEmbedding,
         expert, expertTensor, expertData, redundantExperts, sharedExpertTensor,
         externalSharedExperts, hostSharedExperts, wideSharedChoice, context,
         wholeSparseAttention, vision},
        module.getLoc());
    if (failed(plan))
      return signalPassFailure();
    bool anyExperts = llvm::any_of(module.getOps<func::FuncOp>(), hasExperts);
    if (plan->context > 1)
      assume(module, isDecode);
    if (plan->devices * plan->pipeline > 1)
      module->setAttr(kPlanAttrName, plan->toAttr(&getContext(), anyExperts));
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.getBody().empty() || plan->isTrivial() ||
          (plan->sharesOnlyRequests() && !hasExperts(function)))
        continue;
      if (failed(shardFunction(function, *plan)))
        return signalPassFailure();
    }
  }
};
} // namespace
