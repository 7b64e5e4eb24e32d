//===- VisionBuilder.cpp - A vision tower in front of a decoder -----------===//

#include "VisionBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static Dim getPatches(const VisionConfig &vision, MLIRContext *context) {
  return Dim(getImageCellsExpr(context) *
             static_cast<double>(vision.merge * vision.merge));
}

ImageRuleAttr tensorcast::getImageRule(const VisionConfig &vision,
                                       MLIRContext *context) {
  ImageCut cut = vision.cut == VisionConfig::Tiles ? ImageCut::Tiles
                 : vision.cut == VisionConfig::Up  ? ImageCut::Up
                                                   : ImageCut::Nearest;
  return ImageRuleAttr::get(context, cut, vision.patch, vision.merge,
                            vision.minPixels, vision.maxPixels, vision.tile,
                            vision.maxTiles, vision.markers);
}

Type tensorcast::getPixelsType(const VisionConfig &vision,
                               MLIRContext *context) {
  return getTensorType(
      {getPatches(vision, context), Dim(vision.getPatchSize())},
      Float16Type::get(context));
}

namespace {
/// Builds what the functions of a tower are made of.
class VisionBlockBuilder {
public:
  VisionBlockBuilder(const DecoderConfig &config, OpBuilder &builder,
                     StringRef scope)
      : block(config, builder, scope), vision(*config.vision),
        builder(builder) {}

  Value norm(StringRef name, Value input, bool isRms, double eps) {
    int64_t width = BlockBuilder::getType(input).getShape().back();
    Location loc = block.at(name);
    Value scale = block.weight(name, {width}, loc);
    FloatAttr epsilon = builder.getF64FloatAttr(eps);
    if (isRms)
      return RMSNormOp::create(builder, loc, input, scale, epsilon,
                               /*wide_weight=*/UnitAttr());
    Value shift = block.declare((name + ".bias").str(), {width}, loc);
    return LayerNormOp::create(builder, loc, input.getType(), input, scale,
                               shift, epsilon);
  }

  Value convolution(StringRef name, Value input, int64_t width, bool hasBias) {
    SmallVector<Dim> dims = getDims(BlockBuilder::getType(input));
    Location loc = block.at(name);
    Value kernel = block.weight(name, {width, dims[1].size}, loc), bias;
    if (hasBias)
      bias = block.declare((name + ".bias").str(), {width}, loc);
    dims[1] = Dim(width);
    return ConvolvePatchesOp::create(builder, loc,
                                     getTensorType(dims, builder.getF16Type()),
                                     input, kernel, bias);
  }

  Value add(StringRef name, Value hidden, Value other) {
    return AddOp::create(builder, block.at(name), hidden, other);
  }

  Value gelu(StringRef name, Value input, bool byTanh) {
    return GeluOp::create(builder, block.at(name), input.getType(), input,
                          byTanh ? GeluForm::Tanh : GeluForm::Erf);
  }

  ShardingAttr split(ShardKind kind, int64_t unit = 1) {
    return block.split(kind, ShardGroup::Vision, unit);
  }

  /// Gate and up by columns, down by rows.
  Value gatedMLP(StringRef gate, StringRef up, StringRef down, Value input,
                 int64_t width, bool hasBias) {
    int64_t result = BlockBuilder::getType(input).getShape().back();
    ShardingAttr columns = split(ShardKind::Column);
    Value open = block.linear(gate, input, width, hasBias, columns);
    Value wide = block.linear(up, input, width, hasBias, columns);
    Value active =
        SwiGLUOp::create(builder, block.at(gate), open.getType(), open, wide);
    return block.linear(down, active, result, hasBias, split(ShardKind::Row));
  }

  Value run(ArrayRef<VisionStep> steps, Value input) {
    for (const VisionStep &step : steps)
      input = run(step, input);
    return input;
  }

