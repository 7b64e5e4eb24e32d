//===- FuseLinearAttention.cpp - Gated delta nets from their pieces -------===//

#include "LinearAttentionPatterns.h"
#include "Proposal.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// What a conversion to f32 is of, or the value itself.
static Value getNarrow(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && cast.getType().getElementType().isF32() ? cast.getInput()
                                                         : value;
}

/// The input of the op of this kind that makes `value`; null if another does.
template <typename OpT> static Value getInputOf(Value value) {
  auto op = value ? value.getDefiningOp<OpT>() : OpT();
  return op ? op.getInput() : Value();
}

/// The first of the operands that are joined, and seen in another shape.
static Value getRepeated(Value value) {
  Value input = getInputOf<ReshapeOp>(value);
  auto concat = input ? input.getDefiningOp<ConcatOp>() : ConcatOp();
  if (!concat)
    return value;
  while (auto inner = concat.getLhs().getDefiningOp<ConcatOp>())
    concat = inner;
  return concat.getLhs();
}

namespace {
/// A norm and the SiLU of a gate, multiplied in f32 -> gated_rms_norm.
struct RaiseGatedRMSNorm : FusionPattern<CastOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(CastOp narrow,
                                PatternRewriter &rewriter) const override {
    Value product = narrow.getInput();
    Value gate, scaled;
    if (auto swiglu = product.getDefiningOp<SwiGLUOp>()) {
      gate = swiglu.getGate();
      scaled = swiglu.getUp();
    } else if (auto mul = product.getDefiningOp<MulOp>()) {
      bool isFirst = mul.getLhs().getDefiningOp<SiluOp>() != nullptr;
      gate = getInputOf<SiluOp>(isFirst ? mul.getLhs() : mul.getRhs());
      scaled = isFirst ? mul.getRhs() : mul.getLhs();
    }
    auto norm =
        scaled ? getNarrow(scaled).getDefiningOp<RMSNormOp>() : RMSNormOp();
    if (!gate || !norm || norm.getWideWeight() || norm.getKernel())
      return rewriter.notifyMatchFailure(narrow, "no norm with a gate");
    Value plain = getNarrow(gate);
    if (plain.getType() != norm.getInput().getType() ||
        narrow.getType() != plain.getType() || plain == gate)
      return missed(narrow, rewriter,
                    "gate and norm are not of one type of 16 bits");
    if (!norm->hasOneUse() || !scaled.hasOneUse() || !product.hasOneUse())
      return missed(narrow, rewriter,
                    "the norm or the product is read elsewhere");
    if (failed(announce(narrow, rewriter)))
      return failure();
    rewriter.replaceOpWithNewOp<GatedRMSNormOp>(
        narrow, narrow.getType(), norm.getInput(), plain, norm.getWeight(),
        norm.getEpsAttr());
    return success();
  }
};

/// The gates of a delta rule, and its repeated heads -> delta_gating.
struct RaiseDeltaGating : FusionPattern<GatedDeltaRuleOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(GatedDeltaRuleOp rule,
                                PatternRewriter &rewriter) const override {
    if (rule.getBeta().getDefiningOp<DeltaGatingOp>())
      return rewriter.notifyMatchFailure(rule, "won back already");
    SmallVector<Value> gates = {rule.getQuery(), rule.getKey(), rule.getBeta(),
                                rule.getLogGate()};
    SmallVector<Value> operands = findOperands(gates);
    Proposal proposal(rewriter.getContext());
    if (!operands.empty()) {
      proposal.set<DeltaGatingOp>(getResultTypes(operands), operands);
      if (proposal.makes(gates)) {
        if (failed(announce(rule, rewriter)))
          return failure();
        auto gating =
            DeltaGatingOp::create(rewriter, rule.getLogGate().getLoc(),
                                  getResultTypes(operands), operands);
        rewriter.modifyOpInPlace(rule, [&] {
          rule->setOperands(0, 2, gating->getResults().take_front(2));
          rule.getBetaMutable().assign(gating.getBeta());
          rule.getLogGateMutable().assign(gating.getLogGate());
        });
        return success();
      }
    }
    return missed(rule, rewriter,
                  "the gates are not made as the kernel makes them");
  }

