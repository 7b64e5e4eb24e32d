//===- MergeExperts.cpp - Layers of experts with one input as one ---------===//

#include "MergeLinears.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

static Value getInputScale(GroupedLinearOp) { return {}; }
static Value getInputScale(QuantizedGroupedLinearOp op) {
  return op.getInputScale();
}

static bool hasBias(GroupedLinearOp op) {
  return static_cast<bool>(op.getBias());
}
static bool hasBias(QuantizedGroupedLinearOp) { return false; }

static Type getWeightScaleType(GroupedLinearOp) { return {}; }
static Type getWeightScaleType(QuantizedGroupedLinearOp op) {
  return op.getWeightScale().getType();
}

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Matrices are joined at their outputs.
static constexpr int64_t outputDim = 1;

namespace {
/// Layers that read the rows of the same experts -> one layer of all outputs,
/// and views.
template <typename GroupedOp> struct MergeGrouped : FusionPattern<GroupedOp> {
  MergeGrouped(MLIRContext *context, bool onlyEqualGroups)
      : FusionPattern<GroupedOp>(context), onlyEqualGroups(onlyEqualGroups) {}

  LogicalResult matchAndRewrite(GroupedOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<GroupedOp> group;
    for (Operation *user : op.getInput().getUsers())
      if (auto other = dyn_cast<GroupedOp>(user);
          other && other.getInput() == op.getInput() && areAlike(op, other))
        group.push_back(other);
    llvm::sort(group, [](GroupedOp lhs, GroupedOp rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    if (group.size() < 2)
      return rewriter.notifyMatchFailure(op, "no other layer reads its input");
    if (group.front() != op)
      return rewriter.notifyMatchFailure(op,
                                         "merged at the first of its group");
    for (GroupedOp member : group)
      for (Value operand : member->getOperands())
        if (!isThereOrDeclared(operand, op))
          return this->missed(op, rewriter,
                              "a weight is computed after the first layer");
    if (failed(this->announce(op, rewriter)))
      return failure();
    for (GroupedOp member : group)
      for (Value operand : member->getOperands())
        hoistDeclaration(operand, op, rewriter);
    merge(group, rewriter);
    return success();
  }

private:
  bool areAlike(GroupedOp lhs, GroupedOp rhs) const {
    RankedTensorType left = getTensor(lhs.getWeight());
    RankedTensorType right = getTensor(rhs.getWeight());
    bool equalScales =
        getWeightScaleType(lhs) == getWeightScaleType(rhs) ||
        (!onlyEqualGroups && left.getElementType() == right.getElementType());
    return lhs->getBlock() == rhs->getBlock() && lhs.getIds() == rhs.getIds() &&
           lhs.getPlacement() == rhs.getPlacement() && !lhs.getSwiglu() &&
           !rhs.getSwiglu() && getInputScale(lhs) == getInputScale(rhs) &&
           left.getElementType() == right.getElementType() &&
           getTensor(lhs.getResult()).getElementType() ==
               getTensor(rhs.getResult()).getElementType() &&
           left.hasStaticShape() && right.hasStaticShape() &&
           left.getDimSize(0) == right.getDimSize(0) && equalScales &&
           hasBias(lhs) == hasBias(rhs);
  }

  static void merge(ArrayRef<GroupedOp> group, PatternRewriter &rewriter) {
    GroupedOp first = group.front();
    rewriter.setInsertionPoint(first);
    SmallVector<Location> locs;
    SmallVector<Value> weights;
    int64_t width = 0;
    for (GroupedOp op : group) {
      locs.push_back(op.getLoc());
      weights.push_back(op.getWeight());
      width += getTensor(op.getResult()).getShape().back();
    }
    Location loc = rewriter.getFusedLoc(locs);
    Value weight = ConcatWeightsOp::create(
        rewriter, loc, weights, rewriter.getI64IntegerAttr(outputDim));
    RankedTensorType type = getTensor(first.getResult());
    SmallVector<Dim> dims = getDims(type);
    dims.back() = Dim(width);
    Value merged = build(group, getTensorType(dims, type.getElementType()),
                         weight, loc, rewriter);
    int64_t offset = 0;
    for (GroupedOp op : group) {
      int64_t size = getTensor(op.getResult()).getShape().back();
      Value part = SliceOp::create(rewriter, op.getLoc(), merged, offset, size);
      offset += size;
      rewriter.replaceOp(op, part);
    }
  }

  static Value build(ArrayRef<GroupedLinearOp> group, Type type, Value weight,
                     Location loc, PatternRewriter &rewriter) {
    GroupedLinearOp first = group.front();
    Value bias;
    if (hasBias(first)) {
      SmallVector<Value> biases;
      for (GroupedLinearOp op : group)
        biases.push_back(op.getBias());
      bias = ConcatWeightsOp::create(rewriter, loc, biases,
                                     rewriter.getI64IntegerAttr(outputDim));
    }
    return GroupedLinearOp::create(rewriter, loc, type, first.getInput(),
                                   weight, first.getIds(), bias,
                                   first.getPlacementAttr(), UnitAttr());
  }

  static Value build(ArrayRef<QuantizedGroupedLinearOp> group, Type type,
                     Value weight, Location loc, PatternRewriter &rewriter) {
    QuantizedGroupedLinearOp first = group.front();
    Value scale = first.getWeightScale();
    if (getTensor(scale).getRank() > 1) {
      SmallVector<Value> scales;
      for (QuantizedGroupedLinearOp op : group)
        scales.push_back(op.getWeightScale());
      scale = ConcatWeightsOp::create(rewriter, loc, scales,
                                      rewriter.getI64IntegerAttr(outputDim));
    }
    return QuantizedGroupedLinearOp::create(
               rewriter, loc, type, Type(), first.getInput(), weight,
               first.getIds(), first.getInputScale(), scale,
               first.getPlacementAttr(), first.getGroupSizeAttr(), UnitAttr())
        .getResult();
  }

  bool onlyEqualGroups;
};
} // namespace

void mlir::transformer::populateMergeExperts(RewritePatternSet &patterns,
                                             FusionSwitch fusion,
                                             bool onlyEqualGroups) {
  addFusions<MergeGrouped<GroupedLinearOp>,
             MergeGrouped<QuantizedGroupedLinearOp>>(patterns, fusion,
                                                     onlyEqualGroups);
}
