//===- ShardContext.cpp - Attention over a cache that devices share -------===//
//
// In decode steps, `dcp` devices of a tensor-parallel group take turns to keep
// the tokens of a request. Each attends with the queries of all of them to the
// tokens that it keeps, and gets what the others found for its own heads.
//
//===----------------------------------------------------------------------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Rewrites one attention, whose queries are those of the own heads already.
class ContextSharder {
public:
  ContextSharder(Operation *op, ShardState &state)
      : op(op), state(state), builder(state.builder), loc(op->getLoc()),
        count(state.plan.context) {}

  LogicalResult shard(AttentionOp attention) {
    KVCacheType cache = attention.getCache().getType();
    if (attention.getWindow() || attention.getSink() || attention.getBlocks() ||
        cache.hasWindow())
      return op->emitOpError("expected attention to all cached tokens, which "
                             "'dcp' devices can share, but got ")
             << (attention.getSink()     ? "a sink"
                 : attention.getBlocks() ? "blocks"
                                         : "a window");
    if (failed(checkQuery(attention.getQuery(), attention.getResult())))
      return failure();
    Value query = gatherHeads(attention.getQuery());
    int64_t heads = getTensor(query).getDimSize(1);
    if (heads % cache.getNumHeads() != 0)
      return op->emitOpError("expected the ")
             << heads << " heads of " << count
             << " devices to be a multiple of the " << cache.getNumHeads()
             << " that their cache has";
    Value partial = PartialAttentionOp::create(
        builder, loc, getPartialType(query, cache.getHeadSize()), query,
        attention.getCache(), attention.getBatch(), /*queryScale=*/Value(),
        /*keyScale=*/Value(), /*valueScale=*/Value(), attention.getScaleAttr());
    replace(attention.getResult(),
            merge(partial, getTensor(attention.getQuery())));
    return success();
  }

  LogicalResult shard(LatentAttentionOp attention) {
    if (attention.getIndices())
      return op->emitOpError("expected attention to all cached tokens, which "
                             "'dcp' devices can share, but got 'indices'");
    if (failed(checkQuery(attention.getQuery(), attention.getResult())))
      return failure();
    KVCacheType cache = attention.getCache().getType();
    RankedTensorType query = getTensor(attention.getQuery());
    Value weight = attention.getWeight();
    int64_t rank = getTensor(weight).getDimSize(1);
    Value absorbed = AbsorbQueryOp::create(
        builder, loc, withDim(query, 2, Dim(cache.getTokenSize())),
        attention.getQuery(), weight);
    Value all = gatherHeads(absorbed);
    Value partial = PartialLatentAttentionOp::create(
        builder, loc, getPartialType(all, rank), all, attention.getCache(),
        attention.getBatch(), builder.getI64IntegerAttr(rank),
        attention.getScaleAttr());
    Value mixed = merge(partial, withDim(query, 2, Dim(rank)));
    RankedTensorType result =
        withDim(attention.getType(), 1, Dim(query.getDimSize(1)));
    replace(attention.getResult(),
            ExpandValuesOp::create(builder, loc, result, mixed, weight));
    return success();
  }

private:
  /// Checks that each device has queries of its own, of which the others know
  /// nothing.
  LogicalResult checkQuery(Value query, Value result) {
    int64_t heads = getTensor(query).getDimSize(1);
    int64_t all = state.getOldTensor(result).getDimSize(1);
    if (heads * state.plan.tensor == all)
      return success();
    return op->emitOpError("expected queries that 'tp' splits, so that 'dcp' "
                           "devices share their tokens, but got all ")
           << all << " heads on each of " << state.plan.tensor << " devices";
  }

  Value gatherHeads(Value value) {
    int64_t heads = getTensor(value).getDimSize(1);
    return state.exchanges.allGather(loc, value, 1, count, Dim(heads * count));
  }

  /// Features of `size` and the logarithm of a weight for each head.
  RankedTensorType getPartialType(Value query, int64_t size) {
    RankedTensorType type = withDim(getTensor(query), 2, Dim(size + 1));
    return withElementType(type, builder.getF32Type());
  }

  /// The attention of the own heads, of `type`.
  Value merge(Value partial, RankedTensorType type) {
    SmallVector<Dim> dims = getDims(type);
    dims.insert(dims.begin(), Dim(count));
    dims.back() = getDims(getTensor(partial)).back();
    Value parts = ExchangeHeadsOp::create(
        builder, loc, getTensorType(dims, builder.getF32Type()), partial,
        state.exchanges.getRanks(count));
    return MergeAttentionOp::create(builder, loc, type, parts);
  }

  void replace(Value old, Value own) {
    Type type = own.getType();
    own.setType(cast<RankedTensorType>(old.getType()));
    state.retype(own, type);
    old.replaceAllUsesWith(own);
    op->erase();
  }

  Operation *op;
  ShardState &state;
  OpBuilder &builder;
  Location loc;
  /// Devices that share the tokens.
  int64_t count;
};
} // namespace

LogicalResult mlir::transformer::shardContext(AttentionOp op,
                                              ShardState &state) {
  return ContextSharder(op, state).shard(op);
}

LogicalResult mlir::transformer::shardContext(LatentAttentionOp op,
                                              ShardState &state) {
  return ContextSharder(op, state).shard(op);
}

LogicalResult mlir::transformer::gatherKeyHeads(AppendCacheOp op,
                                                ShardState &state) {
  int64_t all = op.getCache().getType().getNumHeads();
  int64_t heads = cast<RankedTensorType>(op.getKey().getType()).getDimSize(1);
  if (heads == all)
    return success();
  int64_t members = all / std::max<int64_t>(heads, 1);
  if (heads < 1 || all % heads != 0 || state.plan.context % members != 0)
    return op.emitOpError("expected key heads that make up the ")
           << all << " of the cache, but got " << heads;
  // Neighbours that have the same head are passed over.
  auto ranks =
      RanksAttr::get(op.getContext(), members, state.plan.context / members);
  auto gather = [&](Value value) -> Value {
    return AllGatherOp::create(state.builder, op.getLoc(),
                               withDim(getTensor(value), 1, Dim(all)), value,
                               ranks, /*dim=*/1);
  };
  Value key = gather(op.getKey()), value = gather(op.getValue());
  op.getKeyMutable().assign(key);
  op.getValueMutable().assign(value);
  return success();
}
