//===- EncoderConfig.h - Models that read whole sequences -------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_ENCODERCONFIG_H
#define TENSORCAST_IMPORT_HUGGINGFACE_ENCODERCONFIG_H

#include <cstdint>

namespace mlir::tensorcast {

/// What an encoder with learned positions has beside its sizes: layers of
/// attention without a cache and of an MLP with a GELU, with layer norms behind
/// them. Devlin et al., 2018 (arXiv 1810.04805).
struct EncoderConfig {
  double layerNormEps = 0;
  /// Rows of the table for the segments of a sequence.
  int64_t numTokenTypes = 0;
  /// Whether the GELU is the one by the hyperbolic tangent.
  bool geluTanh = false;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_ENCODERCONFIG_H
