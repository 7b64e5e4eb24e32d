//===- SeededInputs.h - Values that follow from names -----------*- C++ -*-===//
//
// Fills the arguments of a lowered module. A value depends on the name of the
// weight or cache, its type and the seed, so that two modules with the same
// names compute on the same values.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_VERIFY_SEEDEDINPUTS_H
#define TENSORCAST_VERIFY_SEEDEDINPUTS_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Verify/Arguments.h"
#include "tensorcast/Verify/HostTensor.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tensorcast {

/// Makes values. Weights are scaled so that activations stay near 1:
///
/// - matrices: uniform with variance 1 / columns (LeCun et al., "Efficient
///   BackProp", 1998; torch.nn.Linear draws from a third of that);
/// - of them, the last of each block: the same divided by the square root of
///   their number, as GPT-2 begins (Radford et al., "Language Models are
///   Unsupervised Multitask Learners", 2019, 2.3);
/// - embeddings: normal with variance 1, as torch.nn.Embedding;
/// - vectors: 1 and a tenth of a normal; `bias`: a tenth of a normal;
/// - routers of experts, and hidden states in models that have some: so that
///   no two experts have nearly the same score;
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

  /// Notes those of `arguments` that end a block, of either module.
  void addResiduals(ArrayRef<ArgumentInfo> arguments);

  /// Values for all of `arguments`, of one function.
  std::vector<HostTensor> makeAll(ArrayRef<ArgumentInfo> arguments) const;

  /// What the elements of a quantized cache called `name` stand for.
  HostTensor dequantizeCache(StringRef name, const HostTensor &cache) const;

private:
  class Filler;

  double getCalibratedScale(StringRef name, Type type) const;

  /// What the values of a float weight are multiplied by.
  double getGain(StringRef name) const;

  uint64_t seed;
  transformer::WorkloadAttr workload;
  llvm::StringMap<double> ranges;
  llvm::StringMap<SmallVector<std::string>> joined;
  llvm::StringSet<> residuals;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_VERIFY_SEEDEDINPUTS_H
