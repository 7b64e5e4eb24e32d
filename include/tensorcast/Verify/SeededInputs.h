//===- SeededInputs.h - Values that follow from names -----------*- C++ -*-===//
//
// Fills the arguments of a lowered module. A value depends on the name of the
// weight or cache, its type and the seed, on nothing else, so that two modules
// with the same names compute on the same values.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_VERIFY_SEEDEDINPUTS_H
#define TENSORCAST_VERIFY_SEEDEDINPUTS_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Verify/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tensorcast {

/// An argument of a lowered function, as its attributes describe it.
struct ArgumentInfo {
  std::string kind, name;
  RankedTensorType type;
  /// Whether it is a weight or cache that the function declares inside.
  bool isDeclared = false;
  /// Values of indices are below it.
  int64_t limit = 0;
};

/// The arguments of `lowered`; those without a name are called by position.
SmallVector<ArgumentInfo> getArguments(func::FuncOp lowered);

/// Makes values. Weights are scaled so that activations stay near 1:
///
/// - matrices: bell-shaped with variance 1 / columns, embeddings with 1;
/// - vectors: around 1, `bias` around 0, both with deviation 0.1;
/// - `cos` and `sin` tables: cosines and sines of their positions;
/// - quantized `X.weight` and `X.weight_scale`: symmetric quantization of the
///   float weight `X.weight`; `X.input_scale`: from calibration, else for
///   activations up to 4;
/// - indices: uniform; positions: those of the step; the rest: bell-shaped,
///   with variance 1.
class SeededInputs {
public:
  SeededInputs(uint64_t seed, transformer::WorkloadAttr workload)
      : seed(seed), workload(workload) {}

  /// The largest magnitude that the input of linear layer `X` takes.
  void setInputRange(StringRef layer, double largest) {
    inputRanges[layer] = largest;
  }

  /// Values for all of `arguments`, of one function.
  std::vector<HostTensor> makeAll(ArrayRef<ArgumentInfo> arguments) const;

private:
  class Filler;

  uint64_t seed;
  transformer::WorkloadAttr workload;
  llvm::StringMap<double> inputRanges;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_SEEDEDINPUTS_H
