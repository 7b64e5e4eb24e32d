//===- Schedule.h - Rules of streams ----------------------------*- C++ -*-===//
//
// What the rules of ascend-schedule share.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_DIALECT_ASCEND_TRANSFORMS_SCHEDULE_H
#define TENSORCAST_LIB_DIALECT_ASCEND_TRANSFORMS_SCHEDULE_H

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ascend {

/// The stream that is for the kind of `op`: exchanges have their own.
Stream getOwnStream(Operation *op);

/// Whether the results of `op` are there when its operands are, as it starts no
/// kernel: for every batch, or for some.
bool startsNothing(Operation *op);
bool mayStartNothing(Operation *op);

/// Gives a launch or view a slot; none if that says the same.
void setSlot(Operation *op, Stream stream, ArrayRef<int64_t> waits);

/// Gives launches slots by which they wait for all that they depend on.
void scheduleByDataFlow(ModuleOp module);

/// How a software stack that sees only some of the dependences schedules.
struct DirectWaitOptions {
  /// Launches that no wait concerns run on the stream that is current.
  bool inPlace = false;
  /// Kernels whose results are seen as a tuple or as one tensor, where their
  /// number says another thing.
  llvm::StringSet<> tuples, tensors;
  /// Kernels that read parts of tensors, which a tuple has.
  llvm::StringSet<> partReaders;
};

/// Gives launches slots by which they wait for what makes their operands
/// directly, as far as it is seen.
void scheduleByDirectWaits(ModuleOp module, const DirectWaitOptions &options);

} // namespace mlir::ascend

#endif // TENSORCAST_LIB_DIALECT_ASCEND_TRANSFORMS_SCHEDULE_H
