//===- Program.h - A compiled plan ------------------------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_COSTPROGRAM_PROGRAM_H
#define TENSORCAST_LIB_COSTPROGRAM_PROGRAM_H

#include "Features.h"
#include "tensorcast/CostProgram/CostProgram.h"
#include "tensorcast/Report/Formulas.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// What is not so of a batch that has no price, as a formula that is 1 for such
/// a batch and in words.
struct Violation {
  Formula formula;
  std::string text;
};

/// What a module costs, as formulas of features.
struct PriceFormulas {
  Formula executionTimeS, kernelTimeS;
  /// Of the stage that needs most.
  MemoryUseOf<Formula> memory;
  /// By kernel, in the order of the names: calls and seconds.
  std::vector<KernelName> kernels;
  SmallVector<LaunchTimeOf<Formula>> kernelTimes;
  std::vector<Violation> violations;
  /// 1 for each assumption of the module that does not hold.
  SmallVector<Formula> brokenAssumptions;
};

/// Reports what formulas cannot be made of.
FailureOr<PriceFormulas> formulatePrice(ModuleOp module, FeatureSet &features);

/// Everything that does not depend on the batch.
class CostProgram::Implementation {
public:
  /// What is priced on what, for people.
  std::string title;
  std::vector<Feature> features;
  std::vector<std::string> featureNames;
  std::vector<FeatureCode> featureCode;
  std::vector<KernelName> kernels;
  /// By violation.
  std::vector<std::string> texts;
  int64_t dataParallel = 1;
  /// Whether the model looks at images, which it then always does.
  bool looksAtImages = false;
  double deviceBytes = 0, reservedBytes = 0;

  /// Execution time, used memory, and the number of violations.
  Code total;
  static constexpr unsigned numTotalOutputs = 3;
  /// Execution and kernel time; weights, caches and activations; the number of
  /// violations. Then, in the second, calls and seconds of each kernel.
  Code sums, rows;
  static constexpr unsigned numSums = 6;
  /// Each violation; each assumption that does not hold.
  Code checks, assumptions;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_COSTPROGRAM_PROGRAM_H
