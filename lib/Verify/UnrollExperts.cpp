//===- UnrollExperts.cpp - Experts of all devices side by side ------------===//

#include "UnrollExperts.h"

#include "tensorcast/Conversion/TransformerToLinalg/EntryFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Operation *tensorcast::cloneForRows(OpBuilder &builder, Operation *op,
                                    IRMapping &mapping) {
  Operation *own = builder.clone(*op, mapping);
  for (auto [old, now] : llvm::zip(op->getOperands(), own->getOperands())) {
    auto from = dyn_cast<RankedTensorType>(old.getType());
    auto to = dyn_cast<RankedTensorType>(now.getType());
    if (!from || !to || from.getRank() < 2 || from.getRank() != to.getRank() ||
        from.getDimSize(0) == to.getDimSize(0))
      continue;
    for (Value result : own->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || type.getRank() < 2 ||
          type.getDimSize(0) != from.getDimSize(0))
        continue;
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = to.getDimSize(0);
      result.setType(RankedTensorType::get(shape, type.getElementType()));
    }
    break;
  }
  return own;
}

//===----------------------------------------------------------------------===//
// Who has what
//===----------------------------------------------------------------------===//

/// The matrices that `value` holds some of.
static WeightOp findWeight(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto weight = dyn_cast<WeightOp>(op))
      return weight;
    if (op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return {};
}

int64_t ExpertUnroller::countExperts(Value ids, Placement placement) {
  for (Operation *user : ids.getUsers())
    if (isa<GroupedLinearOp, QuantizedGroupedLinearOp>(user))
      if (WeightOp weight = findWeight(user->getOperand(1))) {
        auto known = whole.shapes.find(weight.getName());
        if (known != whole.shapes.end() && known->second.size() == 3)
          return known->second[0];
      }
  return placement.getExperts();
}

LogicalResult ExpertUnroller::check(Operation *op, Placement placement) {
  if (placement.getShared())
    return op->emitOpError("cannot be run: expected the devices of a plan to "
                           "hold routed experts, but ")
           << placement.getShared() << " of " << placement.getDevices()
           << " hold shared ones only, and no choice leads there";
  int64_t span = placement.getDevices() * placement.getStep();
  if (plan.devices % span == 0)
    return success();
  return op->emitOpError("expected ranks that divide ")
         << plan.devices << " devices, but got " << placement;
}

