//===- ModelBuilder.cpp - A config as a module ----------------------------===//

#include "tensorcast/Import/HuggingFace/ModelBuilder.h"

#include "BlockBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Blocks of a layer
//===----------------------------------------------------------------------===//

static Value buildAttention(BlockBuilder &block, Value hidden, Value rope,
                            Value batch) {
  const DecoderConfig &config = block.config;
  OpBuilder &builder = block.builder;
  ShardingAttr byHeads =
      block.split(ShardKind::Column, ShardGroup::Tensor, config.headDim);
  auto project = [&](StringRef name, int64_t heads, StringRef norm) {
    Value wide = block.linear(name, hidden, heads * config.headDim,
                              config.qkvBias, byHeads);
    if (norm.empty() || !config.qkNorm)
      return block.splitHeads(name, wide, heads);
    if (config.qkNormOverHeads)
      return block.splitHeads(name, block.rmsNorm(norm, wide, byHeads), heads);
    return block.rmsNorm(norm, block.splitHeads(name, wide, heads));
  };
  Value query = project("self_attn.q_proj", config.numAttentionHeads,
                        "self_attn.q_norm");
  Value key =
      project("self_attn.k_proj", config.numKeyValueHeads, "self_attn.k_norm");
  Value value = project("self_attn.v_proj", config.numKeyValueHeads, "");
  Location loc = block.at("self_attn");
  Location ropeLoc = block.at("self_attn.rotary_emb");
  RopeStyle style =
      config.ropeInterleaved ? RopeStyle::Interleaved : RopeStyle::Half;
  query = RopeOp::create(builder, ropeLoc, query.getType(), query, rope, style);
  key = RopeOp::create(builder, ropeLoc, key.getType(), key, rope, style);

  auto cacheType = KVCacheType::get(
      builder.getContext(), {2, config.numKeyValueHeads, config.headDim},
      builder.getF16Type(), kvCacheBlockSize);
  Value cache = KVCacheOp::create(builder, loc, cacheType,
                                  builder.getStringAttr("self_attn"));
  cache =
      AppendCacheOp::create(builder, loc, cacheType, key, value, cache, batch);
  double scale = 1 / std::sqrt(static_cast<double>(config.headDim));
  Value mixed = AttentionOp::create(builder, loc, query.getType(), query, cache,
                                    batch, builder.getF64FloatAttr(scale));
  return block.linear("self_attn.o_proj", block.joinHeads("self_attn", mixed),
                      config.hiddenSize, config.outputBias,
                      block.split(ShardKind::Row, ShardGroup::Output));
}

Value BlockBuilder::gatedMLP(StringRef name, Value hidden, int64_t width,
                             ShardGroup group) {
  ShardingAttr column = split(ShardKind::Column, group);
  std::string prefix = name.str();
  Value gate =
      linear(prefix + ".gate_proj", hidden, width, config.mlpBias, column);
  Value up = linear(prefix + ".up_proj", hidden, width, config.mlpBias, column);
  Value active = SwiGLUOp::create(builder, at(prefix + ".act_fn"),
                                  gate.getType(), gate, up);
  return linear(prefix + ".down_proj", active, config.hiddenSize,
                config.mlpBias, split(ShardKind::Row, group));
}

/// Norm, attention, residual; norm, MLP, residual.
static void buildLayer(const DecoderConfig &config, func::FuncOp function,
                       StringRef name, bool hasMixture) {
  OpBuilder builder(function.getContext());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  BlockBuilder block(config, builder, name);
  Value hidden = body->getArgument(0);
  Value normed = block.rmsNorm("input_layernorm", hidden);
  Value mixed =
      buildAttention(block, normed, body->getArgument(1), body->getArgument(2));
  hidden =
      AddOp::create(builder, block.at("self_attn.residual"), hidden, mixed);
  normed = block.rmsNorm("post_attention_layernorm", hidden);
  Value output =
      hasMixture ? buildMixture(block, normed)
                 : block.gatedMLP("mlp", normed, config.intermediateSize,
                                  ShardGroup::MLP);
  hidden = AddOp::create(builder, block.at("mlp.residual"), hidden, output);
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
    batch = BatchType::get(context, WorkloadAttr());
    rope = RopeTableType::get(context, config.ropeWidth,
                              config.ropeWide ? Float32Type::get(context)
                                              : f16);
    // In prefill the last token of each request yields logits, in decode all.
    ExprAttr sequences = getSequencesExpr(context);
    Dim kept = sequences + getDecodeExpr(context) * (tokens.expr - sequences);
    lastHidden = getTensorType({kept, Dim(config.hiddenSize)}, f16);
    logits = getTensorType({kept, Dim(config.vocabSize)}, f16);
  }

  Type ids, hidden, batch, rope, lastHidden, logits;
};
} // namespace

