//===- Config.h - Hugging Face model configurations -------------*- C++ -*-===//
//
// A config.json as the numbers that decide a model's graph.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_CONFIG_H
#define TENSORCAST_IMPORT_HUGGINGFACE_CONFIG_H

#include "tensorcast/Import/HuggingFace/AttentionConfig.h"
#include "tensorcast/Import/HuggingFace/CompressedAttentionConfig.h"
#include "tensorcast/Import/HuggingFace/EncoderConfig.h"
#include "tensorcast/Import/HuggingFace/LatentAttentionConfig.h"
#include "tensorcast/Import/HuggingFace/LinearAttentionConfig.h"
#include "tensorcast/Import/HuggingFace/Mixture.h"
#include "tensorcast/Import/HuggingFace/Vision.h"
#include "tensorcast/Support/Json.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// A decoder-only model with grouped-query, latent or linear attention and a
/// gated MLP or a mixture of them; or an encoder. All values are checked: sizes
/// are positive, heads divide as they must.
struct DecoderConfig {
  std::string name;
  std::string modelType;

  int64_t hiddenSize = 0;
  int64_t numHiddenLayers = 0;
  int64_t numAttentionHeads = 0;
  /// Divides the attention heads.
  int64_t numKeyValueHeads = 0;
  /// Even. The heads together may be wider or narrower than the hidden state.
  int64_t headDim = 0;
  /// Of each head of values.
  int64_t valueHeadDim = 0;
  int64_t intermediateSize = 0;
  int64_t vocabSize = 0;
  int64_t maxPositionEmbeddings = 0;

  double rmsNormEps = 0;
  double ropeTheta = 0;

  /// Biases of the linears: query, key and value; attention output; MLP.
  bool qkvBias = false;
  bool outputBias = false;
  bool mlpBias = false;
  /// An RMS norm over each head of query and key, or over all heads together,
  /// before the rotation.
  bool qkNorm = false, qkNormOverHeads = false;
  /// Features of each head that are rotated; even.
  int64_t ropeWidth = 0;
  /// Whether neighbours are rotated with each other, not halves; whether in
  /// f32.
  bool ropeInterleaved = false, ropeWide = false;
  /// Whether the halves of a head share a table of half the width.
  bool ropeHalfTable = false;
  /// Whether norms multiply by their weight in f32; whether by one more than
  /// it.
  bool wideNormWeight = false, zeroCenteredNorm = false;
  /// Whether the result of attention is gated by a sigmoid of each feature,
  /// which comes with the queries.
  bool outputGate = false;
  /// Whether heads have a number that joins the softmax, in layers without a
  /// window.
  bool hasSinks = false;
  /// What values are multiplied by, if they are.
  std::optional<double> valueScale;
  /// What limits gate and up projections of all MLPs, if something does, the
  /// slope of the gate's sigmoid then, and whether one kernel does all of that.
  std::optional<double> activationLimit;
  double activationSlope = 1;
  bool hasActivationKernel = false;
  /// The layers that attend to the latest tokens, or to some blocks of tokens.
  std::optional<WindowConfig> window;
  std::optional<BlockSparseConfig> blockSparse;
  /// In place of grouped-query attention, whose sizes above do not count then,
  /// but for the number of heads.
  std::optional<LatentAttentionConfig> latent;
  /// In place of grouped-query attention; heads are of `headDim`.
  std::optional<CompressedAttentionConfig> compressed;
  /// For encoders, of which nothing else counts but their sizes: layers, heads,
  /// hidden and intermediate size, tokens of the vocabulary and positions.
  std::optional<EncoderConfig> encoder;
  /// In place of residual additions.
  std::optional<HyperConnectionsConfig> hyper;
  /// In place of attention in some layers.
  std::optional<LinearAttentionConfig> linear;
  /// The mixture of experts, if some layers have one.
  std::optional<MixtureConfig> mixture;
  /// Layers that the model comes with for predicting more than the next token,
  /// and how many tokens are to be predicted by such layers.
  int64_t numPredictionLayers = 0, numDraftTokens = 0;
  bool tieWordEmbeddings = false;
  std::optional<int64_t> padTokenId;
  /// What looks at images, if the model has it, and whether it is to be built.
  std::optional<VisionConfig> vision;
  bool looksAtImages = false;

  /// Whether `layer` has a mixture of experts for its MLP.
  bool hasMixture(int64_t layer) const {
    return mixture && mixture->isIn(layer);
  }
  /// Layers that predict further have none.
  bool hasWindow(int64_t layer) const {
    return window && layer < numHiddenLayers && window->layers.isIn(layer);
  }
  bool picksBlocks(int64_t layer) const {
    return blockSparse && blockSparse->layers.isIn(layer);
  }
  /// The heads of grouped-query attention in `layer`.
  HeadsConfig getHeads(int64_t layer) const {
    return hasWindow(layer) ? window->heads : getHeads();
  }
  /// The same of layers without a window.
  HeadsConfig getHeads() const {
    return {numAttentionHeads, numKeyValueHeads, headDim,
            valueHeadDim,      ropeWidth,        hasSinks};
  }
  /// Whether `layer` has linear attention.
  bool hasLinearAttention(int64_t layer) const {
    return linear && linear->isIn(layer);
  }
  /// Width of all query heads together.
  int64_t getQueryWidth() const { return numAttentionHeads * headDim; }
  /// Width of all key heads together.
  int64_t getKeyWidth() const { return numKeyValueHeads * headDim; }
};

/// Reads the text of a config.json. `familiesFile` has families beside those
/// that the project knows, or is empty. `source` is what messages call it.
/// Warns about a quantization config, which is ignored; everything else that
/// the result could not express is an error.
FailureOr<DecoderConfig> readConfig(const Json &config, StringRef source,
                                    StringRef modelName, MLIRContext *context,
                                    StringRef familiesFile = "");

/// The most tokens that can be drafted in a step.
inline constexpr int64_t maxDraftTokens = 9;

/// Lets the model draft so many tokens; fails with an error if it has no layer
/// for it. Where it has fewer layers than tokens, they take turns.
LogicalResult setDraftTokens(DecoderConfig &config, int64_t numTokens,
                             MLIRContext *context);

/// Lets the model look at images; fails with an error if it has no tower for
/// it.
LogicalResult addVisionTower(DecoderConfig &config, MLIRContext *context);

/// The same structure in small: what is equal, grouped or of another width in
/// `config` stays so, in sizes that run in milliseconds.
DecoderConfig reduced(const DecoderConfig &config);

/// Number of weights, without those of layers that predict further tokens; a
/// double, since absurd configs pass 2^63.
double countParameters(const DecoderConfig &config);
/// The same, of routed experts only as many as a token visits.
double countActiveParameters(const DecoderConfig &config);

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_CONFIG_H
