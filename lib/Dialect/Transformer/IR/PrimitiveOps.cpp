//===- PrimitiveOps.cpp - What a framework launches -----------------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsPrimitive.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult checkElementTypes(std::optional<Location> loc,
                                       RankedTensorType lhs,
                                       RankedTensorType rhs) {
  if (lhs.getElementType() == rhs.getElementType())
    return success();
  return emitOptionalError(loc,
                           "expected operands of one element type, but got ",
                           lhs.getElementType(), " and ", rhs.getElementType());
}

static LogicalResult checkRank(std::optional<Location> loc, StringRef name,
                               RankedTensorType type, int64_t rank) {
  if (type.getRank() == rank)
    return success();
  return emitOptionalError(loc, "expected '", name, "' of rank ", rank,
                           ", but got ", type);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The wider of two float types; null if they are different ones of one width.
static Type getWiderType(Type lhs, Type rhs) {
  unsigned left = lhs.getIntOrFloatBitWidth();
  unsigned right = rhs.getIntOrFloatBitWidth();
  if (left == right)
    return lhs == rhs ? lhs : Type();
  return left > right ? lhs : rhs;
}

/// The type of an elementwise op whose operands are repeated where they have
/// one element.
static LogicalResult inferBroadcast(std::optional<Location> loc, Value lhs,
                                    Value rhs, SmallVectorImpl<Type> &types) {
  RankedTensorType left = getTensor(lhs), right = getTensor(rhs);
  Type element = getWiderType(left.getElementType(), right.getElementType());
  if (!element)
    return emitOptionalError(loc,
                             "expected operands of which one has the wider "
                             "element type, but got ",
                             left.getElementType(), " and ",
                             right.getElementType());
  SmallVector<Dim> longer = getDims(left), shorter = getDims(right);
  if (longer.size() < shorter.size())
    std::swap(longer, shorter);
  size_t offset = longer.size() - shorter.size();
  for (auto [index, dim] : llvm::enumerate(shorter)) {
    Dim &other = longer[offset + index];
    if (dim.isOne())
      continue;
    if (!other.isOne() && !mayBeEqual(other, dim))
      return emitOptionalError(loc,
                               "expected sizes that are equal or 1, but "
                               "got ",
                               left, " and ", right);
    // Of two equal sizes take the one that is known.
    if (other.isOne() || (!other.isStatic() && !other.expr))
      other = dim;
  }
  types.push_back(getTensorType(longer, element));
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      AddOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getLhs(), adaptor.getRhs(), types);
}

LogicalResult SubOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      SubOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getLhs(), adaptor.getRhs(), types);
}

LogicalResult DivOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      DivOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getLhs(), adaptor.getRhs(), types);
}

LogicalResult MulOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      MulOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getLhs(), adaptor.getRhs(), types);
}

LogicalResult CastOp::verify() {
  RankedTensorType expected =
      withElementType(getInput().getType(), getType().getElementType());
  if (getType() == expected)
    return success();
  return emitOpError("expected a result of ")
         << expected << ", the input's sizes, but got " << getType();
}

//===----------------------------------------------------------------------===//
// Contraction and reduction
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         MatmulOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = getTensor(adaptor.getLhs());
  RankedTensorType rhs = getTensor(adaptor.getRhs());
  if (failed(checkRank(loc, "lhs", lhs, 2)) ||
      failed(checkRank(loc, "rhs", rhs, 2)) ||
      failed(checkElementTypes(loc, lhs, rhs)))
    return failure();
  SmallVector<Dim> left = getDims(lhs), right = getDims(rhs);
  if (adaptor.getTransposed())
    std::swap(right[0], right[1]);
  if (!mayBeEqual(left[1], right[0]))
    return emitOptionalError(loc,
                             "expected inner sizes that are equal, but "
                             "got ",
                             toString(left[1]), " and ", toString(right[0]));
  if (Value bias = adaptor.getBias()) {
    RankedTensorType type = getTensor(bias);
    if (failed(checkRank(loc, "bias", type, 1)) ||
        failed(checkElementTypes(loc, lhs, type)))
      return failure();
    if (!mayBeEqual(getDims(type)[0], right[1]))
      return emitOptionalError(loc, "expected a bias of ", toString(right[1]),
                               " elements, but got ",
                               toString(getDims(type)[0]));
  }
  types.push_back(getTensorType({left[0], right[1]}, lhs.getElementType()));
  return success();
}

