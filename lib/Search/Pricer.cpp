//===- Pricer.cpp - What steps of a plan cost -----------------------------===//

#include "PlanSide.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

//===----------------------------------------------------------------------===//
// A side on a device
//===----------------------------------------------------------------------===//

struct ProgramPricer::DeviceSide {
  DeviceSide(std::shared_ptr<PlanSide> side, ascend::DeviceAttr device)
      : side(std::move(side)), device(device),
        programs([this](ArrayAttr assumed) {
          return this->side->lower(assumed, this->device);
        }) {}

  FailureOr<StepPrice> price(Workload step, std::string &why,
                             std::vector<std::string> &warnings) {
    step.images = side->getImages();
    DiagnosticText diagnostics(side->getContext(), why, &warnings);
    std::string reason;
    FailureOr<const CostProgram *> program = programs.get(step, &reason);
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
    step.images = side->getImages();
    DiagnosticText diagnostics(side->getContext(), why);
    OwningOpRef<ModuleOp> module = side->lower(step, device);
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

  std::shared_ptr<PlanSide> side;
  ascend::DeviceAttr device;
  CostProgramSet programs;
};

//===----------------------------------------------------------------------===//
// A plan
//===----------------------------------------------------------------------===//

std::unique_ptr<PlanModel> PlanModel::compile(const DecoderConfig &config,
                                              const ModelSettings &settings,
                                              const Plan &plan, Phase phase,
                                              ImageSize images,
                                              std::string &why) {
  std::unique_ptr<PlanModel> model(new PlanModel);
  auto compileSide = [&](bool decode) -> std::shared_ptr<PlanSide> {
    auto side = std::make_shared<PlanSide>(settings, plan, decode, images);
    if (failed(side->compile(config, why)))
      return nullptr;
    return side;
  };
  bool oneForBoth = plan.context == 1 && images.count == 0;
  if (phase != Phase::Decode || oneForBoth) {
    model->prefill = compileSide(/*decode=*/false);
    if (!model->prefill)
      return nullptr;
  }
  if (oneForBoth)
    model->decode = model->prefill;
  else if (phase != Phase::Prefill)
    model->decode = compileSide(/*decode=*/true);
  if (phase != Phase::Prefill && !model->decode)
    return nullptr;
  return model;
}

std::unique_ptr<ProgramPricer>
PlanModel::getPricer(StringRef device, std::string &why,
                     const DeviceChange &change) {
  std::unique_ptr<ProgramPricer> pricer(new ProgramPricer);
  auto place = [&](const std::shared_ptr<PlanSide> &side)
      -> std::shared_ptr<ProgramPricer::DeviceSide> {
    MLIRContext *context = side->getContext();
    DiagnosticText diagnostics(context, why);
    FailureOr<DictionaryAttr> profile =
        loadChangedDevice(device, change, UnknownLoc::get(context));
    if (failed(profile))
      return nullptr;
    return std::make_shared<ProgramPricer::DeviceSide>(
        side, ascend::DeviceAttr::get(context, *profile));
  };
  if (prefill && !(pricer->prefill = place(prefill)))
    return nullptr;
  if (decode == prefill)
    pricer->decode = pricer->prefill;
  else if (decode && !(pricer->decode = place(decode)))
    return nullptr;
  return pricer;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

ProgramPricer::ProgramPricer() = default;
ProgramPricer::~ProgramPricer() = default;

int64_t ProgramPricer::getImageTokens() const {
  return (prefill ? prefill : decode)->side->getImages().tokens;
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
  DeviceSide &side = step.isDecode() ? *decode : *prefill;
  FailureOr<StepPrice> price = side.price(step, why, warnings);
  if (succeeded(price))
    known.emplace(std::move(key), *price);
  return price;
}
