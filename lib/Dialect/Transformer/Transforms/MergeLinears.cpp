//===- MergeLinears.cpp - Linear layers of one input as one ---------------===//

#include "MergeLinears.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERMERGELINEARS
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

bool mlir::transformer::isThereOrDeclared(Value value, Operation *before) {
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != before->getBlock() ||
         op->isBeforeInBlock(before) || isa<WeightOp>(op);
}

void mlir::transformer::hoistDeclaration(Value value, Operation *before,
                                         PatternRewriter &rewriter) {
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == before->getBlock() && before->isBeforeInBlock(op))
    rewriter.moveOpBefore(op, before);
}

/// The input scale of a linear layer, if it has one.
static Value getInputScale(LinearOp) { return {}; }
static Value getInputScale(QuantizedLinearOp op) { return op.getInputScale(); }

/// Whether two layers can be one kernel: they read the same tensor in the same
/// way.
template <typename LinearLikeOp>
static bool areAlike(LinearLikeOp lhs, LinearLikeOp rhs) {
  auto hasStaticShape = [](LinearLikeOp op) {
    return cast<RankedTensorType>(op.getWeight().getType()).hasStaticShape() &&
           (!op.getBias() ||
            cast<RankedTensorType>(op.getBias().getType()).hasStaticShape());
  };
  return hasStaticShape(lhs) && hasStaticShape(rhs) &&
         lhs->getBlock() == rhs->getBlock() &&
         lhs.getInput() == rhs.getInput() &&
         getInputScale(lhs) == getInputScale(rhs) && !lhs.getAllReduce() &&
         !rhs.getAllReduce() &&
         static_cast<bool>(lhs.getBias()) == static_cast<bool>(rhs.getBias()) &&
         cast<RankedTensorType>(lhs.getWeight().getType()).getElementType() ==
             cast<RankedTensorType>(rhs.getWeight().getType())
                 .getElementType() &&
         lhs.getType().getElementType() == rhs.getType().getElementType();
}

namespace {
/// Layers that read one input -> one layer of all outputs, and views.
template <typename LinearLikeOp>
struct MergeLinears : FusionPattern<LinearLikeOp> {
  MergeLinears(MLIRContext *context, bool onlyEqualGroups)
      : FusionPattern<LinearLikeOp>(context), onlyEqualGroups(onlyEqualGroups) {
  }

  LogicalResult matchAndRewrite(LinearLikeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<LinearLikeOp> group = findGroup(op);
    if (group.size() < 2)
      return rewriter.notifyMatchFailure(op, "no other layer reads its input");
    if (group.front() != op)
      return rewriter.notifyMatchFailure(op,
                                         "merged at the first of its group");
    // The merged layer runs where the first one did, so all weights must be
    // there by then; declarations can be.
    for (LinearLikeOp member : group)
      for (Value operand : member->getOperands())
        if (!isThereOrDeclared(operand, op))
          return this->missed(op, rewriter,
                              "a weight is computed after the first layer");
    if (failed(this->announce(op, rewriter)))
      return failure();
    for (LinearLikeOp member : group)
      for (Value operand : member->getOperands())
        hoistDeclaration(operand, op, rewriter);
    merge(group, rewriter);
    return success();
  }

private:
  /// The layers that `op` can be merged with, in order, itself included.
  SmallVector<LinearLikeOp> findGroup(LinearLikeOp op) const {
    SmallVector<LinearLikeOp> group;
    for (Operation *user : op.getInput().getUsers())
      if (auto other = dyn_cast<LinearLikeOp>(user);
          other && areAlike(op, other) && mayJoin(op, other))
        group.push_back(other);
    llvm::sort(group, [](LinearLikeOp lhs, LinearLikeOp rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    return group;
  }

  /// Whether the scales of the weights can be laid side by side.
  bool mayJoin(LinearOp, LinearOp) const { return true; }
  bool mayJoin(QuantizedLinearOp lhs, QuantizedLinearOp rhs) const {
    if (lhs.getGroupSize() != rhs.getGroupSize())
      return false;
    return !onlyEqualGroups || !lhs.getGroupSize() ||
           lhs.getWeightScale().getType() == rhs.getWeightScale().getType();
  }

  /// The weights side by side, when the model is loaded.
  static Value concat(ArrayRef<Value> weights, Location loc,
                      PatternRewriter &rewriter) {
    return ConcatWeightsOp::create(rewriter, loc, weights,
                                   /*dim=*/IntegerAttr());
  }

  static void merge(ArrayRef<LinearLikeOp> group, PatternRewriter &rewriter) {
    LinearLikeOp first = group.front();
    rewriter.setInsertionPoint(first);
    SmallVector<Location> locs;
    SmallVector<Value> weights, biases;
    int64_t width = 0;
    for (LinearLikeOp op : group) {
      locs.push_back(op.getLoc());
      weights.push_back(op.getWeight());
      if (op.getBias())
        biases.push_back(op.getBias());
      width += op.getType().getShape().back();
    }
    Location loc = rewriter.getFusedLoc(locs);
    Value weight = concat(weights, loc, rewriter);
    Value bias = biases.empty() ? Value() : concat(biases, loc, rewriter);
    SmallVector<Dim> dims = getDims(first.getType());
    dims.back() = Dim(width);
    RankedTensorType type =
        getTensorType(dims, first.getType().getElementType());
    Value merged = build(group, type, weight, bias, loc, rewriter);
    int64_t offset = 0;
    for (LinearLikeOp op : group) {
      int64_t size = op.getType().getShape().back();
      Value part = SliceOp::create(rewriter, op.getLoc(), merged, offset, size);
      offset += size;
      rewriter.replaceOp(op, part);
    }
  }

  static Value build(ArrayRef<LinearOp> group, Type type, Value weight,
                     Value bias, Location loc, PatternRewriter &rewriter) {
    return LinearOp::create(rewriter, loc, type,
                            LinearOp(group.front()).getInput(), weight, bias,
                            RanksAttr());
  }

  static Value build(ArrayRef<QuantizedLinearOp> group, Type type, Value weight,
                     Value bias, Location loc, PatternRewriter &rewriter) {
    QuantizedLinearOp first = group.front();
    // One scale stands for the merged weight: it is requantized as a whole.
    // Scales per row and group are laid side by side.
    Value scale = first.getWeightScale();
    if (cast<RankedTensorType>(scale.getType()).getRank() > 1) {
      SmallVector<Value> scales;
      for (QuantizedLinearOp op : group)
        scales.push_back(op.getWeightScale());
      scale = concat(scales, loc, rewriter);
    }
    return QuantizedLinearOp::create(rewriter, loc, type, first.getInput(),
                                     weight, first.getInputScale(), scale, bias,
                                     first.getGroupSizeAttr(), RanksAttr());
  }

  bool onlyEqualGroups;
};

class TransformerMergeLinearsPass
    : public FusionPass<TransformerMergeLinearsPass,
                        transformer::impl::TransformerMergeLinearsBase<
                            TransformerMergeLinearsPass>> {
public:
  using FusionPass::FusionPass;

  void addPatterns(RewritePatternSet &set) {
    add<MergeLinears<LinearOp>, MergeLinears<QuantizedLinearOp>>(
        set, linears, onlyEqualGroups);
    if (experts)
      populateMergeExperts(set, getSwitch(experts), onlyEqualGroups);
  }
};
} // namespace

void mlir::transformer::listMergeLinears(MLIRContext *context,
                                         SmallVectorImpl<FusionSwitch> &found) {
  TransformerMergeLinearsPass::list(context, found);
}
