//===- CompressedAttention.cpp - DeepSeek-V4's blocks ---------------------===//

#include "CompressedAttention.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Builds the attention of one layer.
class AttentionBuilder {
public:
  AttentionBuilder(BlockBuilder &block, int64_t layer, Value rope, Value batch)
      : block(block), builder(block.builder), config(block.config),
        attention(*block.config.compressed),
        ratio(attention.getRatio(layer, config.numHiddenLayers)), rope(rope),
        batch(batch), loc(block.at("self_attn")) {}

  Value run(Value hidden) {
    tokens = getDims(BlockBuilder::getType(hidden))[0];
    Value latent = block.rmsNorm("self_attn.q_a_layernorm",
                                 block.linear("self_attn.q_a_proj", hidden,
                                              attention.queryRank, false, {}),
                                 {}, /*isKernel=*/true);
    Value query = block.splitHeads("self_attn.q_b_proj",
                                   block.linear("self_attn.q_b_proj", latent,
                                                config.getQueryWidth(), false,
                                                byHeads(config.headDim)),
                                   config.numAttentionHeads);
    query = NormalizeOp::create(builder, loc, query,
                                builder.getF64FloatAttr(config.rmsNormEps));
    query = rotate(query);
    Value heads;
    Value rows = makeRows(hidden, query, heads);
    Value indices;
    if (attention.isIndexed(ratio))
      indices = pickRows(hidden, latent, heads);
    Value mixed = attend(hidden, query, rows, indices);
    mixed = rotate(mixed, /*inverse=*/true);
    return project(mixed);
  }

private:
  RankedTensorType getType(ArrayRef<Dim> dims) {
    return getTensorType(dims, builder.getF16Type());
  }

  ShardingAttr byHeads(int64_t unit) {
    return block.split(ShardKind::Column, ShardGroup::Tensor, unit);
  }

  Value reshape(Value value, ArrayRef<Dim> dims) {
    return ReshapeOp::create(builder, loc, getType(dims), value);
  }

  RopeStyle getStyle() const {
    return attention.interleavedRope ? RopeStyle::Interleaved : RopeStyle::Half;
  }

  Value rotate(Value heads, bool inverse = false) {
    return RotatePartOp::create(
        builder, block.at("self_attn.rotary_emb"), heads.getType(), heads, rope,
        builder.getI64IntegerAttr(attention.ropeHeadDim),
        inverse ? builder.getUnitAttr() : UnitAttr(), getStyle());
  }

  /// A cache of rows of `size`.
  KVCacheOp declareCache(StringRef name, int64_t size, Type element,
                         bool isAuxiliary, int64_t slots, int64_t perSlot) {
    auto integer = [&](int64_t value) {
      return value ? builder.getI64IntegerAttr(value) : IntegerAttr();
    };
    auto type = KVCacheType::get(builder.getContext(), {size}, element,
                                 kKVCacheBlockSize);
    int64_t spare = config.numDraftTokens > 0 ? config.numDraftTokens + 1 : 0;
    return KVCacheOp::create(
        builder, block.at(name), type, builder.getStringAttr(name), isAuxiliary,
        integer(slots ? 0 : spare), integer(slots), integer(perSlot));
  }

  /// The rows of the new tokens; `heads` are they as one head each.
  Value makeRows(Value hidden, Value query, Value &heads) {
    // The model keeps the order of the two projections so.
    hidden = TieOp::create(builder, loc, hidden, query);
    Value rows = block.rmsNorm(
        "self_attn.kv_norm",
        block.linear("self_attn.kv_proj", hidden, config.headDim, false, {}),
        {}, /*isKernel=*/true);
    heads = rotate(block.splitHeads("self_attn.kv_proj", rows, 1));
    rows = reshape(heads, {tokens, Dim(config.headDim)});
    int64_t rest = config.headDim - attention.ropeHeadDim;
    if (rest > 0)
      rows = RoundFeaturesOp::create(builder, loc, rows.getType(), rows,
                                     builder.getI64IntegerAttr(rest));
    return rows;
  }

