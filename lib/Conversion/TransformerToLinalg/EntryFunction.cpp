//===- EntryFunction.cpp - What a lowered function takes ------------------===//

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

#include "LinalgRule.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Weights and caches
//===----------------------------------------------------------------------===//

static DictionaryAttr describe(MLIRContext *context, StringRef kind,
                               StringRef name) {
  Builder builder(context);
  SmallVector<NamedAttribute> attrs = {
      builder.getNamedAttr(kKindAttrName, builder.getStringAttr(kind))};
  if (!name.empty())
    attrs.push_back(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(name)));
  return builder.getDictionaryAttr(attrs);
}

namespace {
/// Declarations of one name, type and part, which are one argument.
struct Declaration {
  StringAttr name;
  Type type;
  StringRef kind;
  DictionaryAttr part;
  SmallVector<Operation *, 1> ops;

  /// The attributes of the argument, and of the result of a cache.
  DictionaryAttr describe(MLIRContext *context) const;
};
} // namespace

static SmallVector<Declaration> collectDeclarations(func::FuncOp function) {
  SmallVector<Declaration> declarations;
  llvm::DenseMap<std::tuple<Attribute, Type, Attribute>, size_t> known;
  function.walk([&](Operation *op) {
    if (!isa<WeightOp, KVCacheOp, StateOp>(op))
      return;
    StringRef kind = isa<WeightOp>(op) ? kKindWeight : kKindCache;
    auto name = op->getAttrOfType<StringAttr>("name");
    auto part = op->getAttrOfType<DictionaryAttr>(kDeclaredPartAttrName);
    Type type = op->getResult(0).getType();
    auto [entry, isNew] =
        known.try_emplace({name, type, part}, declarations.size());
    if (isNew)
      declarations.push_back({name, type, kind, part, {}});
    declarations[entry->second].ops.push_back(op);
  });
  return declarations;
}

namespace {
/// What a quantized layer says about its weight.
struct QuantizedUse {
  IntegerAttr groupSize;
  Value weight;
  RankedTensorType scaleType;
  /// What joins the weight with others, if anything does.
  ConcatWeightsOp joined;

  template <typename LinearLikeOp> static QuantizedUse get(LinearLikeOp op) {
    return {op.getGroupSizeAttr(),
            op.getWeight(),
            cast<RankedTensorType>(op.getWeightScale().getType()),
            {}};
  }
};
} // namespace

static std::optional<QuantizedUse> getQuantizedUse(Operation *op) {
  if (auto linear = dyn_cast<QuantizedLinearOp>(op))
    return QuantizedUse::get(linear);
  if (auto linear = dyn_cast<QuantizedGroupedLinearOp>(op))
    return QuantizedUse::get(linear);
  return std::nullopt;
}

/// The quantized layer that reads `value`, as it is or joined with others.
static std::optional<QuantizedUse> findQuantizedUse(Value value) {
  for (Operation *user : value.getUsers()) {
    if (std::optional<QuantizedUse> use = getQuantizedUse(user))
      return use;
    if (auto concat = dyn_cast<ConcatWeightsOp>(user))
      for (Operation *reader : concat->getUsers())
        if (std::optional<QuantizedUse> use = getQuantizedUse(reader)) {
          use->joined = concat;
          return use;
        }
  }
  return std::nullopt;
}

/// Whether `op` is the matrix that ends a block. Blocks are split by columns
/// first and rows last, so that they exchange only what they add.
static bool endsBlock(Operation *op) {
  auto weight = dyn_cast<WeightOp>(op);
  if (!weight || !weight.getShardingAttr() ||
      weight.getShardingAttr().getKind() != ShardKind::Row ||
      weight.getName().ends_with("_scale"))
    return false;
  // Experts have a stack of them.
  bool isExpert = weight.getShardingAttr().getGroup() == ShardGroup::Expert;
  return weight.getType().getRank() == (isExpert ? 3 : 2);
}

