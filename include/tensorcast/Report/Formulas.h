//===- Formulas.h - A report before its batch is known ----------*- C++ -*-===//
//
// Sums of a report as formulas: what `buildReport` computes for a bound module
// is here computed for any batch, by the same code.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_REPORT_FORMULAS_H
#define TENSORCAST_REPORT_FORMULAS_H

#include "tensorcast/Report/Report.h"

namespace mlir::tensorcast {

/// Device memory that each stage of a pipeline needs, in order, or that a
/// module without stages does. `formulate` gives the formula of an expression.
FailureOr<SmallVector<MemoryUseOf<Formula>>>
formulateMemory(ModuleOp module,
                function_ref<Formula(transformer::ExprAttr)> formulate);

/// How often a kernel starts in one run of its function, and how long all of
/// these starts take.
template <typename Number> struct LaunchTimeOf {
  Number starts = 0, seconds = 0;
};

/// The time to the end of the last stream; none if there is but one stream, so
/// that this is the time of all kernels.
FailureOr<std::optional<Formula>> formulateTimeline(
    ModuleOp module,
    function_ref<FailureOr<LaunchTimeOf<Formula>>(ascend::LaunchOp)> measure);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_FORMULAS_H
