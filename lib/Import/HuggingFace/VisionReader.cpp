//===- VisionReader.cpp - Keys of vision towers ---------------------------===//

#include "VisionReader.h"

#include "tensorcast/Support/Wording.h"

#include <utility>

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr int64_t maxSize = int64_t(1) << 24;
static constexpr int64_t maxSide = 4096;

/// The choice that `text` names among `known`; the first after an error.
template <typename T>
static T choose(JsonReader &reader, StringRef key, StringRef text,
                ArrayRef<std::pair<StringRef, T>> known) {
  SmallVector<StringRef> names;
  for (auto [name, value] : known) {
    if (name == text)
      return value;
    names.push_back(name);
  }
  reader.emitError(key) << unknownName("choice", text, names);
  return known.front().second;
}

namespace {
/// Reads one tower.
class VisionReader {
public:
  VisionReader(JsonReader &outer, JsonReader &inner, JsonReader &rule,
               StringRef ruleSource, Location loc, int64_t hidden)
      : outer(outer), inner(inner), rule(rule), ruleSource(ruleSource),
        loc(loc), hidden(hidden) {}

  VisionConfig read() {
    readSizes();
    readBlocks();
    readPositions();
    readImages();
    vision.before = readSteps(rule, "before");
    readMerger("merger", vision.mergerName, vision.merger);
    if (rule.has("deep_merger"))
      readDeepMerger();
    return vision;
  }

  /// Checks what no member says alone.
  void check() {
    StringRef headsKey = keyOf("heads");
    if (vision.numHeads > 0 && vision.width % vision.numHeads != 0)
      inner.emitError(headsKey) << "expected a divisor of the " << vision.width
                                << " features, but got " << vision.numHeads;
    else if (vision.ropeTheta && vision.getHeadDim() % 4 != 0)
      inner.emitError(headsKey)
          << "expected heads of a multiple of 4 features, as rows and columns "
             "turn pairs of them, but "
          << vision.width << " features of " << vision.numHeads
          << " heads make " << vision.getHeadDim();
    for (int64_t layer : vision.deepLayers)
      if (layer < 0 || layer >= vision.depth)
        inner.emitError(deepKey) << "expected numbers of the " << vision.depth
                                 << " blocks, but got " << layer;
    if (vision.tile % (vision.patch * vision.merge) != 0)
      inner.emitError(tileKey)
          << "expected a multiple of " << vision.patch * vision.merge
          << " pixels, the side of a cell, but got " << vision.tile;
  }

private:
  /// What the config calls a part that the rule names.
  StringRef keyOf(StringRef part) {
    const Json *value = rule.find(part);
    return value && value->is_string()
               ? StringRef(value->get_ref<const std::string &>())
               : part;
  }

  /// A number that the rule gives, or the config under the key that the rule
  /// gives; alone, or the same along both edges.
  int64_t readSize(StringRef part, int64_t most,
                   std::optional<int64_t> fallback = std::nullopt) {
    const Json *value = rule.find(part);
    if (value && value->is_number_integer())
      return rule.integer(part, 1, most);
    if (!value && fallback)
      return *fallback;
    std::string key = rule.string(part);
    const Json *list = inner.find(key);
    if (!list || !list->is_array())
      return key.empty() ? 1 : inner.integer(key, 1, most, fallback);
    bool isEven = list->size() == 2 && (*list)[0] == (*list)[1] &&
                  (*list)[0].is_number_integer();
    int64_t size = isEven ? (*list)[0].get<int64_t>() : 0;
    if (size >= 1 && size <= most)
      return size;
    inner.emitError(key) << "expected a number from 1 to " << most
                         << ", or twice the same, but got another array";
    return 1;
  }

