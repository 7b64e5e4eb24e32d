//===- ExpertSections.h - What runs between dispatch and return -*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_EXPERTSECTIONS_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_EXPERTSECTIONS_H

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

namespace mlir::tensorcast {

/// The ops that experts run on their rows.
struct ExpertSection {
  /// The rows as they arrive.
  Value begin;
  /// In order; each works on rows.
  SmallVector<Operation *> ops;
  /// What brings the results back, and which of its operands they are.
  OpOperand *end = nullptr;
  /// How many rows and experts there are.
  transformer::ExpertRows rows;
  transformer::PlacementAttr placement;
};

/// The sections of a module, in order. Those with unknown sizes are left out.
SmallVector<ExpertSection> findExpertSections(ModuleOp module);

/// Launches what experts run once per expert, for sets without kernels for all
/// experts together.
void launchPerExpert(ModuleOp module, const KernelSet &kernels);

/// The attribute of an op that is to be launched so many times.
inline constexpr StringLiteral kTimesAttrName = "ascend.times";

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_EXPERTSECTIONS_H
