//===- Report.cpp - Add up the launches of a module -----------------------===//

#include "tensorcast/Report/Report.h"

#include "OpRows.h"
#include "Timeline.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Support/Numbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void Breakdown::add(const CostTerms &terms, double calls) {
  switch (getBound(terms)) {
  case Bound::Memory:
    memoryS += calls * terms.memoryS;
    break;
  case Bound::Communication:
    communicationS += calls * terms.communicationS;
    break;
  case Bound::Cube:
  case Bound::Vector:
    cubeS += calls * terms.cubeS;
    vectorS += calls * terms.vectorS;
    break;
  }
}

Bound Breakdown::getLargest() const {
  CostTerms terms;
  terms.cubeS = cubeS;
  terms.vectorS = vectorS;
  terms.memoryS = memoryS;
  terms.communicationS = communicationS;
  if (memoryS < std::max(cubeS, vectorS) &&
      communicationS < std::max(cubeS, vectorS))
    return cubeS >= vectorS ? Bound::Cube : Bound::Vector;
  return memoryS >= communicationS ? Bound::Memory : Bound::Communication;
}

double Report::getTokensPerSecond() const {
  if (!workload || executionTimeS <= 0)
    return 0;
  return workload.getWorkload().countTokens() /
         (executionTimeS * static_cast<double>(devices));
}

/// Time of one run of a function, without the layers that it calls.
static double getTime(func::FuncOp function, WorkloadAttr workload) {
  double seconds = 0;
  function.walk([&](ascend::LaunchOp launch) {
    seconds += launch.getCostAttr().getTime().getValueAsDouble() *
               transformer::evaluate(launch.getCountExpr(), workload);
  });
  return seconds;
}

/// Sets what is left of a device.
static void setAvailable(MemoryUse &memory, double deviceBytes) {
  memory.deviceBytes = deviceBytes;
  memory.availableBytes = deviceBytes - memory.weightsBytes -
                          memory.kvCacheBytes - memory.activationBytes -
                          memory.reservedBytes;
}

/// Adds the stages of a pipeline, and what runs between them.
static LogicalResult addStages(ModuleOp module, const Timeline &timeline,
                               Report &report) {
  FailureOr<SmallVector<MemoryUse>> memory = measureStages(module);
  if (failed(memory))
    return failure();
  if (memory->empty())
    return success();
  report.largestStage = findLargest(*memory);
  report.memory = (*memory)[report.largestStage];
  SymbolTable symbols(module);
  module.walk([&](Operation *op) {
    if (auto stage = dyn_cast<transformer::StageOp>(op)) {
      auto callee = symbols.lookup<func::FuncOp>(stage.getCallee());
      StageRow row;
      callee.walk([&](transformer::LayerOp) { ++row.layers; });
      row.executionTimeS = timeline.getSeconds(callee);
      row.memory = (*memory)[report.stages.size()];
      report.stages.push_back(row);
      return;
    }
    auto launch = dyn_cast<ascend::LaunchOp>(op);
    if (launch && ascend::isTransfer(launch) && !report.stages.empty())
      report.stages.back().transferS +=
          launch.getCostAttr().getTime().getValueAsDouble() *
          transformer::evaluate(launch.getCountExpr(), report.workload);
  });
  return success();
}

Report mlir::tensorcast::describeModule(ModuleOp module) {
  Report report;
  auto text = [&](StringRef name) {
    auto attr = module->getAttrOfType<StringAttr>(name);
    return attr ? attr.str() : std::string();
  };
  auto model = module->getAttrOfType<transformer::ModelAttr>(
      transformer::kModelAttrName);
  report.model =
      model ? model.getName().str() : module.getName().value_or("").str();
  report.costModel = text(ascend::kCostModelAttrName);
  report.kernelSet = text(ascend::kKernelSetAttrName);
  report.workload =
      module->getAttrOfType<WorkloadAttr>(transformer::kWorkloadAttrName);

  if (auto plan = module->getAttrOfType<transformer::PlanAttr>(
          transformer::kPlanAttrName))
    report.devices = plan.getDevices();
  if (auto device =
          module->getAttrOfType<ascend::DeviceAttr>(ascend::kDeviceAttrName))
    if (auto name = device.getProfile().getAs<StringAttr>("name"))
      report.device = name.str();
  return report;
}

FailureOr<Report> mlir::tensorcast::buildReport(ModuleOp module,
                                                ReportOptions options) {
  Report report = describeModule(module);
  auto runs = countRuns(module);
  if (failed(runs))
    return failure();
  llvm::DenseMap<Operation *, double> runsOf;
  for (auto [function, times] : *runs)
    runsOf[function] = times;
  if (failed(addLaunches(report, module, *runs, options)))
    return failure();
  if (!std::isfinite(report.kernelTimeS))
    return mlir::emitError(module.getLoc(),
                           "expected a finite time of all kernels, but got ")
           << describeNumber(report.kernelTimeS) << " s";
  FailureOr<Timeline> timeline = Timeline::get(module);
  if (failed(timeline))
    return failure();
  // Sums in another order are rounded otherwise.
  report.executionTimeS = report.kernelTimeS;
  if (timeline->hasStreams())
    report.executionTimeS =
        std::min(timeline->getSeconds(), report.kernelTimeS);

  for (const transformer::LayerGroup &group :
       transformer::groupLayers(module)) {
    LayerRow row;
    row.kind = func::FuncOp(group.front()).getName().str();
    for (func::FuncOp function : group)
      row.calls += runsOf.lookup(function);
    row.totalS = row.calls * getTime(group.front(), report.workload);
    report.layers.push_back(row);
  }

  if (failed(addStages(module, *timeline, report)))
    return failure();
  if (report.stages.empty()) {
    FailureOr<MemoryUse> memory = measureMemory(module);
    if (failed(memory))
      return failure();
    report.memory = *memory;
  }
  if (auto device =
          module->getAttrOfType<ascend::DeviceAttr>(ascend::kDeviceAttrName)) {
    auto emitError = [&] { return mlir::emitError(module.getLoc()); };
    FailureOr<DeviceProfile> profile =
        parseDeviceProfile(device.getProfile(), emitError);
    if (failed(profile))
      return failure();
    report.memory.deviceBytes = static_cast<double>(profile->memoryBytes);
  } else {
    return mlir::emitError(module.getLoc(),
                           "expected a device, but the module has no '")
           << ascend::kDeviceAttrName << "'; run ascend-estimate first";
  }
  setAvailable(report.memory, report.memory.deviceBytes);
  for (StageRow &stage : report.stages)
    setAvailable(stage.memory, report.memory.deviceBytes);
  if (!std::isfinite(report.memory.availableBytes))
    return mlir::emitError(module.getLoc(),
                           "expected a finite amount of memory, but the step "
                           "needs more bytes than a double can hold");
  return report;
}
