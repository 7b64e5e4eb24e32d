//===- RoutingLowering.cpp - Choice of experts ----------------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// The choice of experts in one kernel, which may leave the weights as the
/// scores are.
struct LowerSelectExperts : LoweringPattern<SelectExpertsOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SelectExpertsOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getGatingKernel() && op.getScore() == ScoreFunction::SqrtSoftplus &&
        kernels.lookup("score_top_k"))
      return chooseByScores(op, rewriter);
    if (!op.getGatingKernel() && kernels.getSwitch("no_fused_gating") != 0)
      return rewriter.notifyMatchFailure(
          op, "it is composite; run transformer-decompose first");
    const Kernel *kernel = kernels.lookup("gating_top_k");
    bool isBare = kernel && kernel->getCoefficient("yields_bare_scores");
    SmallVector<Value> inputs = {op.getLogits()};
    if (op.getBias() && !isBare)
      inputs.push_back(op.getBias());
    if (op.getTable())
      llvm::append_values(inputs, op.getTokens(), op.getTable());
    ExprAttr scores = getNumElements(op.getLogits().getType());
    if (!scores)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &used) {
      addElementwiseWork(builder, loc, used, scores, builder.getF32Type());
    };
    RankedTensorType type = op.getWeights().getType();
    RankedTensorType wide =
        isBare ? withElementType(type, rewriter.getF32Type()) : type;
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(op, {wide, op.getIds().getType()}, kernels, rewriter,
                     {"gating_top_k", inputs, {}, {}, work});
    if (failed(launch))
      return failure();
    Value weights = launch->getResult(0);
    if (isBare && failed(finish(op, weights, rewriter)))
      return failure();
    rewriter.replaceOp(op, {weights, launch->getResult(1)});
    return success();
  }

private:
  /// Scores have kernels of their own, in front of the one that chooses.
  LogicalResult chooseByScores(SelectExpertsOp op,
                               PatternRewriter &rewriter) const {
    RankedTensorType type = op.getLogits().getType();
    ExprAttr scores = getNumElements(type);
    ExprAttr choices = getNumElements(op.getIds().getType());
    if (!scores || !choices)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto launch =
        [&](StringRef kernel, TypeRange types, ValueRange inputs,
            llvm::function_ref<void(OpBuilder &, Location, const Kernel &)>
                work = {}) -> FailureOr<ascend::LaunchOp> {
      return createLaunch(op, types, kernels, rewriter,
                          {kernel, llvm::to_vector(inputs), {}, {}, work});
    };
    Value value = op.getLogits();
    SmallVector<StringRef> steps = {"softplus", "sqrt"};
    if (!kernels.lookup("softplus"))
      steps = {"exp", "log1p", "greater", "select", "sqrt"};
    for (StringRef step : steps) {
      Type result = step == "greater"
                        ? withElementType(type, rewriter.getI1Type())
                        : type;
      // Where logits are large, they are the scores.
      SmallVector<Value> inputs = {value};
      if (step == "greater")
        inputs = {op.getLogits()};
      else if (step == "select")
        inputs = {value, op.getLogits(), op.getLogits()};
      FailureOr<ascend::LaunchOp> built = launch(step, result, inputs);
      if (failed(built))
        return failure();
      value = built->getResult(0);
    }
    SmallVector<Value> inputs = {value};
    if (op.getBias())
      inputs.push_back(op.getBias());
    if (op.getTable())
      llvm::append_values(inputs, getAllTokens(op.getTokens()), op.getTable());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      Type f32 = builder.getF32Type();
      auto add = [&](ExprAttr elements, double each) {
        if (each > 0)
          ascend::ElementwiseOp::create(
              builder, loc, elements, ExprAttr::constant(op.getContext(), each),
              f32);
      };
      double perScore = kernel.getCoefficient("f32_ops_per_score");
      add(scores, perScore + (perScore > 0 && op.getBias() ? 1 : 0));
      add(choices, kernel.getCoefficient("f32_ops_per_choice") +
                       (op.getNormalize() ? 2 : 0));
    };
    RankedTensorType weights = op.getWeights().getType();
    RankedTensorType wide = withElementType(weights, rewriter.getF32Type());
    FailureOr<ascend::LaunchOp> chosen =
        launch(op.getTable() ? "hash_top_k" : "score_top_k",
               {wide, op.getIds().getType()}, inputs, work);
    if (failed(chosen))
      return failure();
    Value result = chosen->getResult(0);
    if (weights != wide) {
      FailureOr<ascend::LaunchOp> cast = launch("cast", weights, result);
      if (failed(cast))
        return failure();
      result = cast->getResult(0);
    }
    rewriter.replaceOp(op, {result, chosen->getResult(1)});
    return success();
  }

  /// The ids of all tokens, of which a device may route a part.
  static Value getAllTokens(Value tokens) {
    while (Operation *part = tokens.getDefiningOp()) {
      if (!isa<OwnRowsOp, PadRowsOp, ascend::ViewOp>(part))
        break;
      tokens = part->getOperand(0);
    }
    return tokens;
  }

  /// Normalizes and rounds scores by kernels of their own.
  LogicalResult finish(SelectExpertsOp op, Value &weights,
                       PatternRewriter &rewriter) const {
    auto launch = [&](StringRef kernel, Type type,
                      ValueRange inputs) -> FailureOr<Value> {
      FailureOr<ascend::LaunchOp> built =
          createLaunch(op, type, kernels, rewriter,
                       {kernel, llvm::to_vector(inputs), {}, {}, {}});
      if (failed(built))
        return failure();
      return built->getResult(0);
    };
    auto type = cast<RankedTensorType>(weights.getType());
    if (op.getNormalize()) {
      SmallVector<Dim> dims = getDims(type);
      dims.back() = Dim(1);
      FailureOr<Value> sum =
          launch("sum", getTensorType(dims, type.getElementType()), weights);
      if (failed(sum))
        return failure();
      FailureOr<Value> quotient = launch("div", type, {weights, *sum});
      if (failed(quotient))
        return failure();
      weights = *quotient;
    }
    if (op.getWeights().getType() == type)
      return success();
    FailureOr<Value> rounded =
        launch("cast", op.getWeights().getType(), weights);
    if (failed(rounded))
      return failure();
    weights = *rounded;
    return success();
  }
};

