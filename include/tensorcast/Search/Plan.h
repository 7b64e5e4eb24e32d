//===- Plan.h - How devices may share a model -------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_PLAN_H
#define TENSORCAST_SEARCH_PLAN_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace mlir::tensorcast::search {

/// Sizes of the groups of devices that share parts of a model, and how many
/// tokens are drafted.
struct Plan {
  int64_t tensor = 1, data = 1;
  int64_t expert = 1, expertTensor = 1, expertData = 1;
  /// Devices that share the cached tokens of a decode step.
  int64_t context = 1;
  int64_t draftTokens = 0;
  /// Whether the model has experts; if not, their groups are not named.
  bool hasExperts = false;

  int64_t getDevices() const { return tensor * data; }

  /// `TP=2 | PP=1 | DP=4 | EP=8 | MOE-TP=1 | MOE-DP=1`, as the reference names
  /// it, with `MTP` and `DCP` behind it where there are any.
  std::string getLabel() const;
};

/// The sizes to try. Without a list, one size is taken; of an empty list, all
/// powers of two.
struct PlanSizes {
  using List = std::optional<SmallVector<int64_t>>;
  List tensor, expert, expertData, context;
  SmallVector<int64_t> draftTokens = {0};
};

/// A combination of sizes that is no plan, and why.
struct RejectedPlan {
  std::string label, why;
};

struct PlanList {
  SmallVector<Plan> plans;
  SmallVector<RejectedPlan> rejected;
};

/// All combinations of `sizes` that make up `devices`, in the order of the
/// lists. If sizes of neither tensor, expert nor expert-data groups are given,
/// tensor groups of all powers of two are tried; a size that is not given is
/// the number of devices for tensor and expert groups, and 1 for the others.
PlanList listPlans(const PlanSizes &sizes, int64_t devices, bool hasExperts);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_PLAN_H
