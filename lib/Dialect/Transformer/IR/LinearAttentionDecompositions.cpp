//===- LinearAttentionDecompositions.cpp - What gated delta nets are ------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

using namespace mlir;
using namespace mlir::transformer;

static RankedTensorType getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value convert(OpBuilder &builder, Location loc, Value value,
                     Type elementType) {
  RankedTensorType type = withElementType(getTensor(value), elementType);
  if (value.getType() == type)
    return value;
  return CastOp::create(builder, loc, type, value);
}

/// `value` in the shape `dims`.
static Value reshape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<Dim> dims) {
  Type type = getTensorType(dims, getTensor(value).getElementType());
  if (value.getType() == type)
    return value;
  return ReshapeOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

/// log(1 + exp(x)), of which no part overflows:
/// max(x, 0) + log(1 + exp(min(x, 0) - max(x, 0)))
static Value buildSoftplus(OpBuilder &builder, Location loc, Value x) {
  FloatAttr zero = builder.getF64FloatAttr(0.0);
  Value above = MaxScalarOp::create(builder, loc, x, zero);
  Value below = MinScalarOp::create(builder, loc, x, zero);
  Value distance = SubOp::create(builder, loc, below, above);
  Value share = ExpOp::create(builder, loc, distance.getType(), distance);
  Value rest = Log1pOp::create(builder, loc, share.getType(), share);
  return AddOp::create(builder, loc, above, rest);
}

/// Each head `count` times, one after the other: what a head repeats is seen as
/// its features, and then as heads.
static Value repeatHeads(OpBuilder &builder, Location loc, Value heads,
                         int64_t count) {
  SmallVector<Dim> dims = getDims(getTensor(heads));
  Value all = heads;
  for (int64_t copy = 1; copy < count; ++copy)
    all = ConcatOp::create(builder, loc, all, heads);
  return reshape(builder, loc, all,
                 {dims[0], Dim(dims[1].size * count), dims[2]});
}

SmallVector<Value> DeltaGatingOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t group = getWideQuery().getType().getDimSize(1) /
                  getQuery().getType().getDimSize(1);
  Value query = repeatHeads(builder, loc, getQuery(), group);
  Value key = repeatHeads(builder, loc, getKey(), group);
  Value beta =
      SigmoidOp::create(builder, loc, getStrength().getType(), getStrength());
  Type f32 = builder.getF32Type();
  Value decay = convert(builder, loc, getDecay(), f32);
  Value rate = ExpOp::create(builder, loc, decay.getType(), decay);
  Value step = AddOp::create(
      builder, loc, convert(builder, loc, getStep(), f32), getStepBias());
  Value gate =
      MulOp::create(builder, loc, buildSoftplus(builder, loc, step), rate);
  return {query, key, beta, NegOp::create(builder, loc, gate.getType(), gate)};
}

SmallVector<Value> GatedRMSNormOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Type f32 = builder.getF32Type();
  Value norm = RMSNormOp::create(builder, loc, getInput(), getWeight(),
                                 getEpsAttr(), UnitAttr());
  Value gate = convert(builder, loc, getGate(), f32);
  gate = SiluOp::create(builder, loc, gate.getType(), gate);
  Value product =
      MulOp::create(builder, loc, convert(builder, loc, norm, f32), gate);
  return {convert(builder, loc, product, getType().getElementType())};
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

namespace {
/// Builds the ops of a gated delta net.
class DeltaNetBuilder {
public:
  DeltaNetBuilder(LinearAttentionOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        tokens(getDims(op.getInput().getType())[0]) {}

  SmallVector<Value> run() {
    project();
    auto conv =
        CausalConvOp::create(builder, op.getConv().getLoc(), mixed,
                             op.getConv(), op.getConvState(), op.getBatch());
    int64_t keySize = op.getKeySize(), size = op.getValueSize();
    int64_t perHead = op.getGroup() * size;
    Value heads = splitHeads(conv.getResult(), 2 * keySize + perHead);
    Value query = slice(heads, 0, keySize);
    Value key = slice(heads, keySize, keySize);
    Value value =
        splitHeads(joinHeads(slice(heads, 2 * keySize, perHead)), size);
    auto gating = DeltaGatingOp::create(
        builder, loc,
        DeltaGatingOp::getResultTypesFor(getTensor(query), getTensor(strength)),
        ValueRange{query, key, strength, step, op.getDecay(),
                   op.getStepBias()});
    auto rule = GatedDeltaRuleOp::create(
        builder, loc, gating.getWideQuery(), gating.getWideKey(), value,
        gating.getBeta(), gating.getLogGate(), op.getState(), op.getBatch(),
        op.getChunkAttr());
    Value norm = GatedRMSNormOp::create(
        builder, op.getNorm().getLoc(), rule.getResult(),
        splitHeads(gate, size), op.getNorm(), op.getEpsAttr());
    return {linear(joinHeads(norm), op.getOutput()), conv.getNewState(),
            rule.getNewState()};
  }

private:
  /// Sets what the projections make of the input: `mixed` and `gate` are tokens
  /// by features, `strength` and `step` tokens by value heads.
  void project() {
    SmallVector<Value> results;
    for (Value weight : op.getProjections())
      results.push_back(linear(op.getInput(), weight));
    if (results.size() == 4) {
      mixed = results[0];
      gate = results[1];
      strength = results[2];
      step = results[3];
      return;
    }
    int64_t group = op.getGroup(), values = group * op.getValueSize();
    int64_t channels = 2 * op.getKeySize() + values;
    Value wide = splitHeads(results[0], channels + values);
    mixed = joinHeads(slice(wide, 0, channels));
    gate = joinHeads(slice(wide, channels, values));
    Value both = splitHeads(results[1], 2 * group);
    strength = joinHeads(slice(both, 0, group));
    step = joinHeads(slice(both, group, group));
  }

  Value linear(Value input, Value weight) {
    Type type = getTensorType({tokens, getDims(getTensor(weight))[0]},
                              getTensor(input).getElementType());
    return LinearOp::create(builder, weight.getLoc(), type, input, weight,
                            Value(), RanksAttr());
  }

  Value slice(Value value, int64_t offset, int64_t size) {
    return SliceOp::create(builder, loc, value, offset, size);
  }

  Value splitHeads(Value value, int64_t size) {
    int64_t width = getTensor(value).getDimSize(1);
    return reshape(builder, loc, value, {tokens, Dim(width / size), Dim(size)});
  }

  Value joinHeads(Value value) {
    RankedTensorType type = getTensor(value);
    return reshape(builder, loc, value,
                   {tokens, Dim(type.getDimSize(1) * type.getDimSize(2))});
  }

  LinearAttentionOp op;
  OpBuilder &builder;
  Location loc;
  Dim tokens;
  Value mixed, gate, strength, step;
};
} // namespace

SmallVector<Value> LinearAttentionOp::decompose(OpBuilder &builder) {
  return DeltaNetBuilder(*this, builder).run();
}