/// Declares `name` as a function at a location called `scope`.
static func::FuncOp declareFunction(OpBuilder &builder, StringRef name,
                                    StringRef scope, FunctionType type) {
  return func::FuncOp::create(
      builder, NameLoc::get(builder.getStringAttr(scope)), name, type);
}

static void buildMain(const DecoderConfig &config, const ModelTypes &types,
                      func::FuncOp main, ArrayRef<func::FuncOp> layers) {
  OpBuilder builder(main.getContext());
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToStart(body);
  BlockBuilder block(config, builder, "");
  Value ids = body->getArgument(0), positions = body->getArgument(1),
        batch = body->getArgument(2);

  Location tableLoc = block.at("model.embed_tokens");
  Value table = block.weight("model.embed_tokens",
                             {config.vocabSize, config.hiddenSize}, tableLoc);
  Value hidden =
      EmbeddingOp::create(builder, tableLoc, types.hidden, ids, table,
                          /*first_row=*/IntegerAttr());
  SmallVector<int64_t> ropeShape = {config.maxPositionEmbeddings,
                                    config.ropeWidth};
  Location ropeLoc = block.at("model.rotary_emb");
  Value cos = block.declare("model.rotary_emb.cos", ropeShape, ropeLoc, {},
                            config.ropeWide);
  Value sin = block.declare("model.rotary_emb.sin", ropeShape, ropeLoc, {},
                            config.ropeWide);
  Value rope =
      RopeTableOp::create(builder, ropeLoc, types.rope, positions, cos, sin);

  for (func::FuncOp layer : layers) {
    StringAttr name = cast<NameLoc>(layer.getLoc()).getName();
    auto call = LayerOp::create(
        builder, layer.getLoc(), TypeRange{types.hidden},
        FlatSymbolRefAttr::get(layer), name, ValueRange{hidden, rope, batch});
    hidden = call.getResult(0);
  }
  hidden = block.rmsNorm("model.norm", hidden);
  hidden = LastTokensOp::create(builder, block.at("lm_head"), types.lastHidden,
                                hidden, batch);
  Value logits = block.linear("lm_head", hidden, config.vocabSize, false,
                              block.split(ShardKind::Column, ShardGroup::Head),
                              config.tieWordEmbeddings ? table : Value());
  func::ReturnOp::create(builder, main.getLoc(), logits);
}

OwningOpRef<ModuleOp> mlir::tensorcast::buildModel(const DecoderConfig &config,
                                                   MLIRContext *context) {
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      builder, builder.getUnknownLoc(), StringRef(config.name));
  (*module)->setAttr(kModelAttrName, ModelAttr::get(context, config.name,
                                                    builder.getF16Type()));
  builder.setInsertionPointToStart(module->getBody());

  ModelTypes types(config, context);
  FunctionType layerType = builder.getFunctionType(
      {types.hidden, types.rope, types.batch}, {types.hidden});
  SmallVector<func::FuncOp> layers;
  for (int64_t i = 0; i < config.numHiddenLayers; ++i) {
    std::string index = std::to_string(i);
    func::FuncOp layer = declareFunction(builder, "layer_" + index,
                                         "model.layers." + index, layerType);
    layer.setPrivate();
    buildLayer(config, layer, "model.layers." + index, config.hasMixture(i));
    layers.push_back(layer);
  }
  func::FuncOp main =
      declareFunction(builder, "main", "model",
                      builder.getFunctionType(
                          {types.ids, types.ids, types.batch}, {types.logits}));
  buildMain(config, types, main, layers);
  return module;
}
