//===- ShardEmbedding.cpp - Lookups in a part of the table ----------------===//

#include "Sharding.h"

using namespace mlir;
using namespace mlir::transformer;

/// Whether only tied heads read the table beside `embedding`.
static bool isSharedWithHeads(WeightOp table, EmbeddingOp embedding) {
  return llvm::all_of(table->getUsers(), [&](Operation *user) {
    return user == embedding || isa<LinearOp>(user);
  });
}

/// Lets `embedding` have a part of the table, which other readers need all of
/// unless they are split with it.
static void splitTable(EmbeddingOp embedding, WeightOp table, int64_t dim,
                       bool isShared, ShardState &state) {
  RankedTensorType type = table.getType();
  RankedTensorType part =
      withDim(type, dim,
              Dim(llvm::divideCeil(type.getDimSize(dim), state.plan.tensor)));
  WeightOp own = table;
  if (!table->hasOneUse() && !isShared)
    own = WeightOp::create(state.builder, table.getLoc(), type,
                           table.getNameAttr(), table.getShardingAttr());
  own.getResult().setType(part);
  embedding.getTableMutable().assign(own);
}

/// Each device has some of the features of all words.
static void shardColumns(EmbeddingOp embedding, WeightOp table,
                         ShardState &state) {
  RankedTensorType whole = embedding.getType();
  splitTable(embedding, table, /*dim=*/1, /*isShared=*/false, state);
  embedding.getResult().setType(
      withDim(whole, 1, getDims(embedding.getTable().getType())[1]));
  state.builder.setInsertionPointAfter(embedding);
  Value all =
      state.exchanges.allGather(embedding.getLoc(), embedding.getResult(), 1,
                                state.plan.tensor, getDims(whole)[1]);
  embedding.getResult().replaceAllUsesExcept(all, all.getDefiningOp());
}

/// Each device has some of the words; what it does not have, it adds zeros for.
static void shardRows(EmbeddingOp embedding, WeightOp table,
                      ShardState &state) {
  bool isShared = state.plan.head == state.plan.tensor &&
                  isSharedWithHeads(table, embedding);
  splitTable(embedding, table, /*dim=*/0, isShared, state);
  embedding.setFirstRow(0);
  state.builder.setInsertionPointAfter(embedding);
  auto sum = AllReduceOp::create(state.builder, embedding.getLoc(),
                                 embedding.getType(), embedding.getResult(),
                                 state.exchanges.getRanks(state.plan.tensor));
  embedding.getResult().replaceAllUsesExcept(sum, sum);
}

LogicalResult mlir::transformer::shardEmbedding(EmbeddingOp embedding,
                                                ShardState &state) {
  if (state.plan.embedding == EmbeddingSplit::None || state.plan.tensor == 1)
    return success();
  auto table = embedding.getTable().getDefiningOp<WeightOp>();
  if (!table)
    return embedding.emitOpError("expected a declared table to split");
  if (embedding.getFirstRow())
    return embedding.emitOpError("expected all of a table to split, but got a "
                                 "part");
  if (state.plan.embedding == EmbeddingSplit::Column)
    shardColumns(embedding, table, state);
  else
    shardRows(embedding, table, state);
  return success();
}
