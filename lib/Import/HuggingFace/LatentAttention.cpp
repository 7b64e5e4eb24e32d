//===- LatentAttention.cpp - Latent attention of a config -----------------===//

#include "LatentAttention.h"
#include "AttentionReader.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Beyond any model, and small enough that products of two fit.
static constexpr int64_t maxSize = int64_t(1) << 24;
static constexpr int64_t maxHeads = 65536;

/// Newer configs list which layers have an indexer of their own.
static void readIndexerTypes(JsonReader &reader, int64_t numLayers,
                             IndexerConfig &indexer) {
  StringRef key = "indexer_types";
  indexer.isFull.assign(numLayers, true);
  const Json *types = reader.find(key);
  if (!types || types->is_null())
    return;
  if (!checkLayerList(reader, key, *types, numLayers))
    return;
  for (auto [index, type] : llvm::enumerate(*types)) {
    indexer.isFull[index] = type == "full";
    if (type == "full" || (type == "shared" && index > 0))
      continue;
    reader.emitError(key) << "expected \"full\""
                          << (index > 0 ? " or \"shared\"" : " for layer 0")
                          << ", but got " << describeJson(type);
    return;
  }
}

static IndexerConfig readIndexer(JsonReader &reader, int64_t numLayers,
                                 int64_t ropeHeadDim) {
  IndexerConfig indexer;
  indexer.numHeads = reader.integer("index_n_heads", 1, maxHeads);
  indexer.headDim = reader.integer("index_head_dim", 1, maxSize);
  indexer.topK = reader.integer("index_topk", 1, maxSize);
  indexer.interleavedRope = reader.boolean("indexer_rope_interleave", false);
  readIndexerTypes(reader, numLayers, indexer);
  if (indexer.headDim > 0 && indexer.headDim < ropeHeadDim)
    reader.emitError("index_head_dim")
        << "expected at least qk_rope_head_dim, " << ropeHeadDim << ", but got "
        << indexer.headDim;
  return indexer;
}

