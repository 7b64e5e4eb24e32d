//===- Compare.h - What a rewrite changes in the price ----------*- C++ -*-===//

#ifndef TENSORCAST_REPORT_COMPARE_H
#define TENSORCAST_REPORT_COMPARE_H

#include "tensorcast/Report/FusionReport.h"
#include "tensorcast/Report/Report.h"

namespace mlir::tensorcast {

/// Prints time, kernels, write-backs, bytes and memory of both reports and what
/// changed, for the whole model, for each kind of layer, and for each kernel
/// that changed. With `fusions`, also what the user's patterns did.
void printComparison(raw_ostream &os, const Report &before, const Report &after,
                     const FusionReport *fusions = nullptr);

/// The same for programs: `schema` tensorcast-compare-1, with both reports.
void printComparisonJson(raw_ostream &os, const Report &before,
                         const Report &after,
                         const FusionReport *fusions = nullptr);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_COMPARE_H