  void readSizes() {
    vision.name = rule.string("name");
    vision.blocksName = rule.string("blocks");
    vision.width = readSize("width", maxSize);
    vision.depth = readSize("depth", 4096);
    vision.numHeads = readSize("heads", 65536);
    vision.mlpWidth = readSize("mlp_width", maxSize);
    vision.channels = readSize("channels", 64, 3);
    vision.frames = readSize("frames", 64, 1);
    vision.patch = readSize("patch", 1024);
    if (rule.has("merge_ratio")) {
      std::string key = rule.string("merge_ratio");
      double ratio = outer.number(key, 1.0 / 64, 1);
      // A missing key, which is reported, is read as 0.
      vision.merge = ratio > 0 ? static_cast<int64_t>(1 / ratio) : 1;
      if (ratio > 0 && vision.merge * ratio != 1)
        outer.emitError(key) << "expected one part in a whole number, but got "
                             << describeJson(*outer.find(key));
    } else {
      vision.merge = readSize("merge", 64);
    }
  }

  void readBlocks() {
    vision.rmsNorm = choose<bool>(rule, "norm", rule.string("norm"),
                                  {{"layer_norm", false}, {"rms_norm", true}});
    vision.normEps = rule.number("norm_eps", 1e-30, 1);
    if (rule.has("norm_eps_key"))
      vision.normEps =
          inner.number(rule.string("norm_eps_key"), 1e-30, 1, vision.normEps);
    vision.patchBias = rule.boolean("patch_bias", true);
    vision.attentionBias = rule.boolean("attention_bias", true);
    if (rule.has("attention_bias_key"))
      vision.attentionBias = inner.boolean(rule.string("attention_bias_key"),
                                           vision.attentionBias);
    vision.mlpBias = rule.boolean("mlp_bias", true);
    vision.scalesResiduals = rule.boolean("residual_scales", false);
    std::string activation = rule.string("activation");
    vision.gatedMlp = activation == "silu";
    vision.geluByTanh = activation == "gelu_pytorch_tanh";
    rejectOtherActivation(activation);

    const Json nothing = Json::object();
    const Json *object = rule.optionalObject("names");
    JsonReader names(object ? *object : nothing, ruleSource, loc,
                     rule.pointerTo("names"));
    VisionBlockNames &all = vision.names;
    std::tuple<StringRef, StringRef, std::string *> parts[] = {
        {"first_norm", "norm1", &all.firstNorm},
        {"qkv", "", &all.qkv},
        {"query", "", &all.query},
        {"key", "", &all.key},
        {"value", "", &all.value},
        {"output", "attn.proj", &all.output},
        {"second_norm", "norm2", &all.secondNorm},
        {"gate", "mlp.gate_proj", &all.gate},
        {"up", "mlp.up_proj", &all.up},
        {"down", "mlp.down_proj", &all.down},
        {"first_scale", "lambda_1", &all.firstScale},
        {"second_scale", "lambda_2", &all.secondScale}};
    for (auto [key, fallback, text] : parts)
      *text = names.string(key, fallback);
    vision.joinsQkv = !all.qkv.empty();
    if (failed(names.finish()))
      rule.fail();
  }

  /// The tower has the family's activation, whatever else a config may ask for.
  void rejectOtherActivation(StringRef activation) {
    if (!rule.has("activation_key"))
      return;
    std::string key = rule.string("activation_key");
    std::string found = inner.string(key, activation);
    if (found != activation && inner.find(key)->is_string())
      inner.emitError(key) << "expected \"" << activation
                           << "\", the only activation modelled for this "
                              "family, but got \""
                           << found << "\"";
  }

  void readPositions() {
    if (const Json *object = rule.optionalObject("positions")) {
      JsonReader reader(*object, ruleSource, loc, rule.pointerTo("positions"));
      VisionPositions positions;
      positions.form = choose<VisionPositions::Form>(
          reader, "form", reader.string("form"),
          {{"bilinear", VisionPositions::Bilinear},
           {"bicubic", VisionPositions::Bicubic},
           {"exact", VisionPositions::Exact}});
      positions.name = reader.string("name");
      positions.side = readSide(reader);
      if (failed(reader.finish()))
        rule.fail();
      vision.positions = positions;
    }
    if (const Json *object = rule.optionalObject("rope")) {
      JsonReader reader(*object, ruleSource, loc, rule.pointerTo("rope"));
      vision.ropeTheta = reader.number("theta", 1, 1e15);
      vision.ropeComplex =
          choose<bool>(reader, "style", reader.string("style", "half"),
                       {{"complex", true}, {"half", false}});
      if (failed(reader.finish()))
        rule.fail();
    }
  }