  /// Makes compressed rows of `size` and caches them.
  Value compress(StringRef name, Value hidden, int64_t size, bool isIndex) {
    std::string prefix = name.str();
    bool overlap = attention.isIndexed(ratio);
    int64_t parts = overlap ? 2 : 1, width = parts * size;
    Type f32 = builder.getF32Type();
    Location place = block.at(prefix);
    Value cache =
        declareCache(prefix, size, builder.getF16Type(), false, 0, ratio);
    Value state =
        declareCache(prefix + ".state", 2 * width, f32, true, parts * ratio, 0);
    auto weight = [&](StringRef part, ArrayRef<int64_t> shape, bool isWide) {
      return block.declare(prefix + part.str(), shape, place, {}, isWide);
    };
    Value value = weight(".kv_proj.weight", {width, config.hiddenSize}, true);
    Value gate = weight(".gate_proj.weight", {width, config.hiddenSize}, true);
    Value positions = weight(".ape.weight", {ratio, width}, true);
    Value norm = weight(".norm.weight", {size}, false);
    auto unit = [&](bool isSet) {
      return isSet ? builder.getUnitAttr() : UnitAttr();
    };
    return CompressOp::create(
               builder, place, TypeRange{cache.getType(), state.getType()},
               hidden, rope, cache, state, batch, value, gate, positions, norm,
               builder.getI64IntegerAttr(ratio), unit(overlap),
               builder.getI64IntegerAttr(attention.ropeHeadDim), unit(isIndex),
               builder.getF64FloatAttr(config.rmsNormEps), getStyle())
        .getCacheAfter();
  }

  /// The compressed rows that each token attends to.
  Value pickRows(Value hidden, Value latent, Value rows) {
    std::string prefix = "self_attn.indexer";
    Location place = block.at(prefix);
    int64_t heads = attention.indexHeads, size = attention.indexHeadDim;
    latent = TieOp::create(builder, place, latent, rows);
    hidden = TieOp::create(builder, place, hidden, rows);
    Value query = block.linear(prefix + ".wq_b", latent, heads * size, false,
                               byHeads(size));
    query = rotate(reshape(query, {tokens, Dim(heads), Dim(size)}));
    Value cache = compress(prefix + ".compressor", hidden, size, true);
    Value share = block.linear(prefix + ".weights_proj", hidden, heads, false,
                               byHeads(1));
    double scale = 1 / std::sqrt(static_cast<double>(size) * heads);
    share = MulScalarOp::create(builder, place, share,
                                builder.getF64FloatAttr(scale));
    ExprAttr picked = PickCompressedOp::getNumPicked(
        builder.getContext(), ratio, attention.indexTopK);
    return PickCompressedOp::create(
        builder, place,
        getTensorType({tokens, Dim(picked)}, builder.getI64Type()), query,
        share, cache, batch, builder.getI64IntegerAttr(ratio),
        builder.getI64IntegerAttr(attention.indexTopK), RanksAttr());
  }

  Value attend(Value hidden, Value query, Value rows, Value indices) {
    Value window =
        declareCache("self_attn", config.headDim, builder.getF16Type(), false,
                     attention.window, 0);
    IntegerAttr length = builder.getI64IntegerAttr(attention.window);
    window = AppendWindowOp::create(builder, loc, window.getType(), rows,
                                    window, batch, length,
                                    ratio ? builder.getUnitAttr() : UnitAttr());
    Value compressed;
    if (ratio)
      compressed = compress("self_attn.compressor", hidden, config.headDim,
                            /*isIndex=*/false);
    Value sink = block.declare("self_attn.attn_sink",
                               {config.numAttentionHeads}, loc, {}, true);
    double scale = 1 / std::sqrt(static_cast<double>(config.headDim));
    return WindowAttentionOp::create(
        builder, loc, query.getType(), query, rows, window, batch, sink,
        compressed, indices, length,
        ratio ? builder.getI64IntegerAttr(ratio) : IntegerAttr(),
        builder.getF64FloatAttr(scale));
  }

