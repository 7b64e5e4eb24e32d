//===- RoutingOps.cpp - Who goes to which expert --------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsRouting.cpp.inc"

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

bool SoftmaxOp::isLaunchedWhole() { return true; }

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t last = getInput().getType().getRank() - 1;
  Value most = MaxOp::create(builder, loc, getInput(), last);
  Value shifted = SubOp::create(builder, loc, getInput(), most);
  Value powers = ExpOp::create(builder, loc, shifted.getType(), shifted);
  Value sum = SumOp::create(builder, loc, powers, last);
  return {DivOp::create(builder, loc, powers, sum)};
}

bool SoftplusOp::isLaunchedWhole() { return true; }

SmallVector<Value> SoftplusOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Type type = getType();
  auto limit = [&](Value value) -> Value {
    return MaxScalarOp::create(builder, loc, value,
                               builder.getF64FloatAttr(0.0));
  };
  // -|x| is x or -x less its positive part.
  Value ramp = limit(getInput());
  Value negated = NegOp::create(builder, loc, type, getInput());
  Value size = AddOp::create(builder, loc, ramp, limit(negated));
  Value power = ExpOp::create(builder, loc, type,
                              NegOp::create(builder, loc, type, size));
  Value sum =
      AddScalarOp::create(builder, loc, power, builder.getF64FloatAttr(1.0));
  return {AddOp::create(builder, loc, ramp,
                        LogOp::create(builder, loc, type, sum))};
}

LogicalResult LookUpExpertsOp::verify() {
  RankedTensorType table = getTable().getType(), tokens = getTokens().getType();
  if (failed(verifyRank(*this, "table", table, 2)) ||
      failed(verifyRank(*this, "tokens", tokens, 1)))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getDims(tokens)[0], getDims(table)[1]});
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       TopKOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensor(adaptor.getInput());
  int64_t count = adaptor.getCount();
  SmallVector<Dim> dims = getDims(input);
  if (dims.empty() || (dims.back().isStatic() && count > dims.back().size))
    return emitOptionalError(loc, "expected 'count' of at most the ",
                             dims.empty() ? "1" : toString(dims.back()),
                             " elements of a row, but got ", count);
  dims.back() = Dim(count);
  types.push_back(getTensorType(dims, input.getElementType()));
  types.push_back(getTensorType(dims, IntegerType::get(context, 64)));
  return success();
}

LogicalResult TakeOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       TakeOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensor(adaptor.getInput());
  RankedTensorType indices = getTensor(adaptor.getIndices());
  SmallVector<Dim> from = getDims(input), dims = getDims(indices);
  bool valid = !dims.empty() && from.size() == dims.size();
  for (size_t i = 0; valid && i + 1 < dims.size(); ++i)
    valid = mayBeEqual(from[i], dims[i]);
  if (!valid)
    return emitOptionalError(loc,
                             "expected input and indices that differ in the "
                             "last size only, but got ",
                             input, " and ", indices);
  types.push_back(getTensorType(dims, input.getElementType()));
  return success();
}