/// How many experts the entries of a table choose from; 0 if `table` is none.
static int64_t countExperts(Value table) {
  for (Operation *user : table.getUsers()) {
    if (auto select = dyn_cast<SelectExpertsOp>(user))
      return select.getLogits().getType().getDimSize(1);
    if (!isa<LookUpExpertsOp>(user))
      continue;
    for (Operation *reader : user->getUsers())
      if (auto take = dyn_cast<TakeOp>(reader))
        return take.getInput().getType().getShape().back();
  }
  return 0;
}

DictionaryAttr Declaration::describe(MLIRContext *context) const {
  NamedAttrList attrs(::describe(context, kind, name));
  if (part)
    attrs.set(kPartAttrName, part);
  if (endsBlock(ops.front()))
    attrs.set(kResidualAttrName, UnitAttr::get(context));
  for (Operation *user : ops.front()->getUsers())
    if (isa<LightningIndexerOp, LoadWeightOp, QuantizedLatentProjectionOp>(
            user))
      if (auto size = user->getAttrOfType<IntegerAttr>("group_size"))
        attrs.set(kGroupSizeAttrName, size);
  if (int64_t experts = countExperts(ops.front()->getResult(0)))
    attrs.set(kLimitAttrName,
              IntegerAttr::get(IntegerType::get(context, 64), experts));
  std::optional<QuantizedUse> use = findQuantizedUse(ops.front()->getResult(0));
  if (!use)
    return attrs.getDictionary(context);
  if (use->groupSize)
    attrs.set(kGroupSizeAttrName, use->groupSize);
  // Scales per row stay each row's own.
  if (use->joined && use->joined == use->weight.getDefiningOp() &&
      use->scaleType.getRank() < 2) {
    SmallVector<Attribute> names;
    for (Value weight : use->joined.getWeights())
      if (auto declared = weight.getDefiningOp<WeightOp>())
        names.push_back(declared.getNameAttr());
    attrs.set(kJoinedAttrName, ArrayAttr::get(context, names));
  }
  return attrs.getDictionary(context);
}

/// Whether `result` of `user` is what becomes of `cache`: an op may write two.
static bool isStateOf(Operation *user, Value cache, Value result) {
  if (!isa<KVCacheType, StateType>(result.getType()))
    return false;
  if (auto linear = dyn_cast<LinearAttentionOp>(user))
    return (linear.getConvState() == cache) ==
           (linear.getNewConvState() == result);
  auto compress = dyn_cast<CompressOp>(user);
  return !compress ||
         (compress.getCache() == cache) == (compress.getCacheAfter() == result);
}

/// The cache that `cache` has become at the end of the step.
static FailureOr<Value> findFinalCache(Value cache, StringRef name) {
  while (true) {
    Value next;
    for (Operation *user : cache.getUsers())
      for (Value result : user->getResults()) {
        if (!isStateOf(user, cache, result))
          continue;
        if (next && next != result)
          return emitError(user->getLoc())
                 << "expected each state of cache '" << name
                 << "' to be written once, but a second write starts from "
                    "the same state";
        next = result;
      }
    if (!next)
      return cache;
    cache = next;
  }
}

