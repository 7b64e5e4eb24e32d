//===- UnrollRanks.h - All devices of a plan in one function ----*- C++ -*-===//
//
// A sharded module says what device 0 does and stands for all. To run it, every
// op is done once per rank, side by side, so that exchanges become sums,
// slices and concatenations of the values that the ranks have.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_VERIFY_UNROLLRANKS_H
#define TENSORCAST_LIB_VERIFY_UNROLLRANKS_H

#include "tensorcast/Verify/SeededInputs.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// What the ranks of a sharded module have parts of.
struct WholeModel {
  /// Sizes of weights and caches by name, as lowered functions declare them.
  llvm::StringMap<SmallVector<int64_t>> shapes;
  /// The table of an embedding that is the weight of the head as well.
  std::string tiedTable;

  /// Describes `module`, which is not sharded; `arguments` are those of its
  /// lowered functions.
  void add(ModuleOp module);
  void add(ArrayRef<ArgumentInfo> arguments);

  /// Describes a model of whose weights and caches each device of `module` has
  /// other parts; the module is bound and has no layers.
  void addParts(ModuleOp module);
};

/// Whether `module` stands for one of several devices.
bool isSharded(ModuleOp module);

/// Rewrites `module`, which is bound and has no layers, so that it runs all
/// ranks of its plan. All data-parallel groups have the same arguments, but for
/// their tokens, which each has in another order. Functions return what rank 0
/// returned, and then what each other rank returned of the first
/// `countResults(function)` results.
LogicalResult
unrollRanks(ModuleOp module, const WholeModel &whole,
            llvm::function_ref<unsigned(func::FuncOp)> countResults);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_UNROLLRANKS_H