LogicalResult MaskGroupsOp::verify() {
  SmallVector<Dim> dims = getDims(getInput().getType());
  SmallVector<Dim> chosen = getDims(getChosen().getType());
  if (dims.size() != 2 || chosen.size() != 2 || !mayBeEqual(dims[0], chosen[0]))
    return emitOpError("expected rows of scores and of groups, but got ")
           << getInput().getType() << " and " << getChosen().getType();
  int64_t groups = getGroups();
  if (dims[1].isStatic() && dims[1].size % groups != 0)
    return emitOpError("expected 'groups' to divide ")
           << dims[1].size << " scores, but got " << groups;
  return success();
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

LogicalResult SelectExpertsOp::verify() {
  RankedTensorType logits = getLogits().getType();
  if (failed(verifyRank(*this, "logits", logits, 2)))
    return failure();
  if (getScore() == ScoreFunction::SoftmaxOfChosen) {
    if (getBias() || getGroups() || getNormalize() || getGatingKernel())
      return emitOpError("expected no 'bias', 'groups', 'normalize' or "
                         "'gating_kernel' beside 'softmax_of_chosen'");
  } else if (!logits.getElementType().isF32()) {
    return emitOpError("expected 'logits' of 'f32', but got ")
           << logits.getElementType();
  }
  SmallVector<Dim> dims = getDims(logits);
  int64_t count = getTopK();
  if (dims[1].isStatic() && count > dims[1].size)
    return emitOpError("expected 'top_k' of at most the ")
           << dims[1].size << " experts, but got " << count;
  if (getBias() && failed(verifyDims(
                       *this, "bias",
                       cast<RankedTensorType>(getBias().getType()), {dims[1]})))
    return failure();
  if (getGroups()) {
    int64_t groups = *getGroups(), kept = *getTopGroups();
    if (kept > groups)
      return emitOpError("expected at most ")
             << groups << " groups to choose from, but got " << kept;
    if (dims[1].isStatic() && dims[1].size % groups != 0)
      return emitOpError("expected groups that divide the ")
             << dims[1].size << " experts, but got " << groups;
    if (dims[1].isStatic() && count > dims[1].size / groups * kept)
      return emitOpError("expected 'top_k' of at most the ")
             << dims[1].size / groups * kept << " experts of " << kept
             << " groups, but got " << count;
  }
  if (static_cast<bool>(getTable()) != static_cast<bool>(getTokens()))
    return emitOpError("expected a table and token ids for 'hash'");
  if (getTable()) {
    if (getBias() || getGroups() ||
        getScore() == ScoreFunction::SoftmaxOfChosen)
      return emitOpError("expected no 'bias', 'groups' or 'softmax_of_chosen' "
                         "beside 'hash'");
    RankedTensorType table = getTensor(getTable());
    if (failed(verifyRank(*this, "table", table, 2)) ||
        failed(verifyDims(*this, "table", table,
                          {getDims(table)[0], Dim(count)})) ||
        failed(verifyDims(*this, "tokens", getTensor(getTokens()), {dims[0]})))
      return failure();
  }
  dims[1] = Dim(count);
  if (failed(verifyDims(*this, "weights", getWeights().getType(), dims)))
    return failure();
  return verifyDims(*this, "ids", getIds().getType(), dims);
}

LogicalResult AddSharedChoiceOp::verify() {
  SmallVector<Dim> dims = getDims(getIds().getType());
  if (failed(verifyRank(*this, "ids", getIds().getType(), 2)) ||
      failed(verifyDims(*this, "weights", getWeights().getType(), dims)))
    return failure();
  dims[1] =
      dims[1].isStatic() ? Dim(dims[1].size + 1) : Dim(ShapedType::kDynamic);
  if (failed(verifyDims(*this, "all_weights", getAllWeights().getType(), dims)))
    return failure();
  return verifyDims(*this, "all_ids", getAllIds().getType(), dims);
}

bool SelectExpertsOp::isLaunchedWhole() { return getGatingKernel(); }

namespace {
/// Builds the pieces of a choice.
class ChoiceBuilder {
public:
  ChoiceBuilder(SelectExpertsOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()) {}

  SmallVector<Value> run() {
    if (op.getScore() == ScoreFunction::SoftmaxOfChosen)
      return chooseFirst();
    Value scores = getScores(), ranked = scores;
    if (op.getTable()) {
      Value ids = LookUpExpertsOp::create(builder, loc, op.getIds().getType(),
                                          op.getTable(), op.getTokens());
      Value weights = TakeOp::create(builder, loc, scores, ids);
      if (op.getNormalize())
        weights = normalize(weights);
      return {finish(weights), ids};
    }
    if (op.getBias())
      ranked = AddOp::create(builder, loc, scores, op.getBias());
    if (op.getGroups())
      ranked = keepGroups(ranked);
    auto top = TopKOp::create(builder, loc, ranked, op.getTopK());
    // Scores that ranked by themselves are the weights already.
    Value weights = top.getValues();
    if (ranked != scores)
      weights = TakeOp::create(builder, loc, scores, top.getIndices());
    if (op.getNormalize())
      weights = normalize(weights);
    return {finish(weights), top.getIndices()};
  }

private:
  /// The choice is made by logits; weights are the softmax over what is chosen.
  SmallVector<Value> chooseFirst() {
    auto top = TopKOp::create(builder, loc, op.getLogits(), op.getTopK());
    Value chosen = convert(top.getValues(), builder.getF32Type());
    Value weights = SoftmaxOp::create(builder, loc, chosen.getType(), chosen);
    return {finish(weights), top.getIndices()};
  }

  Value finish(Value weights) {
    if (op.getScale())
      weights = MulScalarOp::create(builder, loc, weights, op.getScaleAttr());
    return convert(weights, op.getWeights().getType().getElementType());
  }

  Value convert(Value value, Type elementType) {
    RankedTensorType type = getTensor(value);
    if (type.getElementType() == elementType)
      return value;
    return CastOp::create(builder, loc, withElementType(type, elementType),
                          value);
  }

  Value getScores() {
    Value logits = op.getLogits();
    if (op.getScore() == ScoreFunction::Sigmoid)
      return SigmoidOp::create(builder, loc, logits.getType(), logits);
    if (op.getScore() == ScoreFunction::SqrtSoftplus) {
      Value ramp = SoftplusOp::create(builder, loc, logits.getType(), logits);
      return SqrtOp::create(builder, loc, ramp.getType(), ramp);
    }
    return SoftmaxOp::create(builder, loc, logits.getType(), logits);
  }

  /// The scores of the groups with the largest sums of two.
  Value keepGroups(Value scores) {
    int64_t groups = *op.getGroups();
    RankedTensorType type = getTensor(scores);
    SmallVector<Dim> dims = getDims(type);
    int64_t size = dims[1].size / groups;
    Value grouped = ReshapeOp::create(
        builder, loc,
        getTensorType({dims[0], Dim(groups), Dim(size)}, type.getElementType()),
        scores);
    auto best = TopKOp::create(builder, loc, grouped,
                               std::min<int64_t>(size, scoresPerGroup));
    Value sums = SumOp::create(builder, loc, best.getValues(), 2);
    sums = ReshapeOp::create(
        builder, loc,
        getTensorType({dims[0], Dim(groups)}, type.getElementType()), sums);
    auto chosen = TopKOp::create(builder, loc, sums, *op.getTopGroups());
    return MaskGroupsOp::create(builder, loc, type, scores, chosen.getIndices(),
                                groups);
  }

  /// Softmax scores cannot all be 0, so that only a limit is needed, if at all.
  Value normalize(Value weights) {
    Value sum = SumOp::create(builder, loc, weights, 1);
    if (op.getEpsilon()) {
      if (op.getScore() != ScoreFunction::Softmax)
        sum = AddScalarOp::create(builder, loc, sum, op.getEpsilonAttr());
      else
        sum = MaxScalarOp::create(builder, loc, sum, op.getEpsilonAttr());
    }
    return DivOp::create(builder, loc, weights, sum);
  }

  /// What a group is ranked by.
  static constexpr int64_t scoresPerGroup = 2;

  SelectExpertsOp op;
  OpBuilder &builder;
  Location loc;
};
} // namespace

SmallVector<Value> SelectExpertsOp::decompose(OpBuilder &builder) {
  return ChoiceBuilder(*this, builder).run();
}