LatentAttentionConfig tensorcast::readLatentAttention(
    JsonReader &reader, const LatentAttentionRule &rule, int64_t numLayers) {
  LatentAttentionConfig config;
  StringRef queryRank = "q_lora_rank";
  const Json *rank = reader.find(queryRank);
  if (rank && rank->is_null())
    reader.emitError(queryRank)
        << "expected a number, as queries without a rank of their own are not "
           "modelled yet, but got null";
  else
    config.queryRank = reader.integer(queryRank, 1, maxSize);
  config.latentRank = reader.integer("kv_lora_rank", 1, maxSize);
  config.nopeHeadDim = reader.integer("qk_nope_head_dim", 1, maxSize);
  StringRef ropeHeadDim = "qk_rope_head_dim";
  config.ropeHeadDim = reader.integer(ropeHeadDim, 1, maxSize);
  if (config.ropeHeadDim % 2 != 0)
    reader.emitError(ropeHeadDim)
        << "expected an even number, as rotary embeddings turn pairs, but got "
        << config.ropeHeadDim;
  config.valueHeadDim = reader.integer("v_head_dim", 1, maxSize);
  config.interleavedRope = rule.interleavedRope;
  if (reader.boolean("attention_bias", false))
    reader.emitError("attention_bias")
        << "expected false, as biases of latent attention are not modelled "
           "yet, but got true";
  if (rule.hasIndexer)
    config.indexer = readIndexer(reader, numLayers, config.ropeHeadDim);
  return config;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

double tensorcast::countLatentParameters(const DecoderConfig &config,
                                         int64_t layer) {
  const LatentAttentionConfig &latent = *config.latent;
  double hidden = config.hiddenSize, heads = config.numAttentionHeads;
  double queryRank = latent.queryRank, rank = latent.latentRank;
  double count = hidden * queryRank + queryRank;
  count += queryRank * heads * latent.getHeadDim();
  count += hidden * (rank + latent.ropeHeadDim) + rank;
  count += rank * heads * (latent.nopeHeadDim + latent.valueHeadDim);
  count += heads * latent.valueHeadDim * hidden;
  if (!hasIndexer(config, layer))
    return count;
  double indexHeads = latent.indexer->numHeads, size = latent.indexer->headDim;
  return count + indexHeads * size * queryRank + hidden * (size + indexHeads) +
         2 * size;
}

LatentAttentionConfig tensorcast::reduced(const LatentAttentionConfig &config,
                                          int64_t numLayers) {
  // Sizes that differ in the model do so here: a graph that confuses two of
  // them must not pass.
  LatentAttentionConfig small = config;
  small.queryRank = 24;
  small.latentRank = 16;
  small.nopeHeadDim = 8;
  small.ropeHeadDim = 4;
  small.valueHeadDim = config.valueHeadDim == config.nopeHeadDim ? 8 : 12;
  if (!config.indexer)
    return small;
  small.indexer->numHeads = 4;
  small.indexer->headDim = 8;
  small.indexer->topK = 6;
  bool shares = llvm::is_contained(config.indexer->isFull, false);
  small.indexer->isFull.assign(numLayers, true);
  if (shares)
    for (int64_t layer = 1; layer < numLayers; ++layer)
      small.indexer->isFull[layer] = false;
  return small;
}

bool tensorcast::hasIndexer(const DecoderConfig &config, int64_t layer) {
  if (!config.latent || !config.latent->indexer)
    return false;
  const auto &isFull = config.latent->indexer->isFull;
  // Layers behind those of the config have what they need.
  return layer >= static_cast<int64_t>(isFull.size()) || isFull[layer];
}

bool tensorcast::takesIndices(const DecoderConfig &config, int64_t layer) {
  return config.latent && config.latent->indexer && !hasIndexer(config, layer);
}

bool tensorcast::passesIndices(const DecoderConfig &config, int64_t layer) {
  return hasIndexer(config, layer) && layer + 1 < config.numHiddenLayers &&
         takesIndices(config, layer + 1);
}

Type tensorcast::getIndicesType(const IndexerConfig &indexer,
                                MLIRContext *context) {
  return getTensorType(
      {getTokensExpr(context),
       LightningIndexerOp::getNumPicked(context, indexer.topK)},
      IntegerType::get(context, 64));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static RopeStyle getStyle(bool interleaved) {
  return interleaved ? RopeStyle::Interleaved : RopeStyle::Half;
}

/// A cache of one row of `size` per token.
static Value declareCache(BlockBuilder &block, StringRef name, int64_t size) {
  auto type = KVCacheType::get(block.builder.getContext(), {size},
                               block.builder.getF16Type(), kKVCacheBlockSize);
  return block.cache(name, type);
}

static LatentProjectionOp buildProjection(BlockBuilder &block, Value hidden,
                                          Value rope) {
  const LatentAttentionConfig &latent = *block.config.latent;
  OpBuilder &builder = block.builder;
  int64_t heads = block.config.numAttentionHeads;
  auto weight = [&](StringRef name, ArrayRef<int64_t> shape,
                    ShardingAttr sharding = {}) {
    return block.weight(name, shape, block.at(name), sharding);
  };
  Value queryDown =
      weight("self_attn.q_a_proj", {latent.queryRank, block.config.hiddenSize});
  Value queryNorm = weight("self_attn.q_a_layernorm", {latent.queryRank});
  Value queryUp = weight(
      "self_attn.q_b_proj", {heads * latent.getHeadDim(), latent.queryRank},
      block.split(ShardKind::Column, ShardGroup::Tensor, latent.getHeadDim()));
  Value latentDown =
      weight("self_attn.kv_a_proj_with_mqa",
             {latent.latentRank + latent.ropeHeadDim, block.config.hiddenSize});
  Value latentNorm = weight("self_attn.kv_a_layernorm", {latent.latentRank});
  Dim tokens = getDims(getType(hidden))[0];
  auto type = [&](ArrayRef<Dim> dims) {
    return getTensorType(dims, builder.getF16Type());
  };
  Type types[] = {
      type({tokens, Dim(heads), Dim(latent.getHeadDim())}),
      type({tokens, Dim(latent.latentRank)}),
      type({tokens, Dim(latent.ropeHeadDim)}),
      type({tokens, Dim(latent.queryRank)}),
  };
  return LatentProjectionOp::create(
      builder, block.at("self_attn"), types, hidden, rope, queryDown, queryNorm,
      queryUp, latentDown, latentNorm,
      builder.getI64IntegerAttr(latent.getHeadDim()),
      builder.getF64FloatAttr(block.config.rmsNormEps),
      getStyle(latent.interleavedRope));
}

static Value buildIndexer(BlockBuilder &block, Value hidden, Value queryLatent,
                          Value rope, Value batch) {
  // What LayerNorm in DeepSeek's indexer has for any config.
  static constexpr double normEps = 1e-6;
  const LatentAttentionConfig &latent = *block.config.latent;
  const IndexerConfig &indexer = *latent.indexer;
  OpBuilder &builder = block.builder;
  auto weight = [&](StringRef name, ArrayRef<int64_t> shape) {
    return block.weight(name, shape, block.at(name));
  };
  Value queryUp =
      weight("self_attn.indexer.wq_b",
             {indexer.numHeads * indexer.headDim, latent.queryRank});
  Value keyDown = weight("self_attn.indexer.wk",
                         {indexer.headDim, block.config.hiddenSize});
  Value headWeights = weight("self_attn.indexer.weights_proj",
                             {indexer.numHeads, block.config.hiddenSize});
  StringRef norm = "self_attn.indexer.k_norm";
  Value normWeight = weight(norm, {indexer.headDim});
  Value normBias =
      block.declare((norm + ".bias").str(), {indexer.headDim}, block.at(norm));
  Value cache = declareCache(block, "self_attn.indexer", indexer.headDim);
  auto op = LightningIndexerOp::create(
      builder, block.at("self_attn.indexer"),
      TypeRange{getIndicesType(indexer, builder.getContext()), cache.getType()},
      hidden, queryLatent, rope, cache, batch, queryUp, keyDown, headWeights,
      normWeight, normBias, /*queryUpScale=*/Value(), /*keyDownScale=*/Value(),
      /*headWeightsScale=*/Value(), /*group_size=*/IntegerAttr(),
      builder.getI64IntegerAttr(indexer.topK), builder.getF64FloatAttr(normEps),
      getStyle(indexer.interleavedRope));
  return op.getIndices();
}

Value tensorcast::buildLatentAttention(BlockBuilder &block, Value hidden,
                                       Value rope, Value batch, bool hasIndexer,
                                       Value &indices) {
  const LatentAttentionConfig &latent = *block.config.latent;
  OpBuilder &builder = block.builder;
  int64_t heads = block.config.numAttentionHeads;
  LatentProjectionOp projection = buildProjection(block, hidden, rope);
  if (hasIndexer)
    indices =
        buildIndexer(block, hidden, projection.getQueryLatent(), rope, batch);
  Value cache =
      declareCache(block, "self_attn", latent.latentRank + latent.ropeHeadDim);
  Location loc = block.at("self_attn");
  cache = AppendLatentCacheOp::create(builder, loc, cache.getType(),
                                      projection.getLatent(),
                                      projection.getRopeKey(), cache, batch);
  int64_t unit = latent.nopeHeadDim + latent.valueHeadDim;
  StringRef name = "self_attn.kv_b_proj";
  Value weight =
      block.weight(name, {heads * unit, latent.latentRank}, block.at(name),
                   block.split(ShardKind::Column, ShardGroup::Tensor, unit));
  Type type = getTensorType(
      {getDims(getType(hidden))[0], Dim(heads), Dim(latent.valueHeadDim)},
      builder.getF16Type());
  double scale = 1 / std::sqrt(static_cast<double>(latent.getHeadDim()));
  return LatentAttentionOp::create(
      builder, loc, type, projection.getQuery(), cache, batch, weight,
      latent.indexer ? indices : Value(), builder.getF64FloatAttr(scale));
}