private:
  static SmallVector<Type> getResultTypes(ArrayRef<Value> operands) {
    return DeltaGatingOp::getResultTypesFor(getTensor(operands[0]),
                                            getTensor(operands[2]));
  }

  /// What could be the operands; none if something is far from it.
  static SmallVector<Value> findOperands(ArrayRef<Value> gates) {
    Value query = getRepeated(gates[0]), key = getRepeated(gates[1]);
    Value strength = getInputOf<SigmoidOp>(gates[2]);
    Value gate = getInputOf<NegOp>(gates[3]);
    auto product = gate ? gate.getDefiningOp<MulOp>() : MulOp();
    if (!strength || !product)
      return {};
    for (bool swap : {false, true}) {
      Value decay =
          getInputOf<ExpOp>(swap ? product.getLhs() : product.getRhs());
      Value softplus = swap ? product.getRhs() : product.getLhs();
      auto sum = softplus.getDefiningOp<AddOp>();
      if (!decay || !sum)
        continue;
      Value step = getInputOf<MaxScalarOp>(sum.getLhs());
      if (!step)
        step = getInputOf<MaxScalarOp>(sum.getRhs());
      auto shifted = step ? step.getDefiningOp<AddOp>() : AddOp();
      if (!shifted)
        continue;
      SmallVector<Value> operands = {query,
                                     key,
                                     strength,
                                     getNarrow(shifted.getLhs()),
                                     getNarrow(decay),
                                     shifted.getRhs()};
      if (haveFittingTypes(operands))
        return operands;
    }
    return {};
  }

  static bool haveFittingTypes(ArrayRef<Value> operands) {
    RankedTensorType query = getTensor(operands[0]),
                     strength = getTensor(operands[2]);
    return query == operands[1].getType() &&
           strength == operands[3].getType() &&
           operands[4].getType() == operands[5].getType() &&
           getTensor(operands[4]).getRank() == 1 && query.getRank() == 3 &&
           strength.getRank() == 2 && !query.isDynamicDim(1) &&
           !strength.isDynamicDim(1) && query.getDimSize(1) > 0 &&
           strength.getDimSize(1) > 0 &&
           strength.getDimSize(1) % query.getDimSize(1) == 0;
  }
};

/// Projections, convolution, delta rule, norm and output -> linear_attention.
struct RaiseLinearAttention : FusionPattern<GatedRMSNormOp> {
  using FusionPattern::FusionPattern;

