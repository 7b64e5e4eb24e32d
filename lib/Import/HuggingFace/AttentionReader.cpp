//===- AttentionReader.cpp - Keys of attention by heads -------------------===//

#include "AttentionReader.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr int64_t maxSize = int64_t(1) << 24;
static constexpr int64_t maxTokens = int64_t(1) << 31;
static constexpr int64_t maxHeads = 65536;

//===----------------------------------------------------------------------===//
// Lists of layers
//===----------------------------------------------------------------------===//

bool tensorcast::checkLayerList(JsonReader &reader, StringRef key,
                                const Json &list, int64_t numLayers) {
  if (!list.is_array()) {
    reader.emitError(key) << "expected an array, but got "
                          << describeJson(list);
    return false;
  }
  if (static_cast<int64_t>(list.size()) == numLayers)
    return true;
  reader.emitError(key) << "expected an entry for each of the " << numLayers
                        << " layers, but got " << list.size();
  return false;
}

LayerFlags tensorcast::readLayerFlags(JsonReader &reader, StringRef key,
                                      int64_t numLayers) {
  const Json &list = *reader.find(key);
  LayerFlags layers;
  if (!checkLayerList(reader, key, list, numLayers))
    return layers;
  for (const Json &entry : list) {
    bool isNumber = entry == 0 || entry == 1;
    if (!entry.is_boolean() && !isNumber) {
      reader.emitError(key)
          << "expected 0 or 1 for each layer, but got " << describeJson(entry);
      return layers;
    }
    layers.flags.push_back(isNumber ? entry == 1 : entry.get<bool>());
  }
  return layers;
}

/// Every `period`-th layer is without a window; none, if that is 0.
static LayerFlags getPeriodic(int64_t period, int64_t numLayers) {
  LayerFlags layers;
  for (int64_t layer = 0; layer < numLayers; ++layer)
    layers.flags.push_back(period == 0 || (layer + 1) % period != 0);
  return layers;
}

