//===- UnrollRanks.cpp - All devices of a plan in one function ------------===//

#include "UnrollRanks.h"

#include "RankParts.h"
#include "UnrollExperts.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

void WholeModel::add(ArrayRef<ArgumentInfo> arguments) {
  for (const ArgumentInfo &info : arguments)
    if (info.isDeclared)
      shapes[info.name] = SmallVector<int64_t>(info.type.getShape());
}

void WholeModel::add(ModuleOp module) {
  module.walk([&](WeightOp weight) {
    auto users = weight->getUsers();
    if (llvm::any_of(users, llvm::IsaPred<EmbeddingOp>) &&
        llvm::any_of(users, llvm::IsaPred<LinearOp>))
      tiedTable = weight.getName().str();
  });
}

/// How often `weight` fits into the whole, and where it is cut; 1 if devices
/// have copies of it.
static std::pair<int64_t, int64_t> getSplit(WeightOp weight, PlanAttr plan) {
  if (ShardingAttr sharding = weight.getShardingAttr())
    return {plan.getGroupSize(sharding.getGroup()),
            sharding.getKind() == ShardKind::Column ? 0 : 1};
  bool isPart = llvm::any_of(weight->getUsers(), [](Operation *user) {
    return user->hasAttr("first_row");
  });
  return {isPart ? plan.getTensorParallel() : 1, 0};
}

void WholeModel::addParts(ModuleOp module) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  module.walk([&](WeightOp weight) {
    SmallVector<int64_t> shape(weight.getType().getShape());
    auto [count, dim] = getSplit(weight, plan);
    bool isCopy = count == 1 || dim >= static_cast<int64_t>(shape.size());
    if (!isCopy)
      shape[dim] *= count;
    // A device may have a part for one use, and all of it for another.
    if (isCopy || !this->shapes.count(weight.getName()))
      this->shapes[weight.getName()] = shape;
  });
  module.walk([&](KVCacheOp cache) {
    KVCacheType type = cache.getType();
    for (Operation *user : cache->getUsers())
      if (type.isShared()) {
        for (Type operand : user->getOperandTypes())
          if (auto batch = dyn_cast<BatchType>(operand))
            this->shapes[cache.getName()] = {
                batch.getWorkload().getRequests(),
                batch.getWorkload().getTotalTokens(), type.getTokenSize()};
      } else if (auto append = dyn_cast<AppendCacheOp>(user)) {
        WorkloadAttr workload = append.getBatch().getType().getWorkload();
        this->shapes[cache.getName()] = {
            workload.getRequests(), workload.getTotalTokens(), 2,
            type.getNumHeads() * plan.getTensorParallel(), type.getHeadSize()};
      }
  });
}

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
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
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
  LogicalResult unroll(Operation *op) {
    if (auto weight = dyn_cast<WeightOp>(op))
      return declare(weight);
    if (auto cache = dyn_cast<KVCacheOp>(op))
      return declare(cache);
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
    for (IRMapping &mapping : ranks)
      cloneForRows(builder, op, mapping);
    return success();
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
        result =
            insert(loc, slice(loc, part, dim, 0, kept), result, dim, offset);
      offset += length;
    }
    if (offset >= size)
      return result;
    op.emitOpError("expected parts of ")
        << size << " together, but got " << offset;
    return {};
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
      return slice(loc, input, dim, offset, length);
    Value zeros = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               builder.getFloatAttr(type.getElementType(), 0)));
    if (kept <= 0)
      return zeros;
    return insert(loc, slice(loc, input, dim, offset, kept), zeros, dim, 0);
  }

  Value slice(Location loc, Value input, int64_t dim, int64_t offset,
              int64_t size) {
    auto type = cast<RankedTensorType>(input.getType());
    if (offset == 0 && size == type.getDimSize(dim))
      return input;
    SmallVector<OpFoldResult> offsets, sizes, strides;
    getSlice(type.getShape(), dim, offset, offsets, sizes, strides);
    sizes[dim] = builder.getIndexAttr(size);
    return tensor::ExtractSliceOp::create(builder, loc, input, offsets, sizes,
                                          strides);
  }

  Value insert(Location loc, Value part, Value target, int64_t dim,
               int64_t offset) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    getSlice(cast<RankedTensorType>(part.getType()).getShape(), dim, offset,
             offsets, sizes, strides);
    return tensor::InsertSliceOp::create(builder, loc, part, target, offsets,
                                         sizes, strides);
  }

  void getSlice(ArrayRef<int64_t> shape, int64_t dim, int64_t offset,
                SmallVectorImpl<OpFoldResult> &offsets,
                SmallVectorImpl<OpFoldResult> &sizes,
                SmallVectorImpl<OpFoldResult> &strides) {
    for (int64_t size : shape) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(builder.getIndexAttr(size));
      strides.push_back(builder.getIndexAttr(1));
    }
    offsets[dim] = builder.getIndexAttr(offset);
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
