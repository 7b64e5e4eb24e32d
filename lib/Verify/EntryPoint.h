//===- EntryPoint.h - How compiled functions are called ---------*- C++ -*-===//

#ifndef TENSORCAST_LIB_VERIFY_ENTRYPOINT_H
#define TENSORCAST_LIB_VERIFY_ENTRYPOINT_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Public functions, which are on buffers, take one pointer instead: to the
/// descriptors of their results and then of their arguments, one after another
/// as `getNumDescriptorWords` says. Results are written there.
///
/// A model has hundreds of weights. As arguments they would make blocks of
/// thousands of loads, and code is selected in time quadratic in those; so each
/// is loaded where it is used, and there is a block for every call.
void takeDescriptors(ModuleOp module);

/// The 64-bit words of a buffer's descriptor: the allocated and the aligned
/// pointer, the offset, the sizes and the strides.
constexpr int64_t getNumDescriptorWords(int64_t rank) { return 3 + 2 * rank; }

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_ENTRYPOINT_H
