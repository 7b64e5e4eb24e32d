//===- Family.h - What a model type is --------------------------*- C++ -*-===//
//
// The model families of families.json: which blocks a model type has, and
// what Hugging Face takes for the keys that a config leaves out (the defaults
// of the configuration classes in transformers 4.51).
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_FAMILY_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_FAMILY_H

#include "MixtureReader.h"

#include "tensorcast/Support/Json.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// Whether something is there, such as the bias of linears: always, never, or
/// as a key of the config says (which means no if it is absent).
struct BiasRule {
  bool always = false;
  std::string key;
};

/// How a family limits attention to the latest tokens.
struct WindowRule {
  /// What an absent `sliding_window` means; 0 if it means none.
  int64_t defaultWindow = 0;
  /// The key that turns the window on; empty if it is on without.
  std::string switchKey;
  /// Keys, if any, beside `layer_types`, for the layers with a window: a truth
  /// for each layer or a number, every so many-th layer being without; and the
  /// first one with it.
  std::string patternKey, firstLayerKey;
  /// What their absence means: every so many-th layer is without a window, or
  /// none if that is 0; and the first one with it.
  int64_t period = 0, firstLayer = 0;
  /// Keys, if any, for the heads of layers with a window, and for the base of
  /// their rotation.
  std::string headsKey, keyValueHeadsKey, headDimKey, valueHeadDimKey,
      ropeThetaKey;
};

/// How a family limits the gate and up projections of all MLPs.
struct ActivationRule {
  /// What the family calls it as `hidden_act`.
  std::string name;
  std::string limitKey, slopeKey;
  double limit = 0, slope = 1;
  bool hasKernel = false;
};

/// How a family has latent attention.
struct LatentAttentionRule {
  bool interleavedRope = false;
  /// Whether an indexer picks the tokens that attention looks at.
  bool hasIndexer = false;
};

/// How a family attends to a window and to compressed rows.
struct CompressedAttentionRule {
  bool interleavedRope = false;
  /// The ratio of layers whose rows an indexer picks.
  int64_t indexedRatio = 0;
};

/// How a family has linear attention.
struct LinearAttentionRule {
  /// Whether its projections are two, not four.
  bool hasJoinedProjections = false;
  /// Whether heads of keys and values must be equally large.
  bool hasEqualHeads = false;
};

/// Values of keys that configs of encoders leave out.
struct EncoderRule {
  int64_t numTokenTypes = 0;
  double layerNormEps = 0;
  std::string activation;
};

/// One model type.
struct Family {
  /// Its name; that of the family that it is like, if it says so.
  std::string name;
  /// For models of more than text: the key of the text model's config, which
  /// has a family of its own. Nothing else but `vision` counts then.
  std::string textConfig;
  /// What looks at images, if the family has it: an object to be read with the
  /// config, and where it is for messages.
  std::optional<Json> vision;
  std::string source, visionPointer;
  /// For encoders; of what follows, only the positions count then.
  std::optional<EncoderRule> encoder;
  /// Whether query and key are normalized, and over all heads together.
  BiasRule qkNorm;
  bool qkNormOverHeads = false;
  bool ropeInterleaved = false, ropeWide = false, ropeHalfTable = false;
  bool wideNormWeight = false, zeroCenteredNorm = false;
  /// Whether the result of attention has a gate.
  bool outputGate = false;
  /// Whether heads have sinks, in layers without and with a window.
  BiasRule sinks, windowSinks;
  /// Keys, if any, for the size of heads of values and for what these are
  /// multiplied by; for the width of MLPs beside mixtures; and for the object
  /// about attention to blocks of tokens.
  std::string valueHeadDimKey, valueScaleKey;
  std::string intermediateSizeKey = "intermediate_size";
  std::string blockSparseKey;
  std::string normEpsKey = "rms_norm_eps";
  std::optional<ActivationRule> activation;
  /// Whether a part of each head may be rotated.
  bool ropePartial = false;
  std::optional<MixtureRule> mixture;
  BiasRule qkvBias, outputBias, mlpBias;
  std::optional<WindowRule> window;
  /// In place of grouped-query attention.
  std::optional<LatentAttentionRule> latent;
  std::optional<CompressedAttentionRule> compressed;
  /// Whether there are several residual streams.
  bool hasHyperConnections = false;
  /// In place of attention in some layers.
  std::optional<LinearAttentionRule> linear;

  /// Values of absent keys. Without one, key-value heads are a required key,
  /// and the head dimension is the hidden size by the heads.
  std::optional<int64_t> headDim;
  bool keyValueHeadsDefaultToHeads = false;
  /// The key that stands for an absent `intermediate_size`, if any.
  std::string intermediateSizeFallback;
  int64_t maxPositionEmbeddings = 0;
  double rmsNormEps = 0;
  double ropeTheta = 0;
  /// Which part of each head is rotated.
  double rotatedPart = 1;
  bool tieWordEmbeddings = false;
  /// The key for the number of layers that predict further tokens, if any.
  std::string predictionLayers;
};

/// Families by model type, as data.
struct FamilySet {
  /// Those that come with the project, and those of a user's own file, which
  /// count first.
  Json known, own;
  std::string ownFile;

  bool has(StringRef modelType) const;
  /// Sorted.
  SmallVector<std::string> list() const;
};

/// All families; with those of the file `path`, if that is not empty.
FailureOr<FamilySet> readFamilies(StringRef path, MLIRContext *context);

/// The family `modelType` of `families`, which must have it.
FailureOr<Family> readFamily(const FamilySet &families, StringRef modelType,
                             MLIRContext *context);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_FAMILY_H
