//===- FuseDispatch.cpp - Experts and the exchanges around them -----------===//

#include "FuseMoE.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// One of the two layers of experts, quantized or not.
struct ExpertLayer {
  Operation *op = nullptr;
  Value input, inputScale, weight, weightScale, ids;
  PlacementAttr placement;
  IntegerAttr groupSize;
  bool hasSwiglu = false;

  static std::optional<ExpertLayer> get(Operation *op) {
    if (auto linear = dyn_cast_or_null<GroupedLinearOp>(op)) {
      if (linear.getBias())
        return std::nullopt;
      return ExpertLayer{op,
                         linear.getInput(),
                         {},
                         linear.getWeight(),
                         {},
                         linear.getIds(),
                         linear.getPlacement(),
                         {},
                         linear.getSwiglu()};
    }
    if (auto linear = dyn_cast_or_null<QuantizedGroupedLinearOp>(op))
      return ExpertLayer{op,
                         linear.getInput(),
                         linear.getInputScale(),
                         linear.getWeight(),
                         linear.getWeightScale(),
                         linear.getIds(),
                         linear.getPlacement(),
                         linear.getGroupSizeAttr(),
                         linear.getSwiglu()};
    return std::nullopt;
  }
};

/// What is between two ops of the chain: nothing, or a quantization.
struct QuantizedRows {
  /// What is quantized, and by what; null if nothing is.
  Value source;
  Operation *quantize = nullptr;
  /// The known scale; null if it is found on the way.
  Value scale;

  static QuantizedRows get(Value value) {
    if (auto quantize = value.getDefiningOp<QuantizeOp>())
      return {quantize.getInput(), quantize, quantize.getScale()};
    if (auto quantize = value.getDefiningOp<DynamicQuantizeOp>())
      return {quantize.getInput(), quantize, Value()};
    return {value, nullptr, Value()};
  }
};

/// All from the order of experts to the order of tokens -> one kernel.
struct FuseDispatchFFNCombine : FusionPattern<UnpermuteTokensOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(UnpermuteTokensOp op,
                                PatternRewriter &rewriter) const override {
    auto returned = op.getInput().getDefiningOp<ReturnTokensOp>();
    if (!returned)
      return rewriter.notifyMatchFailure(op, "the experts are on this device");
    auto miss = [&](StringRef reason) { return missed(op, rewriter, reason); };
    if (returned.getInput().getDefiningOp<AllReduceOp>())
      return miss("each expert is split over devices");
    std::optional<ExpertLayer> down =
        ExpertLayer::get(returned.getInput().getDefiningOp());
    if (!down || down->hasSwiglu)
      return miss("rows do not return from a grouped layer");
    QuantizedRows inner = QuantizedRows::get(down->input);
    std::optional<ExpertLayer> up =
        ExpertLayer::get(inner.source.getDefiningOp());
    if (!up || !up->hasSwiglu)
      return miss("the activation is not in the layer in front");
    QuantizedRows rows = QuantizedRows::get(up->input);
    auto dispatch = rows.source.getDefiningOp<DispatchTokensOp>();
    auto permute = dispatch
                       ? dispatch.getInput().getDefiningOp<PermuteTokensOp>()
                       : PermuteTokensOp();
    if (!permute)
      return miss("the experts' input does not come from other devices");
    if (!areAlike(op, returned, *down, *up, dispatch, permute))
      return miss("choices or placements differ");
    bool quantizesInner =
        inner.quantize || (up->op->getNumResults() > 1 &&
                           cast<QuantizedGroupedLinearOp>(up->op).getScale());
    if (static_cast<bool>(up->weightScale) !=
            static_cast<bool>(down->weightScale) ||
        static_cast<bool>(rows.quantize) != quantizesInner ||
        static_cast<bool>(rows.scale) != static_cast<bool>(inner.scale) ||
        up->groupSize != down->groupSize ||
        getElementType(up->input) != getElementType(down->input) ||
        getElementType(up->weight) != getElementType(down->weight))
      return miss("the two layers are quantized in different ways");
    for (Operation *member :
         {returned.getOperation(), down->op, inner.quantize, up->op,
          rows.quantize, dispatch.getOperation(), permute.getOperation()})
      if (member && !isReadByOne(member))
        return miss("rows between the exchanges have another reader");
    if (failed(announce(op, rewriter)))
      return failure();
    TypeAttr type =
        rows.quantize ? TypeAttr::get(getElementType(up->input)) : TypeAttr();
    rewriter.replaceOpWithNewOp<DispatchFFNCombineOp>(
        op, op.getType(), permute.getInput(), up->weight, down->weight,
        op.getIds(), up->weightScale, down->weightScale, rows.scale,
        inner.scale, up->placement, type, up->groupSize);
    return success();
  }

private:
  static Type getElementType(Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }

  static bool areAlike(UnpermuteTokensOp op, ReturnTokensOp returned,
                       const ExpertLayer &down, const ExpertLayer &up,
                       DispatchTokensOp dispatch, PermuteTokensOp permute) {
    PlacementAttr placement = dispatch.getPlacement();
    for (Value ids : {Value(returned.getIds()), down.ids, up.ids,
                      Value(dispatch.getIds()), Value(permute.getIds())})
      if (ids != op.getIds())
        return false;
    return returned.getPlacement() == placement &&
           down.placement == placement && up.placement == placement &&
           permute->getBlock() == op->getBlock();
  }

  /// Whether one op reads the results, a tensor and its scale.
  static bool isReadByOne(Operation *op) {
    llvm::SmallPtrSet<Operation *, 2> readers(op->user_begin(), op->user_end());
    return readers.size() == 1;
  }
};
} // namespace

void mlir::transformer::populateFuseDispatch(RewritePatternSet &patterns,
                                             FusionSwitch fusion) {
  addFusions<FuseDispatchFFNCombine>(patterns, fusion);
}