LogicalResult MeanOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       MeanOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType type = getTensor(adaptor.getInput());
  if (type.getRank() < 1)
    return emitOptionalError(loc,
                             "expected an input of rank at least 1, but "
                             "got ",
                             type);
  SmallVector<Dim> dims = getDims(type);
  dims.back() = Dim(1);
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

/// The input's type with 1 for the dimension that is reduced.
static LogicalResult inferReduction(std::optional<Location> loc, Value input,
                                    uint64_t dim,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType type = getTensor(input);
  SmallVector<Dim> dims = getDims(type);
  if (dim >= dims.size())
    return emitOptionalError(loc, "expected 'dim' below ", dims.size(),
                             ", but got ", dim);
  dims[dim] = Dim(1);
  types.push_back(getTensorType(dims, type.getElementType()));
  return success();
}

LogicalResult SumOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      SumOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDim(), types);
}

LogicalResult MaxOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      MaxOp::Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDim(), types);
}

//===----------------------------------------------------------------------===//
// Moving data, and seeing it in another shape
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         GatherOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType table = getTensor(adaptor.getTable());
  RankedTensorType indices = getTensor(adaptor.getIndices());
  if (failed(checkRank(loc, "table", table, 2)) ||
      failed(checkRank(loc, "indices", indices, 1)))
    return failure();
  types.push_back(getTensorType({getDims(indices)[0], getDims(table)[1]},
                                table.getElementType()));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         ConcatOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = getTensor(adaptor.getLhs());
  RankedTensorType rhs = getTensor(adaptor.getRhs());
  if (failed(checkElementTypes(loc, lhs, rhs)) ||
      failed(checkRank(loc, "rhs", rhs, lhs.getRank())))
    return failure();
  SmallVector<Dim> left = getDims(lhs), right = getDims(rhs);
  bool equal = !left.empty();
  for (size_t i = 0; i + 1 < left.size(); ++i)
    equal &= mayBeEqual(left[i], right[i]);
  if (!equal || !left.back().isStatic() || !right.back().isStatic())
    return emitOptionalError(loc,
                             "expected operands that differ only in a "
                             "static last size, but got ",
                             lhs, " and ", rhs);
  if (left.back().size >
      std::numeric_limits<int64_t>::max() - right.back().size)
    return emitOptionalError(loc, "expected a last size below 2^63, but got ",
                             lhs, " and ", rhs);
  left.back() = Dim(left.back().size + right.back().size);
  types.push_back(getTensorType(left, lhs.getElementType()));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        SliceOp::Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensor(adaptor.getInput());
  SmallVector<Dim> dims = getDims(input);
  uint64_t offset = adaptor.getOffset(), size = adaptor.getSize();
  if (dims.empty() || !dims.back().isStatic() ||
      offset > static_cast<uint64_t>(dims.back().size) ||
      size > static_cast<uint64_t>(dims.back().size) - offset)
    return emitOptionalError(loc,
                             "expected a range within the static last "
                             "size, but got ",
                             size, " from ", offset, " of ", input);
  dims.back() = Dim(static_cast<int64_t>(size));
  types.push_back(getTensorType(dims, input.getElementType()));
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  if (input.getElementType() != result.getElementType())
    return emitOpError("expected a result of ")
           << input.getElementType() << ", but got " << result.getElementType();
  ExprAttr before = getNumElements(input), after = getNumElements(result);
  if (before && after && before != after) {
    std::string texts[2];
    llvm::raw_string_ostream first(texts[0]), second(texts[1]);
    printExprText(first, before);
    printExprText(second, after);
    return emitOpError("expected a result of ")
           << texts[0] << " elements, as the input has, but got " << texts[1];
  }
  return success();
}
