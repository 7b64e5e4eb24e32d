//===- CostProgram.h - Prices batches without running passes ----*- C++ -*-===//
//
// A plan is compiled once, without a workload; what it costs at a workload is
// then arithmetic on features of the batch.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_COSTPROGRAM_COSTPROGRAM_H
#define TENSORCAST_COSTPROGRAM_COSTPROGRAM_H

#include "tensorcast/Dialect/Transformer/IR/Workload.h"
#include "tensorcast/Report/Report.h"

#include <memory>
#include <string>

namespace mlir::tensorcast {

/// The inputs of a cost program: what it needs to know of a batch, such as
/// `tokens` or `sum(q * kv)`, in the order of `CostProgram::getFeatureNames`.
using Features = SmallVector<double>;

/// All launches of one kernel.
struct KernelPrice {
  double calls = 0, totalS = 0;
};

/// A kernel by its own name and that in the reference.
using KernelName = std::pair<std::string, std::string>;

/// What a step costs. Memory is that of a device; of a pipeline, of one of the
/// stage that needs most.
struct Price {
  double executionTimeS = 0, kernelTimeS = 0;
  MemoryUse memory;
  /// In the order of `CostProgram::getKernels`; empty unless asked for.
  SmallVector<KernelPrice> kernels;

  /// What the step occupies of a device, with what is reserved.
  double getUsedBytes() const {
    return memory.deviceBytes - memory.availableBytes;
  }
};

/// Many batches, feature by feature: `columns[i][j]` is feature i of batch j.
struct FeatureTable {
  explicit FeatureTable(size_t numFeatures) : columns(numFeatures) {}

  void append(ArrayRef<double> features) {
    for (auto [column, value] : llvm::zip_equal(columns, features))
      column.push_back(value);
    ++size;
  }

  std::vector<std::vector<double>> columns;
  size_t size = 0;
};

class CostProgram {
public:
  /// Compiles a module of launches that knows its device and cost model, as
  /// `ascend-estimate` leaves it, and that is not bound to a workload. Reports
  /// what a program cannot be made of.
  static FailureOr<CostProgram> compile(ModuleOp module);

  CostProgram(CostProgram &&);
  CostProgram &operator=(CostProgram &&);
  ~CostProgram();

  ArrayRef<std::string> getFeatureNames() const;
  /// Name, and name in the reference, of each kernel.
  ArrayRef<KernelName> getKernels() const;
  /// Groups of devices that share the requests.
  int64_t getDataParallel() const;

  /// The features of a workload; fails, and says why, for one that no step may
  /// have.
  FailureOr<Features> getFeatures(const Workload &workload,
                                  std::string *why = nullptr) const;

  /// Which of the assumptions of the module (`transformer.assumes`) hold for a
  /// batch, in their order.
  SmallVector<bool> checkAssumptions(ArrayRef<double> features) const;

  /// The price of a batch, as the pipeline has it. Fails, and says why, for one
  /// that the passes did not assume (`transformer.assumes`) or that has no
  /// price: nothing is extrapolated. Such a batch has a price in a program
  /// compiled for it.
  FailureOr<Price> evaluate(ArrayRef<double> features, bool withKernels = false,
                            std::string *why = nullptr) const;

  /// Execution time and used memory alone; NaN for both if there is no price.
  std::pair<double, double> evaluateTotal(ArrayRef<double> features) const;

  /// Execution time and used memory of many batches. Those without a price get
  /// NaN for both; returns how many those are.
  size_t evaluate(const FeatureTable &table, MutableArrayRef<double> timeS,
                  MutableArrayRef<double> usedBytes) const;

  /// How much is computed for a price: `87 instructions`.
  std::string describeSize() const;

  /// Writes C source that computes the same; the comments in it say how it is
  /// used.
  void emitC(raw_ostream &os) const;

  /// Writes LLVM IR of a function that computes the outputs of many batches:
  ///   void tensorcast_prices(const double *const *features, size_t count,
  ///                          double *const *outputs)
  /// Features are columns, and so are the outputs, which `finish` takes.
  void emitLLVM(raw_ostream &os, bool withKernels = false) const;
  static constexpr StringLiteral kLLVMFunction = "tensorcast_prices";
  size_t getNumOutputs(bool withKernels) const;

  /// The price of a batch by the outputs that compiled code has computed.
  FailureOr<Price> finish(ArrayRef<double> features, ArrayRef<double> outputs,
                          std::string *why = nullptr) const;

  class Implementation;

private:
  explicit CostProgram(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTPROGRAM_COSTPROGRAM_H
