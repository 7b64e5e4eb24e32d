//===- Encoder.h - Models that read whole sequences -------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_ENCODER_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_ENCODER_H

#include "Family.h"

#include "tensorcast/Import/HuggingFace/Config.h"
#include "tensorcast/Support/JsonReader.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Reads the config of an encoder into `config`; what is wrong with it is
/// reported by `reader`.
void readEncoder(JsonReader &reader, const Family &family,
                 DecoderConfig &config);

/// Builds the functions of an encoder in `module`.
void buildEncoder(const DecoderConfig &config, ModuleOp module);

/// Number of weights of an encoder.
double countEncoderParameters(const DecoderConfig &config);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_ENCODER_H
