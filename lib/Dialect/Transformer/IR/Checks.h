//===- Checks.h - What several verifiers check ------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_IR_CHECKS_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_IR_CHECKS_H

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

namespace mlir::transformer {

/// Checks the rank of an operand or result called `name`.
LogicalResult verifyRank(Operation *op, StringRef name, RankedTensorType type,
                         int64_t rank);

/// Checks that `type` has the dimensions `expected`.
LogicalResult verifyDims(Operation *op, StringRef name, RankedTensorType type,
                         ArrayRef<Dim> expected);

LogicalResult verifyElementType(Operation *op, StringRef name, Type got,
                                Type expected);

/// Checks that an attribute called `name` is finite and above 0.
LogicalResult verifyPositive(Operation *op, StringRef name,
                             const APFloat &value);

/// Checks that `result` is `input` in fewer bits.
LogicalResult verifyQuantized(Operation *op, RankedTensorType input,
                              RankedTensorType result);

/// Checks the scale of a quantized tensor of the shape of `data`: one for the
/// tensor, or one per `groupSize` elements of a row.
LogicalResult verifyScale(Operation *op, StringRef name, RankedTensorType data,
                          RankedTensorType scale,
                          std::optional<int64_t> groupSize);

/// Checks that `op`, which runs a `kind` ("layer"), passes the operands of
/// `callee` and has its results.
LogicalResult verifyCall(Operation *op, FlatSymbolRefAttr callee,
                         StringRef kind, SymbolTableCollection &symbolTable);

/// Checks the blocks of `blockSize` tokens that each of `tokens` attends to
/// with each of `heads`; there are none where both are absent.
LogicalResult verifyBlocks(Operation *op, Value blocks,
                           std::optional<int64_t> blockSize, const Dim &tokens,
                           int64_t heads);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_IR_CHECKS_H
