//===- Reducer.h - Looks for a smaller module that still fails --*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TC_REDUCE_REDUCER_H
#define TENSORCAST_TOOLS_TC_REDUCE_REDUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mlir::tensorcast {

struct ReducerOptions {
  /// Run by the shell with the name of a module's file behind it; status 0
  /// says that the module shows the problem.
  std::string test;
  int64_t maxTests = 10000;
  /// Where to say how far it is, or null.
  raw_ostream *progress = nullptr;
};

/// Takes away from `module` what the problem does not need: one kind of step
/// after the other, each in runs of places that get shorter, as in delta
/// debugging (Zeller and Hildebrandt, IEEE TSE 28(2), 2002). A module that does
/// not verify is not tried. Fails with an error if the test cannot be run, or
/// if `module` does not show the problem.
LogicalResult reduce(OwningOpRef<ModuleOp> &module,
                     const ReducerOptions &options);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TC_REDUCE_REDUCER_H
