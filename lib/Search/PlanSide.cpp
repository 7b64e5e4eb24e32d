//===- PlanSide.cpp - A model under a plan, for prefill or decode ---------===//

#include "PlanSide.h"

#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

DiagnosticText::DiagnosticText(MLIRContext *context, std::string &error,
                               std::vector<std::string> *warnings)
    : handler(context, [&error, warnings](Diagnostic &diag) {
        if (error.empty() && diag.getSeverity() == DiagnosticSeverity::Error)
          error = diag.str();
        if (warnings && diag.getSeverity() == DiagnosticSeverity::Warning &&
            !llvm::is_contained(*warnings, diag.str()))
          warnings->push_back(diag.str());
        return success();
      }) {}

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registry.insert<ascend::AscendDialect, func::FuncDialect,
                  transformer::TransformerDialect>();
  return registry;
}

PlanSide::PlanSide(const ModelSettings &settings, const Plan &plan, bool decode,
                   ImageSize images)
    : context(getRegistry(), MLIRContext::Threading::DISABLED),
      settings(settings), plan(plan), decode(decode), imageSize(images) {
  // Kernels are the same on all devices; which one prices them is said later.
  this->settings.device.clear();
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
}

LogicalResult PlanSide::compile(const DecoderConfig &config, std::string &why) {
  DiagnosticText diagnostics(&context, why);
  DecoderConfig own = config;
  if (plan.draftTokens > 0 &&
      failed(setDraftTokens(own, plan.draftTokens, &context)))
    return failure();
  // In a decode step, what was seen is in the cache.
  if (imageSize.count > 0 && !decode && failed(addVisionTower(own, &context)))
    return failure();
  model = buildModel(own, &context);
  FailureOr<transformer::ImagesAttr> cut = transformer::cutImages(
      *model, imageSize.count, imageSize.height, imageSize.width);
  if (failed(cut))
    return failure();
  if (transformer::ImagesAttr attr = *cut)
    images = {attr.getCount(), attr.getRows(), attr.getColumns(),
              attr.getTokens()};
  // Whether there is such a plan shows without a step.
  return success(static_cast<bool>(getKernels({})));
}

LogicalResult PlanSide::runPipeline(ModuleOp module, const Workload *step) {
  PassManager pm(&context);
  settings.build(pm, [&](auto &options) {
    options.devices = plan.getDevices();
    options.tensor = plan.tensor;
    options.data = plan.data;
    if (plan.hasExperts) {
      options.expert = plan.expert;
      options.expertTensor = plan.expertTensor;
      options.expertData = plan.expertData;
    }
    // Only decode steps read what devices would share.
    if (decode)
      options.context = plan.context;
    if (!step)
      return;
    const RequestGroup &group = step->groups.front();
    options.queries = group.queries;
    options.queryLength = group.queryLength;
    options.contextLength = group.contextLength;
    options.decode = group.decode;
    options.prefixCacheHitRate = group.prefixCacheHitRate;
    options.imageBatchSize = imageSize.count;
    options.imageHeight = imageSize.height;
    options.imageWidth = imageSize.width;
  });
  return pm.run(module);
}

ModuleOp PlanSide::getKernels(ArrayAttr assumed) {
  OwningOpRef<ModuleOp> &module = kernels[assumed];
  if (module)
    return *module;
  OwningOpRef<ModuleOp> copy = model->clone();
  if (assumed)
    (*copy)->setAttr(transformer::kAssumesAttrName, assumed);
  if (failed(runPipeline(*copy, nullptr)))
    return {};
  module = std::move(copy);
  return *module;
}

OwningOpRef<ModuleOp> PlanSide::lower(ArrayAttr assumed,
                                      ascend::DeviceAttr device) {
  ModuleOp module = getKernels(assumed);
  if (!module)
    return {};
  // Kernels are the same on all devices: only their cost is not, which nothing
  // has been said of while there is no step.
  OwningOpRef<ModuleOp> copy = module.clone();
  (*copy)->setAttr(ascend::kDeviceAttrName, device);
  return copy;
}

OwningOpRef<ModuleOp> PlanSide::lower(const Workload &step,
                                      ascend::DeviceAttr device) {
  OwningOpRef<ModuleOp> module = model->clone();
  (*module)->setAttr(ascend::kDeviceAttrName, device);
  // The passes see a step of one kind as it is.
  bool isBound = step.groups.size() == 1;
  if (failed(runPipeline(*module, isBound ? &step : nullptr)))
    return {};
  if (isBound)
    return module;
  auto emitError = [&] { return mlir::emitError(module->getLoc()); };
  auto workload = transformer::WorkloadAttr::getChecked(
      emitError, &context, step, transformer::getDataParallel(*module));
  if (!workload || failed(transformer::bindWorkload(*module, workload)) ||
      failed(ascend::estimateCosts(*module)))
    return {};
  return module;
}
