//===- Opportunities.h - Where a fusion would pay ---------------*- C++ -*-===//
//
// Finds chains of ops that one kernel could compute, and prices each of them as
// if there were such a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_OPPORTUNITIES_OPPORTUNITIES_H
#define TENSORCAST_OPPORTUNITIES_OPPORTUNITIES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// What a kernel for a chain of ops would save in one step of the model. It is
/// an upper bound: no kernel does less than the work of its ops and the traffic
/// of what it reads from others and writes for them.
struct Opportunity {
  /// The ops at one of the places, each of which reads what the one before
  /// makes, and the ops between them that only name parts of a tensor.
  SmallVector<Operation *> ops;
  /// Those of `ops` that start kernels.
  SmallVector<Operation *> kernels;
  /// `swiglu -> linear`.
  std::string name;
  /// Parts of the model with the last op, in the order of the module; the name
  /// of its function where it has none.
  SmallVector<std::string> provenance;
  /// How often a step runs the chain.
  double runs = 0;
  /// Of all runs: seconds, launches and bytes of traffic that disappear.
  double savingS = 0, launches = 0, bytes = 0;
};

/// All chains of a module.
struct OpportunityList {
  /// The ones that save most first; none that another op only makes longer.
  std::vector<Opportunity> chains;
  /// Seconds of all kernels of the step.
  double totalS = 0;
  /// Chains that were left out, as a row of what their ops hand on does not fit
  /// on the chip, and the bytes that do.
  unsigned numTooLarge = 0;
  std::optional<int64_t> bufferBytes;
};

struct OpportunityOptions {
  /// Ops of a chain, at least 2, that start kernels.
  unsigned maxOps = 3;
  /// Lowers a module to launches with costs.
  function_ref<LogicalResult(ModuleOp)> price;
};

/// Tries the chains of `module`: of its launches, or of its ops if it is not
/// lowered yet.
FailureOr<OpportunityList> findOpportunities(ModuleOp module,
                                             OpportunityOptions options);

/// Prints the first `limit` chains.
void printOpportunities(raw_ostream &os, const OpportunityList &list,
                        unsigned limit);
void printOpportunitiesJson(raw_ostream &os, const OpportunityList &list,
                            unsigned limit);

/// Writes a pattern file that makes one kernel of a chain. Fails with a
/// diagnostic for a chain that no pattern can describe: one of launches, or one
/// that hands on one of several values of the same kind.
LogicalResult printPattern(raw_ostream &os, const Opportunity &chain,
                           double totalS);

} // namespace mlir::tensorcast

#endif // TENSORCAST_OPPORTUNITIES_OPPORTUNITIES_H
