//===- Step.h - Who is in the step ------------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_STEP_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_STEP_H

#include "LinalgRule.h"

namespace mlir::tensorcast {

/// The sizes of a step: R requests of q new tokens each, which attend to kv.
struct Step {
  int64_t requests, newTokens, totalTokens;

  /// Tokens that the cache holds before the step, and the first new slot.
  int64_t cached() const { return totalTokens - newTokens; }
};

/// The step of a batch, or why there is none.
template <typename OpT>
std::optional<Step> getStep(OpT op, int64_t rows, std::string &reason) {
  transformer::WorkloadAttr workload = op.getBatch().getType().getWorkload();
  if (!workload) {
    reason = "its batch has no workload";
    return std::nullopt;
  }
  Step step = {workload.getRequests(), workload.getNewTokens(),
               workload.getTotalTokens()};
  if (rows != step.requests * step.newTokens) {
    reason = ("it has " + Twine(rows) + " rows, but the batch has " +
              Twine(step.requests * step.newTokens) + " new tokens")
                 .str();
    return std::nullopt;
  }
  return step;
}

/// `cache`, of `type`, with `rows` of R x q x .. in the slots of the new tokens
/// that the device keeps; beyond the token, they begin at `offsets`.
Value insertTokens(OpBuilder &builder, Location loc, Value rows, Value cache,
                   const Step &step, transformer::KVCacheType type,
                   ArrayRef<int64_t> offsets);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_STEP_H
