//===- AttentionSizes.h - Sizes of attention without a cache ----*- C++ -*-===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_IR_ATTENTIONSIZES_H
#define TENSORCAST_DIALECT_TRANSFORMER_IR_ATTENTIONSIZES_H

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

namespace mlir::transformer {

/// Sequences, heads, tokens and features of an operand of attention.
struct AttentionSizes {
  Dim sequences, heads, tokens, features;

  /// Of `type`, which has rank 4: `B x S x N x D` if `isByToken`, else
  /// `B x N x S x D`.
  AttentionSizes(RankedTensorType type, bool isByToken);

  /// The type of such a tensor.
  RankedTensorType getType(bool isByToken, Type elementType) const;
};

/// Whether operands and results of the layout are `B x S x N x D`.
inline bool hasOperandsByToken(AttentionLayout layout) {
  return layout == AttentionLayout::BSND;
}
inline bool hasResultByToken(AttentionLayout layout) {
  return layout != AttentionLayout::BNSD;
}

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_IR_ATTENTIONSIZES_H
