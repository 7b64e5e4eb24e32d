//===- Matching.h - What goes into both modules -----------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_MATCHING_H
#define TENSORCAST_LIB_VERIFY_MATCHING_H

#include "UnrollRanks.h"

#include "tensorcast/Verify/SeededInputs.h"
#include "tensorcast/Verify/Verify.h"

namespace mlir::tensorcast {

/// Compares what two functions take, `function` being the second. It is called
/// with the arguments of the first, and with weights by name; `inputs` learns
/// what weights are for on either side.
LogicalResult matchArguments(func::FuncOp function,
                             ArrayRef<ArgumentInfo> arguments,
                             SmallVectorImpl<ArgumentInfo> &others,
                             SeededInputs &inputs, VerifyReport &report);

/// Finds static scales of activations: runs a function of `source`, whose
/// linear layers are not quantized, and notes the largest values that they and
/// the caches take.
LogicalResult calibrate(ModuleOp source, StringRef function,
                        const WholeModel &whole, const VerifyOptions &options,
                        SeededInputs &inputs);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_MATCHING_H
