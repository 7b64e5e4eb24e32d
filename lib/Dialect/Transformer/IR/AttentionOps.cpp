//===- AttentionOps.cpp - Attention and positions -------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

/// Parses the types of what is appended and of the cache. That of the values is
/// written where it is not that of the keys.
static ParseResult parseAppendedTypes(OpAsmParser &parser, Type &key,
                                      Type &value, Type &cache) {
  KVCacheType cacheType;
  Type next;
  if (parser.parseType(key) || parser.parseComma())
    return failure();
  value = key;
  OptionalParseResult parsed = parser.parseOptionalType(next);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    cache = next;
    if (isa<KVCacheType>(next))
      return success();
    value = next;
    if (parser.parseComma())
      return failure();
  }
  if (parser.parseCustomTypeWithFallback(cacheType))
    return failure();
  cache = cacheType;
  return success();
}

static void printAppendedTypes(OpAsmPrinter &printer, Operation *, Type key,
                               Type value, Type cache) {
  printer << key << ", ";
  if (value != key)
    printer << value << ", ";
  printer.printStrippedAttrOrType(cast<KVCacheType>(cache));
}

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsAttention.cpp.inc"

//===----------------------------------------------------------------------===//
// Rotary position embedding
//===----------------------------------------------------------------------===//

/// Checks that `type`, called `name`, holds rows of `table`'s width.
static LogicalResult verifyRopeRows(Operation *op, StringRef name,
                                    RankedTensorType type, int64_t rank,
                                    RopeTableType table) {
  if (type.getRank() != rank)
    return op->emitOpError("expected '")
           << name << "' of rank " << rank << ", but got " << type;
  if (type.getShape().back() != table.getWidth())
    return op->emitOpError("expected '")
           << name << "' to have " << table.getWidth()
           << " features, the table's width, but got "
           << toString(getDims(type).back());
  if (type.getElementType() != table.getElementType())
    return op->emitOpError("expected '")
           << name << "' of " << table.getElementType() << ", but got "
           << type.getElementType();
  return success();
}

LogicalResult RopeTableOp::verify() {
  if (getPositions().getType().getRank() != 1)
    return emitOpError("expected 'positions' of rank 1, but got ")
           << getPositions().getType();
  return verifyRopeRows(*this, "cos", getCos().getType(), 2, getType());
}

SmallVector<Value> RopeTableOp::decompose(OpBuilder &builder) {
  Value cos = GatherOp::create(builder, getLoc(), getCos(), getPositions(),
                               /*first_row=*/IntegerAttr());
  Value sin = GatherOp::create(builder, getLoc(), getSin(), getPositions(),
                               /*first_row=*/IntegerAttr());
  return {RopePackOp::create(builder, getLoc(), getType(), cos, sin)};
}

LogicalResult RopePackOp::verify() {
  return verifyRopeRows(*this, "cos", getCos().getType(), 2, getType());
}

LogicalResult RopePartsOp::verify() {
  RankedTensorType cos = getCos().getType();
  if (failed(verifyRopeRows(*this, "cos", cos, 3, getTable().getType())))
    return failure();
  if (cos.getDimSize(1) != 1)
    return emitOpError("expected dimension 1 of 'cos', which stands for every "
                       "head, to be 1, but got ")
           << toString(getDims(cos)[1]);
  return success();
}

/// Checks that `table` rotates (part of) the heads of `type`.
static LogicalResult verifyRope(Operation *op, RankedTensorType type,
                                RopeTableType table) {
  if (type.getRank() != 3)
    return op->emitOpError("expected an input of tokens x heads x features, "
                           "but got ")
           << type;
  int64_t features = type.getShape().back();
  if (ShapedType::isDynamic(features) || features < table.getWidth())
    return op->emitOpError("expected at least ")
           << table.getWidth() << " features, the table's width, but got "
           << toString(getDims(type).back());
  bool isNarrow = type.getElementTypeBitWidth() == 16;
  bool isWiderTable = isNarrow && table.getElementType().isF32();
  if (type.getElementType() != table.getElementType() && !isWiderTable)
    return op->emitOpError("expected a table of ")
           << type.getElementType() << ", as the input is, "
           << (isNarrow ? "or of 'f32', " : "") << "but got "
           << table.getElementType();
  return success();
}

/// Checks that a table which counts for both halves is half as wide as a head.
static LogicalResult verifyRopeStyle(Operation *op, RopeStyle style,
                                     RankedTensorType type,
                                     RopeTableType table) {
  if (style != RopeStyle::HalfTable ||
      type.getShape().back() == 2 * table.getWidth())
    return success();
  return op->emitOpError("expected ")
         << 2 * table.getWidth()
         << " features, twice the table's width, but got "
         << toString(getDims(type).back());
}

