//===- ModelBuilder.cpp - A config as a module ----------------------------===//

#include "tensorcast/Import/HuggingFace/ModelBuilder.h"

#include "CompressedAttention.h"
#include "Encoder.h"
#include "LatentAttention.h"
#include "LinearAttention.h"
#include "VisionBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Blocks of a layer
//===----------------------------------------------------------------------===//

RopeStyle mlir::tensorcast::getRopeStyle(const DecoderConfig &config) {
  if (config.ropeHalfTable)
    return RopeStyle::HalfTable;
  return config.ropeInterleaved ? RopeStyle::Interleaved : RopeStyle::Half;
}

/// Attention by heads, up to its output projection. Sets `gate` to what opens
/// its result, if the queries come with it.
static Value buildGroupedAttention(BlockBuilder &block, int64_t layer,
                                   Value hidden, Value rope, Value batch,
                                   Value &gate) {
  const DecoderConfig &config = block.config;
  HeadsConfig sizes = config.getHeads(layer);
  OpBuilder &builder = block.builder;
  auto split = [&](int64_t size) {
    return block.split(ShardKind::Column, ShardGroup::Tensor, size);
  };
  ShardingAttr byHeads = split(sizes.keySize);
  auto project = [&](StringRef name, int64_t heads) {
    Value wide = block.linear(name, hidden, heads * sizes.keySize,
                              config.qkvBias, byHeads);
    if (config.qkNorm && config.qkNormOverHeads)
      return wide;
    return block.splitHeads(name, wide, heads);
  };
  auto normalize = [&](StringRef name, Value value, int64_t heads) {
    if (!config.qkNormOverHeads)
      return block.rmsNorm(name, value);
    return block.splitHeads(name, block.rmsNorm(name, value, byHeads), heads);
  };
  int64_t heads = sizes.query, groups = sizes.keyValue;
  Value query;
  if (config.outputGate) {
    // Each head has its query and its gate.
    StringRef name = "self_attn.q_proj";
    int64_t size = sizes.keySize;
    Value both = block.splitHeads(
        name,
        block.linear(
            name, hidden, 2 * heads * size, config.qkvBias,
            block.split(ShardKind::Column, ShardGroup::Tensor, 2 * size)),
        heads);
    query = SliceOp::create(builder, block.at(name), both, 0, size);
    gate = SliceOp::create(builder, block.at(name), both, size, size);
  } else {
    query = project("self_attn.q_proj", heads);
  }
  Value key = project("self_attn.k_proj", groups);
  Value value = block.splitHeads(
      "self_attn.v_proj",
      block.linear("self_attn.v_proj", hidden, sizes.getValueWidth(),
                   config.qkvBias, split(sizes.valueSize)),
      groups);
  if (config.valueScale)
    value = MulScalarOp::create(builder, block.at("self_attn.v_scale"), value,
                                builder.getF64FloatAttr(*config.valueScale));
  if (config.qkNorm) {
    query = normalize("self_attn.q_norm", query, heads);
    key = normalize("self_attn.k_norm", key, groups);
  }
  Location loc = block.at("self_attn");
  Location ropeLoc = block.at("self_attn.rotary_emb");
  RopeStyle style = getRopeStyle(config);
  query = RopeOp::create(builder, ropeLoc, query.getType(), query, rope, style);
  key = RopeOp::create(builder, ropeLoc, key.getType(), key, rope, style);

  bool isOwnSize = sizes.valueSize != sizes.keySize;
  int64_t window = config.hasWindow(layer) ? config.window->size : 0;
  auto cacheType = KVCacheType::get(
      builder.getContext(), {2, groups, sizes.keySize}, builder.getF16Type(),
      kKVCacheBlockSize, isOwnSize ? sizes.valueSize : 0, window, /*share=*/1,
      /*first=*/0);
  Value cache = block.cache("self_attn", cacheType);
  cache =
      AppendCacheOp::create(builder, loc, cacheType, key, value, cache, batch);
  double scale = 1 / std::sqrt(static_cast<double>(sizes.keySize));
  Value sink, blocks;
  if (sizes.hasSink)
    sink = block.declare("self_attn.sinks", {heads}, loc, split(1));
  IntegerAttr blockSize;
  if (config.picksBlocks(layer)) {
    blocks = buildBlockIndices(block, hidden, rope, batch);
    blockSize = builder.getI64IntegerAttr(config.blockSparse->blockSize);
  }
  return AttentionOp::create(
      builder, loc, query, cache, batch, sink, blocks,
      builder.getF64FloatAttr(scale),
      window ? builder.getI64IntegerAttr(window) : IntegerAttr(), blockSize);
}

