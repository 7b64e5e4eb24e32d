//===- Constraints.cpp - Conditions that patterns may ask for -------------===//

#include "Natives.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

using Reason = std::optional<std::string>;
using Kind = PDLValue::Kind;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::string str(const Twine &text) { return text.str(); }

static RankedTensorType getTensor(PDLValue value) {
  return dyn_cast<RankedTensorType>(value.cast<Value>().getType());
}

/// A range, or a single value, which PDLL takes for one as well.
static SmallVector<Value> getValues(PDLValue value) {
  if (value.getKind() == Kind::Value)
    return {value.cast<Value>()};
  return llvm::to_vector(value.cast<ValueRange>());
}

/// An integer argument; reports another attribute in `reason`.
static std::optional<int64_t> getInteger(PDLValue value, Reason &reason) {
  auto attr = dyn_cast<IntegerAttr>(value.cast<Attribute>());
  if (attr && attr.getValue().getSignificantBits() <= 64)
    return attr.getValue().getSExtValue();
  reason = "expected an integer, but got " + print(value.cast<Attribute>());
  return std::nullopt;
}

/// Bytes as text; two 4-bit numbers share one.
static std::string showBytes(double bytes) {
  std::string text = formatDecimal(bytes);
  StringRef whole = text;
  return (whole.consume_back(".0") ? whole : StringRef(text)).str();
}

/// The size of one dimension; a negative `dim` counts from the last.
static std::optional<Dim> getDim(PDLValue value, PDLValue index,
                                 Reason &reason) {
  RankedTensorType type = getTensor(value);
  std::optional<int64_t> dim = getInteger(index, reason);
  if (!dim)
    return std::nullopt;
  if (!type) {
    reason = "the value is no tensor";
    return std::nullopt;
  }
  int64_t at = *dim < 0 ? *dim + type.getRank() : *dim;
  if (at < 0 || at >= type.getRank()) {
    reason = str("the value has no dimension " + Twine(*dim) + " but rank " +
                 Twine(type.getRank()));
    return std::nullopt;
  }
  return getDims(type)[at];
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether `bytes`, which `what` introduces, are at most `limit`.
static Reason checkBytes(StringRef what, double bytes, int64_t limit) {
  if (bytes <= static_cast<double>(limit))
    return std::nullopt;
  return what.str() + showBytes(bytes) + " bytes, more than " +
         std::to_string(limit);
}

static Reason fitsBuffer(ArrayRef<PDLValue> args) {
  Reason reason;
  std::optional<int64_t> limit = getInteger(args[1], reason);
  if (!limit)
    return reason;
  double bytes = 0;
  for (Value value : getValues(args[0])) {
    ExprAttr size = getByteSize(value.getType());
    if (!size || !size.isConstant())
      return "the size of a value is not known; bind the workload first";
    bytes += size.getValue();
  }
  return checkBytes("the values have ", bytes, *limit);
}

static Reason rowFitsBuffer(ArrayRef<PDLValue> args) {
  Reason reason;
  std::optional<int64_t> limit = getInteger(args[1], reason);
  if (!limit)
    return reason;
  double bytes = 0;
  for (Value value : getValues(args[0])) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::optional<double> element =
        type ? getElementBytes(type.getElementType()) : std::nullopt;
    if (!element || type.getRank() == 0)
      return "a value has no rows";
    double row = *element;
    for (int64_t size : type.getShape().drop_front()) {
      if (ShapedType::isDynamic(size))
        return "the size of a row is not known; bind the workload first";
      row *= static_cast<double>(size);
    }
    bytes += row;
  }
  return checkBytes("a row of the values has ", bytes, *limit);
}

static Reason hasElementType(ArrayRef<PDLValue> args) {
  RankedTensorType type = getTensor(args[0]);
  auto wanted = dyn_cast<TypeAttr>(args[1].cast<Attribute>());
  if (!wanted)
    return "expected a type, but got " + print(args[1].cast<Attribute>());
  if (!type)
    return std::string("the value is no tensor");
  if (type.getElementType() == wanted.getValue())
    return std::nullopt;
  return "the elements are " + print(type.getElementType()) + ", not " +
         print(wanted.getValue());
}

static Reason hasOneUse(ArrayRef<PDLValue> args) {
  Value value = args[0].cast<Value>();
  if (value.hasOneUse())
    return std::nullopt;
  size_t uses = std::distance(value.use_begin(), value.use_end());
  return str("the value has " + Twine(uses) + " readers");
}