LogicalResult RopeOp::verify() {
  RopeTableType table = getTable().getType();
  if (failed(verifyRope(*this, getType(), table)))
    return failure();
  return verifyRopeStyle(*this, getStyle(), getType(), table);
}

LogicalResult RopePairOp::verify() {
  RopeTableType table = getTable().getType();
  for (RankedTensorType type : {getQuery().getType(), getKey().getType()})
    if (failed(verifyRope(*this, type, table)) ||
        failed(verifyRopeStyle(*this, getStyle(), type, table)))
      return failure();
  return success();
}

SmallVector<Value> RopePairOp::decompose(OpBuilder &builder) {
  Value query = RopeOp::create(builder, getLoc(), getQuery().getType(),
                               getQuery(), getTable(), getStyle());
  Value key = RopeOp::create(builder, getLoc(), getKey().getType(), getKey(),
                             getTable(), getStyle());
  return {query, key};
}

/// concat(-x[r/2:], x[:r/2])
static Value rotateHalves(OpBuilder &builder, Location loc, Value x) {
  int64_t width = cast<RankedTensorType>(x.getType()).getShape().back();
  Value low = SliceOp::create(builder, loc, x, 0, width / 2);
  Value high = SliceOp::create(builder, loc, x, width / 2, width / 2);
  Value negated = NegOp::create(builder, loc, high.getType(), high);
  return ConcatOp::create(builder, loc, negated, low);
}

/// The same of each pair of neighbours, which another shape shows.
static Value rotateNeighbours(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Dim> dims = getDims(type);
  dims.back() = Dim(dims.back().size / 2);
  dims.push_back(Dim(2));
  Value pairs = ReshapeOp::create(
      builder, loc, getTensorType(dims, type.getElementType()), x);
  return ReshapeOp::create(builder, loc, type,
                           rotateHalves(builder, loc, pairs));
}

bool RopeOp::isLaunchedWhole() { return getStyle() == RopeStyle::Complex; }

SmallVector<Value> RopeOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t features = getType().getShape().back();
  int64_t width = getTable().getType().getWidth();
  Type narrow = getType().getElementType();
  Type wide = getTable().getType().getElementType();
  auto convert = [&](Value value, Type elementType) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == elementType)
      return value;
    return CastOp::create(builder, loc, withElementType(type, elementType),
                          value);
  };
  SmallVector<Dim> dims = getDims(getType());
  RankedTensorType partType =
      getTensorType({dims[0], Dim(1), Dim(width)}, wide);
  auto parts = RopePartsOp::create(builder, loc, TypeRange{partType, partType},
                                   getTable());

  if (getStyle() == RopeStyle::HalfTable) {
    auto half = [&](int64_t offset) {
      return convert(SliceOp::create(builder, loc, getInput(), offset, width),
                     wide);
    };
    auto times = [&](Value part, Value factor) -> Value {
      return MulOp::create(builder, loc, part, factor);
    };
    Value a = half(0), b = half(width);
    Value first = SubOp::create(builder, loc, times(a, parts.getCos()),
                                times(b, parts.getSin()));
    Value second = AddOp::create(builder, loc, times(b, parts.getCos()),
                                 times(a, parts.getSin()));
    return {convert(ConcatOp::create(builder, loc, first, second), narrow)};
  }

  Value x = getInput();
  if (width < features)
    x = SliceOp::create(builder, loc, getInput(), 0, width);
  Value cosine = MulOp::create(builder, loc, convert(x, wide), parts.getCos());
  Value turned = getStyle() == RopeStyle::Half
                     ? rotateHalves(builder, loc, x)
                     : rotateNeighbours(builder, loc, x);
  Value sine =
      MulOp::create(builder, loc, convert(turned, wide), parts.getSin());
  Value rotated = convert(AddOp::create(builder, loc, cosine, sine), narrow);
  if (width < features) {
    Value rest =
        SliceOp::create(builder, loc, getInput(), width, features - width);
    rotated = ConcatOp::create(builder, loc, rotated, rest);
  }
  return {rotated};
}

//===----------------------------------------------------------------------===//
// Attention over a cache
//===----------------------------------------------------------------------===//

/// Checks that `type` is tokens x `heads` x `size`, of `cache`. Heads are not
/// checked if `heads` is absent.
static LogicalResult verifyHeads(Operation *op, StringRef name,
                                 RankedTensorType type, KVCacheType cache,
                                 std::optional<int64_t> heads, int64_t size) {
  if (type.getRank() != 3)
    return op->emitOpError("expected '")
           << name << "' to be tokens x heads x head size, but got " << type;
  if (type.getDimSize(2) != size)
    return op->emitOpError("expected '")
           << name << "' to have heads of size " << size
           << ", as the cache has, but got " << toString(getDims(type)[2]);
  if (heads && type.getDimSize(1) != *heads)
    return op->emitOpError("expected '")
           << name << "' to have " << *heads << " heads, as the cache has, "
           << "but got " << toString(getDims(type)[1]);
  return success();
}

