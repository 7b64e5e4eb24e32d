//===- UnrollRanks.cpp - All devices of a plan in one function ------------===//

#include "UnrollRanks.h"

#include "RankParts.h"
#include "RankTensors.h"
#include "UnrollExperts.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

bool tensorcast::isSharded(ModuleOp module) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  return plan && plan.getDevices() > 1;
}

namespace {
/// Unrolls one function.
class Unroller {
public:
  Unroller(func::FuncOp function, const RankPlan &plan, const WholeModel &whole)
      : function(function), plan(plan), whole(whole),
        builder(function.getBody().front().getTerminator()),
        ranks(plan.devices), experts(plan, whole, builder, ranks) {}

  LogicalResult run(unsigned numResults) {
    Block &body = function.getBody().front();
    exposeExchanges(body);
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    giveRequests();
    for (Operation *op : ops)
      if (failed(unroll(op)))
        return failure();
    if (failed(unrollReturn(body.getTerminator(), numResults)))
      return failure();
    for (Operation *op : llvm::reverse(ops))
      op->erase();
    return success();
  }

private:
  /// Takes apart what exchanges something inside.
  static void exposeExchanges(Block &body) {
    for (auto pick :
         llvm::make_early_inc_range(body.getOps<PickCompressedOp>())) {
      if (!pick.getRanks())
        continue;
      OpBuilder before(pick);
      pick->replaceAllUsesWith(pick.decompose(before));
      pick.erase();
    }
  }

  LogicalResult unroll(Operation *op) {
    if (auto weight = dyn_cast<WeightOp>(op))
      return declare(weight);
    if (auto cache = dyn_cast<KVCacheOp>(op))
      return declare(cache);
    if (auto state = dyn_cast<StateOp>(op))
      return declare(state);
    if (auto exchange = dyn_cast<AllReduceOp>(op))
      return exchangeValues(exchange, [&](int64_t rank) {
        return sum(exchange, exchange.getInput(), exchange.getRanks(), rank);
      });
    if (auto exchange = dyn_cast<AllGatherOp>(op))
      return exchangeValues(
          exchange, [&](int64_t rank) { return gather(exchange, rank); });
    if (auto exchange = dyn_cast<ReduceScatterOp>(op))
      return exchangeValues(exchange, [&](int64_t rank) -> Value {
        Value total =
            sum(exchange, exchange.getInput(), exchange.getRanks(), rank);
        return takePart(exchange, total, rank);
      });
    if (auto own = dyn_cast<OwnRowsOp>(op))
      return exchangeValues(own, [&](int64_t rank) {
        return takePart(own, get(own.getInput(), rank), rank);
      });
    if (auto own = dyn_cast<OwnFeaturesOp>(op))
      return exchangeValues(own, [&](int64_t rank) {
        return takePart(own, get(own.getInput(), rank), rank);
      });
    if (auto lookup = dyn_cast<EmbeddingOp>(op); lookup && lookup.getFirstRow())
      return unrollLookup(lookup);
    if (auto lookup = dyn_cast<GatherOp>(op); lookup && lookup.getFirstRow())
      return unrollLookup(lookup);
    if (auto linear = dyn_cast<LinearOp>(op); linear && linear.getAllReduce())
      return unrollSummed(linear);
    if (auto linear = dyn_cast<QuantizedLinearOp>(op);
        linear && linear.getAllReduce())
      return unrollSummed(linear);
    if (std::optional<LogicalResult> done = experts.unroll(op))
      return *done;
    if (auto exchange = dyn_cast<ExchangeHeadsOp>(op))
      return exchangeValues(exchange, [&](int64_t rank) {
        return exchangeHeads(exchange, rank);
      });
    for (IRMapping &mapping : ranks)
      keepTokens(cloneForRows(builder, op, mapping));
    return success();
  }

  /// What is written to a cache has the tokens of that cache. An op that writes
  /// several has them in one order.
  static void keepTokens(Operation *own) {
    auto isCache = [](Value value) {
      return isa<KVCacheType>(value.getType());
    };
    for (auto [operand, result] :
         llvm::zip(llvm::make_filter_range(own->getOperands(), isCache),
                   llvm::make_filter_range(own->getResults(), isCache)))
      result.setType(operand.getType());
  }

