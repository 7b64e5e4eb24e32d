//===- Bisection.h - Where two modules first differ -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_BISECTION_H
#define TENSORCAST_LIB_VERIFY_BISECTION_H

#include "Runner.h"

namespace mlir::tensorcast {

/// Runs `function` of both modules again with what layers return, then with
/// what ops compute in the first layer that differs, or outside of layers if
/// none does. `arguments` are what the function is called with.
FailureOr<FirstDifference> findFirstDifference(ModuleOp before, ModuleOp after,
                                               StringRef function,
                                               ArrayRef<ArgumentInfo> arguments,
                                               const SeededInputs &inputs,
                                               const WholeModel &whole,
                                               const VerifyOptions &options);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_BISECTION_H
