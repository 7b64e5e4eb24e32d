//===- Pricing.cpp - What a module was priced with ------------------------===//

#include "tensorcast/Report/Pricing.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

FailureOr<Pricing> Pricing::get(ModuleOp module) {
  auto device =
      module->getAttrOfType<ascend::DeviceAttr>(ascend::kDeviceAttrName);
  auto name = module->getAttrOfType<StringAttr>(ascend::kCostModelAttrName);
  if (!device || !name)
    return mlir::emitError(
        module.getLoc(), "expected a priced module; run ascend-estimate first");
  auto emitError = [&] { return mlir::emitError(module.getLoc()); };
  FailureOr<DeviceProfile> profile =
      parseDeviceProfile(device.getProfile(), emitError);
  FailureOr<const CostModel *> model = getCostModel(name, module.getLoc());
  if (failed(profile) || failed(model))
    return failure();
  FailureOr<KernelDevices> kernels =
      KernelDevices::get(*profile,
                         module->getAttrOfType<DictionaryAttr>(
                             ascend::kKernelCoefficientsAttrName),
                         emitError);
  if (failed(kernels))
    return failure();
  return Pricing{
      *model, std::move(*profile), std::move(*kernels),
      module->getAttrOfType<WorkloadAttr>(transformer::kWorkloadAttrName)};
}

//===----------------------------------------------------------------------===//
// Parts of a kernel
//===----------------------------------------------------------------------===//

static WorkAmount evaluate(const ascend::WorkTotal &total,
                           WorkloadAttr workload) {
  return getWorkAmount<double>(total, [&](transformer::ExprAttr expr) {
    return transformer::evaluate(expr, workload);
  });
}

/// `linear: matmul i8`; without the kernel in front where there is but one.
static std::string describePart(ascend::WorkOpInterface work,
                                const WorkAmount &amount) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto part = work->getAttrOfType<StringAttr>(ascend::kPartAttrName))
    os << part.getValue() << ": ";
  StringRef name = work->getName().stripDialect();
  os << name;
  for (const auto &ops : {amount.cubeOps, amount.vectorOps})
    for (auto [type, count] : ops)
      os << ' ' << type;
  return text;
}

static double getTime(const CostTerms &terms, Bound bound) {
  return bound == Bound::Memory          ? terms.memoryS
         : bound == Bound::Communication ? terms.communicationS
         : bound == Bound::Cube          ? terms.cubeS
                                         : terms.vectorS;
}

SmallVector<PartRow> tensorcast::getParts(ascend::LaunchOp launch,
                                          const Pricing &pricing) {
  const DeviceProfile &device = pricing.kernels[launch.getKernel()];
  SmallVector<PartRow> parts;
  auto add = [&](std::string what, StringRef unit, double seconds) {
    if (seconds > 0)
      parts.push_back({std::move(what), unit.str(), seconds});
  };
  WorkAmount whole = evaluate(launch.getWorkTotal(), pricing.workload);
  double bytesRead = whole.bytesRead, bytesWritten = whole.bytesWritten;
  if (!launch.getWork().empty()) {
    for (auto work :
         launch.getWork().front().getOps<ascend::WorkOpInterface>()) {
      ascend::WorkTotal total(launch.getContext());
      work.addWork(total);
      WorkAmount amount = evaluate(total, pricing.workload);
      bytesRead -= amount.bytesRead;
      bytesWritten -= amount.bytesWritten;
      SmallVector<Type> missing;
      CostTerms terms = pricing.model->price(amount, device, missing);
      Bound bound = getBound(terms);
      add(describePart(work, amount), stringifyBound(bound),
          getTime(terms, bound));
    }
  }
  // What is left is the traffic of operands and results.
  WorkAmount operands;
  operands.bytesRead = std::max(bytesRead, 0.0);
  operands.bytesWritten = std::max(bytesWritten, 0.0);
  SmallVector<Type> missing;
  add("operands", stringifyBound(Bound::Memory),
      pricing.model->price(operands, device, missing).memoryS);
  add("start", "launch", getTerms(launch.getCostAttr()).launchS);
  return parts;
}
