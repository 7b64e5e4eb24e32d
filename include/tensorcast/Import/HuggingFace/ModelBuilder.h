//===- ModelBuilder.h - A config as a module --------------------*- C++ -*-===//

#ifndef TENSORCAST_IMPORT_HUGGINGFACE_MODELBUILDER_H
#define TENSORCAST_IMPORT_HUGGINGFACE_MODELBUILDER_H

#include "tensorcast/Import/HuggingFace/Config.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tensorcast {

/// Builds the model as composite ops: a public function `main` of token ids,
/// positions and the batch to logits, and a private function per layer. Every
/// op's location is its name in the model. Weights and activations are f16,
/// whatever the config says, as the NPUs serve them.
OwningOpRef<ModuleOp> buildModel(const DecoderConfig &config,
                                 MLIRContext *context);

} // namespace mlir::tensorcast

#endif // TENSORCAST_IMPORT_HUGGINGFACE_MODELBUILDER_H