  /// Of the table of positions: a key says the edge, the number of positions,
  /// or the pixels along the edge.
  int64_t readSide(JsonReader &reader) {
    if (reader.has("side"))
      return inner.integer(reader.string("side"), 1, maxSide);
    if (reader.has("count")) {
      std::string key = reader.string("count");
      int64_t count = inner.integer(key, 1, maxSide * maxSide);
      int64_t side = 1;
      while (side * side < count)
        ++side;
      if (side * side != count)
        inner.emitError(key)
            << "expected a square number of positions, but got " << count;
      return side;
    }
    std::string key = reader.string("pixels");
    int64_t fallback = reader.integer("default_pixels", 1, 32768, 0);
    const Json *list = inner.find(key);
    int64_t pixels = list && list->is_array() && !list->empty() &&
                             list->front().is_number_integer() &&
                             list->front() == list->back()
                         ? list->front().get<int64_t>()
                     : fallback ? inner.integer(key, 1, 32768, fallback)
                                : inner.integer(key, 1, 32768);
    if (vision.patch > 0 && pixels % vision.patch != 0)
      inner.emitError(key) << "expected a multiple of the " << vision.patch
                           << " pixels of a patch, but got " << pixels;
    return std::max<int64_t>(vision.patch > 0 ? pixels / vision.patch : 1, 1);
  }

  void readImages() {
    const Json nothing = Json::object();
    const Json *object = rule.optionalObject("images");
    JsonReader reader(object ? *object : nothing, ruleSource, loc,
                      rule.pointerTo("images"));
    vision.cut = choose<VisionConfig::Cut>(reader, "cut", reader.string("cut"),
                                           {{"nearest", VisionConfig::Nearest},
                                            {"up", VisionConfig::Up},
                                            {"tiles", VisionConfig::Tiles}});
    constexpr int64_t mostPixels = int64_t(1) << 32;
    vision.minPixels = reader.integer("min_pixels", 0, mostPixels, 0);
    vision.maxPixels = reader.integer("max_pixels", 0, mostPixels, 0);
    vision.maxTiles = reader.integer("max_tiles", 0, 64, 0);
    vision.markers = reader.integer("markers", 0, 1024, 0);
    if (vision.cut == VisionConfig::Tiles && vision.positions)
      vision.tile = vision.positions->side * vision.patch;
    if (const Json *positions = rule.optionalObject("positions"))
      tileKey = positions->value("pixels", "image_size");
    if (failed(reader.finish()))
      rule.fail();
  }

  void readMerger(StringRef key, std::string &name,
                  SmallVector<VisionStep> &steps) {
    const Json nothing = Json::object();
    const Json *object = rule.optionalObject(key);
    JsonReader reader(object ? *object : nothing, ruleSource, loc,
                      rule.pointerTo(key));
    name = reader.string("name");
    if (key == "deep_merger")
      deepKey = reader.string("layers");
    steps = readSteps(reader, "steps");
    if (failed(reader.finish()))
      rule.fail();
  }

