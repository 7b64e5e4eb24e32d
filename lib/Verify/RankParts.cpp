//===- RankParts.cpp - Which part of a weight a rank has ------------------===//

#include "RankParts.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

RankGroup RankGroup::get(RanksAttr ranks, int64_t rank) {
  int64_t step = ranks.getStep();
  RankGroup group;
  group.index = rank / step % ranks.getCount();
  for (int64_t i = 0; i < ranks.getCount(); ++i)
    group.members.push_back(rank + (i - group.index) * step);
  return group;
}

//===----------------------------------------------------------------------===//
// Parts of a size
//===----------------------------------------------------------------------===//

/// Elements of one part when `size`, in units, is split over `count` ranks.
/// Where there are fewer units than ranks, several have the same one.
static int64_t getPartSize(int64_t size, int64_t unit, int64_t count) {
  if (unit == 1)
    return llvm::divideCeil(size, count);
  return std::max<int64_t>(size / unit / count, 1) * unit;
}

/// Where the part of the rank at `index` of `count` begins.
static int64_t getOffset(int64_t size, int64_t unit, int64_t count,
                         int64_t index) {
  int64_t units = size / unit;
  if (unit > 1 && units < count)
    return index * units / count * unit;
  return index * getPartSize(size, unit, count);
}

static FailureOr<Part> getPart(Operation *op, StringRef name,
                               ArrayRef<int64_t> shape, ArrayRef<int64_t> whole,
                               ShardingAttr sharding, const RankPlan &plan,
                               int64_t rank) {
  Part part;
  part.rank = rank;
  llvm::append_range(part.whole, whole);
  if (shape == whole)
    return part;
  auto differs = [&](int64_t dim) { return shape[dim] != whole[dim]; };
  if (shape.size() == whole.size())
    while (!differs(part.dim))
      ++part.dim;
  int64_t next = part.dim + 1, rankOfType = shape.size();
  bool isPart =
      shape.size() == whole.size() &&
      llvm::none_of(llvm::seq(std::min(next, rankOfType), rankOfType), differs);
  int64_t unit = sharding ? sharding.getUnit() : 1;
  int64_t count =
      sharding ? plan.attr.getGroupSize(sharding.getGroup()) : plan.tensor;
  if (!isPart || getPartSize(whole[part.dim], unit, count) != shape[part.dim]) {
    InFlightDiagnostic diag = op->emitOpError("expected '")
                              << name << "' to be a part of ";
    llvm::interleave(whole, diag, "x");
    diag << " that each of " << count << " of " << plan.devices
         << " devices has, but got ";
    llvm::interleave(shape, diag, "x");
    return diag;
  }
  part.offset = getOffset(whole[part.dim], unit, count, rank % count);
  return part;
}

/// The part of a stack of matrices that each have a part of.
static FailureOr<Part> getStackPart(WeightOp weight, ArrayRef<int64_t> whole,
                                    const RankPlan &plan, int64_t rank) {
  ArrayRef<int64_t> shape = weight.getType().getShape();
  int64_t devices = plan.attr.getExpertParallel();
  int64_t index = rank / plan.attr.getExpertTensor() % devices;
  if (shape[0] * devices < whole[0])
    return weight.emitOpError("expected '")
           << weight.getName() << "' of the " << whole[0] << " experts that "
           << devices << " devices have together, but got " << shape[0]
           << " on each";
  FailureOr<Part> part =
      ::getPart(weight, weight.getName(), shape.drop_front(),
                whole.drop_front(), weight.getShardingAttr(), plan, rank);
  if (failed(part))
    return failure();
  part->whole.assign(whole.begin(), whole.end());
  // Of a matrix that is whole, any dimension is split into one part.
  ++part->dim;
  part->first = index * shape[0] % whole[0];
  return part;
}

FailureOr<Part> tensorcast::getPart(WeightOp weight, const WholeModel &whole,
                                    const RankPlan &plan, int64_t rank) {
  RankedTensorType type = weight.getType();
  auto known = whole.shapes.find(weight.getName());
  // Scales belong to what the rank has of the weight that they scale.
  bool isWhole =
      known == whole.shapes.end() || weight.getName().ends_with("_scale");
  ShardingAttr sharding = weight.getShardingAttr();
  if (!isWhole && isStackOfExperts(weight) && known->second.size() == 3)
    return getStackPart(weight, known->second, plan, rank);
  return ::getPart(weight, weight.getName(), type.getShape(),
                   isWhole ? type.getShape() : ArrayRef(known->second),
                   sharding, plan, rank);
}

FailureOr<Part> tensorcast::getPart(StateOp state, const WholeModel &whole,
                                    const RankPlan &plan, int64_t rank) {
  auto known = whole.shapes.find(state.getName());
  if (known == whole.shapes.end())
    return state.emitOpError("expected a state called '")
           << state.getName() << "' in the module that is not sharded, but got "
           << "none";
  Part part;
  part.rank = rank;
  part.whole = known->second;
  // Requests x what there is of each.
  int64_t size = state.getType().getShape().front();
  if (size == part.whole[1])
    return part;
  if (size * plan.tensor != part.whole[1])
    return state.emitOpError("expected ")
           << part.whole[1] << " rows to be split over " << plan.tensor
           << " devices, but got " << size << " on each";
  part.dim = 1;
  part.offset = rank % plan.tensor * size;
  return part;
}

FailureOr<Part> tensorcast::getPart(KVCacheOp cache, const WholeModel &whole,
                                    const RankPlan &plan, int64_t rank) {
  auto known = whole.shapes.find(cache.getName());
  if (known == whole.shapes.end())
    return cache.emitOpError("expected a cache called '")
           << cache.getName() << "' in the module that is not sharded, but got "
           << "none";
  KVCacheType type = cache.getType();
  int64_t share = type.getShare();
  Part part;
  part.rank = rank;
  part.whole = known->second;
  part.stride = share;
  // Requests x tokens x 2 x heads x head size, or x what the heads share.
  if (type.isShared())
    return part;
  int64_t heads = part.whole[3], own = type.getNumHeads();
  part.dim = 3;
  if (own == heads)
    return part;
  // Devices that share tokens have the same heads.
  int64_t groups = std::max<int64_t>(plan.tensor / share, 1);
  int64_t most = std::max<int64_t>(heads / groups, 1);
  if (own != most)
    return cache.emitOpError("expected ")
           << most << " of " << heads << " heads on each of " << plan.tensor
           << " devices, but got " << own;
  int64_t index = rank % plan.tensor / share;
  part.offset = heads < groups ? index * heads / groups : index * most;
  return part;
}
