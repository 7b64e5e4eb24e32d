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

#include <optional>

namespace mlir::tensorcast {

/// What one of several ranks has of a weight or cache.
struct Part {
  int64_t rank = 0;
  /// The sizes of the whole, of the type that functions declare.
  SmallVector<int64_t> whole;
  /// Where the part begins; a rank that has all of it begins at 0.
  int64_t dim = 0, offset = 0;

  static std::optional<Part> get(DictionaryAttr attrs);
  DictionaryAttr toAttr(MLIRContext *context) const;
};

/// An argument of a lowered function, as its attributes describe it.
struct ArgumentInfo {
  std::string kind, name;
  RankedTensorType type;
  /// Whether it is a weight or cache that the function declares inside.
  bool isDeclared = false;
  /// Values of indices are below it.
  int64_t limit = 0;
  /// Elements that share a scale; 0 if it has one scale.
  int64_t groupSize = 0;
  /// Weights that have one scale together, this one among them.
  SmallVector<std::string> joined;
  std::optional<Part> part;

  int64_t getRank() const { return part ? part->rank : 0; }

  /// The sizes of what the ranks have together.
  ArrayRef<int64_t> getWholeShape() const {
    return part ? ArrayRef<int64_t>(part->whole) : type.getShape();
  }
};

/// The arguments of `lowered`; those without a name are called by position.
SmallVector<ArgumentInfo> getArguments(func::FuncOp lowered);

/// Whether a weight of this name is a scale that calibration finds:
/// `X.input_scale` of a linear layer, `X.q_scale`, `X.k_scale` and `X.v_scale`
/// of the attention over cache `X`.
bool isCalibratedScale(StringRef name);

/// Makes values. Weights are scaled so that activations stay near 1:
///
/// - matrices: normal with variance 1 / columns, embeddings with variance 1;
/// - vectors: 1 and a tenth of a normal; `bias`: a tenth of a normal;
/// - `cos` and `sin` tables: cosines and sines of their positions;
/// - quantized `X.weight` and `X.weight_scale`: symmetric quantization of the
///   float weight `X.weight`; of weights that are joined and share a scale, as
///   serving stacks do it, by the largest of all of them;
/// - calibrated scales: from calibration, else for activations up to 4;
/// - quantized caches: the float cache, quantized with the scales of attention;
/// - parts of ranks: that part of the whole, quantized by itself;
/// - indices: uniform; positions: those of the step; the rest: normal.
class SeededInputs {
public:
  SeededInputs(uint64_t seed, transformer::WorkloadAttr workload)
      : seed(seed), workload(workload) {}

  /// The largest magnitude that a calibrated scale stands for.
  void setRange(StringRef scale, double largest) { ranges[scale] = largest; }

  /// Weights that share a scale, where a module does not say so itself: it is
  /// compared with one that joins them.
  void setJoined(ArrayRef<std::string> names) {
    for (const std::string &name : names)
      joined[name].assign(names.begin(), names.end());
  }

  /// Values for all of `arguments`, of one function.
  std::vector<HostTensor> makeAll(ArrayRef<ArgumentInfo> arguments) const;

  /// What the elements of a quantized cache called `name` stand for.
  HostTensor dequantizeCache(StringRef name, const HostTensor &cache) const;

private:
  class Filler;

  double getCalibratedScale(StringRef name, Type type) const;

  uint64_t seed;
  transformer::WorkloadAttr workload;
  llvm::StringMap<double> ranges;
  llvm::StringMap<SmallVector<std::string>> joined;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_SEEDEDINPUTS_H