/// A column each for choices and weights, whose last one is constant.
struct LowerAddSharedChoice : LoweringPattern<AddSharedChoiceOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AddSharedChoiceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    std::pair<Value, Value> columns[] = {{op.getAllIds(), op.getIds()},
                                         {op.getAllWeights(), op.getWeights()}};
    for (auto [result, input] : columns) {
      FailureOr<ascend::LaunchOp> launch =
          createLaunch(op, result.getType(), kernels, rewriter,
                       {"concat", {input}, {}, {}, {}});
      if (failed(launch))
        return failure();
      results.push_back(launch->getResult(0));
    }
    rewriter.replaceOp(op, {results[1], results[0]});
    return success();
  }
};

/// A mask of the groups, spread over their scores.
struct LowerMaskGroups : LoweringPattern<MaskGroupsOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(MaskGroupsOp op,
                                PatternRewriter &rewriter) const override {
    if (kernels.lookup("mask_groups"))
      return replaceWithElementwiseLaunch(op, kernels, rewriter, "mask_groups");
    RankedTensorType type = op.getType();
    SmallVector<Dim> dims = getDims(type);
    RankedTensorType groups =
        getTensorType({dims[0], Dim(op.getGroups())}, type.getElementType());
    RankedTensorType mask = withElementType(type, rewriter.getI1Type());
    Value kept = getView(op, groups, rewriter);
    SmallVector<std::pair<StringRef, RankedTensorType>> steps;
    if (kernels.lookup("zeros_like"))
      steps.emplace_back("zeros_like", groups);
    steps.emplace_back("scatter", groups);
    if (op.getGroups() > 1)
      steps.emplace_back("clone", type);
    steps.emplace_back("cast", mask);
    steps.emplace_back("logical_not", mask);
    for (auto [name, result] : steps) {
      SmallVector<Value> inputs = {kept};
      if (name == "scatter")
        inputs.push_back(op.getChosen());
      // The mask is seen once per score.
      if (name == "clone" || name == "cast")
        inputs = {getView(op, type, rewriter)};
      FailureOr<ascend::LaunchOp> launch = createLaunch(
          op, result, kernels, rewriter, {name, inputs, {}, {}, {}});
      if (failed(launch))
        return failure();
      kept = launch->getResult(0);
    }
    StringRef last =
        kernels.lookup("masked_fill_groups") ? "masked_fill_groups" : "select";
    return replaceWithLaunch(op, kernels, rewriter,
                             {last, {op.getInput(), kept}, {}, {}, {}});
  }

private:
  static Value getView(MaskGroupsOp op, Type type, PatternRewriter &rewriter) {
    return ascend::ViewOp::create(rewriter, op.getLoc(), TypeRange{type},
                                  ValueRange{op.getInput()})
        .getResult(0);
  }
};
} // namespace

void mlir::tensorcast::populateRoutingLowering(RewritePatternSet &patterns,
                                               const KernelSet &kernels) {
  patterns.add<LowerAddSharedChoice, LowerMaskGroups, LowerSelectExperts>(
      patterns.getContext(), kernels);
}
