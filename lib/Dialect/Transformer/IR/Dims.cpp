//===- Dims.cpp - Sizes of tensors that depend on the batch ---------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

ExprAttr mlir::transformer::getExpr(MLIRContext *context, const Dim &dim) {
  return dim.isStatic()
             ? ExprAttr::constant(context, static_cast<double>(dim.size))
             : dim.expr;
}

Dim mlir::transformer::getDim(ExprAttr expr) {
  return expr.isConstant() ? Dim(static_cast<int64_t>(expr.getValue()))
                           : Dim(expr);
}

bool mlir::transformer::mayBeEqual(const Dim &lhs, const Dim &rhs) {
  if (lhs.isStatic() && rhs.isStatic())
    return lhs.size == rhs.size;
  if (lhs.expr && rhs.expr)
    return lhs.expr == rhs.expr;
  return !lhs.expr && !rhs.expr ? true : !lhs.isStatic() && !rhs.isStatic();
}

std::string mlir::transformer::toString(const Dim &dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (dim.isStatic())
    os << dim.size;
  else if (dim.expr)
    printExprText(os, dim.expr);
  else
    os << '?';
  return text;
}

SmallVector<Dim> mlir::transformer::getDims(RankedTensorType type) {
  auto encoding = dyn_cast_or_null<DimsAttr>(type.getEncoding());
  SmallVector<Dim> dims;
  unsigned numDynamic = 0;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size))
      dims.emplace_back(size);
    else
      dims.emplace_back(encoding ? encoding.getExprs()[numDynamic++]
                                 : ExprAttr());
  }
  return dims;
}

RankedTensorType mlir::transformer::getTensorType(ArrayRef<Dim> dims,
                                                  Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<ExprAttr> exprs;
  bool known = true;
  for (const Dim &dim : dims) {
    shape.push_back(dim.size);
    if (dim.isStatic())
      continue;
    known &= static_cast<bool>(dim.expr);
    exprs.push_back(dim.expr);
  }
  Attribute encoding;
  if (known && !exprs.empty())
    encoding = DimsAttr::get(elementType.getContext(), exprs);
  return RankedTensorType::get(shape, elementType, encoding);
}

RankedTensorType mlir::transformer::withElementType(RankedTensorType type,
                                                    Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType,
                               type.getEncoding());
}

ExprAttr mlir::transformer::getNumElements(RankedTensorType type) {
  ExprAttr product = ExprAttr::constant(type.getContext(), 1);
  for (const Dim &dim : getDims(type)) {
    if (dim.isStatic())
      product = product * static_cast<double>(dim.size);
    else if (dim.expr)
      product = product * dim.expr;
    else
      return {};
  }
  return product;
}

std::optional<double> mlir::transformer::getElementBytes(Type elementType) {
  if (!elementType.isIntOrFloat())
    return std::nullopt;
  // Truth values take a byte each.
  if (elementType.isInteger(1))
    return 1;
  return elementType.getIntOrFloatBitWidth() / 8.0;
}

ExprAttr mlir::transformer::getByteSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return isa<ShapedType>(type) ? ExprAttr()
                                 : ExprAttr::constant(type.getContext(), 0);
  std::optional<double> bytes = getElementBytes(tensor.getElementType());
  ExprAttr elements = getNumElements(tensor);
  return bytes && elements ? elements * *bytes : ExprAttr();
}