  /// Whether a function takes something for each token by `argument`.
  static bool isPerToken(BlockArgument argument) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() == 0)
      return false;
    if (isa<FloatType>(type.getElementType()))
      return type.getRank() > 1;
    // Positions are those of the step for all.
    return llvm::any_of(argument.getUsers(), [](Operation *user) {
      auto gather = dyn_cast<GatherOp>(user);
      return isa<EmbeddingOp>(user) ||
             (gather &&
              llvm::none_of(gather->getUsers(), llvm::IsaPred<RopePackOp>));
    });
  }

  /// Each data-parallel group has the tokens of the one before it, the first
  /// one behind the others: one that ends up in another group is noticed.
  void giveRequests() {
    for (BlockArgument argument : function.getArguments()) {
      if (!isPerToken(argument))
        continue;
      Location loc = argument.getLoc();
      Value tokens = argument;
      auto type = cast<RankedTensorType>(argument.getType());
      int64_t last = type.getDimSize(0) - 1;
      for (int64_t rank = plan.tensor; rank < plan.devices; ++rank) {
        if (rank % plan.tensor == 0 && last > 0) {
          Value next = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                               type.getElementType());
          next = insertRange(builder, loc,
                             sliceRange(builder, loc, tokens, 0, 1, last), next,
                             0, 0);
          tokens = insertRange(builder, loc,
                               sliceRange(builder, loc, tokens, 0, 0, 1), next,
                               0, last);
        }
        ranks[rank].map(argument, tokens);
      }
    }
  }

  /// Each rank has the rows behind those of the one before it.
  template <typename LookupOp> LogicalResult unrollLookup(LookupOp lookup) {
    int64_t rows = lookup.getTable().getType().getDimSize(0);
    for (auto [rank, mapping] : llvm::enumerate(ranks))
      cast<LookupOp>(builder.clone(*lookup, mapping))
          .setFirstRow(static_cast<int64_t>(rank) % plan.tensor * rows);
    return success();
  }

  /// The value that `rank` has for `value`.
  Value get(Value value, int64_t rank) const {
    return ranks[rank].lookupOrDefault(value);
  }

  //===--------------------------------------------------------------------===//
  // Declarations and results
  //===--------------------------------------------------------------------===//

  template <typename DeclarationOp> LogicalResult declare(DeclarationOp op) {
    for (int64_t rank = 0; rank < plan.devices; ++rank) {
      auto own = cast<DeclarationOp>(builder.clone(*op, ranks[rank]));
      adoptName(own);
      takeTurn(own, rank);
      FailureOr<Part> part = getPart(own, whole, plan, rank);
      if (failed(part))
        return failure();
      own->setDiscardableAttr(kDeclaredPartAttrName,
                              part->toAttr(function.getContext()));
    }
    return success();
  }

  /// A head that was tied has a weight of its own once it is split.
  void adoptName(WeightOp weight) {
    ShardingAttr sharding = weight.getShardingAttr();
    if (sharding && sharding.getGroup() == ShardGroup::Head &&
        !whole.tiedTable.empty() && !whole.shapes.count(weight.getName()))
      weight.setName(whole.tiedTable);
  }
  void adoptName(KVCacheOp) {}
  void adoptName(StateOp) {}

  /// Ranks that share the tokens of a cache keep others each.
  static void takeTurn(KVCacheOp cache, int64_t rank) {
    int64_t share = cache.getType().getShare();
    cache.getResult().setType(cache.getType().withShare(share, rank % share));
  }
  static void takeTurn(StateOp, int64_t) {}
  static void takeTurn(WeightOp, int64_t) {}

  LogicalResult unrollReturn(Operation *terminator, unsigned numResults) {
    SmallVector<Value> values(terminator->getOperands());
    for (Value &value : values)
      value = get(value, 0);
    MLIRContext *context = function.getContext();
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attrs;
    for (int64_t rank = 1; rank < plan.devices; ++rank)
      for (unsigned i = 0; i < numResults; ++i) {
        Value value = get(terminator->getOperand(i), rank);
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type)
          continue;
        values.push_back(value);
        types.push_back(type);
        Part part;
        part.rank = rank;
        NamedAttrList described;
        described.set(kNameAttrName,
                      builder.getStringAttr("result " + Twine(i)));
        described.set(kPartAttrName, part.toAttr(context));
        attrs.push_back(described.getDictionary(context));
      }
    // Rows of experts are more than the function says.
    SmallVector<Type> own(function.getResultTypes());
    for (auto [type, value] : llvm::zip(own, values))
      type = value.getType();
    function.setType(
        function.getFunctionType().clone(function.getArgumentTypes(), own));
    terminator->setOperands(values);
    SmallVector<unsigned> positions(types.size(), function.getNumResults());
    return function.insertResults(positions, types, attrs);
  }

  //===--------------------------------------------------------------------===//
  // Exchanges
  //===--------------------------------------------------------------------===//

  template <typename ExchangeOp>
  LogicalResult exchangeValues(ExchangeOp op,
                               llvm::function_ref<Value(int64_t)> make) {
    if (failed(checkRanks(op, op.getRanks())))
      return failure();
    for (int64_t rank = 0; rank < plan.devices; ++rank) {
      Value value = make(rank);
      if (!value)
        return failure();
      ranks[rank].map(op.getResult(), value);
    }
    return success();
  }

  LogicalResult checkRanks(Operation *op, RanksAttr group) {
    if (plan.devices % (group.getCount() * group.getStep()) == 0)
      return success();
    return op->emitOpError("expected ranks that divide ")
           << plan.devices << " devices, but got " << group;
  }

  /// The products of every rank, their sum, and the bias.
  template <typename LinearLikeOp>
  LogicalResult unrollSummed(LinearLikeOp linear) {
    RanksAttr group = *linear.getAllReduce();
    if (failed(checkRanks(linear, group)))
      return failure();
    for (IRMapping &mapping : ranks) {
      auto own = cast<LinearLikeOp>(builder.clone(*linear, mapping));
      own.removeAllReduceAttr();
      own.getBiasMutable().clear();
    }
    SmallVector<Value> sums;
    for (int64_t rank = 0; rank < plan.devices; ++rank) {
      Value total = sum(linear, linear.getResult(), group, rank);
      if (Value bias = linear.getBias())
        total = AddOp::create(builder, linear.getLoc(), total, get(bias, rank));
      sums.push_back(total);
    }
    for (auto [mapping, value] : llvm::zip(ranks, sums))
      mapping.map(linear.getResult(), value);
    return success();
  }

  /// The sum over the group of `rank`, rounded once.
  Value sum(Operation *op, Value value, RanksAttr group, int64_t rank) {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(get(value, rank).getType());
    Type wide = type.getElementType();
    if (wide.getIntOrFloatBitWidth() < 32)
      wide = builder.getF32Type();
    RankedTensorType wideType = RankedTensorType::get(type.getShape(), wide);
    auto cast = [&](Value input, RankedTensorType to) -> Value {
      if (input.getType() == to)
        return input;
      return CastOp::create(builder, loc, to, input);
    };
    Value total;
    for (int64_t member : RankGroup::get(group, rank).members) {
      Value part = cast(get(value, member), wideType);
      total =
          total ? AddOp::create(builder, loc, total, part).getResult() : part;
    }
    return cast(total, type);
  }

  /// The parts of the group, as far as the result holds them.
  Value gather(AllGatherOp op, int64_t rank) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    int64_t dim = op.getDim(), size = type.getDimSize(dim), offset = 0;
    Value result = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                           type.getElementType());
    for (int64_t member : RankGroup::get(op.getRanks(), rank).members) {
      Value part = get(op.getInput(), member);
      int64_t length = cast<RankedTensorType>(part.getType()).getDimSize(dim);
      int64_t kept = std::min(length, size - offset);
      if (kept > 0)
        result = insertRange(builder, loc,
                             sliceRange(builder, loc, part, dim, 0, kept),
                             result, dim, offset);
      offset += length;
    }
    if (offset >= size)
      return result;
    op.emitOpError("expected parts of ")
        << size << " together, but got " << offset;
    return {};
  }

  /// What the ranks of the group have of the heads of `rank`.
  Value exchangeHeads(ExchangeHeadsOp op, int64_t rank) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    RankGroup group = RankGroup::get(op.getRanks(), rank);
    int64_t heads = type.getDimSize(2);
    Value result = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                           type.getElementType());
    auto getIndices = [&](ArrayRef<int64_t> values) {
      return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult {
        return builder.getIndexAttr(value);
      });
    };
    for (auto [index, member] : llvm::enumerate(group.members)) {
      Value part = sliceRange(builder, loc, get(op.getInput(), member), 1,
                              group.index * heads, heads);
      SmallVector<int64_t> sizes(type.getShape());
      sizes[0] = 1;
      result = tensor::InsertSliceOp::create(
          builder, loc, part, result,
          getIndices({static_cast<int64_t>(index), 0, 0, 0}), getIndices(sizes),
          getIndices({1, 1, 1, 1}));
    }
    return result;
  }

  /// The part of `rank`; what lies beyond the whole is 0.
  template <typename ResizingOp>
  Value takePart(ResizingOp op, Value input, int64_t rank) {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    int64_t dim = op.getDim(), length = type.getDimSize(dim);
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    int64_t offset = RankGroup::get(op.getRanks(), rank).index * length;
    int64_t kept = std::min(length, size - offset);
    if (kept == length)
      return sliceRange(builder, loc, input, dim, offset, length);
    Value zeros = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               builder.getFloatAttr(type.getElementType(), 0)));
    if (kept <= 0)
      return zeros;
    return insertRange(builder, loc,
                       sliceRange(builder, loc, input, dim, offset, kept),
                       zeros, dim, 0);
  }

  func::FuncOp function;
  RankPlan plan;
  const WholeModel &whole;
  OpBuilder builder;
  /// What each rank has for the values of the function.
  SmallVector<IRMapping> ranks;
  ExpertUnroller experts;
};
} // namespace

LogicalResult tensorcast::unrollRanks(
    ModuleOp module, const WholeModel &whole,
    llvm::function_ref<unsigned(func::FuncOp)> countResults) {
  auto attr = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  // All of them are one function, and the time to compile it grows with the
  // square of its length: seconds for these, minutes for twice as many.
  static constexpr int64_t maxDevices = 16;
  if (attr.getDevices() > maxDevices)
    return mlir::emitError(module.getLoc(), "expected at most ")
           << maxDevices << " devices to run side by side, but got "
           << attr.getDevices();
  RankPlan plan(attr);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    if (failed(Unroller(function, plan, whole).run(countResults(function))))
      return failure();
  }
  return success();
}