  BlockBuilder block;
  const VisionConfig &vision;
  OpBuilder &builder;

private:
  Value run(const VisionStep &step, Value input) {
    switch (step.kind) {
    case VisionStep::LayerNorm:
      return norm(step.name, input, /*isRms=*/false, step.eps);
    case VisionStep::RMSNorm:
      return norm(step.name, input, /*isRms=*/true, step.eps);
    case VisionStep::Merge:
      return merge(input);
    case VisionStep::Convolution:
      return convolution(step.name, input, step.width, step.hasBias);
    case VisionStep::Linear: {
      ShardingAttr sharding;
      if (step.split != VisionStep::Whole)
        sharding = split(step.split == VisionStep::Columns ? ShardKind::Column
                                                           : ShardKind::Row);
      return block.linear(step.name, input, step.width, step.hasBias, sharding);
    }
    case VisionStep::Gelu:
      return gelu("act", input, /*byTanh=*/false);
    case VisionStep::GatedMLP:
      break;
    }
    std::string name = step.name.empty() ? "" : step.name + ".";
    return gatedMLP(name + "gate_proj", name + "up_proj", name + "down_proj",
                    input, step.width, step.hasBias);
  }

  /// Patches of a cell are neighbours, so that nothing moves.
  Value merge(Value input) {
    RankedTensorType type = BlockBuilder::getType(input);
    int64_t inCell = vision.merge * vision.merge;
    Type merged = getTensorType({Dim(getImageCellsExpr(type.getContext())),
                                 Dim(type.getShape().back() * inCell)},
                                type.getElementType());
    return ReshapeOp::create(builder, block.at("merge"), merged, input);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Into the blocks
//===----------------------------------------------------------------------===//

static Type getRopeType(const VisionConfig &vision, MLIRContext *context) {
  return RopeTableType::get(context, vision.getHeadDim(),
                            Float32Type::get(context),
                            vision.merge * vision.merge);
}

/// Patches, with their places.
static SmallVector<Value> buildEmbedding(VisionBlockBuilder &tower,
                                         Value pixels, Value batch) {
  const VisionConfig &vision = tower.vision;
  OpBuilder &builder = tower.builder;
  Value hidden = tower.convolution("patch_embed.proj", pixels, vision.width,
                                   vision.patchBias);
  hidden = tower.run(vision.before, hidden);
  IntegerAttr merge = builder.getI64IntegerAttr(vision.merge);
  if (const auto &positions = vision.positions) {
    Location loc = tower.block.at(positions->name);
    Value table = tower.block.weight(
        positions->name, {positions->side * positions->side, vision.width},
        loc);
    GridForm form =
        positions->form == VisionPositions::Bilinear  ? GridForm::Bilinear
        : positions->form == VisionPositions::Bicubic ? GridForm::Bicubic
                                                      : GridForm::Exact;
    Value places = GridEmbeddingOp::create(builder, loc, hidden.getType(),
                                           table, batch, merge.getInt(), form);
    hidden = tower.add("positions", hidden, places);
  }
  SmallVector<Value> results = {hidden};
  if (vision.ropeTheta)
    results.push_back(GridRopeOp::create(
        builder, tower.block.at("rotary_pos_emb"),
        getRopeType(vision, builder.getContext()), batch,
        builder.getF64FloatAttr(*vision.ropeTheta), merge,
        vision.ropeComplex ? builder.getUnitAttr() : UnitAttr()));
  return results;
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

/// Queries, keys and values by heads; of one layer, or of three.
static SmallVector<Value> project(VisionBlockBuilder &tower, Value hidden) {
  const VisionConfig &vision = tower.vision;
  const VisionBlockNames &names = tower.vision.names;
  BlockBuilder &block = tower.block;
  OpBuilder &builder = tower.builder;
  int64_t width = vision.width;
  ShardingAttr byHeads = tower.split(ShardKind::Column, vision.getHeadDim());
  SmallVector<Dim> dims = getDims(BlockBuilder::getType(hidden));
  auto byHead = [&](StringRef name, Value input) -> Value {
    Type type =
        getTensorType({dims[0], Dim(vision.numHeads), Dim(vision.getHeadDim())},
                      builder.getF16Type());
    return ReshapeOp::create(builder, block.at(name), type, input);
  };
  SmallVector<Value> results;
  if (!vision.joinsQkv) {
    for (StringRef name : {names.query, names.key, names.value})
      results.push_back(
          byHead(name, block.linear(name, hidden, width, vision.attentionBias,
                                    byHeads)));
    return results;
  }
  // One layer, of whose three parts each is split by heads.
  Location loc = block.at(names.qkv);
  SmallVector<Value> weights, biases;
  for (StringRef part : {".q", ".k", ".v"}) {
    std::string name = names.qkv + part.str();
    weights.push_back(block.weight(name, {width, width}, loc, byHeads));
    if (vision.attentionBias)
      biases.push_back(block.declare(name + ".bias", {width}, loc, byHeads));
  }
  auto join = [&](ArrayRef<Value> parts) -> Value {
    return ConcatWeightsOp::create(builder, loc, parts, /*dim=*/IntegerAttr());
  };
  dims[1] = Dim(3 * width);
  Value all = LinearOp::create(
      builder, loc, getTensorType(dims, builder.getF16Type()), hidden,
      join(weights), biases.empty() ? Value() : join(biases), RanksAttr());
  for (int64_t part : {0, 1, 2})
    results.push_back(byHead(
        names.qkv, SliceOp::create(builder, loc, all, part * width, width)));
  return results;
}

/// Models of images turn queries and keys in f32.
static Value rotate(VisionBlockBuilder &tower, Value heads, Value rope) {
  OpBuilder &builder = tower.builder;
  Location loc = tower.block.at("rotary_pos_emb");
  Value wide = tower.block.widen(heads, loc);
  RopeStyle style =
      tower.vision.ropeComplex ? RopeStyle::Complex : RopeStyle::Half;
  wide = RopeOp::create(builder, loc, wide.getType(), wide, rope, style);
  return CastOp::create(builder, loc, heads.getType(), wide);
}

static Value scaleResidual(VisionBlockBuilder &tower, StringRef name,
                           Value value) {
  if (!tower.vision.scalesResiduals)
    return value;
  Location loc = tower.block.at(name);
  Value scale = tower.block.declare(name, {tower.vision.width}, loc);
  return MulOp::create(tower.builder, loc, value, scale);
}

static Value buildMLP(VisionBlockBuilder &tower, Value hidden) {
  const VisionConfig &vision = tower.vision;
  const VisionBlockNames &names = vision.names;
  if (vision.gatedMlp)
    return tower.gatedMLP(names.gate, names.up, names.down, hidden,
                          vision.mlpWidth, vision.mlpBias);
  Value wide =
      tower.block.linear(names.up, hidden, vision.mlpWidth, vision.mlpBias,
                         tower.split(ShardKind::Column));
  Value active = tower.gelu("mlp.act_fn", wide, vision.geluByTanh);
  return tower.block.linear(names.down, active, vision.width, vision.mlpBias,
                            tower.split(ShardKind::Row));
}

static Value buildBlock(VisionBlockBuilder &tower, Value hidden, Value rope,
                        Value batch) {
  const VisionConfig &vision = tower.vision;
  const VisionBlockNames &names = vision.names;
  OpBuilder &builder = tower.builder;
  Value normed =
      tower.norm(names.firstNorm, hidden, vision.rmsNorm, vision.normEps);
  SmallVector<Value> heads = project(tower, normed);
  if (rope)
    for (Value &turned : MutableArrayRef(heads).take_front(2))
      turned = rotate(tower, turned, rope);
  double scale = 1 / std::sqrt(static_cast<double>(vision.getHeadDim()));
  Value mixed = ImageAttentionOp::create(
      builder, tower.block.at("attn"), heads[0].getType(), heads[0], heads[1],
      heads[2], batch, builder.getF64FloatAttr(scale),
      builder.getI64IntegerAttr(vision.merge));
  mixed = tower.block.linear(names.output, tower.block.joinHeads("attn", mixed),
                             vision.width, vision.attentionBias,
                             tower.split(ShardKind::Row));
  mixed = scaleResidual(tower, names.firstScale, mixed);
  hidden = tower.add("attn.residual", hidden, mixed);
  normed = tower.norm(names.secondNorm, hidden, vision.rmsNorm, vision.normEps);
  Value output =
      scaleResidual(tower, names.secondScale, buildMLP(tower, normed));
  return tower.add("mlp.residual", hidden, output);
}

//===----------------------------------------------------------------------===//
// The tower
//===----------------------------------------------------------------------===//

/// Declares a private function of the tower, called `symbol`, for what the
/// model calls `name`.
static func::FuncOp declarePart(OpBuilder &builder, StringRef symbol,
                                StringRef name, TypeRange inputs,
                                TypeRange results) {
  Location loc = NameLoc::get(builder.getStringAttr(name));
  auto function = func::FuncOp::create(
      builder, loc, symbol, builder.getFunctionType(inputs, results));
  function.setPrivate();
  function->setAttr(kTowerAttrName, builder.getUnitAttr());
  return function;
}

VisionTower tensorcast::buildVisionTower(const DecoderConfig &config,
                                         OpBuilder &builder) {
  const VisionConfig &vision = *config.vision;
  MLIRContext *context = builder.getContext();
  Type f16 = builder.getF16Type();
  Type batch = BatchType::get(context, WorkloadAttr());
  Type hidden =
      getTensorType({getPatches(vision, context), Dim(vision.width)}, f16);
  Type features = getTensorType(
      {Dim(getImageCellsExpr(context)), Dim(config.hiddenSize)}, f16);
  SmallVector<Type> yields = {hidden}, takes = {hidden};
  if (vision.ropeTheta) {
    yields.push_back(getRopeType(vision, context));
    takes.push_back(getRopeType(vision, context));
  }
  takes.push_back(batch);

  auto build = [&](StringRef symbol, StringRef name, TypeRange inputs,
                   TypeRange results, auto body) {
    func::FuncOp function = declarePart(builder, symbol, name, inputs, results);
    Block *entry = function.addEntryBlock();
    OpBuilder inner = OpBuilder::atBlockBegin(entry);
    VisionBlockBuilder part(config, inner, name);
    SmallVector<Value> values = body(part, entry->getArguments());
    func::ReturnOp::create(inner, function.getLoc(), values);
    return function;
  };
  VisionTower tower;
  tower.embedding = build(
      "vision_embedding", vision.name, {getPixelsType(vision, context), batch},
      yields, [](VisionBlockBuilder &part, ValueRange arguments) {
        return buildEmbedding(part, arguments[0], arguments[1]);
      });
  for (int64_t i = 0; i < vision.depth; ++i) {
    std::string number = std::to_string(i);
    tower.blocks.push_back(
        build("vision_block_" + number, vision.blocksName + "." + number, takes,
              {hidden}, [&](VisionBlockBuilder &part, ValueRange arguments) {
                Value rope = vision.ropeTheta ? arguments[1] : Value();
                return SmallVector<Value>{
                    buildBlock(part, arguments[0], rope, arguments.back())};
              }));
  }
  auto buildMerger = [&](StringRef symbol, StringRef name,
                         ArrayRef<VisionStep> steps) {
    return build(symbol, name, {hidden}, {features},
                 [&](VisionBlockBuilder &part, ValueRange arguments) {
                   return SmallVector<Value>{part.run(steps, arguments[0])};
                 });
  };
  tower.merger = buildMerger("vision_merger", vision.mergerName, vision.merger);
  for (size_t i = 0; i < vision.deepLayers.size(); ++i) {
    std::string number = std::to_string(i);
    tower.deepMergers.push_back(
        buildMerger("vision_deep_merger_" + number,
                    vision.deepMergerName + "." + number, vision.deepMerger));
  }
  return tower;
}

/// Calls a function by the name of what it is in the model.
static LayerOp call(OpBuilder &builder, func::FuncOp function,
                    ValueRange operands) {
  return LayerOp::create(builder, function.getLoc(), function.getResultTypes(),
                         FlatSymbolRefAttr::get(function),
                         cast<NameLoc>(function.getLoc()).getName(), operands);
}

SmallVector<Value> tensorcast::callVisionTower(const DecoderConfig &config,
                                               const VisionTower &tower,
                                               OpBuilder &builder, Value pixels,
                                               Value batch) {
  const VisionConfig &vision = *config.vision;
  LayerOp first = call(builder, tower.embedding, {pixels, batch});
  Value hidden = first.getResult(0);
  SmallVector<Value> seen = {Value()};
  for (auto [index, block] : llvm::enumerate(tower.blocks)) {
    SmallVector<Value> operands = {hidden};
    if (vision.ropeTheta)
      operands.push_back(first.getResult(1));
    operands.push_back(batch);
    hidden = call(builder, block, operands).getResult(0);
    for (auto [layer, merger] : llvm::zip(vision.deepLayers, tower.deepMergers))
      if (layer == static_cast<int64_t>(index))
        seen.push_back(call(builder, merger, hidden).getResult(0));
  }
  seen[0] = call(builder, tower.merger, hidden).getResult(0);
  return seen;
}
