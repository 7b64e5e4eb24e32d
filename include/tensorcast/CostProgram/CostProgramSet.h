//===- CostProgramSet.h - A plan for any batch ------------------*- C++ -*-===//

#ifndef TENSORCAST_COSTPROGRAM_COSTPROGRAMSET_H
#define TENSORCAST_COSTPROGRAM_COSTPROGRAMSET_H

#include "tensorcast/CostProgram/CostProgram.h"

#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace mlir::tensorcast {

/// The programs of one plan: where the graph of a model depends on the batch,
/// one for each graph, which is compiled when the first batch needs it.
class CostProgramSet {
public:
  /// Runs the pipeline of the plan on the model, without a workload. The
  /// module attribute `transformer.assumes` is to be `assumed` before the
  /// passes that ask for it; null if nothing is known yet.
  using Compile = std::function<OwningOpRef<ModuleOp>(ArrayAttr assumed)>;

  explicit CostProgramSet(Compile compile) : compile(std::move(compile)) {}

  /// The program that has a price for `workload`. Fails, and says why, if there
  /// is none or the workload is one that no step may have.
  FailureOr<const CostProgram *> get(const Workload &workload,
                                     std::string *why = nullptr);

  size_t getNumPrograms() const { return programs.size(); }

private:
  struct Entry {
    std::optional<CostProgram> program;
    /// What its passes took for granted.
    ArrayAttr assumed;
  };
  /// The programs by what was known before the passes ran.
  llvm::DenseMap<Attribute, std::unique_ptr<Entry>> programs;
  const Entry &lookup(ArrayAttr assumed);

  Compile compile;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTPROGRAM_COSTPROGRAMSET_H
