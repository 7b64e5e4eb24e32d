//===- FuseGating.cpp - Choices of experts from their pieces --------------===//

#include "FuseMoE.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

/// Whether the ops that read `value` are exactly `readers`.
static bool isReadBy(Value value, ArrayRef<Operation *> readers) {
  llvm::SmallPtrSet<Operation *, 4> all(value.user_begin(), value.user_end());
  return all.size() == readers.size() &&
         llvm::all_of(readers, [&](Operation *op) { return all.contains(op); });
}

/// The op that alone reads `value`, if it is of this kind.
template <typename OpT> static OpT getReader(Value value) {
  return value.hasOneUse() ? dyn_cast<OpT>(*value.user_begin()) : OpT();
}

/// The one op of this kind among those that read `value`.
template <typename OpT> static OpT findReader(Value value) {
  for (Operation *user : value.getUsers())
    if (auto op = dyn_cast<OpT>(user))
      return op;
  return {};
}

namespace {
/// What a choice of experts is made of, around the choice itself.
class Choice {
public:
  Value logits, bias, weights;
  ScoreFunction score = ScoreFunction::Softmax;
  IntegerAttr groups, topGroups;
  FloatAttr epsilon, scale;
  bool isNormalized = false;
  /// Why it is none; empty if it is one.
  StringRef reason;

  /// The choice that `top` makes; none if it is far from one.
  static std::optional<Choice> match(TopKOp top) {
    if (top.getInput().getType().getRank() != 2)
      return std::nullopt;
    Choice choice;
    if (choice.matchChosenFirst(top) || choice.matchScores(top))
      return choice;
    return std::nullopt;
  }

private:
  //===--------------------------------------------------------------------===//
  // Behind the choice
  //===--------------------------------------------------------------------===//

  /// A softmax over the chosen logits.
  bool matchChosenFirst(TopKOp top) {
    Value chosen = top.getValues();
    if (auto cast = getReader<CastOp>(chosen))
      chosen = cast.getResult();
    auto softmax = findReader<SoftmaxOp>(chosen);
    if (!softmax)
      return false;
    logits = top.getInput();
    score = ScoreFunction::SoftmaxOfChosen;
    weights = softmax.getResult();
    if (!softmax.getType().getElementType().isF32())
      reason = "the softmax is not of f32";
    else if (!isReadBy(chosen, softmax.getOperation()))
      reason = "the chosen logits have another reader";
    else
      finish();
    return true;
  }

  /// Divides by the sum, if something sums.
  bool normalize() {
    auto sum = findReader<SumOp>(weights);
    if (!sum)
      return true;
    Value divisor = sum.getResult();
    bool isLimit = false;
    if (auto limit = getReader<MaxScalarOp>(divisor)) {
      isLimit = true;
      epsilon = limit.getValueAttr();
      divisor = limit.getResult();
    } else if (auto add = getReader<AddScalarOp>(divisor)) {
      epsilon = add.getValueAttr();
      divisor = add.getResult();
    }
    auto quotient = getReader<DivOp>(divisor);
    if (!quotient || quotient.getLhs() != weights ||
        quotient.getRhs() != divisor || sum.getDim() != 1)
      return fail("the sum of weights is not what divides them");
    if (!isReadBy(weights, {sum, quotient}))
      return fail("the weights have another reader");
    if (epsilon && isLimit != (score == ScoreFunction::Softmax))
      return fail(isLimit ? "the sum of sigmoid scores is limited by epsilon, "
                            "which is added to it otherwise"
                          : "epsilon is added to the sum of softmax scores, "
                            "which is limited by it otherwise");
    isNormalized = true;
    weights = quotient.getResult();
    return true;
  }

  /// What is done to weights at last.
  void finish() {
    if (auto product = getReader<MulScalarOp>(weights)) {
      scale = product.getValueAttr();
      weights = product.getResult();
    }
    if (auto cast = getReader<CastOp>(weights))
      weights = cast.getResult();
  }

  //===--------------------------------------------------------------------===//
  // In front of the choice
  //===--------------------------------------------------------------------===//

  static bool isScore(Value value) {
    Operation *op = value.getDefiningOp();
    return op && isa<SoftmaxOp, SigmoidOp>(op);
  }

