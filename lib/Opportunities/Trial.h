//===- Trial.h - What a function costs with a new kernel --------*- C++ -*-===//

#ifndef TENSORCAST_LIB_OPPORTUNITIES_TRIAL_H
#define TENSORCAST_LIB_OPPORTUNITIES_TRIAL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tensorcast/Opportunities/Opportunities.h"

namespace mlir::tensorcast {

/// The price of one run of a function.
struct TrialPrice {
  double timeS = 0, launches = 0, bytes = 0;
};

/// Prices functions by lowering copies of them in a module of their own.
class Trial {
public:
  Trial(ModuleOp module, function_ref<LogicalResult(ModuleOp)> lower)
      : module(module), lower(lower) {}

  /// Ops that compute the same from operands of the same types have the same
  /// text. `ops` are in the order of their block.
  static std::string describe(ArrayRef<Operation *> ops);

  /// The price of `function` with a kernel for all of `fused`, which are ops of
  /// it, or as it is if there are none. Nothing if they cannot be one kernel,
  /// or if an op has none.
  std::optional<TrialPrice> price(func::FuncOp function,
                                  ArrayRef<Operation *> fused);

private:
  ModuleOp module;
  function_ref<LogicalResult(ModuleOp)> lower;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_OPPORTUNITIES_TRIAL_H
