//===- PlanSide.h - A model under a plan, for prefill or decode -*- C++ -*-===//

#ifndef TENSORCAST_LIB_SEARCH_PLANSIDE_H
#define TENSORCAST_LIB_SEARCH_PLANSIDE_H

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Search/Pricer.h"

#include "mlir/IR/OwningOpRef.h"

namespace mlir::tensorcast::search {

/// Collects the first error, and all warnings, of a context in place of
/// printing them.
class DiagnosticText {
public:
  DiagnosticText(MLIRContext *context, std::string &error,
                 std::vector<std::string> *warnings = nullptr);

private:
  ScopedDiagnosticHandler handler;
};

/// The model under a plan, for prefill, decode or both, in a context of its
/// own.
class PlanSide {
public:
  PlanSide(const ModelSettings &settings, const Plan &plan, bool decode,
           ImageSize images);

  /// Imports the model and makes kernels of it.
  LogicalResult compile(const DecoderConfig &config, std::string &why);

  /// The model as kernels on a device, for steps of which so much is known;
  /// null for nothing. Null if it cannot be served so.
  OwningOpRef<ModuleOp> lower(ArrayAttr assumed, ascend::DeviceAttr device);

  /// The same for a step alone, priced.
  OwningOpRef<ModuleOp> lower(const Workload &step, ascend::DeviceAttr device);

  MLIRContext *getContext() { return &context; }
  const RequestImages &getImages() const { return images; }

private:
  LogicalResult runPipeline(ModuleOp module, const Workload *step);
  /// The kernels; those for steps of which as much is known are kept.
  ModuleOp getKernels(ArrayAttr assumed);

  MLIRContext context;
  ModelSettings settings;
  Plan plan;
  bool decode;
  ImageSize imageSize;
  RequestImages images;
  /// As imported.
  OwningOpRef<ModuleOp> model;
  llvm::DenseMap<Attribute, OwningOpRef<ModuleOp>> kernels;
};

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_LIB_SEARCH_PLANSIDE_H
