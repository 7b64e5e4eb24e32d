//===- Chains.h - Ops that read each other's results ------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_OPPORTUNITIES_CHAINS_H
#define TENSORCAST_LIB_OPPORTUNITIES_CHAINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tensorcast {

/// Ops of one block, each of which reads a result of the one before.
struct Chain {
  /// Those that start kernels, in order.
  SmallVector<Operation *> kernels;
  /// The same with the ops between them that only name parts of a tensor, in
  /// the order of the block.
  SmallVector<Operation *> ops;
};

/// Whether an op is a launch, or becomes launches, and can be part of a kernel
/// with others.
bool isKernelOp(Operation *op);

/// The ops of a function for which `isKernelOp` holds.
SmallVector<Operation *> getKernelOps(func::FuncOp function);

/// All chains of 2 to `maxOps` of the ops.
SmallVector<Chain> findChains(ArrayRef<Operation *> ops, unsigned maxOps);

/// What the kernel of an op is called: `swiglu`.
std::string getKernelName(Operation *op);

/// The part of the model that an op is from, for all layers; may be empty.
std::string getProvenance(Operation *op);

/// Whether a row of all that the ops of a chain hand to each other fits in
/// `bytes`: kernels work on some rows of their tensors at a time. Everything
/// fits where these are not known.
bool fitsBuffer(const Chain &chain, std::optional<int64_t> bytes);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_OPPORTUNITIES_CHAINS_H