LogicalResult tensorcast::declareArguments(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  SmallVector<Declaration> declarations = collectDeclarations(function);
  unsigned first = function.getNumArguments();
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  SmallVector<Location> locs;
  for (const Declaration &declaration : declarations) {
    types.push_back(declaration.type);
    attrs.push_back(declaration.describe(context));
    locs.push_back(declaration.ops.front()->getLoc());
  }
  SmallVector<unsigned> positions(types.size(), first);
  if (failed(function.insertArguments(positions, types, attrs, locs)))
    return failure();

  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, declaration] : llvm::enumerate(declarations)) {
    Value argument = function.getArgument(first + index);
    for (Operation *op : declaration.ops) {
      op->getResult(0).replaceAllUsesWith(argument);
      op->erase();
    }
    if (declaration.kind != kKindCache)
      continue;
    FailureOr<Value> last = findFinalCache(argument, declaration.name);
    if (failed(last))
      return failure();
    if (*last == argument)
      continue;
    if (failed(function.insertResult(function.getNumResults(), declaration.type,
                                     attrs[index])))
      return failure();
    terminator->insertOperands(terminator->getNumOperands(), *last);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// The rows of a table, also of those that other ranks have.
static int64_t countRows(Value table) {
  int64_t rows = getTensorType(table).getDimSize(0);
  auto argument = dyn_cast<BlockArgument>(table);
  if (!argument)
    return rows;
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto part = function.getArgAttrOfType<DictionaryAttr>(argument.getArgNumber(),
                                                        kPartAttrName);
  auto whole =
      part ? part.getAs<DenseI64ArrayAttr>("whole") : DenseI64ArrayAttr();
  return whole && !whole.empty() ? whole.asArrayRef().front() : rows;
}

/// What an argument of integers is used for, and how far it may count.
static DictionaryAttr describeIndices(BlockArgument argument) {
  int64_t limit = std::numeric_limits<int64_t>::max();
  bool arePositions = false;
  auto selectFrom = [&](Value table) {
    limit = std::min(limit, countRows(table));
  };
  for (Operation *user : argument.getUsers()) {
    if (auto embedding = dyn_cast<EmbeddingOp>(user))
      selectFrom(embedding.getTable());
    if (auto lookUp = dyn_cast<LookUpExpertsOp>(user))
      selectFrom(lookUp.getTable());
    if (auto select = dyn_cast<SelectExpertsOp>(user);
        select && select.getTable())
      selectFrom(select.getTable());
    if (auto table = dyn_cast<RopeTableOp>(user)) {
      arePositions = true;
      selectFrom(table.getCos());
    }
    if (auto gather = dyn_cast<GatherOp>(user)) {
      arePositions |=
          llvm::any_of(gather->getUsers(), llvm::IsaPred<RopePackOp>);
      selectFrom(gather.getTable());
    }
  }
  Builder builder(argument.getContext());
  NamedAttrList attrs(describe(
      argument.getContext(), arePositions ? kKindPositions : kKindIndices, ""));
  if (limit != std::numeric_limits<int64_t>::max())
    attrs.set(kLimitAttrName, builder.getI64IntegerAttr(limit));
  return attrs.getDictionary(argument.getContext());
}

static DictionaryAttr describeArgument(func::FuncOp function, unsigned index) {
  DictionaryAttr given = function.getArgAttrDict(index);
  if (given && given.contains(kKindAttrName))
    return given;
  BlockArgument argument = function.getArgument(index);
  auto tensor = dyn_cast<RankedTensorType>(argument.getType());
  if (tensor && tensor.getElementType().isInteger(64))
    return describeIndices(argument);
  bool isCache = isa<KVCacheType, StateType>(argument.getType());
  return describe(function.getContext(), isCache ? kKindCache : kKindInput, "");
}

/// How many values a value of `type` becomes.
static size_t countConverted(Type type, const TypeConverter &types) {
  SmallVector<Type> converted;
  (void)types.convertType(type, converted);
  return converted.size();
}

Signature Signature::describe(func::FuncOp function,
                              const TypeConverter &types) {
  Signature signature;
  DictionaryAttr none = DictionaryAttr::get(function.getContext());
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    signature.arguments.append(countConverted(type, types),
                               describeArgument(function, index));
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    DictionaryAttr given = function.getResultAttrDict(index);
    signature.results.append(countConverted(type, types), given ? given : none);
  }
  return signature;
}

void Signature::attach(func::FuncOp lowered) const {
  for (auto [index, attrs] : llvm::enumerate(arguments))
    lowered.setArgAttrs(index, attrs);
  for (auto [index, attrs] : llvm::enumerate(results))
    lowered.setResultAttrs(index, attrs);
}