  void readDeepMerger() {
    readMerger("deep_merger", vision.deepMergerName, vision.deepMerger);
    const Json *layers = inner.find(deepKey);
    if (!layers || layers->is_null())
      return;
    if (!layers->is_array() || llvm::any_of(*layers, [](const Json &layer) {
          return !layer.is_number_integer();
        })) {
      inner.emitError(deepKey)
          << "expected an array of numbers of blocks, but got "
          << describeJson(*layers);
      return;
    }
    for (const Json &layer : *layers)
      vision.deepLayers.push_back(layer.get<int64_t>());
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  SmallVector<VisionStep> readSteps(JsonReader &reader, StringRef key) {
    SmallVector<VisionStep> steps;
    const Json *list = reader.find(key);
    if (!list)
      return steps;
    if (!list->is_array()) {
      reader.emitError(key)
          << "expected an array, but got " << describeJson(*list);
      return steps;
    }
    for (size_t i = 0; i < list->size(); ++i) {
      JsonReader step(
          (*list)[i], ruleSource, loc,
          appendJsonPointer(reader.pointerTo(key), std::to_string(i)));
      steps.push_back(readStep(step));
      if (failed(step.finish()))
        reader.fail();
    }
    return steps;
  }

  VisionStep readStep(JsonReader &reader) {
    VisionStep step;
    step.kind =
        choose<VisionStep::Kind>(reader, "step", reader.string("step"),
                                 {{"merge", VisionStep::Merge},
                                  {"convolution", VisionStep::Convolution},
                                  {"gated_mlp", VisionStep::GatedMLP},
                                  {"gelu", VisionStep::Gelu},
                                  {"layer_norm", VisionStep::LayerNorm},
                                  {"linear", VisionStep::Linear},
                                  {"rms_norm", VisionStep::RMSNorm}});
    if (step.kind != VisionStep::Merge && step.kind != VisionStep::Gelu)
      step.name = reader.string("name");
    step.eps = reader.number("eps", 1e-30, 1, vision.normEps);
    if (reader.has("eps_key"))
      step.eps = inner.number(reader.string("eps_key"), 1e-30, 1, step.eps);
    step.hasBias = reader.boolean("bias", true);
    step.split = choose<VisionStep::Split>(reader, "split",
                                           reader.string("split", "none"),
                                           {{"none", VisionStep::Whole},
                                            {"columns", VisionStep::Columns},
                                            {"rows", VisionStep::Rows}});
    bool isLayer = step.kind == VisionStep::Linear ||
                   step.kind == VisionStep::Convolution ||
                   step.kind == VisionStep::GatedMLP;
    if (!isLayer)
      return step;
    std::string width = reader.string("width");
    if (width == "cell") {
      step.measure = VisionStep::Cell;
      step.width = vision.width * vision.merge * vision.merge;
    } else if (width == "output") {
      step.measure = VisionStep::Output;
      step.width = readOutput();
    } else {
      step.width = inner.integer(width, 1, maxSize);
    }
    return step;
  }

  /// What the decoder reads.
  int64_t readOutput() {
    if (!rule.has("output"))
      return hidden;
    std::string key = rule.string("output");
    int64_t width = inner.integer(key, 1, maxSize, hidden);
    // Several layers may be so wide.
    if (width != hidden && !std::exchange(hasOtherOutput, true))
      inner.emitError(key) << "expected " << hidden
                           << ", the features of the text model, but got "
                           << width;
    return hidden;
  }

  JsonReader &outer, &inner, &rule;
  StringRef ruleSource;
  Location loc;
  int64_t hidden;
  VisionConfig vision;
  std::string deepKey, tileKey = "image_size";
  bool hasOtherOutput = false;
};
} // namespace

std::optional<VisionConfig>
tensorcast::readVision(JsonReader &config, JsonReader &rule, StringRef source,
                       StringRef ruleSource, Location loc, int64_t hidden) {
  std::string key = rule.string("config");
  if (failed(rule.finish()))
    return std::nullopt;
  const Json *object = config.optionalObject(key);
  if (!object) {
    if (!config.has(key))
      config.emitError(key)
          << "expected the config of the vision tower, but it is missing";
    return std::nullopt;
  }
  JsonReader inner(*object, source, loc, config.pointerTo(key));
  VisionReader reader(config, inner, rule, ruleSource, loc, hidden);
  VisionConfig vision = reader.read();
  if (failed(inner.finish())) {
    config.fail();
    return std::nullopt;
  }
  reader.check();
  if (failed(inner.finish()))
    config.fail();
  return vision;
}
