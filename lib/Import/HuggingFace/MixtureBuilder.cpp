//===- MixtureBuilder.cpp - The mixture of experts of a layer -------------===//

#include "BlockBuilder.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Builds the mixture from the tokens that come in to those that go out.
class MixtureBuilder {
public:
  MixtureBuilder(BlockBuilder &block, const MixtureConfig &mixture)
      : block(block), builder(block.builder), mixture(mixture),
        router(mixture.router),
        routerName(mixture.block + "." + mixture.routerName),
        routerLoc(block.at(routerName)),
        loc(block.at(mixture.block + ".experts")) {}

  Value run(Value hidden, Value ids) {
    // A router that yields logits has those of all tokens.
    Value logits = router.yieldsLogits ? getLogits(hidden) : Value();
    Value tokens = spread(hidden);
    logits = logits ? spread(logits) : getLogits(tokens);
    auto choice = select(logits, ids ? spread(ids) : Value());
    Value rows = PermuteTokensOp::create(
        builder, loc, getRowsType(choice.getIds(), block.config.hiddenSize),
        tokens, choice.getIds());
    Value output = combine(runExperts(rows, choice.getIds()), choice);
    if (mixture.sharedIntermediateSize)
      output = AddOp::create(
          builder, block.at(mixture.block + "." + mixture.sharedName + ".sum"),
          output, runShared(tokens));
    if (output.getType() != tokens.getType())
      output = CastOp::create(builder, loc, tokens.getType(), output);
    return CollectTokensOp::create(builder, loc, output.getType(), output);
  }

private:
  /// The shared expert, perhaps scaled per token.
  Value runShared(Value tokens) {
    std::string name = mixture.block + "." + mixture.sharedName;
    Value shared =
        block.gatedMLP(name, tokens, mixture.sharedIntermediateSize,
                       ShardGroup::SharedExpert, mixture.sharedActivationLimit);
    if (!mixture.hasSharedGate)
      return shared;
    name += "_gate";
    Value gate = block.linear(name, tokens, 1, /*hasBias=*/false, {});
    Location place = block.at(name);
    gate = SigmoidOp::create(builder, place, gate.getType(), gate);
    return MulOp::create(builder, place, gate, shared);
  }

  Value spread(Value value) {
    return SpreadTokensOp::create(builder, routerLoc, value.getType(), value);
  }

  Value getLogits(Value tokens) {
    Value weight = block.weight(
        routerName, {mixture.numExperts, block.config.hiddenSize}, routerLoc);
    Value bias;
    if (router.hasLogitBias)
      bias =
          block.declare(routerName + ".bias", {mixture.numExperts}, routerLoc);
    if (router.wideLogits) {
      tokens = block.widen(tokens, routerLoc);
      weight = block.widen(weight, routerLoc);
      bias = bias ? block.widen(bias, routerLoc) : bias;
    }
    Value logits = MatmulOp::create(builder, routerLoc, tokens, weight, bias,
                                    /*transposed=*/true);
    // Those that experts are chosen by stay as they are.
    return router.wideLogits || router.usesChosenSoftmax
               ? logits
               : block.widen(logits, routerLoc);
  }

  /// With `ids` of tokens, a table says which experts they have.
  SelectExpertsOp select(Value logits, Value ids) {
    Value bias, table;
    if (ids)
      table = WeightOp::create(
          builder, routerLoc,
          RankedTensorType::get({block.config.vocabSize, mixture.numChoices},
                                builder.getI32Type()),
          builder.getStringAttr(routerName + ".tid2eid"), ShardingAttr());
    else if (router.hasBias)
      bias =
          block.declare(routerName + ".e_score_correction_bias",
                        {mixture.numExperts}, routerLoc, {}, router.wideBias);
    SmallVector<Dim> dims = getDims(BlockBuilder::getType(logits));
    dims.back() = Dim(mixture.numChoices);
    Type element =
        router.wideWeights ? Type(builder.getF32Type()) : builder.getF16Type();
    auto integer = [&](int64_t value) {
      return value ? builder.getI64IntegerAttr(value) : IntegerAttr();
    };
    return SelectExpertsOp::create(
        builder, routerLoc, getTensorType(dims, element),
        getTensorType(dims, builder.getI64Type()), logits, bias, table, ids,
        mixture.numChoices, getScore(), integer(router.topGroups),
        integer(router.groups), router.normalizes,
        router.epsilon ? builder.getF64FloatAttr(router.epsilon) : FloatAttr(),
        router.scale != 1 || router.groups
            ? builder.getF64FloatAttr(router.scale)
            : FloatAttr(),
        router.yieldsLogits || router.usesSqrtSoftplus);
  }

  ScoreFunction getScore() const {
    if (router.usesChosenSoftmax)
      return ScoreFunction::SoftmaxOfChosen;
    if (router.usesSqrtSoftplus)
      return ScoreFunction::SqrtSoftplus;
    return router.usesSigmoid ? ScoreFunction::Sigmoid : ScoreFunction::Softmax;
  }

  /// A row per choice.
  Type getRowsType(Value ids, int64_t width) {
    auto type = cast<RankedTensorType>(ids.getType());
    return getTensorType({Dim(getNumElements(type)), Dim(width)},
                         builder.getF16Type());
  }

  Value runExperts(Value rows, Value ids) {
    int64_t hidden = block.config.hiddenSize, inner = mixture.intermediateSize;
    auto placement = PlacementAttr::get(builder.getContext(),
                                        mixture.numExperts, 1, 1, 0, false);
    auto linear = [&](StringRef name, Value input, int64_t from, int64_t to,
                      ShardKind kind) -> Value {
      std::string full = mixture.block + ".experts." + name.str();
      Location place = block.at(full);
      Value weight = block.weight(full, {mixture.numExperts, to, from}, place,
                                  block.split(kind, ShardGroup::Expert));
      Value bias;
      if (mixture.hasBias)
        bias = block.declare(full + ".bias", {mixture.numExperts, to}, place,
                             block.split(kind, ShardGroup::Expert));
      return GroupedLinearOp::create(builder, place, getRowsType(ids, to),
                                     input, weight, ids, bias, placement,
                                     UnitAttr());
    };
    Value gate = linear("gate_proj", rows, hidden, inner, ShardKind::Column);
    Value up = linear("up_proj", rows, hidden, inner, ShardKind::Column);
    Value active =
        block.gateProjection(mixture.block + ".experts.act_fn", gate, up,
                             mixture.activationLimit, mixture.activationSlope);
    return linear("down_proj", active, inner, hidden, ShardKind::Row);
  }

  /// The sum is rounded at once where no shared expert is added to it.
  Value combine(Value rows, SelectExpertsOp choice) {
    SmallVector<Dim> dims = getDims(choice.getIds().getType());
    dims[1] = Dim(block.config.hiddenSize);
    Type element = mixture.sharedIntermediateSize
                       ? choice.getWeights().getType().getElementType()
                       : BlockBuilder::getType(rows).getElementType();
    return CombineTokensOp::create(builder, loc, getTensorType(dims, element),
                                   rows, choice.getWeights(), choice.getIds());
  }

  BlockBuilder &block;
  OpBuilder &builder;
  const MixtureConfig &mixture;
  const RouterConfig &router;
  std::string routerName;
  Location routerLoc, loc;
};
} // namespace

Value mlir::tensorcast::buildMixture(BlockBuilder &block, Value hidden,
                                     Value ids) {
  return MixtureBuilder(block, *block.config.mixture).run(hidden, ids);
}
