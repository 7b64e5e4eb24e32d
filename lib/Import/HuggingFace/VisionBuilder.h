//===- VisionBuilder.h - A vision tower in front of a decoder ---*- C++ -*-===//

#ifndef TENSORCAST_LIB_IMPORT_HUGGINGFACE_VISIONBUILDER_H
#define TENSORCAST_LIB_IMPORT_HUGGINGFACE_VISIONBUILDER_H

#include "BlockBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tensorcast {

/// The functions of a tower, in the order of the calls.
struct VisionTower {
  func::FuncOp embedding, merger;
  SmallVector<func::FuncOp> blocks, deepMergers;
};

/// How the model cuts images.
transformer::ImageRuleAttr getImageRule(const VisionConfig &vision,
                                        MLIRContext *context);

/// The patches of all images of a step, as the tower takes them.
Type getPixelsType(const VisionConfig &vision, MLIRContext *context);

/// Builds the functions of the tower of `config` at `builder`.
VisionTower buildVisionTower(const DecoderConfig &config, OpBuilder &builder);

/// Calls the tower. The first value is what it sees, for the decoder's input;
/// the others are for what its first layers yield.
SmallVector<Value> callVisionTower(const DecoderConfig &config,
                                   const VisionTower &tower, OpBuilder &builder,
                                   Value pixels, Value batch);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_IMPORT_HUGGINGFACE_VISIONBUILDER_H
