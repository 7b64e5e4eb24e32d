//===- StagePlan.h - Which stage runs which op ------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_STAGEPLAN_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_STAGEPLAN_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::transformer {

/// The first of the layers of each of `stages` stages, and the number of layers
/// behind the last: layers that are left over go to the stages counted back
/// from the one before the last.
SmallVector<int64_t> cutLayers(int64_t layers, int64_t stages);

/// Divides the ops of the function that calls the layers among stages.
class StagePlan {
public:
  /// Reports modules without such a function, or with fewer layers than stages.
  static FailureOr<StagePlan> get(ModuleOp module, int64_t numStages);

  func::FuncOp getFunction() const { return function; }
  int64_t getNumStages() const { return numStages; }

  /// Whether `stage` runs `op`.
  bool runs(int64_t stage, Operation *op) const {
    return stages.find(op)->second.test(stage);
  }

  /// Whether a stage that runs `user` does not run `op`, of which it needs
  /// results.
  bool isSent(Operation *op, Operation *user) const {
    return stages.find(user)->second.test(stages.find(op)->second);
  }

  /// The stage that others have the results of `op` from; the last one of
  /// those that repeat it.
  int64_t getHome(Operation *op) const {
    return stages.find(op)->second.find_last();
  }

private:
  StagePlan(func::FuncOp function, int64_t numStages)
      : function(function), numStages(numStages) {}

  /// Sets the stage of each op that depends on `layers`.
  void placeBehindLayers(ArrayRef<LayerOp> layers);
  /// Sets the stages of the other ops, from their users.
  void placeOthers();
  /// Reports values that would have to be sent and cannot.
  LogicalResult checkTransfers();

  func::FuncOp function;
  int64_t numStages;
  llvm::DenseMap<Operation *, llvm::SmallBitVector> stages;
};

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_STAGEPLAN_H
