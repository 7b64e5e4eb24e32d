//===- OpRows.h - Launches added up by kernel -------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_REPORT_OPROWS_H
#define TENSORCAST_LIB_REPORT_OPROWS_H

#include "tensorcast/Report/Report.h"

namespace mlir::tensorcast {

/// A function, and how often it runs.
using FunctionRuns = std::pair<func::FuncOp, double>;

/// Adds the launches of functions of `module` to the sums and rows of `report`.
LogicalResult addLaunches(Report &report, ModuleOp module,
                          ArrayRef<FunctionRuns> runs, ReportOptions options);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_REPORT_OPROWS_H