  bool matchScores(TopKOp top) {
    Value ranked = top.getInput();
    auto mask = ranked.getDefiningOp<MaskGroupsOp>();
    if (mask)
      ranked = mask.getInput();
    auto sum = ranked.getDefiningOp<AddOp>();
    Value scores = ranked;
    if (sum) {
      scores = isScore(sum.getLhs()) ? sum.getLhs() : sum.getRhs();
      bias = isScore(sum.getLhs()) ? sum.getRhs() : sum.getLhs();
    }
    if (!isScore(scores))
      return false;
    Operation *function = scores.getDefiningOp();
    logits = function->getOperand(0);
    score = isa<SigmoidOp>(function) ? ScoreFunction::Sigmoid
                                     : ScoreFunction::Softmax;
    auto type = cast<RankedTensorType>(scores.getType());
    if (!type.getElementType().isF32())
      return !fail("scores are not of f32");
    if (bias && (cast<RankedTensorType>(bias.getType()).getRank() != 1 ||
                 !mayBeEqual(getDims(cast<RankedTensorType>(bias.getType()))[0],
                             getDims(type)[1])))
      return !fail("what is added to the scores is not one value per expert");
    SmallVector<Operation *> readers;
    if (mask && !matchGroups(mask, top, readers))
      return true;
    if (!mask)
      readers.push_back(top);
    // Scores that ranked by themselves are the weights already.
    weights = top.getValues();
    if (ranked != scores || mask) {
      auto take = findReader<TakeOp>(top.getIndices());
      if (!take || take.getInput() != scores || !weights.use_empty())
        return !fail("the weights are not the scores of the chosen experts");
      weights = take.getResult();
      if (ranked == scores)
        readers.push_back(take);
      else if (!isReadBy(scores, {sum, take}))
        return !fail("the scores have another reader");
    }
    if (!isReadBy(ranked, readers))
      return !fail("the scores have another reader");
    if (normalize())
      finish();
    return true;
  }

  /// The groups that `mask` keeps; adds what reads the scores for that.
  bool matchGroups(MaskGroupsOp mask, TopKOp top,
                   SmallVectorImpl<Operation *> &readers) {
    if (!isReadBy(mask.getResult(), top.getOperation()))
      return fail("the scores have another reader");
    auto chosen = mask.getChosen().getDefiningOp<TopKOp>();
    auto flat =
        chosen ? chosen.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    auto sum = flat ? flat.getInput().getDefiningOp<SumOp>() : SumOp();
    auto best = sum ? sum.getInput().getDefiningOp<TopKOp>() : TopKOp();
    auto grouped =
        best ? best.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!grouped || grouped.getInput() != mask.getInput() ||
        sum.getInput() != best.getValues() || sum.getDim() != 2 ||
        mask.getChosen() != chosen.getIndices())
      return fail("groups are not chosen by sums of their scores");
    SmallVector<Dim> dims = getDims(grouped.getType());
    if (dims.size() != 3 ||
        dims[1].size != static_cast<int64_t>(mask.getGroups()) ||
        !dims[2].isStatic())
      return fail("the groups that are chosen are of another size than those "
                  "that are kept");
    if (best.getCount() != std::min<uint64_t>(dims[2].size, kScoresPerGroup))
      return fail("groups are not chosen by their two largest scores");
    if (!isReadBy(grouped, best.getOperation()) ||
        !isReadBy(best.getValues(), sum.getOperation()) ||
        !best.getIndices().use_empty() || !isReadBy(sum, flat.getOperation()) ||
        !isReadBy(flat, chosen.getOperation()) ||
        !chosen.getValues().use_empty() ||
        !isReadBy(chosen.getIndices(), mask.getOperation()))
      return fail("the scores of groups have another reader");
    groups = mask.getGroupsAttr();
    topGroups = chosen.getCountAttr();
    if (top.getCount() > dims[2].size * chosen.getCount())
      return fail("more experts are chosen than the groups have");
    readers.append({grouped, mask});
    return true;
  }

  bool fail(StringRef why) {
    reason = why;
    return false;
  }

  /// What a group is ranked by.
  static constexpr uint64_t kScoresPerGroup = 2;
};

/// Scores and what is made of them -> select_experts.
struct FuseSelectExperts : FusionPattern<TopKOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(TopKOp top,
                                PatternRewriter &rewriter) const override {
    std::optional<Choice> choice = Choice::match(top);
    if (!choice)
      return rewriter.notifyMatchFailure(top, "nothing is chosen by scores");
    if (choice->reason.empty() &&
        choice->weights.getParentBlock() != top->getBlock())
      choice->reason = "the weights are in another block";
    if (!choice->reason.empty())
      return missed(top, rewriter, choice->reason);
    if (failed(announce(top, rewriter)))
      return failure();
    // Here is all that the choice reads; weights are read further down.
    auto select = SelectExpertsOp::create(
        rewriter, top.getLoc(), choice->weights.getType(),
        top.getIndices().getType(), choice->logits, choice->bias,
        /*table=*/Value(), /*tokens=*/Value(), top.getCountAttr(),
        choice->score, choice->topGroups, choice->groups,
        choice->isNormalized ? rewriter.getUnitAttr() : UnitAttr(),
        choice->epsilon, choice->scale, /*gating_kernel=*/UnitAttr());
    // The chain stays for a moment, read by nothing.
    rewriter.replaceAllUsesWith(choice->weights, select.getWeights());
    rewriter.replaceAllUsesWith(top.getIndices(), select.getIds());
    return success();
  }
};
} // namespace

void mlir::transformer::populateFuseGating(RewritePatternSet &patterns,
                                           FusionSwitch fusion) {
  addFusions<FuseSelectExperts>(patterns, fusion);
}