Value BlockBuilder::gateProjection(StringRef name, Value gate, Value up,
                                   std::optional<double> limit, double slope) {
  if (!limit)
    return SwiGLUOp::create(builder, at(name), gate.getType(), gate, up);
  return ClampedSwiGLUOp::create(
      builder, at(name), gate.getType(), gate, up,
      builder.getF64FloatAttr(*limit), builder.getF64FloatAttr(slope),
      config.hasActivationKernel ? builder.getUnitAttr() : UnitAttr());
}

Value BlockBuilder::gatedMLP(StringRef name, Value hidden, int64_t width,
                             ShardGroup group, std::optional<double> limit) {
  ShardingAttr column = split(ShardKind::Column, group);
  std::string prefix = name.str();
  Value gate =
      linear(prefix + ".gate_proj", hidden, width, config.mlpBias, column);
  Value up = linear(prefix + ".up_proj", hidden, width, config.mlpBias, column);
  Location activation = at(prefix + ".act_fn");
  Value active;
  if (limit)
    active = LimitedSwiGLUOp::create(builder, activation, gate.getType(), gate,
                                     up, builder.getF64FloatAttr(*limit));
  else
    active = gateProjection(prefix + ".act_fn", gate, up,
                            config.activationLimit, config.activationSlope);
  return linear(prefix + ".down_proj", active, config.hiddenSize,
                config.mlpBias, split(ShardKind::Row, group));
}

static Value buildAttention(BlockBuilder &block, int64_t layer, Value hidden,
                            Value rope, Value batch, Value &indices) {
  const DecoderConfig &config = block.config;
  if (config.hasLinearAttention(layer))
    return buildLinearAttention(block, hidden, batch);
  Value gate;
  Value mixed =
      config.latent
          ? buildLatentAttention(block, hidden, rope, batch,
                                 hasIndexer(config, layer), indices)
          : buildGroupedAttention(block, layer, hidden, rope, batch, gate);
  mixed = block.joinHeads("self_attn", mixed);
  if (gate) {
    Location loc = block.at("self_attn.gate");
    gate = block.joinHeads("self_attn.gate", gate);
    gate = SigmoidOp::create(block.builder, loc, gate.getType(), gate);
    mixed = MulOp::create(block.builder, loc, mixed, gate);
  }
  return block.linear("self_attn.o_proj", mixed, config.hiddenSize,
                      config.outputBias,
                      block.split(ShardKind::Row, ShardGroup::Output));
}

/// Norm, attention, residual; norm, MLP, residual.
static Value buildDecoderBlock(BlockBuilder &block, int64_t index, Value hidden,
                               Value rope, Value batch, Value &indices) {
  const DecoderConfig &config = block.config;
  OpBuilder &builder = block.builder;
  Value normed = block.rmsNorm("input_layernorm", hidden);
  Value mixed = buildAttention(block, index, normed, rope, batch, indices);
  hidden =
      AddOp::create(builder, block.at("self_attn.residual"), hidden, mixed);
  normed = block.rmsNorm("post_attention_layernorm", hidden);
  Value output = config.hasMixture(index)
                     ? buildMixture(block, normed)
                     : block.gatedMLP("mlp", normed, config.intermediateSize,
                                      ShardGroup::MLP);
  return AddOp::create(builder, block.at("mlp.residual"), hidden, output);
}

/// The same on several streams, which the blocks mix. `ids` are those of the
/// tokens, where they say which experts they have.
static Value buildHyperDecoderBlock(BlockBuilder &block, int64_t index,
                                    Value streams, Value rope, Value batch,
                                    Value ids) {
  auto normalize = [&](StringRef name, Value value) {
    return block.rmsNorm(name, value, {}, /*isKernel=*/true);
  };
  HyperBlock attention(block, "attn_hc", streams);
  Value normed = normalize("input_layernorm", attention.input);
  streams = attention.finish(
      buildCompressedAttention(block, index, normed, rope, batch));
  HyperBlock mlp(block, "ffn_hc", streams);
  normed = normalize("post_attention_layernorm", mlp.input);
  const DecoderConfig &config = block.config;
  return mlp.finish(config.hasMixture(index)
                        ? buildMixture(block, normed, ids)
                        : block.gatedMLP("mlp", normed, config.intermediateSize,
                                         ShardGroup::MLP));
}

