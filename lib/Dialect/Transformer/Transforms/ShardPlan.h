//===- ShardPlan.h - Sizes of the groups of devices -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDPLAN_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDPLAN_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

namespace mlir::transformer {

/// What is split of the word embedding: features, or the vocabulary.
enum class EmbeddingSplit { None, Column, Row };

/// What the user asks for; 0 stands for the default.
struct ShardOptions {
  int64_t devices, tensor, data, pipeline, output, mlp, head;
  StringRef wordEmbedding;
  int64_t expert = 0, expertTensor = 0, expertData = 0;
  bool redundantExperts = false, sharedExpertTensor = false;
  bool externalSharedExperts = false, hostSharedExperts = false;
  bool wideSharedChoice = false;
  int64_t context = 0;
  bool wholeSparseAttention = false;
  int64_t vision = 0;
};

/// Sizes of groups that fit together.
struct ShardPlan {
  /// Stages of the pipeline, and the devices of each.
  int64_t pipeline = 1, devices = 1;
  /// Tensor-parallel and data-parallel sizes; their product is `devices`.
  int64_t tensor = 1, data = 1;
  /// Groups of the attention output, the MLP and the head.
  int64_t output = 1, mlp = 1, head = 1;
  EmbeddingSplit embedding = EmbeddingSplit::None;
  /// Devices of a tensor-parallel group that share the cached tokens of decode
  /// steps.
  int64_t context = 1;
  /// Whether every device has all heads of sparse attention.
  bool wholeSparseAttention = false;
  /// Devices that share the heads of attention, where not `tensor`.
  int64_t heads = 1;
  /// Devices that share the experts, the matrices of each expert, and those of
  /// the shared expert.
  int64_t expert = 1, expertTensor = 1, sharedExpert = 1;
  /// Neighbours in a tensor-parallel group that share the vision tower.
  int64_t vision = 1;
  /// Whether every device holds a copy of one more expert.
  bool redundantExperts = false;
  /// Whether devices of their own hold the shared expert, and whether device 0
  /// is one of them.
  bool externalSharedExperts = false, hostSharedExperts = false;
  /// Whether its choice is weighed in f32.
  bool wideSharedChoice = false;

  /// Fills in defaults; reports what does not fit together.
  static FailureOr<ShardPlan> get(const ShardOptions &options, Location loc);

  /// What a module records of the plan; of experts only if it has some.
  PlanAttr toAttr(MLIRContext *context, bool hasExperts) const;

  /// Devices that share a weight of this group.
  int64_t getSize(ShardGroup group) const;

  /// Whether every device has the whole model.
  bool isTrivial() const { return devices == 1; }

  /// Whether every device has all of the layers, but perhaps for experts.
  bool sharesOnlyRequests() const {
    return tensor == 1 && output == 1 && mlp == 1 && head == 1 && vision == 1;
  }

private:
  /// `8 devices`, or `8 devices of a stage`.
  std::string describeDevices() const;
  /// The groups of experts.
  LogicalResult setExperts(const ShardOptions &options, Location loc);
};

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_SHARDPLAN_H
