//===- ShardPlan.h - Sizes of the groups of devices -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDPLAN_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDPLAN_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

namespace mlir::transformer {

/// What is split of the word embedding: features, or the vocabulary.
enum class EmbeddingSplit { None, Column, Row };

/// What the user asks for; 0 stands for the default.
struct ShardOptions {
  int64_t devices, tensor, data, output, mlp, head;
  StringRef wordEmbedding;
};

/// Sizes of groups that fit together.
struct ShardPlan {
  int64_t devices = 1;
  /// Tensor-parallel and data-parallel sizes; their product is `devices`.
  int64_t tensor = 1, data = 1;
  /// Groups of the attention output, the MLP and the head.
  int64_t output = 1, mlp = 1, head = 1;
  EmbeddingSplit embedding = EmbeddingSplit::None;

  /// Fills in defaults; reports what does not fit together.
  static FailureOr<ShardPlan> get(const ShardOptions &options, Location loc);

  /// What a module records of the plan.
  PlanAttr toAttr(MLIRContext *context) const;

  /// Devices that share a weight of this group.
  int64_t getSize(ShardGroup group) const;

  /// Whether every device has the whole model.
  bool isTrivial() const {
    return tensor == 1 && output == 1 && mlp == 1 && head == 1;
  }
};

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDPLAN_H