/// Checks that `cache` has heads.
static LogicalResult verifyHasHeads(Operation *op, KVCacheType cache) {
  if (!cache.isShared())
    return success();
  return op->emitOpError("expected a cache of keys and values by heads, but "
                         "got ")
         << cache;
}

LogicalResult AppendCacheOp::verify() {
  auto key = cast<RankedTensorType>(getKey().getType());
  auto value = cast<RankedTensorType>(getValue().getType());
  KVCacheType cache = getType();
  for (auto [name, type] : {std::pair("key", key), {"value", value}})
    if (type.getElementType() != cache.getElementType())
      return emitOpError("expected '")
             << name << "' of " << cache.getElementType()
             << ", as the cache is, but got " << type.getElementType();
  if (failed(verifyHasHeads(*this, cache)) ||
      failed(verifyHeads(*this, "key", key, cache, cache.getNumHeads(),
                         cache.getHeadSize())) ||
      failed(verifyHeads(*this, "value", value, cache, cache.getNumHeads(),
                         cache.getValueSize())))
    return failure();
  return verifyDims(*this, "value", value,
                    {getDims(key)[0], getDims(value)[1], getDims(value)[2]});
}

/// Checks a window of tokens over a cache which may keep no more than that.
static LogicalResult verifyWindow(Operation *op, std::optional<int64_t> window,
                                  KVCacheType cache) {
  if (window && *window < 1)
    return op->emitOpError("expected a 'window' of at least 1 token, but got ")
           << *window;
  if (!cache.hasWindow() || (window && *window <= cache.getWindow()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expected a 'window' of at "
                                                  "most the ")
                                  << cache.getWindow()
                                  << " tokens that the cache keeps, but got ";
  if (window)
    return diagnostic << *window;
  return diagnostic << "none";
}

/// Checks one number per head that joins its softmax.
static LogicalResult verifySink(Operation *op, Value sink, int64_t heads) {
  if (!sink)
    return success();
  auto type = cast<RankedTensorType>(sink.getType());
  if (type.getRank() == 1 && type.getDimSize(0) == heads)
    return success();
  return op->emitOpError("expected a 'sink' of one number for each of the ")
         << heads << " heads, but got " << type;
}

/// Checks an attention with queries and results of tokens x heads x head size.
template <typename AttentionLikeOp>
static LogicalResult verifyAttention(AttentionLikeOp op) {
  KVCacheType cache = op.getCache().getType();
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  if (failed(verifyHasHeads(op, cache)) ||
      failed(verifyHeads(op, "query", query, cache, std::nullopt,
                         cache.getHeadSize())))
    return failure();
  if (cache.getShare() != 1)
    return op.emitOpError("expected a cache of all tokens, but got ") << cache;
  if (query.getElementType() != cache.getElementType())
    return op.emitOpError("expected 'query' of ")
           << cache.getElementType() << ", as the cache is, but got "
           << query.getElementType();
  int64_t heads = query.getDimSize(1);
  if (ShapedType::isDynamic(heads) || heads % cache.getNumHeads() != 0)
    return op.emitOpError("expected the query heads to be a multiple of the "
                          "cache's ")
           << cache.getNumHeads() << " heads, but got "
           << toString(getDims(query)[1]);
  double scale = op.getScale().convertToDouble();
  if (!(scale > 0 && std::isfinite(scale)))
    return op.emitOpError("expected a finite 'scale' above 0, but got ")
           << tensorcast::describeNumber(scale);
  if (failed(verifyWindow(op, op.getWindow(), cache)) ||
      failed(verifySink(op, op.getSink(), heads)))
    return failure();
  return verifyBlocks(op, op.getBlocks(), op.getBlockSize(), getDims(query)[0],
                      cache.getNumHeads());
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            AttentionOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto query = cast<RankedTensorType>(adaptor.getQuery().getType());
  auto cache = cast<KVCacheType>(adaptor.getCache().getType());
  SmallVector<Dim> dims = getDims(query);
  // The verifier reports what does not fit.
  if (dims.size() == 3 && !cache.isShared() && cache.getOwnValueSize())
    dims.back() = Dim(cache.getOwnValueSize());
  types.push_back(getTensorType(dims, query.getElementType()));
  return success();
}

bool AttentionOp::isLaunchedWhole() { return true; }

LogicalResult QuantizedAttentionOp::verify() {
  if (failed(verifyAttention(*this)))
    return failure();
  auto query = cast<RankedTensorType>(getQuery().getType());
  SmallVector<Dim> dims = getDims(query);
  dims.back() = Dim(getCache().getType().getValueSize());
  RankedTensorType expected = getTensorType(dims, getType().getElementType());
  if (getType() == expected)
    return success();
  return emitOpError("expected a result of ")
         << expected << ", the query's sizes, but got " << getType();
}
