//===- EncoderReader.cpp - Configs of encoders ----------------------------===//

#include "Encoder.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr int64_t maxLayers = 4096, maxHeads = 65536;
static constexpr int64_t maxSize = int64_t(1) << 24;
static constexpr int64_t maxRows = int64_t(1) << 31;

/// Whether the config asks for the GELU by the hyperbolic tangent; reports
/// other activations.
static bool readGelu(JsonReader &reader, StringRef byDefault) {
  StringRef key = "hidden_act";
  std::string name = reader.string(key, byDefault);
  if (name == "gelu")
    return false;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh")
    return true;
  reader.emitError(key) << "expected \"gelu\", \"gelu_new\" or "
                           "\"gelu_pytorch_tanh\", the activations of "
                           "encoders modelled so far, but got \""
                        << name << "\"";
  return false;
}

void tensorcast::readEncoder(JsonReader &reader, const Family &family,
                             DecoderConfig &config) {
  const EncoderRule &rule = *family.encoder;
  config.hiddenSize = reader.integer("hidden_size", 1, maxSize);
  config.numHiddenLayers = reader.integer("num_hidden_layers", 1, maxLayers);
  config.numAttentionHeads = reader.integer("num_attention_heads", 1, maxHeads);
  config.numKeyValueHeads = config.numAttentionHeads;
  config.intermediateSize = reader.integer("intermediate_size", 1, maxSize);
  config.vocabSize = reader.integer("vocab_size", 1, maxRows);
  config.maxPositionEmbeddings = reader.integer(
      "max_position_embeddings", 1, maxRows, family.maxPositionEmbeddings);
  EncoderConfig encoder;
  encoder.layerNormEps =
      reader.number("layer_norm_eps", 1e-30, 1, rule.layerNormEps);
  encoder.numTokenTypes =
      reader.integer("type_vocab_size", 1, maxRows, rule.numTokenTypes);
  encoder.geluTanh = readGelu(reader, rule.activation);
  config.encoder = encoder;
  StringRef positions = "position_embedding_type";
  if (std::string type = reader.string(positions, "absolute");
      type != "absolute")
    reader.emitError(positions) << "expected \"absolute\", as other positions "
                                   "are not modelled yet, but "
                                   "got \""
                                << type << "\"";
  for (StringRef key : {"is_decoder", "add_cross_attention"})
    if (reader.boolean(key, false))
      reader.emitError(key)
          << "expected false, as only encoders of this family "
             "are modelled, but got true";
  if (config.numAttentionHeads > 0 &&
      config.hiddenSize % config.numAttentionHeads != 0)
    reader.emitError("hidden_size")
        << "expected a multiple of the " << config.numAttentionHeads
        << " attention heads, but got " << config.hiddenSize;
  else if (config.numAttentionHeads > 0)
    config.headDim = config.hiddenSize / config.numAttentionHeads;
  config.valueHeadDim = config.headDim;
}

double tensorcast::countEncoderParameters(const DecoderConfig &config) {
  double hidden = config.hiddenSize, inner = config.intermediateSize;
  auto linear = [](double from, double to) { return from * to + to; };
  double norm = 2 * hidden;
  double embeddings =
      (static_cast<double>(config.vocabSize) + config.maxPositionEmbeddings +
       config.encoder->numTokenTypes) *
          hidden +
      norm;
  double layer = 4 * linear(hidden, hidden) + linear(hidden, inner) +
                 linear(inner, hidden) + 2 * norm;
  double pooler = linear(hidden, hidden);
  return embeddings + config.numHiddenLayers * layer + pooler;
}