static Reason hasRank(ArrayRef<PDLValue> args) {
  Reason reason;
  std::optional<int64_t> rank = getInteger(args[1], reason);
  if (!rank)
    return reason;
  RankedTensorType type = getTensor(args[0]);
  if (!type)
    return std::string("the value is no tensor");
  if (type.getRank() == *rank)
    return std::nullopt;
  return str("the value has rank " + Twine(type.getRank()) + ", not " +
             Twine(*rank));
}

static Reason hasSize(ArrayRef<PDLValue> args) {
  Reason reason;
  std::optional<Dim> dim = getDim(args[0], args[1], reason);
  std::optional<int64_t> size =
      dim ? getInteger(args[2], reason) : std::nullopt;
  if (!size)
    return reason;
  if (dim->isStatic() && dim->size == *size)
    return std::nullopt;
  return "the size is " + toString(*dim) + ", not " + std::to_string(*size);
}

static Reason isDivisible(ArrayRef<PDLValue> args) {
  Reason reason;
  std::optional<Dim> dim = getDim(args[0], args[1], reason);
  std::optional<int64_t> by = dim ? getInteger(args[2], reason) : std::nullopt;
  if (!by)
    return reason;
  if (*by < 1)
    return str("expected a divisor of at least 1, but got " + Twine(*by));
  if (!dim->isStatic())
    return "the size '" + toString(*dim) +
           "' is not known; bind the workload first";
  if (dim->size % *by == 0)
    return std::nullopt;
  return str(Twine(*by) + " does not divide the size " + Twine(dim->size));
}

static Reason isWeight(ArrayRef<PDLValue> args) {
  if (args[0].cast<Value>().getDefiningOp<WeightOp>())
    return std::nullopt;
  return std::string("the value is no weight");
}

/// The layer that a name belongs to: `model.layers.7` of
/// `model.layers.7.mlp.gate_proj`, and `*` for 7 once layers are shared.
static StringRef getLayer(Value value) {
  Location loc = value.getLoc();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    if (!fused.getLocations().empty())
      loc = fused.getLocations().front();
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return {};
  StringRef text = name.getName(), rest = text;
  while (!rest.empty()) {
    StringRef part;
    std::tie(part, rest) = rest.split('.');
    if (part == "*" || (!part.empty() && llvm::all_of(part, llvm::isDigit)))
      return text.take_front(part.end() - text.begin());
  }
  return {};
}

static Reason inSameLayer(ArrayRef<PDLValue> args) {
  StringRef lhs = getLayer(args[0].cast<Value>());
  StringRef rhs = getLayer(args[1].cast<Value>());
  auto show = [](StringRef layer) {
    return layer.empty() ? std::string("no layer") : layer.str();
  };
  if (lhs == rhs)
    return std::nullopt;
  return "the values belong to " + show(lhs) + " and " + show(rhs);
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

static constexpr Kind kValue[] = {Kind::Value};
static constexpr Kind kTwoValues[] = {Kind::Value, Kind::Value};
static constexpr Kind kValueAttr[] = {Kind::Value, Kind::Attribute};
static constexpr Kind kValueTwoAttrs[] = {Kind::Value, Kind::Attribute,
                                          Kind::Attribute};
static constexpr Kind kRangeAttr[] = {Kind::ValueRange, Kind::Attribute};

ArrayRef<Constraint> mlir::tensorcast::getConstraints() {
  static const Constraint constraints[] = {
      {"FitsBuffer", kRangeAttr, "FitsBuffer(values: ValueRange, bytes: Attr)",
       fitsBuffer},
      {"HasElementType", kValueAttr, "HasElementType(value: Value, type: Attr)",
       hasElementType, /*takesType=*/true},
      {"HasOneUse", kValue, "HasOneUse(value: Value)", hasOneUse},
      {"HasRank", kValueAttr, "HasRank(value: Value, rank: Attr)", hasRank},
      {"HasSize", kValueTwoAttrs,
       "HasSize(value: Value, dimension: Attr, size: Attr)", hasSize},
      {"InSameLayer", kTwoValues, "InSameLayer(lhs: Value, rhs: Value)",
       inSameLayer},
      {"IsDivisible", kValueTwoAttrs,
       "IsDivisible(value: Value, dimension: Attr, by: Attr)", isDivisible},
      {"IsWeight", kValue, "IsWeight(value: Value)", isWeight},
      {"RowFitsBuffer", kRangeAttr,
       "RowFitsBuffer(values: ValueRange, bytes: Attr)", rowFitsBuffer},
  };
  return constraints;
}

const Constraint *mlir::tensorcast::findConstraint(StringRef name) {
  const Constraint *found = llvm::find_if(
      getConstraints(), [&](const Constraint &c) { return c.name == name; });
  return found == getConstraints().end() ? nullptr : found;
}
