//===- LayerEquivalence.h - Which layers compute the same -------*- C++ -*-===//
//
// Structural comparison of layer functions, for merging them and for reports
// that count layers of one kind. Names of functions, locations, provenance and
// discardable attributes do not count, but for marks that tell passes what to
// do with a function.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMS_LAYEREQUIVALENCE_H
#define TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMS_LAYEREQUIVALENCE_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::transformer {

/// Refuses layers of modules within `module`: their functions are not its own.
LogicalResult checkLayers(ModuleOp module);

/// Functions that compute the same, in module order.
using LayerGroup = SmallVector<func::FuncOp, 1>;

/// The functions that `transformer.layer` ops of `module` call, grouped by what
/// they compute; groups are in the order of their first functions.
SmallVector<LayerGroup> groupLayers(ModuleOp module);

/// Where two functions first differ.
struct LayerDifference {
  Operation *lhs = nullptr, *rhs = nullptr;
  std::string what;
};

/// The first difference, or nothing if the functions compute the same.
std::optional<LayerDifference> findDifference(func::FuncOp lhs,
                                              func::FuncOp rhs);

/// Whether passes are told to treat two functions alike, by the attributes that
/// `transformer-mark-layers` gives them.
bool haveEqualMarks(func::FuncOp lhs, func::FuncOp rhs);

/// Gives `layer` a copy of its function, behind that, to call.
func::FuncOp specializeLayer(LayerOp layer, SymbolTable &symbols);

/// `model.layers.7.mlp` as `model.layers.*.mlp`: the name for all layers.
std::string generalizeName(StringRef name);

/// The name that an importer gave with a location, or an empty text.
StringRef getName(Location loc);

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_TRANSFORMS_LAYEREQUIVALENCE_H
