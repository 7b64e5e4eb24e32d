//===- DotProduct.h - What attention without a cache is made of -*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_DOTPRODUCT_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_DOTPRODUCT_H

#include "Fusion.h"

#include "tensorcast/Dialect/Transformer/IR/AttentionSizes.h"

namespace mlir::transformer {

/// A factor of one of the two products: the tensor that its copies are of.
struct AttentionFactor {
  /// `B x N x S x D`, or `N x S x D`; null if only `source` is there.
  Value byHead;
  /// The same with tokens in front of heads, which `byHead` is a copy of; null
  /// if there is none.
  Value byToken;

  /// What `value` is, whose rows are tokens, or features if `isTransposed`.
  /// Null if it is laid out in another way.
  static std::optional<AttentionFactor> match(Value value, bool isTransposed);
};

/// Attention around a softmax: scores = query * key', scaled, with masks; and
/// probabilities * value.
struct DotProduct {
  AttentionFactor query, key, value;
  double scale = 1;
  /// What is added to the scores; some may be causal masks.
  SmallVector<Value> added;
  /// One number per head, seen as such; or null.
  Value sink;
  BatchedMatmulOp scores, product;
  /// A copy of the product with tokens in front of heads, which alone reads it;
  /// or null.
  PermuteOp copy;

  /// Finds it around `softmax`. If that is in no attention, the reason is
  /// empty; otherwise it says what is in the way.
  static FailureOr<DotProduct> match(SoftmaxOp softmax, std::string &reason);

private:
  LogicalResult matchScores(Value value, std::string &reason);
  LogicalResult matchProbabilities(Value value, std::string &reason);
  LogicalResult matchSink(ConcatOp concat, std::string &reason);
  LogicalResult matchFactors(std::string &reason);
};

/// Fill `patterns` with the fusion of attention without a cache, and with that
/// of the pieces of a softmax.
void populateFuseDotProduct(RewritePatternSet &patterns, FusionSwitch fusion);
void populateRaiseSoftmax(RewritePatternSet &patterns, FusionSwitch fusion);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_DOTPRODUCT_H