/// The first expert of `rank`, as slots for experts are numbered.
static int64_t getFirstSlot(PlacementAttr placement, int64_t rank) {
  return RankGroup::get(placement.getRanks(), rank).index *
         placement.getNumLocal();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> ExpertUnroller::unroll(Operation *op) {
  if (auto typed = dyn_cast<DispatchTokensOp>(op))
    return dispatch(typed);
  if (auto typed = dyn_cast<ReturnTokensOp>(op))
    return giveBack(typed);
  if (auto typed = dyn_cast<GroupedLinearOp>(op))
    if (typed.getPlacement().getDevices() > 1)
      return compute(typed);
  if (auto typed = dyn_cast<QuantizedGroupedLinearOp>(op))
    if (typed.getPlacement().getDevices() > 1)
      return compute(typed);
  return std::nullopt;
}

/// The rows of all members in the order of their experts.
LogicalResult ExpertUnroller::dispatch(DispatchTokensOp op) {
  Placement placement = op.getPlacement();
  if (failed(check(op, placement)))
    return failure();
  Location loc = op.getLoc();
  int64_t experts = countExperts(op.getIds(), placement);
  int64_t width = getTensor(op.getInput()).getDimSize(1);
  Type elementType = getTensor(op.getInput()).getElementType();
  llvm::DenseMap<int64_t, Value> choicesOfGroups;
  for (int64_t rank = 0; rank < plan.devices; ++rank) {
    RankGroup group = RankGroup::get(placement.getRanks(), rank);
    // Rows in the order of choices, which is that of the ids.
    Value &choices = choicesOfGroups[group.members.front()];
    SmallVector<Value> parts, masks;
    for (int64_t member : group.members) {
      Value ids = get(op.getIds(), member), rows = get(op.getInput(), member);
      ArrayRef<int64_t> shape = getTensor(ids).getShape();
      if (!choices) {
        auto type =
            RankedTensorType::get({shape[0], shape[1], width}, elementType);
        Value own = UnpermuteTokensOp::create(builder, loc, type, rows, ids);
        parts.push_back(reshape(loc, own, {shape[0] * shape[1], width}));
      }
      masks.push_back(
          buildMask(loc, ids, placement, rank, member, experts, elementType));
    }
    if (!choices)
      choices = concatRows(loc, parts);
    Value own = MulOp::create(builder, loc, choices, concatRows(loc, masks));
    Value ids = flattenIds(getIds(op.getIds(), placement, rank));
    ranks[rank].map(op.getResult(), PermuteTokensOp::create(
                                        builder, loc, own.getType(), own, ids));
  }
  return success();
}

/// Of the sums of what all members made of the rows, those of a rank's tokens.
LogicalResult ExpertUnroller::giveBack(ReturnTokensOp op) {
  Placement placement = op.getPlacement();
  if (failed(check(op, placement)))
    return failure();
  Location loc = op.getLoc();
  llvm::DenseMap<int64_t, Value> choicesOfGroups;
  for (int64_t rank = 0; rank < plan.devices; ++rank) {
    RankGroup group = RankGroup::get(placement.getRanks(), rank);
    Value &choices = choicesOfGroups[group.members.front()];
    if (!choices) {
      Value sum;
      for (int64_t member : group.members) {
        Value part = get(op.getInput(), member);
        sum = sum ? AddOp::create(builder, loc, sum, part).getResult() : part;
      }
      Value ids = flattenIds(getIds(op.getIds(), placement, rank));
      ArrayRef<int64_t> shape = getTensor(sum).getShape();
      if (shape[0] != getTensor(ids).getDimSize(0))
        return op.emitOpError("expected the rows of a dispatch by the same "
                              "choices, ")
               << getTensor(ids).getDimSize(0) << ", but got " << shape[0];
      auto type = RankedTensorType::get({shape[0], 1, shape[1]},
                                        getTensor(sum).getElementType());
      choices = reshape(
          loc, UnpermuteTokensOp::create(builder, loc, type, sum, ids), shape);
    }
    int64_t offset = 0;
    for (int64_t member : ArrayRef(group.members).take_front(group.index))
      offset += getTensor(get(op.getIds(), member)).getNumElements();
    Value ids = flattenIds(get(op.getIds(), rank));
    int64_t rows = getTensor(ids).getDimSize(0);
    auto index = [&](int64_t value) -> OpFoldResult {
      return builder.getIndexAttr(value);
    };
    Value own = tensor::ExtractSliceOp::create(
        builder, loc, choices, ArrayRef{index(offset), index(0)},
        ArrayRef{index(rows), index(getTensor(choices).getDimSize(1))},
        ArrayRef{index(1), index(1)});
    ranks[rank].map(op.getResult(), PermuteTokensOp::create(
                                        builder, loc, own.getType(), own, ids));
  }
  return success();
}

template <typename GroupedOp>
LogicalResult ExpertUnroller::compute(GroupedOp op) {
  Placement placement = op.getPlacement();
  if (failed(check(op, placement)))
    return failure();
  int64_t experts = countExperts(op.getIds(), placement);
  for (int64_t rank = 0; rank < plan.devices; ++rank) {
    auto own = cast<GroupedOp>(cloneForRows(builder, op, ranks[rank]));
    own.getIdsMutable().assign(getIds(op.getIds(), placement, rank));
    own->setAttr(
        kOwnedExpertsAttrName,
        builder.getDenseI64ArrayAttr({getFirstSlot(placement, rank), experts}));
    // `getIds` may have been built behind it.
    own->moveBefore(&*builder.getInsertionPoint());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

Value ExpertUnroller::getIds(Value ids, Placement placement, int64_t rank) {
  RankGroup group = RankGroup::get(placement.getRanks(), rank);
  // Groups of one first member may have other members.
  auto key = std::make_pair(ids, group.members.front() * plan.devices +
                                     group.members.back());
  Value &all = idsOfGroups[key];
  if (!all) {
    SmallVector<Value> parts;
    for (int64_t member : group.members)
      parts.push_back(get(ids, member));
    all = concatRows(ids.getLoc(), parts);
  }
  return all;
}

Value ExpertUnroller::buildMask(Location loc, Value ids, Placement placement,
                                int64_t rank, int64_t sender, int64_t experts,
                                Type elementType) {
  int64_t slots = placement.getNumLocal() * placement.getDevices();
  int64_t first = getFirstSlot(placement, rank);
  int64_t local = placement.getNumLocal();
  SmallVector<Attribute> owned;
  for (int64_t expert = 0; expert < experts; ++expert) {
    // Slots behind the last expert are copies of the first ones. A sender uses
    // one of them, and senders take turns.
    int64_t copies =
        std::max<int64_t>(llvm::divideCeil(slots - expert, experts), 1);
    int64_t slot = expert + sender % copies * experts;
    bool isOwn = slot >= first && slot < first + local;
    owned.push_back(builder.getFloatAttr(elementType, isOwn ? 1 : 0));
  }
  auto type = RankedTensorType::get({experts, 1}, elementType);
  Value table = arith::ConstantOp::create(builder, loc,
                                          DenseElementsAttr::get(type, owned));
  Value flat = reshape(loc, ids, {getTensor(ids).getNumElements()});
  return GatherOp::create(builder, loc, table, flat, IntegerAttr());
}

Value ExpertUnroller::flattenIds(Value ids) {
  return reshape(ids.getLoc(), ids, {getTensor(ids).getNumElements(), 1});
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Value ExpertUnroller::reshape(Location loc, Value value,
                              ArrayRef<int64_t> shape) {
  if (getTensor(value).getShape() == shape)
    return value;
  return ReshapeOp::create(
      builder, loc,
      RankedTensorType::get(shape, getTensor(value).getElementType()), value);
}

Value ExpertUnroller::concatRows(Location loc, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> shape(getTensor(parts.front()).getShape());
  shape[0] = 0;
  for (Value part : parts)
    shape[0] += getTensor(part).getDimSize(0);
  Value all = tensor::EmptyOp::create(
      builder, loc, shape, getTensor(parts.front()).getElementType());
  auto index = [&](int64_t value) -> OpFoldResult {
    return builder.getIndexAttr(value);
  };
  int64_t offset = 0;
  for (Value part : parts) {
    int64_t rows = getTensor(part).getDimSize(0);
    all = tensor::InsertSliceOp::create(
        builder, loc, part, all, ArrayRef{index(offset), index(0)},
        ArrayRef{index(rows), index(shape[1])}, ArrayRef{index(1), index(1)});
    offset += rows;
  }
  return all;
}