/// Reads the kinds of layers that newer configs list. `reason` says why there
/// is no window, if there is none.
static LayerFlags readLayerTypes(JsonReader &reader, int64_t numLayers,
                                 StringRef reason) {
  StringRef key = "layer_types";
  constexpr const char *full = "full_attention", *sliding = "sliding_attention";
  const Json &list = *reader.find(key);
  LayerFlags layers;
  if (!checkLayerList(reader, key, list, numLayers))
    return layers;
  for (const Json &entry : list) {
    bool isSliding = entry == sliding;
    if (entry != full && (!isSliding || !reason.empty())) {
      InFlightDiagnostic diagnostic = reader.emitError(key);
      diagnostic << "expected \"" << full << "\"";
      if (reason.empty())
        diagnostic << " or \"" << sliding << "\"";
      else
        diagnostic << ", " << reason;
      diagnostic << ", but got " << describeJson(entry);
      return layers;
    }
    layers.flags.push_back(isSliding);
  }
  return layers;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Reads the layers with a window where no list names their kinds.
static LayerFlags readPattern(JsonReader &reader, const WindowRule &rule,
                              int64_t numLayers) {
  StringRef key = rule.patternKey;
  if (!key.empty() && reader.has(key)) {
    if (!reader.find(key)->is_number_integer())
      return readLayerFlags(reader, key, numLayers);
    return getPeriodic(reader.integer(key, 1, INT32_MAX), numLayers);
  }
  LayerFlags layers = getPeriodic(rule.period, numLayers);
  int64_t first = rule.firstLayer;
  if (!rule.firstLayerKey.empty())
    first = reader.optionalInteger(rule.firstLayerKey, 0, INT32_MAX)
                .value_or(first);
  for (int64_t layer = 0; layer < std::min(first, numLayers); ++layer)
    layers.flags[layer] = false;
  return layers;
}

void tensorcast::readWindows(JsonReader &reader, const Family &family,
                             DecoderConfig &config) {
  const std::optional<WindowRule> &rule = family.window;
  // Lists cannot be checked without; that is reported elsewhere. Those that
  // name layers with linear attention are read with it.
  if (config.numHiddenLayers < 1 || family.linear)
    return;
  std::string reason = "the only kind of layer modelled so far";
  std::optional<int64_t> size;
  if (rule) {
    StringRef key = "sliding_window";
    bool isOn = rule->switchKey.empty() ||
                reader.optionalBoolean(rule->switchKey).value_or(false);
    if (isOn) {
      size = reader.optionalInteger(key, 1, maxTokens);
      if (!reader.find(key) && rule->defaultWindow)
        size = rule->defaultWindow;
      reason = size ? "" : "as there is no sliding_window";
    } else {
      reason = "as " + rule->switchKey + " is false";
    }
  }
  LayerFlags layers;
  if (reader.has("layer_types"))
    layers = readLayerTypes(reader, config.numHiddenLayers, reason);
  else if (size)
    layers = readPattern(reader, *rule, config.numHiddenLayers);
  else if (rule && !rule->patternKey.empty() && reader.has(rule->patternKey))
    reader.emitError("sliding_window")
        << "expected a number of tokens beside " << rule->patternKey
        << ", but there is none";
  if (!llvm::is_contained(layers.flags, true) || !size)
    return;
  config.window.emplace();
  config.window->size = *size;
  config.window->layers = std::move(layers);
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

int64_t tensorcast::getRopeWidth(const DecoderConfig &config, int64_t size,
                                 double rotated) {
  if (config.ropeHalfTable)
    return size / 2;
  return static_cast<int64_t>(static_cast<double>(size) * rotated);
}

void tensorcast::readWindowHeads(JsonReader &reader, const Family &family,
                                 double rotated, DecoderConfig &config) {
  const WindowRule &rule = *family.window;
  HeadsConfig &heads = config.window->heads;
  heads = config.getHeads();
  auto read = [&](StringRef key, int64_t most, int64_t &value) {
    if (!key.empty())
      value = reader.optionalInteger(key, 1, most).value_or(value);
  };
  read(rule.headsKey, maxHeads, heads.query);
  read(rule.keyValueHeadsKey, maxHeads, heads.keyValue);
  read(rule.headDimKey, maxSize, heads.keySize);
  read(rule.valueHeadDimKey, maxSize, heads.valueSize);
  heads.hasSink = family.windowSinks.key.empty()
                      ? family.windowSinks.always
                      : reader.boolean(family.windowSinks.key, false);
  heads.ropeWidth = getRopeWidth(config, heads.keySize, rotated);
  config.window->hasOwnRope = heads.ropeWidth != config.ropeWidth;
  if (!rule.ropeThetaKey.empty())
    if (auto theta = reader.optionalNumber(rule.ropeThetaKey, 1, 1e15))
      config.window->hasOwnRope |= *theta != config.ropeTheta;
  if (failed(reader.finish()))
    return;
  // Without keys of their own, heads are those of the other layers, which are
  // checked.
  if (heads.query % heads.keyValue != 0)
    reader.emitError(rule.keyValueHeadsKey)
        << "expected a divisor of the " << heads.query
        << " attention heads, but got " << heads.keyValue;
  if (heads.keySize % 2 != 0)
    reader.emitError(rule.headDimKey)
        << "expected an even number, as rotary embeddings turn pairs, but got "
        << heads.keySize;
  else if (heads.ropeWidth < 2 || heads.ropeWidth % 2 != 0)
    reader.emitError("partial_rotary_factor")
        << "expected an even number of features to rotate, but of "
        << heads.keySize << " it makes " << heads.ropeWidth;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Reads the object about blocks of tokens; what it says alone.
static BlockSparseConfig readBlocks(JsonReader &reader, int64_t numLayers) {
  BlockSparseConfig blocks;
  StringRef layers = "sparse_attention_freq";
  if (reader.has(layers))
    blocks.layers = readLayerFlags(reader, layers, numLayers);
  else
    reader.emitError(layers) << "expected 0 or 1 for each of the " << numLayers
                             << " layers, but the key is missing";
  StringRef values = "sparse_disable_index_value";
  if (reader.has(values)) {
    LayerFlags disabled = readLayerFlags(reader, values, numLayers);
    for (auto [isSparse, isDisabled] :
         llvm::zip(blocks.layers.flags, disabled.flags))
      if (isSparse && !isDisabled) {
        reader.emitError(values) << "expected 1 for each layer that picks "
                                    "blocks, as index values are not modelled, "
                                    "but got 0";
        break;
      }
  }
  StringRef scoreType = "sparse_score_type";
  if (reader.string(scoreType, "max") != "max")
    reader.emitError(scoreType)
        << "expected \"max\", the only kind of score modelled, but got "
        << describeJson(*reader.find(scoreType));
  blocks.headDim = reader.integer("sparse_index_dim", 2, maxSize);
  blocks.blockSize = reader.integer("sparse_block_size", 1, maxTokens);
  blocks.topK = reader.integer("sparse_topk_blocks", 1, maxTokens);
  blocks.local = reader.integer("sparse_local_block", 0, maxTokens, 0);
  blocks.initial = reader.integer("sparse_init_block", 0, maxTokens, 0);
  if (blocks.topK > 0 && blocks.local + blocks.initial > blocks.topK)
    reader.emitError("sparse_topk_blocks")
        << "expected at least the " << blocks.local << " local and "
        << blocks.initial << " initial blocks, but got " << blocks.topK;
  return blocks;
}

void tensorcast::readBlockSparse(JsonReader &reader, const Family &family,
                                 StringRef source, Location loc,
                                 DecoderConfig &config) {
  const Json *object = reader.optionalObject(family.blockSparseKey);
  if (!object)
    return;
  JsonReader inner(*object, source, loc,
                   reader.pointerTo(family.blockSparseKey));
  if (!inner.boolean("use_sparse_attention", true))
    return;
  BlockSparseConfig blocks = readBlocks(inner, config.numHiddenLayers);
  StringRef headsKey = "sparse_num_index_heads";
  int64_t heads = inner.integer(headsKey, 1, maxHeads);
  if (failed(inner.finish()))
    return reader.fail();
  if (heads != config.numKeyValueHeads)
    inner.emitError(headsKey)
        << "expected one for each of the " << config.numKeyValueHeads
        << " key-value heads, but got " << heads;
  if (blocks.headDim < config.ropeWidth)
    inner.emitError("sparse_index_dim")
        << "expected at least the " << config.ropeWidth
        << " features that are rotated, but got " << blocks.headDim;
  if (failed(inner.finish()))
    return reader.fail();
  if (llvm::is_contained(blocks.layers.flags, true))
    config.blockSparse = std::move(blocks);
}
