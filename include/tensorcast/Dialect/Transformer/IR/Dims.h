//===- Dims.h - Sizes of tensors that depend on the batch -------*- C++ -*-===//
//
// Reads and builds tensor types whose dynamic dimensions carry expressions.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_IR_DIMS_H
#define TENSORCAST_DIALECT_TRANSFORMER_IR_DIMS_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

namespace mlir::transformer {

/// One dimension of a tensor: a number, an expression, or neither where the
/// type has a `?` without an encoding.
struct Dim {
  int64_t size = ShapedType::kDynamic;
  ExprAttr expr;

  Dim(int64_t size) : size(size) {}
  Dim(ExprAttr expr) : expr(expr) {}

  bool isStatic() const { return !ShapedType::isDynamic(size); }
  bool isOne() const { return size == 1; }
};

/// The number as an expression of the dimension; null if it is unknown.
ExprAttr getExpr(MLIRContext *context, const Dim &dim);

/// A dimension of so many; static if the expression is constant.
Dim getDim(ExprAttr expr);

/// Whether the two may be the same size; an unknown size may be any.
bool mayBeEqual(const Dim &lhs, const Dim &rhs);

/// `5120`, `tokens` or `?`, for messages.
std::string toString(const Dim &dim);

SmallVector<Dim> getDims(RankedTensorType type);
RankedTensorType getTensorType(ArrayRef<Dim> dims, Type elementType);

/// The type with another element type, same sizes.
RankedTensorType withElementType(RankedTensorType type, Type elementType);

/// The type of the scale of a quantized tensor of the sizes of `data`: one f32
/// for the tensor, or one f8E8M0FNU per `groupSize` elements of a row, which
/// the rows may share.
RankedTensorType getScaleType(RankedTensorType data,
                              std::optional<int64_t> groupSize,
                              bool sharedByRows = false);

/// Product of the dimensions; null if one is unknown.
ExprAttr getNumElements(RankedTensorType type);

/// Bytes of an element; fractions for types below a byte, which are packed but
/// for truth values.
/// None for types that have no size in device memory.
std::optional<double> getElementBytes(Type elementType);

/// Bytes of a tensor as it is stored. 0 for values that are no data of their
/// own (batch, cache, rope table); null if a size is unknown.
ExprAttr getByteSize(Type type);

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_IR_DIMS_H
