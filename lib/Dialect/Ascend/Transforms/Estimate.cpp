//===- Estimate.cpp - Attach the cost of each launch ----------------------===//

#include "tensorcast/CostModel/CostModel.h"
#include "tensorcast/Device/DeviceRegistry.h"
#include "tensorcast/Device/KernelCoefficients.h"
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace mlir::ascend {
#define GEN_PASS_DEF_ASCENDESTIMATE
#include "tensorcast/Dialect/Ascend/Transforms/Passes.h.inc"
} // namespace mlir::ascend

using namespace mlir;
using namespace mlir::ascend;
using namespace mlir::tensorcast;
using transformer::ExprAttr;
using transformer::WorkloadAttr;

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

/// Reports an exchange that the device has no links for.
static LogicalResult checkRanks(LaunchOp launch, const Exchange &exchange,
                                const DeviceProfile &device) {
  int64_t count = exchange.ranks.getCount(), step = exchange.ranks.getStep();
  int64_t last = device.getNumDevices() - 1;
  if (exchange.first <= last && count - 1 <= (last - exchange.first) / step)
    return success();
  InFlightDiagnostic diag = launch.emitOpError("expected ranks within the ")
                            << device.getNumDevices() << " devices that "
                            << device.name << " connects, but got " << count
                            << " in steps of " << step;
  if (exchange.first != 0)
    diag << " from " << exchange.first;
  return diag;
}

FailureOr<WorkTotal> mlir::ascend::getKnownWork(LaunchOp launch,
                                                const DeviceProfile &device) {
  WorkTotal total = launch.getWorkTotal();
  if (!total.bytesRead || !total.bytesWritten)
    return launch.emitOpError("expected operands of known size, but one has a "
                              "'?' without #transformer.dims or no size in "
                              "memory");
  for (const Exchange &exchange : total.exchanges)
    if (failed(checkRanks(launch, exchange, device)))
      return failure();
  return total;
}

namespace {
/// Prices launches for one device, cost model and workload.
class Estimator {
public:
  Estimator(const CostModel &model, const DeviceProfile &device,
            const KernelDevices &kernels, WorkloadAttr workload)
      : model(model), device(device), kernels(kernels), workload(workload) {}

  LogicalResult attachCost(LaunchOp launch) {
    FailureOr<WorkTotal> known = getKnownWork(launch, device);
    if (failed(known))
      return failure();
    const WorkTotal &total = *known;
    WorkAmount work;
    bool valid =
        evaluate(launch, total.bytesRead, "bytes", work.bytesRead) &&
        evaluate(launch, total.bytesWritten, "bytes", work.bytesWritten) &&
        evaluate(launch, total.extraStarts, "extra starts", work.extraStarts) &&
        evaluateOps(launch, total.cubeOps, work.cubeOps) &&
        evaluateOps(launch, total.vectorOps, work.vectorOps);
    for (const Exchange &exchange : total.exchanges)
      valid = valid && evaluateExchange(launch, exchange, work.exchanges);
    double starts;
    if (!valid || !evaluate(launch, launch.getCountExpr(), "starts", starts))
      return failure();

    SmallVector<Type> missing;
    CostTerms terms = model.price(work, kernels[launch.getKernel()], missing);
    if (!std::isfinite(terms.totalS) || terms.totalS < 0)
      return launch.emitOpError("expected a finite time of at least 0 s, but "
                                "got ")
             << describeNumber(terms.totalS);
    warn(launch, missing);
    launch.setCostAttr(CostAttr::get(launch.getContext(), terms.totalS,
                                     terms.cubeS, terms.vectorS, terms.memoryS,
                                     terms.communicationS, terms.launchS));
    return success();
  }

private:
  /// Adds an exchange in numbers.
  bool evaluateExchange(LaunchOp launch, const Exchange &exchange,
                        SmallVectorImpl<ExchangeAmount> &amounts) {
    double bytes;
    if (!evaluate(launch, exchange.bytes, "bytes", bytes))
      return false;
    amounts.push_back({exchange.kind, bytes, exchange.ranks.getCount(),
                       exchange.ranks.getStep(), exchange.isSerial,
                       exchange.first});
    return true;
  }

  /// Sets `amount` to the value of `expr`, or reports that there is none.
  bool evaluate(LaunchOp launch, ExprAttr expr, StringRef what,
                double &amount) {
    amount = transformer::evaluate(expr, workload);
    if (std::isfinite(amount) && amount >= 0)
      return true;
    launch.emitOpError("expected a finite number of ")
        << what << " of at least 0, but got " << describeNumber(amount);
    return false;
  }

  bool evaluateOps(LaunchOp launch, const llvm::MapVector<Type, ExprAttr> &ops,
                   SmallVectorImpl<std::pair<Type, double>> &amounts) {
    for (auto [type, count] : ops) {
      amounts.emplace_back(type, 0);
      if (!evaluate(launch, count, "operations", amounts.back().second))
        return false;
    }
    return true;
  }

  /// Says once per type that its operations cost nothing.
  void warn(LaunchOp launch, ArrayRef<Type> missing) {
    for (Type type : missing)
      if (warned.insert(type).second)
        launch.emitWarning(describeMissingRate(type, device, model));
  }

