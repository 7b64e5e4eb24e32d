//===- LinearAttention.cpp - Linear attention of a config -----------------===//

#include "LinearAttention.h"
#include "AttentionReader.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// Beyond any model, and small enough that heads times head sizes are sizes of
/// tensors.
static constexpr int64_t maxHeads = 4096;
static constexpr int64_t maxHeadDim = 65536;
static constexpr int64_t maxKernel = 1024;
static constexpr int64_t maxLayers = 4096;

/// Tokens that the delta rule takes together in prefill.
static constexpr int64_t chunkSize = 64;

/// Which layers have linear attention: newer configs list the kind of each,
/// others say how often there is another one.
static void readLayers(JsonReader &reader, int64_t numLayers,
                       LinearAttentionConfig &config) {
  StringRef typesKey = "layer_types", intervalKey = "full_attention_interval";
  config.layers.assign(numLayers, false);
  // Both keys may be there; the list counts, but neither may be wrong.
  std::optional<int64_t> interval =
      reader.optionalInteger(intervalKey, 1, maxLayers);
  const Json *types = reader.find(typesKey);
  if (!types || types->is_null()) {
    if (!reader.has(intervalKey))
      reader.emitError(intervalKey)
          << "expected how often a layer has full attention, or the kind of "
             "each layer in layer_types, but both keys are missing";
    for (int64_t layer = 0; layer < numLayers; ++layer)
      config.layers[layer] = (layer + 1) % interval.value_or(1) != 0;
    return;
  }
  if (!checkLayerList(reader, typesKey, *types, numLayers))
    return;
  for (auto [index, type] : llvm::enumerate(*types)) {
    config.layers[index] = type == "linear_attention";
    if (config.layers[index] || type == "full_attention")
      continue;
    reader.emitError(typesKey) << "expected \"linear_attention\" or "
                                  "\"full_attention\" for layer "
                               << index << ", but got " << describeJson(type);
    return;
  }
}

