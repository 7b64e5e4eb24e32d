//===- Probes.h - Values on the way to the result ---------------*- C++ -*-===//
//
// Makes values inside of a function results of it, so that a run shows them.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_VERIFY_PROBES_H
#define TENSORCAST_LIB_VERIFY_PROBES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::tensorcast {

/// A value that a run of a function shows.
struct Probe {
  /// The layer whose result it is, or the names that the op has by its
  /// location: several if ops were fused into it.
  SmallVector<std::string, 1> names;
  Value value;
};

/// The tensors that layers of `function` return, called `model.layers.7`; a
/// further result `model.layers.7#1`.
SmallVector<Probe> findLayerResults(func::FuncOp function);

/// The tensors that ops of `function` compute, in order. An op without a name
/// is called after its kind: `rms_norm 2` is the third one.
SmallVector<Probe> findOpResults(func::FuncOp function);

/// What calibrated scales are about, by their names: the inputs of linear
/// layers whose weight is `X.weight`, called `X.input_scale`, and queries, keys
/// and values of the attention over cache `X`, called `X.q_scale` and so on.
SmallVector<Probe> findScaledValues(func::FuncOp function);

/// Makes the values results of `function`, after those it has.
LogicalResult addResults(func::FuncOp function, ArrayRef<Probe> probes);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_VERIFY_PROBES_H
