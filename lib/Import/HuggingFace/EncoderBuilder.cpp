//===- EncoderBuilder.cpp - Encoders as a module --------------------------===//

#include "BlockBuilder.h"
#include "Encoder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Types that the functions share. Sequences are padded to the longest, so that
/// there are `sequences * max(q)` tokens.
struct EncoderTypes {
  EncoderTypes(const DecoderConfig &config, MLIRContext *context)
      : sequences(getSequencesExpr(context)),
        length(maxOverRequests(getNewTokensExpr(context))) {
    Type f16 = Float16Type::get(context);
    Dim tokens = sequences * length;
    ids = getTensorType({tokens}, IntegerType::get(context, 64));
    hidden = getTensorType({tokens, Dim(config.hiddenSize)}, f16);
    first = getTensorType({Dim(sequences), Dim(config.hiddenSize)}, f16);
    mask = getTensorType({Dim(sequences), 1, 1, Dim(length)}, f16);
    heads = getTensorType({Dim(sequences), Dim(length),
                           Dim(config.numAttentionHeads), Dim(config.headDim)},
                          f16);
    batch = BatchType::get(context, WorkloadAttr());
  }

  ExprAttr sequences, length;
  RankedTensorType ids, hidden, first, mask, heads;
  Type batch;
};

/// Builds blocks of an encoder, of which all linears have biases.
class EncoderBlock : public BlockBuilder {
public:
  EncoderBlock(const DecoderConfig &config, OpBuilder &builder, StringRef scope,
               const EncoderTypes &types)
      : BlockBuilder(config, builder, scope), types(types) {}

  Value layerNorm(StringRef name, Value input) {
    int64_t width = getType(input).getShape().back();
    Location loc = at(name);
    return LayerNormOp::create(
        builder, loc, input.getType(), input, weight(name, {width}, loc),
        declare((name + ".bias").str(), {width}, loc),
        builder.getF64FloatAttr(config.encoder->layerNormEps));
  }

  /// Attention of each token to all tokens of its sequence.
  Value attention(StringRef name, Value hidden, Value mask) {
    ShardingAttr byHeads =
        split(ShardKind::Column, ShardGroup::Tensor, config.headDim);
    auto project = [&](StringRef part) -> Value {
      std::string full = (name + ".self." + part).str();
      Value wide = linear(full, hidden, config.hiddenSize, true, byHeads);
      return ReshapeOp::create(builder, at(full), types.heads, wide);
    };
    Value query = project("query"), key = project("key"),
          value = project("value");
    double scale = 1 / std::sqrt(static_cast<double>(config.headDim));
    Location loc = at((name + ".self").str());
    Value mixed = ScaledDotProductAttentionOp::create(
        builder, loc, query, key, value, mask, /*bias=*/Value(),
        /*sink=*/Value(), builder.getF64FloatAttr(scale), AttentionLayout::BSND,
        /*causal=*/UnitAttr(), /*window=*/IntegerAttr());
    mixed = ReshapeOp::create(builder, loc, types.hidden, mixed);
    return output((name + ".output").str(), mixed, hidden, ShardGroup::Output);
  }

  /// A linear, the residual and a norm.
  Value output(const std::string &name, Value input, Value residual,
               ShardGroup group) {
    Value projected = linear(name + ".dense", input, config.hiddenSize, true,
                             split(ShardKind::Row, group));
    Value sum =
        AddOp::create(builder, at(name + ".residual"), projected, residual);
    return layerNorm(name + ".LayerNorm", sum);
  }

  Value mlp(Value hidden) {
    Value wide = linear("intermediate.dense", hidden, config.intermediateSize,
                        true, split(ShardKind::Column, ShardGroup::MLP));
    GeluForm form = config.encoder->geluTanh ? GeluForm::Tanh : GeluForm::Erf;
    Value active = GeluOp::create(builder, at("intermediate.act_fn"),
                                  wide.getType(), wide, form);
    return output("output", active, hidden, ShardGroup::MLP);
  }

