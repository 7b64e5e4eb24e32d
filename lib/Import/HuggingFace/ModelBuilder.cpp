//===- ModelBuilder.cpp - A config as a module ----------------------------===//

#include "tensorcast/Import/HuggingFace/ModelBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Tokens per block of a KV cache, as serving stacks on Ascend allocate it.
static constexpr int64_t kvCacheBlockSize = 128;

namespace {
/// Builds ops of one function. Names of weights are within the function's
/// scope; names in locations are within the model.
class BlockBuilder {
public:
  BlockBuilder(const DecoderConfig &config, OpBuilder &builder, StringRef scope)
      : config(config), builder(builder), scope(scope.str()) {}

  Value rmsNorm(StringRef name, Value input) {
    int64_t width = getType(input).getShape().back();
    Location loc = at(name);
    Value scale = weight(name, {width}, loc);
    return RMSNormOp::create(builder, loc, input, scale,
                             builder.getF64FloatAttr(config.rmsNormEps));
  }

  /// A linear layer whose weight may be split as `sharding` says; `given` is
  /// taken for the weight if there is one.
  Value linear(StringRef name, Value input, int64_t width, bool hasBias,
               ShardingAttr sharding, Value given = {}) {
    SmallVector<Dim> dims = getDims(getType(input));
    Location loc = at(name);
    if (!given)
      given = weight(name, {width, dims.back().size}, loc, sharding);
    Value bias;
    if (hasBias) {
      // Rows meet in a sum, to which one device adds the bias.
      bool isColumn = sharding && sharding.getKind() == ShardKind::Column;
      bias = declare((name + ".bias").str(), {width}, loc,
                     isColumn ? sharding : ShardingAttr());
    }
    dims.back() = Dim(width);
    return LinearOp::create(builder, loc,
                            getTensorType(dims, builder.getF16Type()), input,
                            given, bias, RanksAttr());
  }

  /// Sees `T x heads * size` as `T x heads x size`.
  Value splitHeads(StringRef name, Value input, int64_t heads) {
    SmallVector<Dim> dims = getDims(getType(input));
    dims.back() = Dim(heads);
    dims.push_back(Dim(config.headDim));
    return reshape(name, input, dims);
  }

  Value joinHeads(StringRef name, Value input) {
    SmallVector<Dim> dims = getDims(getType(input));
    return reshape(name, input, {dims[0], Dim(dims[1].size * dims[2].size)});
  }

  Value weight(StringRef name, ArrayRef<int64_t> shape, Location loc,
               ShardingAttr sharding = {}) {
    return declare((name + ".weight").str(), shape, loc, sharding);
  }

  Value declare(StringRef name, ArrayRef<int64_t> shape, Location loc,
                ShardingAttr sharding = {}) {
    return WeightOp::create(builder, loc,
                            RankedTensorType::get(shape, builder.getF16Type()),
                            builder.getStringAttr(name), sharding);
  }

  /// How a weight may be split.
  ShardingAttr split(ShardKind kind, ShardGroup group, int64_t unit = 1) {
    return ShardingAttr::get(builder.getContext(), kind, group, unit);
  }

  /// The location of what the model calls `name`.
  Location at(StringRef name) {
    std::string full = scope.empty() ? name.str() : scope + "." + name.str();
    return NameLoc::get(builder.getStringAttr(full));
  }

  const DecoderConfig &config;
  OpBuilder &builder;

private:
  static RankedTensorType getType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  Value reshape(StringRef name, Value input, ArrayRef<Dim> dims) {
    Type type = getTensorType(dims, getType(input).getElementType());
    return ReshapeOp::create(builder, at(name), type, input);
  }

  std::string scope;
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks of a layer
//===----------------------------------------------------------------------===//

static Value buildAttention(BlockBuilder &block, Value hidden, Value rope,
                            Value batch) {
  const DecoderConfig &config = block.config;
  OpBuilder &builder = block.builder;
  auto project = [&](StringRef name, int64_t heads) {
    Value wide = block.linear(
        name, hidden, heads * config.headDim, config.qkvBias,
        block.split(ShardKind::Column, ShardGroup::Tensor, config.headDim));
    return block.splitHeads(name, wide, heads);
  };
  Value query = project("self_attn.q_proj", config.numAttentionHeads);
  Value key = project("self_attn.k_proj", config.numKeyValueHeads);
  Value value = project("self_attn.v_proj", config.numKeyValueHeads);
  if (config.qkNorm) {
    query = block.rmsNorm("self_attn.q_norm", query);
    key = block.rmsNorm("self_attn.k_norm", key);
  }
  Location loc = block.at("self_attn");
  Location ropeLoc = block.at("self_attn.rotary_emb");
  query = RopeOp::create(builder, ropeLoc, query, rope);
  key = RopeOp::create(builder, ropeLoc, key, rope);

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

static Value buildMLP(BlockBuilder &block, Value hidden) {
  const DecoderConfig &config = block.config;
  ShardingAttr column = block.split(ShardKind::Column, ShardGroup::MLP);
  Value gate = block.linear("mlp.gate_proj", hidden, config.intermediateSize,
                            config.mlpBias, column);
  Value up = block.linear("mlp.up_proj", hidden, config.intermediateSize,
                          config.mlpBias, column);
  Value active = SwiGLUOp::create(block.builder, block.at("mlp.act_fn"),
                                  gate.getType(), gate, up);
  return block.linear("mlp.down_proj", active, config.hiddenSize,
                      config.mlpBias,
                      block.split(ShardKind::Row, ShardGroup::MLP));
}

/// Norm, attention, residual; norm, MLP, residual.
static void buildLayer(const DecoderConfig &config, func::FuncOp function,
                       StringRef name) {
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
  Value output = buildMLP(block, normed);
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
    rope = RopeTableType::get(context, config.headDim, f16);
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
                                    config.headDim};
  Location ropeLoc = block.at("model.rotary_emb");
  Value cos = block.declare("model.rotary_emb.cos", ropeShape, ropeLoc);
  Value sin = block.declare("model.rotary_emb.sin", ropeShape, ropeLoc);
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
    buildLayer(config, layer, "model.layers." + index);
    layers.push_back(layer);
  }
  func::FuncOp main =
      declareFunction(builder, "main", "model",
                      builder.getFunctionType(
                          {types.ids, types.ids, types.batch}, {types.logits}));
  buildMain(config, types, main, layers);
  return module;
}