  const CostModel &model;
  const DeviceProfile &device;
  const KernelDevices &kernels;
  WorkloadAttr workload;
  llvm::SmallPtrSet<Type, 2> warned;
};
} // namespace

LogicalResult mlir::ascend::estimateCosts(ModuleOp module) {
  auto device = module->getAttrOfType<DeviceAttr>(kDeviceAttrName);
  auto name = module->getAttrOfType<StringAttr>(kCostModelAttrName);
  if (!device || !name)
    return mlir::emitError(module.getLoc(),
                           "expected a device and a cost model, but the module "
                           "has no '")
           << (device ? kCostModelAttrName : kDeviceAttrName)
           << "'; run ascend-estimate with an option for it";
  FailureOr<const CostModel *> model = getCostModel(name, module.getLoc());
  auto emitError = [&] { return mlir::emitError(module.getLoc()); };
  FailureOr<DeviceProfile> profile =
      parseDeviceProfile(device.getProfile(), emitError);
  if (failed(model) || failed(profile))
    return failure();

  FailureOr<KernelDevices> kernels = KernelDevices::get(
      *profile,
      module->getAttrOfType<DictionaryAttr>(kKernelCoefficientsAttrName),
      emitError);
  if (failed(kernels))
    return failure();

  Estimator estimator(
      **model, *profile, *kernels,
      module->getAttrOfType<WorkloadAttr>(transformer::kWorkloadAttrName));
  WalkResult result = module.walk([&](LaunchOp launch) {
    return failed(estimator.attachCost(launch)) ? WalkResult::interrupt()
                                                : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::ascend::checkLowered(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa_and_nonnull<transformer::TransformerDialect>(op->getDialect()) ||
        isa<transformer::LayerOp, transformer::StageOp, transformer::WeightOp,
            transformer::KVCacheOp, transformer::StateOp>(op))
      return WalkResult::advance();
    op->emitOpError("expected only launches to price; run "
                    "convert-transformer-to-ascend first");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class AscendEstimatePass
    : public ascend::impl::AscendEstimateBase<AscendEstimatePass> {
public:
  using AscendEstimateBase::AscendEstimateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkLowered(module)) || failed(record(module)))
      return signalPassFailure();
    bool bound = module->hasAttr(transformer::kWorkloadAttrName) ||
                 !transformer::dependsOnWorkload(module);
    if (bound && failed(estimateCosts(module)))
      signalPassFailure();
  }

private:
  /// Puts the options into the module.
  LogicalResult record(ModuleOp module) {
    MLIRContext *context = &getContext();
    StringRef name = device;
    if (name.empty() && !module->hasAttr(kDeviceAttrName))
      name = defaultDevice;
    if (!name.empty()) {
      FailureOr<DictionaryAttr> profile =
          loadDevice(name, UnknownLoc::get(context));
      if (failed(profile))
        return failure();
      module->setAttr(kDeviceAttrName, DeviceAttr::get(context, *profile));
    }
    if (!module->hasAttr(kDeviceAttrName))
      return mlir::emitError(module.getLoc(),
                             "expected a device, but found neither the option "
                             "'device' nor the attribute '")
             << kDeviceAttrName << "'";
    if (!costModel.empty() || !module->hasAttr(kCostModelAttrName)) {
      StringRef name = costModel.empty() ? StringRef(kDefaultCostModel)
                                         : StringRef(costModel);
      if (failed(getCostModel(name, UnknownLoc::get(context))))
        return failure();
      module->setAttr(kCostModelAttrName, StringAttr::get(context, name));
    }
    if (!kernelCoefficients.empty()) {
      FailureOr<DictionaryAttr> kernels =
          loadKernelCoefficients(kernelCoefficients, UnknownLoc::get(context));
      if (failed(kernels))
        return failure();
      warnOfNames(module, *kernels);
      module->setAttr(kKernelCoefficientsAttrName, *kernels);
    }
    return recordReserved(module);
  }

  /// Files may know more kernels than a module has; a name that is nearly that
  /// of a kernel is a mistake.
  static void warnOfNames(ModuleOp module, DictionaryAttr kernels) {
    llvm::SetVector<StringRef> launched;
    module.walk([&](LaunchOp launch) { launched.insert(launch.getKernel()); });
    for (NamedAttribute kernel : kernels)
      if (!launched.contains(kernel.getName()))
        if (auto near = nearestName(kernel.getName(), launched.getArrayRef()))
          mlir::emitWarning(module.getLoc(), "no kernel '")
              << kernel.getName().getValue()
              << "' is launched, which has coefficients; did you mean '"
              << *near << "'?";
  }

  LogicalResult recordReserved(ModuleOp module) {
    // A million GiB is beyond any device, and far from overflow.
    if (!(reservedMemoryGB >= 0 && reservedMemoryGB <= 1e6))
      return mlir::emitError(module.getLoc(),
                             "expected 'reserved-memory-gb' from 0 to 1000000, "
                             "but got ")
             << describeNumber(reservedMemoryGB);
    if (reservedMemoryGB != 0)
      module->setAttr(kReservedBytesAttrName,
                      Builder(module).getI64IntegerAttr(
                          static_cast<int64_t>(reservedMemoryGB * 0x1p30)));
    return success();
  }
};
} // namespace
