//===- LayerFunctions.h - One function per kind of layer --------*- C++ -*-===//
//
// Layers are inlined before they are lowered, so that whatever a pass made of
// them is seen the same. Compiling all copies would take longer than running
// them: what layers were lowered to is put into functions again, and layers
// that came out the same have one.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_VERIFY_LAYERFUNCTIONS_H
#define TENSORCAST_LIB_VERIFY_LAYERFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// How the names of functions with parts of a model begin.
inline constexpr StringLiteral kLayerFunctionName = "tensorcast_layer";

/// Marks where each layer of a public function begins and ends; the marks stay
/// when the layer is inlined and its ops are lowered.
void markLayers(ModuleOp module);

/// Moves what is between the marks, and around them, into private functions.
/// Two layers share a function only if all of their ops are the same.
void outlineLayers(ModuleOp module);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_LAYERFUNCTIONS_H