LinearAttentionConfig tensorcast::readLinearAttention(
    JsonReader &reader, const LinearAttentionRule &rule, int64_t numLayers) {
  LinearAttentionConfig config;
  StringRef keyHeads = "linear_num_key_heads";
  StringRef valueHeads = "linear_num_value_heads";
  StringRef keyDim = "linear_key_head_dim", valueDim = "linear_value_head_dim";
  config.numKeyHeads = reader.integer(keyHeads, 1, maxHeads);
  config.numValueHeads = reader.integer(valueHeads, 1, maxHeads);
  config.keyHeadDim = reader.integer(keyDim, 1, maxHeadDim);
  config.valueHeadDim = reader.integer(valueDim, 1, maxHeadDim);
  config.kernelSize = reader.integer("linear_conv_kernel_dim", 2, maxKernel);
  config.hasJoinedProjections = rule.hasJoinedProjections;
  readLayers(reader, numLayers, config);
  // What is wrong so far may be what the rest depends on.
  if (failed(reader.finish()))
    return config;
  if (config.numValueHeads % config.numKeyHeads != 0)
    reader.emitError(valueHeads)
        << "expected a multiple of the " << config.numKeyHeads
        << " key heads of linear_num_key_heads, but got "
        << config.numValueHeads;
  if (rule.hasEqualHeads && config.keyHeadDim != config.valueHeadDim)
    reader.emitError(valueDim)
        << "expected linear_key_head_dim, " << config.keyHeadDim
        << ", as heads of keys and values are alike in this family, but got "
        << config.valueHeadDim;
  return config;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

double tensorcast::countLinearParameters(const DecoderConfig &config) {
  const LinearAttentionConfig &linear = *config.linear;
  double hidden = config.hiddenSize, heads = linear.numValueHeads;
  double channels = linear.getChannels(), values = linear.getValueWidth();
  double count = hidden * (channels + values + 2 * heads);
  count += channels * static_cast<double>(linear.kernelSize);
  count += 2 * heads + static_cast<double>(linear.valueHeadDim);
  return count + values * hidden;
}

LinearAttentionConfig tensorcast::reduced(const LinearAttentionConfig &config) {
  LinearAttentionConfig small = config;
  // Two groups of heads, so that they can be sharded, each as large as in the
  // model.
  int64_t group = config.numValueHeads / config.numKeyHeads;
  small.numKeyHeads = std::min<int64_t>(config.numKeyHeads, 2);
  small.numValueHeads = small.numKeyHeads * std::min<int64_t>(group, 4);
  small.keyHeadDim = std::min<int64_t>(config.keyHeadDim, 8);
  small.valueHeadDim = config.valueHeadDim == config.keyHeadDim
                           ? small.keyHeadDim
                           : std::min<int64_t>(config.valueHeadDim, 4);
  small.kernelSize = std::min<int64_t>(config.kernelSize, 4);
  return small;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static Value declareState(BlockBuilder &block, StringRef name,
                          ArrayRef<int64_t> shape, Type elementType,
                          ShardingAttr sharding) {
  OpBuilder &builder = block.builder;
  auto type = StateType::get(builder.getContext(), shape, elementType);
  return StateOp::create(builder, block.at(name), type,
                         builder.getStringAttr(name), sharding, UnitAttr());
}

Value tensorcast::buildLinearAttention(BlockBuilder &block, Value hidden,
                                       Value batch) {
  const LinearAttentionConfig &config = *block.config.linear;
  OpBuilder &builder = block.builder;
  std::string prefix = "linear_attn";
  // What a key head has of value heads, values and channels: devices have
  // whole key heads.
  int64_t heads = config.numValueHeads, width = config.getValueWidth();
  int64_t group = heads / config.numKeyHeads;
  int64_t values = group * config.valueHeadDim;
  int64_t channels = 2 * config.keyHeadDim + values;
  auto split = [&](int64_t unit) {
    return block.split(ShardKind::Column, ShardGroup::Tensor, unit);
  };
  auto project = [&](StringRef name, int64_t rows, int64_t unit) {
    std::string full = prefix + ".in_proj_" + name.str();
    return block.weight(full, {rows, block.config.hiddenSize}, block.at(full),
                        split(unit));
  };
  SmallVector<Value> projections;
  if (config.hasJoinedProjections)
    projections = {
        project("qkvz", config.getChannels() + width, channels + values),
        project("ba", 2 * heads, 2 * group)};
  else
    projections = {project("qkv", config.getChannels(), channels),
                   project("z", width, values), project("b", heads, group),
                   project("a", heads, group)};
  std::string convName = prefix + ".conv1d", normName = prefix + ".norm",
              outputName = prefix + ".out_proj";
  Value conv = block.weight(convName, {config.getChannels(), config.kernelSize},
                            block.at(convName), split(channels));
  auto perHead = [&](StringRef name) {
    std::string full = prefix + "." + name.str();
    return block.declare(full, {heads}, block.at(full), split(group));
  };
  Value decay = perHead("A_log"), stepBias = perHead("dt_bias");
  Value norm =
      block.weight(normName, {config.valueHeadDim}, block.at(normName));
  Value output = block.weight(
      outputName, {block.config.hiddenSize, width}, block.at(outputName),
      block.split(ShardKind::Row, ShardGroup::Tensor, values));
  Value convState = declareState(block, prefix + ".conv_state",
                                 {config.getChannels(), config.kernelSize - 1},
                                 builder.getF16Type(), split(channels));
  Value state = declareState(block, prefix + ".recurrent_state",
                             {heads, config.keyHeadDim, config.valueHeadDim},
                             builder.getF32Type(), split(group));
  return LinearAttentionOp::create(
             builder, block.at(prefix),
             TypeRange{hidden.getType(), convState.getType(), state.getType()},
             hidden, conv, decay, stepBias, norm, output, convState, state,
             batch, projections, builder.getI64IntegerAttr(config.numKeyHeads),
             builder.getF64FloatAttr(block.config.rmsNormEps),
             builder.getI64IntegerAttr(chunkSize))
      .getResult();
}