  /// In groups to a low rank, and together to the hidden size.
  Value project(Value mixed) {
    int64_t groups = attention.outputGroups, rank = attention.outputRank;
    StringRef name = "self_attn.o_a_proj";
    Value weight =
        block.weight(name, {groups * rank, config.getQueryWidth() / groups},
                     block.at(name), byHeads(rank));
    Value inner = GroupedProjectionOp::create(
        builder, block.at(name), getType({tokens, Dim(groups * rank)}),
        block.joinHeads("self_attn", mixed), weight);
    return block.linear("self_attn.o_b_proj", inner, config.hiddenSize, false,
                        block.split(ShardKind::Row, ShardGroup::Output));
  }

  BlockBuilder &block;
  OpBuilder &builder;
  const DecoderConfig &config;
  const CompressedAttentionConfig &attention;
  int64_t ratio;
  Value rope, batch;
  Location loc;
  Dim tokens = Dim(0);
};
} // namespace

Value tensorcast::buildCompressedAttention(BlockBuilder &block, int64_t layer,
                                           Value hidden, Value rope,
                                           Value batch) {
  return AttentionBuilder(block, layer, rope, batch).run(hidden);
}

//===----------------------------------------------------------------------===//
// Hyper-connections
//===----------------------------------------------------------------------===//

tensorcast::HyperBlock::HyperBlock(BlockBuilder &block, StringRef name,
                                   Value streams)
    : block(block), loc(block.at(name)), streams(streams) {
  const HyperConnectionsConfig &hyper = *block.config.hyper;
  OpBuilder &builder = block.builder;
  std::string prefix = name.str();
  int64_t mixes = hyper.getNumMixes();
  auto weight = [&](StringRef part, ArrayRef<int64_t> shape) {
    return block.declare(prefix + part.str(), shape, loc, {}, true);
  };
  Value projection =
      weight(".fn.weight", {mixes, hyper.streams * block.config.hiddenSize});
  Value scale = weight(".scale", {3}), base = weight(".base", {mixes});
  Dim tokens = getDims(BlockBuilder::getType(streams))[0];
  Dim count(hyper.streams);
  Type f32 = builder.getF32Type();
  Type types[] = {getTensorType({tokens, Dim(block.config.hiddenSize)},
                                builder.getF16Type()),
                  getTensorType({tokens, count}, f32),
                  getTensorType({tokens, count, count}, f32)};
  auto op =
      HyperInputOp::create(builder, loc, types, streams, projection, scale,
                           base, builder.getI64IntegerAttr(hyper.iterations),
                           builder.getF64FloatAttr(hyper.eps),
                           builder.getF64FloatAttr(block.config.rmsNormEps));
  input = op.getInput();
  post = op.getPost();
  comb = op.getComb();
}

Value tensorcast::HyperBlock::finish(Value output) const {
  return HyperOutputOp::create(block.builder, loc, streams.getType(), output,
                               streams, post, comb);
}

Value tensorcast::buildStreams(BlockBuilder &block, Value hidden) {
  RankedTensorType type = BlockBuilder::getType(hidden);
  SmallVector<Dim> dims = getDims(type);
  return RepeatStreamsOp::create(
      block.builder, block.at("model.hc_streams"),
      getTensorType({dims[0], Dim(block.config.hyper->streams), dims[1]},
                    type.getElementType()),
      hidden);
}

Value tensorcast::buildHyperHead(BlockBuilder &block, StringRef name,
                                 Value streams) {
  const HyperConnectionsConfig &hyper = *block.config.hyper;
  OpBuilder &builder = block.builder;
  std::string prefix = name.str();
  Location loc = block.at(name);
  auto weight = [&](StringRef part, ArrayRef<int64_t> shape) {
    return block.declare(prefix + part.str(), shape, loc, {}, true);
  };
  SmallVector<Dim> dims = getDims(BlockBuilder::getType(streams));
  Value projection = weight(
      ".fn.weight", {hyper.streams, hyper.streams * block.config.hiddenSize});
  return HyperHeadOp::create(
      builder, loc, getTensorType({dims[0], dims[2]}, builder.getF16Type()),
      streams, projection, weight(".scale", {1}),
      weight(".base", {hyper.streams}), builder.getF64FloatAttr(hyper.eps),
      builder.getF64FloatAttr(block.config.rmsNormEps));
}