  LogicalResult matchAndRewrite(GatedRMSNormOp norm,
                                PatternRewriter &rewriter) const override {
    auto rule = norm.getInput().getDefiningOp<GatedDeltaRuleOp>();
    auto gating =
        rule ? rule.getQuery().getDefiningOp<DeltaGatingOp>() : DeltaGatingOp();
    if (!gating)
      return rewriter.notifyMatchFailure(norm, "not behind a delta rule");
    auto conv = findConvolution(gating.getQuery());
    LinearOp output = findOutput(norm);
    SmallVector<Value> projections;
    Value input =
        conv ? findProjections(conv, gating, norm, projections) : Value();
    auto missed = [&](StringRef reason) {
      return this->missed(norm, rewriter, reason);
    };
    if (!output || !input)
      return missed("its projections are not plain linear layers");
    SmallVector<Value> results = {output, conv.getNewState(),
                                  rule.getNewState()};
    auto build = [&](auto &&create) {
      create(TypeRange{input.getType(), conv.getState().getType(),
                       rule.getState().getType()},
             input, conv.getWeight(), gating.getDecay(), gating.getStepBias(),
             norm.getWeight(), output.getWeight(), conv.getState(),
             rule.getState(), rule.getBatch(), projections,
             rewriter.getI64IntegerAttr(
                 getTensor(gating.getQuery()).getDimSize(1)),
             norm.getEpsAttr(), rule.getChunkAttr());
    };
    if (input.getType() != output.getType() ||
        getTensor(gating.getQuery()).isDynamicDim(1))
      return missed("its result is not of the type of its input");
    Proposal proposal(rewriter.getContext());
    build([&](auto &&...args) { proposal.set<LinearAttentionOp>(args...); });
    if (!proposal.makes(results))
      return missed("it is not computed as the op computes it");
    for (Value state : {conv.getNewState(), rule.getNewState()})
      for (Operation *user : state.getUsers())
        if (user->getBlock() != output->getBlock() ||
            user->isBeforeInBlock(output))
          return missed("a state is used before the result is there");
    if (failed(announce(norm, rewriter)))
      return failure();
    rewriter.setInsertionPoint(output);
    build([&](auto &&...args) {
      auto whole =
          LinearAttentionOp::create(rewriter, gating.getLoc(), args...);
      for (auto [result, value] : llvm::zip(results, whole->getResults()))
        rewriter.replaceAllUsesWith(result, value);
    });
    return success();
  }

private:
  static bool isPlain(LinearOp linear) {
    return linear && !linear.getBias() && !linear.getAllReduce();
  }

  static CausalConvOp findConvolution(Value query) {
    Value heads = getInputOf<SliceOp>(query);
    Value rows = getInputOf<ReshapeOp>(heads);
    return rows ? rows.getDefiningOp<CausalConvOp>() : CausalConvOp();
  }

  static LinearOp findOutput(GatedRMSNormOp norm) {
    if (!norm->hasOneUse())
      return {};
    Operation *reader = *norm->user_begin();
    if (isa<ReshapeOp>(reader) && reader->hasOneUse())
      reader = *reader->user_begin();
    auto linear = dyn_cast<LinearOp>(reader);
    return isPlain(linear) ? linear : LinearOp();
  }

  /// The layer that makes `value`, as it is or in part.
  static LinearOp findLinear(Value value) {
    while (value) {
      if (auto linear = value.getDefiningOp<LinearOp>())
        return isPlain(linear) ? linear : LinearOp();
      Value input = getInputOf<ReshapeOp>(value);
      value = input ? input : getInputOf<SliceOp>(value);
    }
    return {};
  }

  /// Sets `projections` to their weights; what they are of, or null.
  static Value findProjections(CausalConvOp conv, DeltaGatingOp gating,
                               GatedRMSNormOp norm,
                               SmallVectorImpl<Value> &projections) {
    Value input;
    for (Value value : {conv.getInput(), norm.getGate(), gating.getStrength(),
                        gating.getStep()}) {
      LinearOp linear = findLinear(value);
      if (!linear || (input && linear.getInput() != input))
        return {};
      input = linear.getInput();
      if (projections.empty() || projections.back() != linear.getWeight())
        projections.push_back(linear.getWeight());
    }
    bool hasForm = projections.size() == 2 || projections.size() == 4;
    return hasForm ? input : Value();
  }
};
} // namespace

void mlir::transformer::populateFuseGatedNorm(RewritePatternSet &patterns,
                                              FusionSwitch fusion) {
  addFusions<RaiseGatedRMSNorm>(patterns, fusion);
}

void mlir::transformer::populateFuseDeltaGating(RewritePatternSet &patterns,
                                                FusionSwitch fusion) {
  addFusions<RaiseDeltaGating>(patterns, fusion);
}

void mlir::transformer::populateFuseLinearAttention(RewritePatternSet &patterns,
                                                    FusionSwitch fusion) {
  addFusions<RaiseLinearAttention>(patterns, fusion);
}