  /// Rows of the table called `name`.
  Value embed(StringRef name, Value ids, int64_t rows) {
    Location loc = at(name);
    Value table = weight(name, {rows, config.hiddenSize}, loc);
    return EmbeddingOp::create(builder, loc, types.hidden, ids, table,
                               /*first_row=*/IntegerAttr());
  }

private:
  const EncoderTypes &types;
};
} // namespace

static void buildLayer(const DecoderConfig &config, const EncoderTypes &types,
                       func::FuncOp function, StringRef scope) {
  OpBuilder builder(function.getContext());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  EncoderBlock block(config, builder, scope, types);
  Value hidden =
      block.attention("attention", body->getArgument(0), body->getArgument(1));
  func::ReturnOp::create(builder, function.getLoc(), block.mlp(hidden));
}

static void buildMain(const DecoderConfig &config, const EncoderTypes &types,
                      func::FuncOp main, ArrayRef<func::FuncOp> layers) {
  OpBuilder builder(main.getContext());
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToStart(body);
  EncoderBlock block(config, builder, "", types);
  Value hidden = block.embed("embeddings.word_embeddings", body->getArgument(0),
                             config.vocabSize);
  Value segments =
      block.embed("embeddings.token_type_embeddings", body->getArgument(2),
                  config.encoder->numTokenTypes);
  Value positions =
      block.embed("embeddings.position_embeddings", body->getArgument(1),
                  config.maxPositionEmbeddings);
  Location loc = block.at("embeddings");
  hidden = AddOp::create(builder, loc, hidden, segments);
  hidden = AddOp::create(builder, loc, hidden, positions);
  hidden = block.layerNorm("embeddings.LayerNorm", hidden);
  Value mask = PaddingMaskOp::create(builder, block.at("attention_mask"),
                                     types.mask, body->getArgument(3));
  for (func::FuncOp layer : layers)
    hidden = LayerOp::create(builder, layer.getLoc(), layer.getResultTypes(),
                             FlatSymbolRefAttr::get(layer),
                             cast<NameLoc>(layer.getLoc()).getName(),
                             ValueRange{hidden, mask})
                 .getResult(0);
  Value first =
      FirstTokensOp::create(builder, block.at("pooler"), types.first, hidden);
  Value pooled = block.linear("pooler.dense", first, config.hiddenSize, true,
                              ShardingAttr());
  pooled = TanhOp::create(builder, block.at("pooler.activation"),
                          pooled.getType(), pooled);
  func::ReturnOp::create(builder, main.getLoc(), ValueRange{hidden, pooled});
}

void tensorcast::buildEncoder(const DecoderConfig &config, ModuleOp module) {
  MLIRContext *context = module.getContext();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  EncoderTypes types(config, context);
  // There is no cache that a step could go on from.
  ExprAttr kv = getTotalTokensExpr(context), q = getNewTokensExpr(context);
  ExprAttr isWhole = getFunctionExpr(ExprKind::Equal,
                                     {sumOverRequests(kv), sumOverRequests(q)});
  ExprAttr isPrefill = ExprAttr::constant(context, 1) - getDecodeExpr(context);
  module->setAttr(kAssumesAttrName, builder.getArrayAttr({isPrefill, isWhole}));
  SmallVector<func::FuncOp> layers;
  for (int64_t i = 0; i < config.numHiddenLayers; ++i) {
    std::string number = std::to_string(i), name = "encoder.layer." + number;
    func::FuncOp layer = declareFunction(
        builder, "layer_" + number, name,
        builder.getFunctionType({types.hidden, types.mask}, {types.hidden}));
    layer.setPrivate();
    buildLayer(config, types, layer, name);
    layers.push_back(layer);
  }
  func::FuncOp main = declareFunction(
      builder, "main", "model",
      builder.getFunctionType({types.ids, types.ids, types.ids, types.batch},
                              {types.hidden, types.first}));
  buildMain(config, types, main, layers);
}
