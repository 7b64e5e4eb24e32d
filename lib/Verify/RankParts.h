//===- RankParts.h - Which part of a weight a rank has ----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_RANKPARTS_H
#define TENSORCAST_LIB_VERIFY_RANKPARTS_H

#include "UnrollRanks.h"

namespace mlir::tensorcast {

/// Ranks of a plan, of which tensor-parallel neighbours follow one another.
struct RankPlan {
  explicit RankPlan(transformer::PlanAttr attr)
      : devices(attr.getDevices()), tensor(attr.getTensorParallel()),
        attr(attr) {}

  int64_t devices, tensor;
  /// The sizes of the groups that share weights.
  transformer::PlanAttr attr;
};

/// The ranks that exchange data with one of them.
struct RankGroup {
  /// The rank's place in its group.
  int64_t index = 0;
  SmallVector<int64_t> members;

  static RankGroup get(transformer::RanksAttr ranks, int64_t rank);
};

/// Whether `weight` has a matrix for each of several experts.
bool isStackOfExperts(transformer::WeightOp weight);

/// The part of `weight` that `rank` has; reports what does not fit the plan.
FailureOr<Part> getPart(transformer::WeightOp weight, const WholeModel &whole,
                        const RankPlan &plan, int64_t rank);

/// The part of the first dimension of `state`, as its lowered type has it.
FailureOr<Part> getPart(transformer::StateOp state, const WholeModel &whole,
                        const RankPlan &plan, int64_t rank);

/// The part of the heads of `cache`, as its lowered type has them.
FailureOr<Part> getPart(transformer::KVCacheOp cache, const WholeModel &whole,
                        const RankPlan &plan, int64_t rank);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_RANKPARTS_H
