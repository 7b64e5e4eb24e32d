//===- UnrollExperts.h - Experts of all devices side by side ----*- C++ -*-===//
//
// The sizes of a dispatch are those of choices that are spread evenly; real
// ones are not. Where all ranks are there side by side, each gets all rows of
// its group, those of experts that it does not have being 0, and what comes
// back is the sum of what the ranks made of them. A row that no rank, or more
// than one, computes is wrong then.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_VERIFY_UNROLLEXPERTS_H
#define TENSORCAST_LIB_VERIFY_UNROLLEXPERTS_H

#include "RankParts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tensorcast {

/// Clones `op`; if its operands have more rows or fewer than those of `op`, so
/// have the results.
Operation *cloneForRows(OpBuilder &builder, Operation *op, IRMapping &mapping);

/// Unrolls what is about the experts of other ranks.
class ExpertUnroller {
public:
  ExpertUnroller(const RankPlan &plan, const WholeModel &whole,
                 OpBuilder &builder, MutableArrayRef<IRMapping> ranks)
      : plan(plan), whole(whole), builder(builder), ranks(ranks) {}

  /// Nothing if `op` is about the experts of its own rank only.
  std::optional<LogicalResult> unroll(Operation *op);

private:
  using Placement = transformer::PlacementAttr;

  LogicalResult dispatch(transformer::DispatchTokensOp op);
  LogicalResult giveBack(transformer::ReturnTokensOp op);
  template <typename GroupedOp> LogicalResult compute(GroupedOp op);

  LogicalResult check(Operation *op, Placement placement);

  /// The choices of the tokens of all members of the rank's group.
  Value getIds(Value ids, Placement placement, int64_t rank);

  /// How many experts the ranks have; others of `placement` are copies.
  int64_t countExperts(Value ids, Placement placement);

  /// For each of `ids`, choices of `sender`: 1 if `rank` has the expert for it.
  Value buildMask(Location loc, Value ids, Placement placement, int64_t rank,
                  int64_t sender, int64_t experts, Type elementType);

  Value get(Value value, int64_t rank) const {
    return ranks[rank].lookupOrDefault(value);
  }
  Value flattenIds(Value ids);
  Value reshape(Location loc, Value value, ArrayRef<int64_t> shape);
  Value concatRows(Location loc, ArrayRef<Value> parts);

  const RankPlan &plan;
  const WholeModel &whole;
  OpBuilder &builder;
  MutableArrayRef<IRMapping> ranks;
  /// The choices of groups, by those of a token's rank and the first member.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> idsOfGroups;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_UNROLLEXPERTS_H
