//===- Verify.h - Proof by execution ----------------------------*- C++ -*-===//
//
// Runs two modules on the same values and compares what they compute; where
// they differ, finds the first layer and op.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_VERIFY_VERIFY_H
#define TENSORCAST_VERIFY_VERIFY_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Verify/Comparison.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::tensorcast {

struct VerifyOptions {
  uint64_t seed = 0;
  Tolerance tolerance;
  /// Least cosine; if absent that of `tolerance`, or 0.98 if one side is
  /// quantized to less than 8 bits.
  std::optional<double> minCosine;
  /// Limits per module, beyond which nothing is run.
  double maxOperations = 4e9;
  double maxBytes = 4e9;
};

/// How one result of a function compares.
struct ResultComparison {
  std::string function;
  /// `result 0` or `cache model.layers.0.self_attn`.
  std::string name;
  RankedTensorType type;
  Difference difference;
  /// Of the relative error; none if that is only reported.
  std::optional<double> errorLimit;
  bool isEqual = false;
};

/// The first op, or layer, whose values differ.
struct FirstDifference {
  std::string function;
  /// The layer; empty outside of layers.
  std::string layer;
  /// The op's name, within the layer; empty if none could be told.
  std::string op;
  Difference difference;
  std::optional<double> errorLimit;
};

struct VerifyReport {
  transformer::WorkloadAttr workload;
  /// The fewest bits of what is quantized on one side only.
  std::optional<unsigned> quantizedBits;
  /// The least cosine that was asked for.
  double minCosine = 0;
  /// Devices that the sharded module was run on; 1 if none is sharded.
  int64_t numRanks = 1;
  /// Whether both modules are sharded.
  bool bothSharded = false;
  SmallVector<ResultComparison> results;
  /// Only where results differ.
  std::optional<FirstDifference> first;
  /// Weights that only one of the modules has; their values are unrelated.
  SmallVector<std::string> unmatchedWeights;

  bool isEqual() const;
  bool isQuantized() const { return quantizedBits.has_value(); }
};

/// Binds what is not bound yet: to the workload of the other module, else to
/// `workload`. A module without a batch or sizes to bind is left alone.
LogicalResult bindBoth(ModuleOp before, ModuleOp after,
                       transformer::WorkloadAttr workload);

/// Compares the public functions of two modules that are bound, or have nothing
/// to bind. If one of them is sharded, all devices of its plan are run, on
/// parts of the weights of the other. Anything that cannot be run or compared
/// is reported and fails.
FailureOr<VerifyReport> verifyEqual(ModuleOp before, ModuleOp after,
                                    const VerifyOptions &options);

/// Computes in f32 what is in f16 or bf16: rewrites the types of `module`.
LogicalResult widenToF32(ModuleOp module);

void printText(raw_ostream &os, const VerifyReport &report);
void printJson(raw_ostream &os, const VerifyReport &report);

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_VERIFY_H
