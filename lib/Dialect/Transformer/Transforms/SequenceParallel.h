//===- SequenceParallel.h - Which tokens may be split -----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SEQUENCEPARALLEL_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SEQUENCEPARALLEL_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::transformer {

/// Where a split of tokens starts, and what it asks for.
struct SplitRules {
  /// Only at a sum over devices in front of the first norm; or, if routers of
  /// the model yield logits, in layers with such a sum in front of a norm.
  bool onlyAfterSum = false;
  bool onlyEvenTokens = false;
};

/// How the residual stream of a module is split over devices, and what belongs
/// to it.
struct TokenSplit {
  /// Devices of a tensor-parallel group.
  int64_t count = 1;
  /// What the workload of an unbound module has to meet; may be null.
  ExprAttr assumed;
  /// Layers that keep all tokens.
  llvm::SmallDenseSet<Operation *> whole;

  /// The split of `module`; none if something stands in the way, which a
  /// remark says.
  static std::optional<TokenSplit> find(ModuleOp module,
                                        const SplitRules &rules);

  bool isGroup(RanksAttr ranks) const {
    return ranks.getCount() == count && ranks.getStep() == 1;
  }

  /// The type of the own rows of a tensor.
  RankedTensorType getOwnType(RankedTensorType type) const;

  /// Whether `op` works on each token by itself: norms and sums.
  static bool isRowwise(Operation *op);

  /// Whether `value` is a sum over the group that only row-wise ops read, so
  /// that no device needs all of it.
  bool isScatterable(Value value) const;

  /// The own rows that `value` gathers; null if it gathers none.
  Value getGatheredRows(Value value) const;

  bool hasScatterableSum(func::FuncOp function) const;

  /// Whether only row-wise ops read the argument, as they do the residual.
  static bool isStreamArgument(BlockArgument argument);

  /// Whether only layers call the function, whose types follow.
  bool mayRetype(func::FuncOp function) const;
};

/// Lets mixtures of experts take the shares of tokens that devices have in
/// front of a gather; returns how many do.
unsigned routeOwnTokens(func::FuncOp function, const TokenSplit &split);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SEQUENCEPARALLEL_H
