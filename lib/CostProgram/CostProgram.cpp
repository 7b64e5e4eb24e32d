//===- CostProgram.cpp - Prices batches without running passes ------------===//

#include "tensorcast/CostProgram/CostProgram.h"

#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/OwningOpRef.h"

#include <limits>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::ImagesAttr;
using transformer::WorkloadAttr;

//===----------------------------------------------------------------------===//
// What is compiled
//===----------------------------------------------------------------------===//

/// Keeps the module, and binds and prices a copy of it.
class CostProgram::Implementation {
public:
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> featureNames = {
      "queries", "query_length", "context_length", "decode",      "hit_rate",
      "images",  "image_rows",   "image_columns",  "image_tokens"};
  std::vector<std::pair<std::string, std::string>> kernels;
};

namespace {
/// Collects the errors of a context in place of printing them.
class ErrorCollector {
public:
  ErrorCollector(MLIRContext *context, std::string *text)
      : handler(context, [text](Diagnostic &diag) {
          if (text && diag.getSeverity() == DiagnosticSeverity::Error)
            *text = diag.str();
          return success();
        }) {}

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

CostProgram::CostProgram(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
CostProgram::CostProgram(CostProgram &&) = default;
CostProgram &CostProgram::operator=(CostProgram &&) = default;
CostProgram::~CostProgram() = default;

FailureOr<CostProgram> CostProgram::compile(ModuleOp module) {
  if (module->hasAttr(transformer::kWorkloadAttrName))
    return mlir::emitError(module.getLoc(),
                           "expected a module without a workload, but it is "
                           "bound to one");
  auto implementation = std::make_unique<Implementation>();
  implementation->module = module.clone();
  llvm::SetVector<std::pair<StringRef, StringRef>> kernels;
  module.walk([&](ascend::LaunchOp launch) {
    kernels.insert(
        {launch.getKernel(), launch.getReferenceName().value_or("")});
  });
  for (auto [name, referenceName] : kernels)
    implementation->kernels.emplace_back(name, referenceName);
  return CostProgram(std::move(implementation));
}

ArrayRef<std::string> CostProgram::getFeatureNames() const {
  return implementation->featureNames;
}

ArrayRef<std::pair<std::string, std::string>> CostProgram::getKernels() const {
  return implementation->kernels;
}

int64_t CostProgram::getDataParallel() const {
  return transformer::getDataParallel(*implementation->module);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static WorkloadAttr toAttr(ArrayRef<double> features, ModuleOp module) {
  MLIRContext *context = module.getContext();
  auto integer = [&](unsigned i) { return static_cast<int64_t>(features[i]); };
  FloatAttr rate;
  if (features[4] != 0)
    rate = FloatAttr::get(Float64Type::get(context), features[4]);
  auto emitError = [&] { return mlir::emitError(module.getLoc()); };
  ImagesAttr images;
  if (features[5] != 0) {
    images = ImagesAttr::getChecked(emitError, context, integer(5), integer(6),
                                    integer(7), integer(8));
    if (!images)
      return {};
  }
  return WorkloadAttr::getChecked(
      emitError, context, integer(0), integer(1), integer(2), features[3] != 0,
      transformer::getDataParallel(module), rate, images);
}

FailureOr<Features> CostProgram::getFeatures(const Workload &workload,
                                             std::string *why) const {
  if (workload.groups.size() != 1) {
    if (why)
      *why = "expected requests of one kind";
    return failure();
  }
  const RequestGroup &group = workload.groups.front();
  const RequestImages &images = workload.images;
  Features features;
  for (int64_t value : {group.queries, group.queryLength, group.contextLength,
                        static_cast<int64_t>(group.decode)})
    features.push_back(static_cast<double>(value));
  features.push_back(group.prefixCacheHitRate);
  for (int64_t value :
       {images.count, images.rows, images.columns, images.tokens})
    features.push_back(static_cast<double>(value));
  ErrorCollector errors(implementation->module->getContext(), why);
  if (!toAttr(features, *implementation->module))
    return failure();
  return features;
}

FailureOr<Price> CostProgram::evaluate(ArrayRef<double> features,
                                       bool withKernels,
                                       std::string *why) const {
  ModuleOp module = *implementation->module;
  ErrorCollector errors(module->getContext(), why);
  OwningOpRef<ModuleOp> bound = module.clone();
  WorkloadAttr workload = toAttr(features, module);
  if (!workload || failed(transformer::bindWorkload(*bound, workload)) ||
      failed(ascend::estimateCosts(*bound)))
    return failure();
  FailureOr<Report> report = buildReport(*bound);
  if (failed(report))
    return failure();
  Price price;
  price.executionTimeS = report->executionTimeS;
  price.kernelTimeS = report->kernelTimeS;
  price.memory = report->memory;
  if (withKernels)
    for (const auto &[name, referenceName] : implementation->kernels) {
      KernelPrice &kernel = price.kernels.emplace_back();
      for (const OpRow &row : report->ops)
        if (row.name == name && row.referenceName == referenceName)
          kernel = {row.calls, row.totalS};
    }
  return price;
}

size_t CostProgram::evaluate(const FeatureTable &table,
                             MutableArrayRef<double> timeS,
                             MutableArrayRef<double> usedBytes) const {
  size_t numFailed = 0;
  Features features(table.columns.size());
  for (size_t i = 0; i < table.size; ++i) {
    for (auto [feature, column] : llvm::zip_equal(features, table.columns))
      feature = column[i];
    FailureOr<Price> price = evaluate(features);
    numFailed += failed(price);
    double none = std::numeric_limits<double>::quiet_NaN();
    timeS[i] = succeeded(price) ? price->executionTimeS : none;
    usedBytes[i] = succeeded(price) ? price->getUsedBytes() : none;
  }
  return numFailed;
}