/// Whether the ids of tokens say which experts they have in a layer.
static bool takesIds(const DecoderConfig &config, int64_t layer) {
  return config.hasMixture(layer) &&
         layer < config.mixture->router.numHashLayers;
}

/// Layers may hand on which tokens attention looks at.
static void buildLayer(const DecoderConfig &config, func::FuncOp function,
                       StringRef name, int64_t index) {
  OpBuilder builder(function.getContext());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  BlockBuilder block(config, builder, name);
  if (config.hyper) {
    Value ids = takesIds(config, index) ? body->getArgument(3) : Value();
    Value streams =
        buildHyperDecoderBlock(block, index, body->getArgument(0),
                               body->getArgument(1), body->getArgument(2), ids);
    func::ReturnOp::create(builder, function.getLoc(), streams);
    return;
  }
  Value indices;
  if (takesIndices(config, index))
    indices = body->getArgument(3);
  Value hidden =
      buildDecoderBlock(block, index, body->getArgument(0),
                        body->getArgument(1), body->getArgument(2), indices);
  SmallVector<Value> results = {hidden};
  if (passesIndices(config, index))
    results.push_back(indices);
  func::ReturnOp::create(builder, function.getLoc(), results);
}

/// A layer that predicts one token further: the hidden state and the embedding
/// of the next token, each normalized, make what a decoder block works on.
/// DeepSeek-AI, 2024 (arXiv 2412.19437), section 2.2.
static void buildPredictionLayer(const DecoderConfig &config,
                                 func::FuncOp function, StringRef name,
                                 int64_t index) {
  OpBuilder builder(function.getContext());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  BlockBuilder block(config, builder, name);
  Value next = block.rmsNorm("enorm", body->getArgument(1));
  Value before = block.rmsNorm("hnorm", body->getArgument(0));
  Value both = ConcatOp::create(builder, block.at("eh_proj"), next, before);
  Value hidden =
      block.linear("eh_proj", both, config.hiddenSize, false, ShardingAttr());
  Value indices;
  if (config.hyper)
    hidden = buildHyperHead(
        block, "hc_head",
        buildHyperDecoderBlock(block, index, buildStreams(block, hidden),
                               body->getArgument(2), body->getArgument(3),
                               /*ids=*/Value()));
  else
    hidden = buildDecoderBlock(block, index, hidden, body->getArgument(2),
                               body->getArgument(3), indices);
  func::ReturnOp::create(builder, function.getLoc(), hidden);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

namespace {
/// Types that the functions share.
struct ModelTypes {
  ModelTypes(const DecoderConfig &config, MLIRContext *context) {
    Dim tokens = getTokensExpr(context);
    Type f16 = Float16Type::get(context);
    ids = getTensorType({tokens}, IntegerType::get(context, 64));
    hidden = getTensorType({tokens, Dim(config.hiddenSize)}, f16);
    state = hidden;
    if (config.hyper)
      state = getTensorType(
          {tokens, Dim(config.hyper->streams), Dim(config.hiddenSize)}, f16);
    batch = BatchType::get(context, WorkloadAttr());
    Type angles = config.ropeWide ? Float32Type::get(context) : f16;
    rope = RopeTableType::get(context, config.ropeWidth, angles);
    windowRope = rope;
    if (config.window)
      windowRope =
          RopeTableType::get(context, config.window->heads.ropeWidth, angles);
    ExprAttr sequences = getSequencesExpr(context);
    Dim kept = getLogitRowsExpr(context);
    lastHidden = getTensorType({kept, Dim(config.hiddenSize)}, f16);
    logits = getTensorType({kept, Dim(config.vocabSize)}, f16);
    draftHidden = getTensorType({Dim(sequences), Dim(config.hiddenSize)}, f16);
    draft = getTensorType({Dim(sequences)}, IntegerType::get(context, 64));
  }

  /// A layer takes and yields the hidden state, or streams of it, and perhaps
  /// indices; or it takes the ids of tokens.
  FunctionType getLayerType(const DecoderConfig &config, int64_t layer) const {
    MLIRContext *context = hidden.getContext();
    Type table = config.hasWindow(layer) ? windowRope : rope;
    SmallVector<Type> inputs = {state, table, batch}, results = {state};
    if (takesIds(config, layer))
      inputs.push_back(ids);
    if (takesIndices(config, layer))
      inputs.push_back(getIndicesType(*config.latent->indexer, context));
    if (passesIndices(config, layer))
      results.push_back(getIndicesType(*config.latent->indexer, context));
    return FunctionType::get(context, inputs, results);
  }

  /// A layer that predicts further takes the embeddings of next tokens too.
  FunctionType getPredictionLayerType() const {
    return FunctionType::get(hidden.getContext(), {hidden, hidden, rope, batch},
                             {hidden});
  }

  Type ids, hidden, state, batch, rope, windowRope, lastHidden, logits,
      draftHidden, draft;
};

/// What the model function is built of.
struct ModelParts {
  SmallVector<func::FuncOp> layers, predictionLayers;
  std::optional<VisionTower> tower;
};
} // namespace

/// Looks up the embeddings of `ids` in the table called `name`.
static Value buildEmbedding(BlockBuilder &block, const ModelTypes &types,
                            StringRef name, Value ids, Value &table) {
  Location loc = block.at(name);
  table = block.weight(name, {block.config.vocabSize, block.config.hiddenSize},
                       loc);
  return EmbeddingOp::create(block.builder, loc, types.hidden, ids, table,
                             /*first_row=*/IntegerAttr());
}

/// Predicts a token beyond the next one with each of `layers`, and yields the
/// last one.
static Value buildDrafts(BlockBuilder &block, const ModelTypes &types,
                         ArrayRef<func::FuncOp> layers, Value ids, Value hidden,
                         Value logits, Value rope, Value batch) {
  OpBuilder &builder = block.builder;
  auto sample = [&](StringRef name, Value logits) -> Value {
    return SampleTokensOp::create(builder, block.at(name), types.draft, logits,
                                  batch);
  };
  Value next = sample("lm_head", logits);
  for (int64_t i = 0; i < block.config.numDraftTokens; ++i) {
    // Layers take turns where there are fewer of them than drafts.
    func::FuncOp layer = layers[i % layers.size()];
    StringAttr name = cast<NameLoc>(layer.getLoc()).getName();
    std::string prefix = name.str();
    ids = ShiftTokensOp::create(builder, block.at(prefix), ids, next, batch);
    Value table;
    Value embedded =
        buildEmbedding(block, types, prefix + ".embed_tokens", ids, table);
    auto call = LayerOp::create(builder, layer.getLoc(), layer.getResultTypes(),
                                FlatSymbolRefAttr::get(layer), name,
                                ValueRange{hidden, embedded, rope, batch});
    hidden = call.getResult(0);
    std::string head = prefix + ".shared_head.head";
    Value last =
        LastTokensOp::create(builder, block.at(head), types.draftHidden, hidden,
                             batch, TokenSelection::Last);
    logits = block.linear(head, last, block.config.vocabSize, false,
                          block.split(ShardKind::Column, ShardGroup::Head));
    next = sample(head, logits);
  }
  return next;
}

/// Looks up the cosines and sines of `positions` in tables called `name`.
static Value buildRopeTable(BlockBuilder &block, StringRef name, Type type,
                            Value positions) {
  const DecoderConfig &config = block.config;
  SmallVector<int64_t> shape = {config.maxPositionEmbeddings,
                                cast<RopeTableType>(type).getWidth()};
  Location loc = block.at(name);
  Value cos =
      block.declare((name + ".cos").str(), shape, loc, {}, config.ropeWide);
  Value sin =
      block.declare((name + ".sin").str(), shape, loc, {}, config.ropeWide);
  return RopeTableOp::create(block.builder, loc, type, positions, cos, sin);
}

/// Puts features of images where the text has room for them, or adds them.
static Value placeImages(BlockBuilder &block, Value features, Value hidden,
                         Value batch, bool adds) {
  OpBuilder &builder = block.builder;
  return PlaceImagesOp::create(builder, block.at("model.images"),
                               hidden.getType(), features, hidden, batch,
                               adds ? builder.getUnitAttr() : UnitAttr());
}

static void buildMain(const DecoderConfig &config, const ModelTypes &types,
                      func::FuncOp main, const ModelParts &parts) {
  OpBuilder builder(main.getContext());
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToStart(body);
  BlockBuilder block(config, builder, "");
  Value ids = body->getArgument(0), positions = body->getArgument(1),
        batch = body->getArgument(2);

  Value table;
  Value hidden = buildEmbedding(block, types, "model.embed_tokens", ids, table);
  SmallVector<Value> seen;
  if (parts.tower) {
    seen = callVisionTower(config, *parts.tower, builder, body->getArgument(3),
                           batch);
    hidden = placeImages(block, seen[0], hidden, batch, /*adds=*/false);
  }
  Value rope = buildRopeTable(block, "model.rotary_emb", types.rope, positions);
  Value windowRope = rope;
  if (config.window && config.window->hasOwnRope)
    windowRope = buildRopeTable(block, "model.swa_rotary_emb", types.windowRope,
                                positions);

  if (config.hyper)
    hidden = buildStreams(block, hidden);
  Value indices;
  for (auto [index, declared] : llvm::enumerate(parts.layers)) {
    func::FuncOp layer = declared;
    StringAttr name = cast<NameLoc>(layer.getLoc()).getName();
    Value table = config.hasWindow(index) ? windowRope : rope;
    SmallVector<Value> operands = {hidden, table, batch};
    if (takesIndices(config, index))
      operands.push_back(indices);
    if (takesIds(config, index))
      operands.push_back(ids);
    auto call = LayerOp::create(builder, layer.getLoc(), layer.getResultTypes(),
                                FlatSymbolRefAttr::get(layer), name, operands);
    hidden = call.getResult(0);
    if (passesIndices(config, index))
      indices = call.getResult(1);
    if (index + 1 < seen.size())
      hidden = placeImages(block, seen[index + 1], hidden, batch,
                           /*adds=*/true);
  }
  if (config.hyper)
    hidden = buildHyperHead(block, "model.hc_head", hidden);
  hidden = block.rmsNorm("model.norm", hidden);
  bool drafts = !parts.predictionLayers.empty();
  Value last = LastTokensOp::create(
      builder, block.at("lm_head"), types.lastHidden, hidden, batch,
      drafts ? TokenSelection::Copied : TokenSelection::Needed);
  SmallVector<Value> results = {
      block.linear("lm_head", last, config.vocabSize, false,
                   block.split(ShardKind::Column, ShardGroup::Head),
                   config.tieWordEmbeddings ? table : Value())};
  if (drafts)
    results.push_back(buildDrafts(block, types, parts.predictionLayers, ids,
                                  hidden, results[0], rope, batch));
  func::ReturnOp::create(builder, main.getLoc(), results);
}

OwningOpRef<ModuleOp> mlir::tensorcast::buildModel(const DecoderConfig &config,
                                                   MLIRContext *context) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      builder, builder.getUnknownLoc(), StringRef(config.name));
  (*module)->setAttr(kModelAttrName,
                     ModelAttr::get(context, config.name, builder.getF16Type(),
                                    builder.getStringAttr(config.modelType)));
  if (config.vision)
    (*module)->setAttr(kImagesAttrName, getImageRule(*config.vision, context));
  if (config.encoder) {
    buildEncoder(config, *module);
    return module;
  }
  builder.setInsertionPointToStart(module->getBody());

  ModelTypes types(config, context);
  ModelParts parts;
  SmallVector<Type> inputs = {types.ids, types.ids, types.batch};
  if (config.looksAtImages) {
    parts.tower = buildVisionTower(config, builder);
    // A step without images has another graph.
    (*module)->setAttr(kAssumesAttrName,
                       builder.getArrayAttr({getImagesExpr(context)}));
    inputs.push_back(getPixelsType(*config.vision, context));
  }
  auto declareLayer = [&](int64_t index, FunctionType type) {
    std::string number = std::to_string(index);
    func::FuncOp layer = declareFunction(builder, "layer_" + number,
                                         "model.layers." + number, type);
    layer.setPrivate();
    return layer;
  };
  auto getName = [](int64_t index) {
    return "model.layers." + std::to_string(index);
  };
  for (int64_t i = 0; i < config.numHiddenLayers; ++i) {
    func::FuncOp layer = declareLayer(i, types.getLayerType(config, i));
    buildLayer(config, layer, getName(i), i);
    parts.layers.push_back(layer);
  }
  int64_t numPredictionLayers =
      std::min(config.numDraftTokens, config.numPredictionLayers);
  for (int64_t i = 0; i < numPredictionLayers; ++i) {
    int64_t index = config.numHiddenLayers + i;
    func::FuncOp layer = declareLayer(index, types.getPredictionLayerType());
    buildPredictionLayer(config, layer, getName(index), index);
    parts.predictionLayers.push_back(layer);
  }
  SmallVector<Type> results = {types.logits};
  if (config.numDraftTokens > 0)
    results.push_back(types.draft);
  func::FuncOp main = declareFunction(builder, "main", "model",
                                      builder.getFunctionType(inputs, results));
  buildMain(config, types, main, parts);
  return module;
}
