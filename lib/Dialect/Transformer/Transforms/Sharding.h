//===- Sharding.h - What the parts of sharding share ------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDING_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDING_H

#include "ShardPlan.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::transformer {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

RankedTensorType getTensor(Value value);

/// `type` with another size at `dim`.
RankedTensorType withDim(RankedTensorType type, int64_t dim, Dim size);

/// The size of one of `count` parts, rounded up, and of `count` such parts.
Dim divideDim(const Dim &dim, int64_t count);
Dim multiplyDim(const Dim &dim, int64_t count);

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// Builds exchanges between devices; none where a device is alone.
class Exchanges {
public:
  Exchanges(OpBuilder &builder, int64_t tensor)
      : builder(builder), tensor(tensor) {}

  RanksAttr getRanks(int64_t count) const;

  /// The parts of `count` devices, `size` together.
  Value allGather(Location loc, Value input, int64_t dim, int64_t count,
                  Dim size);

  /// This device's share of the rows.
  Value ownRows(Location loc, Value input, int64_t count);

  /// All tokens of a group's members, of which this device has its share.
  Value spreadTokens(Location loc, Value input, int64_t count);

  /// The tokens that this device's tensor-parallel group works on.
  Value collectTokens(Location loc, Value input, int64_t count, Dim rows);

private:
  OpBuilder &builder;
  /// Devices of a tensor-parallel group.
  int64_t tensor;
};

//===----------------------------------------------------------------------===//
// The rewrite of a function
//===----------------------------------------------------------------------===//

/// What the rewrite of one function has seen so far. New ops go in front of the
/// op that is being rewritten.
struct ShardState {
  ShardState(MLIRContext *context, const ShardPlan &plan)
      : plan(plan), builder(context), exchanges(builder, plan.tensor) {}

  /// Gives `value` a type, and keeps the one that it had.
  void retype(Value value, Type type) {
    before.try_emplace(value, value.getType());
    value.setType(type);
  }

  /// The type before sharding.
  Type getOldType(Value value) const {
    auto found = before.find(value);
    return found == before.end() ? value.getType() : found->second;
  }
  RankedTensorType getOldTensor(Value value) const {
    return cast<RankedTensorType>(getOldType(value));
  }

  const ShardPlan &plan;
  OpBuilder builder;
  Exchanges exchanges;
  /// Who holds the experts of this function; null if it has none.
  PlacementAttr placement;
  /// The weights that are tables of embeddings in the whole model.
  llvm::SmallPtrSet<Operation *, 2> tables;

private:
  llvm::DenseMap<Value, Type> before;
};

/// Make a weight, or a cache, what a device holds of it.
LogicalResult shardWeight(WeightOp weight, ShardState &state);
LogicalResult shardCache(KVCacheOp cache, ShardState &state);

/// The size of a part of `size` in whole units; units are repeated where there
/// are fewer of them than devices. Reports at `op` what cannot be split.
FailureOr<int64_t> getUnitsPart(Operation *op, int64_t size, int64_t unit,
                                int64_t count);

/// Lets a layer, or a lookup, work on what the device holds, and puts the
/// results together.
LogicalResult shardLinear(LinearOp linear, ShardState &state);
LogicalResult shardEmbedding(EmbeddingOp embedding, ShardState &state);

/// Lets the shared expert work on the tokens of the whole tensor-parallel
/// group, if the plan splits it as the MLP.
void separateSharedExperts(func::FuncOp function, const ShardPlan &plan);

/// Makes the shared expert a choice of every token, if the plan has devices of
/// its own for it, and lets it take the place of the routed ones on those.
/// Reports mixtures without one.
LogicalResult externalizeSharedExperts(func::FuncOp function,
                                       const ShardPlan &plan);

/// Decides who holds the experts of a function, if it has some.
LogicalResult placeExperts(func::FuncOp function, ShardState &state);

/// Divides the tokens among the devices that hold experts, and brings them to
/// their experts and back. Ops that have nothing to do with experts are left
/// to others: the result is none.
std::optional<LogicalResult> shardExperts(Operation *op, ShardState &state);
/// Let latent attention work on the heads that the device has.
LogicalResult shardLatentProjection(LatentProjectionOp op, ShardState &state);
LogicalResult shardLatentAttention(LatentAttentionOp op, ShardState &state);

/// Lets attention work on the tokens that a device keeps, and puts the results
/// of the devices that share them together.
LogicalResult shardContext(AttentionOp op, ShardState &state);
LogicalResult shardContext(LatentAttentionOp op, ShardState &state);

/// Lets a device that shares tokens write the key heads of all that do.
LogicalResult gatherKeyHeads(AppendCacheOp op, ShardState &state);
/// Let compressed attention, and what is before and behind it, work on the
/// heads and groups that the device has.
LogicalResult shardWindowAttention(WindowAttentionOp op, ShardState &state);
LogicalResult shardPickCompressed(PickCompressedOp op, ShardState &state);
LogicalResult shardGroupedProjection(GroupedProjectionOp op, ShardState &state);
/// Makes a state what a device holds of it.
LogicalResult shardState(StateOp op, ShardState &state);
/// Lets the delta rule work on the heads that the device has.
LogicalResult shardDeltaGating(DeltaGatingOp op, ShardState &state);
/// Lets every device hold all of what linear attention in one op reads.
void keepLinearAttentionWhole(func::FuncOp function);
/// Lets a part of what joined weights make shrink with it.
LogicalResult shardSlice(SliceOp slice, ShardState &state);
/// Checks that devices can share the heads.
LogicalResult shardImageAttention(ImageAttentionOp attention,
                                  const ShardState &state);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDING_H
