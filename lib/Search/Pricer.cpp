//===- Pricer.cpp - What steps of a plan cost -----------------------------===//

#include "tensorcast/Search/Pricer.h"

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Import/HuggingFace/ModelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registry.insert<ascend::AscendDialect, func::FuncDialect,
                  transformer::TransformerDialect>();
  return registry;
}

/// The model under a plan, for prefill or decode or both.
class ProgramPricer::Side {
public:
  Side() : context(getRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
  }

  LogicalResult compile(const DecoderConfig &config,
                        const ModelSettings &settings, const Plan &plan,
                        bool decode, ImageSize images,
                        const DeviceChange &change, std::string &why,
                        std::vector<std::string> &warnings) {
    ErrorText errors(&context, why, &warnings);
    build = [=](ModuleOp module, const Workload *step) {
      return runPipeline(module, settings, plan, decode, images, step);
    };
    DecoderConfig own = config;
    if (plan.draftTokens > 0 &&
        failed(setDraftTokens(own, plan.draftTokens, &context)))
      return failure();
    // In a decode step, what was seen is in the cache.
    if (images.count > 0 && !decode && failed(addVisionTower(own, &context)))
      return failure();
    model = buildModel(own, &context);
    FailureOr<transformer::ImagesAttr> cut = transformer::cutImages(
        *model, images.count, images.height, images.width);
    if (failed(cut))
      return failure();
    if (transformer::ImagesAttr attr = *cut)
      this->images = {attr.getCount(), attr.getRows(), attr.getColumns(),
                      attr.getTokens()};
    if (!change.isNone()) {
      FailureOr<DictionaryAttr> device =
          loadChangedDevice(settings.device, change, UnknownLoc::get(&context));
      if (failed(device))
        return failure();
      (*model)->setAttr(ascend::kDeviceAttrName,
                        ascend::DeviceAttr::get(&context, *device));
    }
    programs.emplace([this](ArrayAttr assumed) { return compile(assumed); });
    // Whether there is any plan shows without a step.
    first = compile({});
    return success(static_cast<bool>(first));
  }

  FailureOr<StepPrice> price(Workload step, std::string &why) {
    step.images = images;
    ErrorText errors(&context, why);
    std::string reason;
    FailureOr<const CostProgram *> program = programs->get(step, &reason);
    FailureOr<Features> features = failure();
    if (succeeded(program))
      features = (*program)->getFeatures(step, &reason);
    FailureOr<Price> price = failure();
    if (succeeded(features))
      price = (*program)->evaluate(*features, /*withKernels=*/false, &reason);
    if (succeeded(price))
      return StepPrice{price->executionTimeS * 1e3, price->memory};
    // What the passes reported says more.
    if (why.empty())
      why = std::move(reason);
    return failure();
  }

  FailureOr<Report> report(Workload step, std::string &why,
                           std::string *trace) {
    step.images = images;
    ErrorText errors(&context, why);
    OwningOpRef<ModuleOp> module = compileBound(step);
    if (!module)
      return failure();
    FailureOr<Report> report = buildReport(*module);
    if (failed(report) || !trace)
      return report;
    llvm::raw_string_ostream os(*trace);
    if (failed(printChromeTrace(os, *module, *report)))
      return failure();
    return report;
  }

  int64_t getImageTokens() const { return images.tokens; }

private:
  /// Collects the first error, and all warnings, in place of printing them.
  struct ErrorText {
    ErrorText(MLIRContext *context, std::string &text,
              std::vector<std::string> *warnings = nullptr)
        : handler(context, [&text, warnings](Diagnostic &diag) {
            if (text.empty() && diag.getSeverity() == DiagnosticSeverity::Error)
              text = diag.str();
            if (warnings && diag.getSeverity() == DiagnosticSeverity::Warning &&
                !llvm::is_contained(*warnings, diag.str()))
              warnings->push_back(diag.str());
            return success();
          }) {}
    ScopedDiagnosticHandler handler;
  };

  LogicalResult runPipeline(ModuleOp module, const ModelSettings &settings,
                            const Plan &plan, bool decode, ImageSize images,
                            const Workload *step) {
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
      if (module->hasAttr(ascend::kDeviceAttrName))
        options.device = std::string();
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
      options.imageBatchSize = images.count;
      options.imageHeight = images.height;
      options.imageWidth = images.width;
    });
    return pm.run(module);
  }

  /// The model as kernels for this step alone, priced; null if it has no price.
  OwningOpRef<ModuleOp> compileBound(const Workload &step) {
    OwningOpRef<ModuleOp> module = model->clone();
    // The passes see a step of one kind as it is.
    bool isBound = step.groups.size() == 1;
    if (failed(build(*module, isBound ? &step : nullptr)))
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

  /// The model as kernels, for steps of which so much is known; null if it
  /// cannot be served so. The first one is made before any step is priced.
  OwningOpRef<ModuleOp> compile(ArrayAttr assumed) {
    if (!assumed && first)
      return std::move(first);
    OwningOpRef<ModuleOp> module = model->clone();
    if (assumed)
      (*module)->setAttr(transformer::kAssumesAttrName, assumed);
    if (failed(build(*module, nullptr)))
      return {};
    return module;
  }

  MLIRContext context;
  /// As imported, and as kernels until a program is made of them.
  OwningOpRef<ModuleOp> model, first;
  std::function<LogicalResult(ModuleOp, const Workload *)> build;
  std::optional<CostProgramSet> programs;
  RequestImages images;
};

ProgramPricer::ProgramPricer() = default;
ProgramPricer::~ProgramPricer() = default;

std::unique_ptr<ProgramPricer>
ProgramPricer::compile(const DecoderConfig &config,
                       const ModelSettings &settings, const Plan &plan,
                       Phase phase, ImageSize images, std::string &why,
                       const DeviceChange &change) {
  std::unique_ptr<ProgramPricer> pricer(new ProgramPricer);
  auto compileSide = [&](bool decode) -> std::shared_ptr<Side> {
    auto side = std::make_shared<Side>();
    if (failed(side->compile(config, settings, plan, decode, images, change,
                             why, pricer->warnings)))
      return nullptr;
    return side;
  };
  bool oneForBoth = plan.context == 1 && images.count == 0;
  if (phase != Phase::Decode || oneForBoth) {
    pricer->prefill = compileSide(/*decode=*/false);
    if (!pricer->prefill)
      return nullptr;
  }
  if (oneForBoth)
    pricer->decode = pricer->prefill;
  else if (phase != Phase::Prefill)
    pricer->decode = compileSide(/*decode=*/true);
  if (phase != Phase::Prefill && !pricer->decode)
    return nullptr;
  return pricer;
}

int64_t ProgramPricer::getImageTokens() const {
  return (prefill ? prefill : decode)->getImageTokens();
}

FailureOr<Report> ProgramPricer::report(const Workload &step, std::string &why,
                                        std::string *trace) {
  return (step.isDecode() ? *decode : *prefill).report(step, why, trace);
}

FailureOr<StepPrice> ProgramPricer::price(const Workload &step,
                                          std::string &why) {
  std::vector<int64_t> key;
  for (const RequestGroup &group : step.groups)
    // One search has one hit rate; whether it is used is what differs.
    key.insert(key.end(),
               {group.queries, group.queryLength, group.contextLength,
                group.decode, group.prefixCacheHitRate != 0});
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  Side &side = step.isDecode() ? *decode : *prefill;
  FailureOr<StepPrice> price = side.price(step, why);
  if (succeeded(price))
    known.emplace(std::move(key), *price);
  return price;
}
