//===- Report.cpp - Add up the launches of a module -----------------------===//

#include "tensorcast/Report/Report.h"

#include "InputShapes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::LayerOp;
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
  return static_cast<double>(workload.getQueries()) *
         workload.getQueryLength() /
         (executionTimeS * static_cast<double>(devices));
}

//===----------------------------------------------------------------------===//
// How often functions run
//===----------------------------------------------------------------------===//

namespace {
/// Follows calls of layers from their callers, each function once.
class RunCounter {
public:
  explicit RunCounter(ModuleOp module) : module(module), symbols(module) {}

  FailureOr<SmallVector<std::pair<func::FuncOp, double>>> run() {
    if (failed(checkPlaces()))
      return failure();
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (failed(visit(function)))
        return failure();
    llvm::DenseMap<Operation *, double> runs;
    for (func::FuncOp function : llvm::reverse(order)) {
      // A function that nothing calls is where a run starts.
      double times = runs.try_emplace(function, 1).first->second;
      function.walk([&](LayerOp layer) {
        runs[symbols.lookup<func::FuncOp>(layer.getCallee())] += times;
      });
    }
    SmallVector<std::pair<func::FuncOp, double>> result;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      result.emplace_back(function, runs.lookup(function));
    return result;
  }

private:
  /// Refuses what is not known to run once per run of its function.
  LogicalResult checkPlaces() {
    WalkResult result = module.walk([&](Operation *op) {
      if (!isa<ascend::LaunchOp, LayerOp, transformer::WeightOp,
               transformer::KVCacheOp>(op))
        return WalkResult::advance();
      auto function = dyn_cast<func::FuncOp>(op->getParentOp());
      if (function && function->getParentOp() == module &&
          function.getBody().hasOneBlock())
        return WalkResult::advance();
      op->emitOpError("expected to be in a function of one block in the "
                      "outermost module, whose runs can be counted");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// Orders callees before callers.
  LogicalResult visit(func::FuncOp function) {
    auto [state, isNew] = states.try_emplace(function, Open);
    if (!isNew)
      return state->second == Done
                 ? success()
                 : LogicalResult(
                       mlir::emitError(
                           function.getLoc(),
                           "expected layers that do not call themselves, but @")
                       << function.getName() << " does");
    // Calls are followed recursively, here and where memory is measured.
    static constexpr unsigned maxDepth = 256;
    if (++depth > maxDepth)
      return mlir::emitError(function.getLoc(),
                             "expected layers that call layers at most ")
             << maxDepth << " deep, but @" << function.getName()
             << " is deeper";
    WalkResult result = function.walk([&](LayerOp layer) {
      auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
      if (callee.isExternal()) {
        layer.emitOpError("expected a function with a body, but @")
            << callee.getName() << " has none";
        return WalkResult::interrupt();
      }
      return failed(visit(callee)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    --depth;
    states[function] = Done;
    order.push_back(function);
    return success();
  }

  enum State { Open, Done };

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> states;
  SmallVector<func::FuncOp> order;
  unsigned depth = 0;
};
} // namespace

FailureOr<SmallVector<std::pair<func::FuncOp, double>>>
mlir::tensorcast::countRuns(ModuleOp module) {
  return RunCounter(module).run();
}

FailureOr<double> mlir::tensorcast::countStarts(ascend::LaunchOp launch,
                                                double runs,
                                                WorkloadAttr workload) {
  double starts = runs * transformer::evaluate(launch.getCountExpr(), workload);
  if (starts >= 0 && std::isfinite(starts))
    return starts;
  return launch.emitOpError("expected a finite number of starts of at least 0, "
                            "but got ")
         << starts;
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

namespace {
/// Launches that cannot be told apart in a report.
struct LaunchKey {
  std::string name, referenceName, inputShapes;
  double timeS;

  bool operator<(const LaunchKey &other) const {
    return std::tie(name, referenceName, inputShapes, timeS) <
           std::tie(other.name, other.referenceName, other.inputShapes,
                    other.timeS);
  }
};

struct LaunchSum {
  double calls = 0;
  CostTerms terms;
  WorkSum work;
  double writeBacks = 0;
  llvm::SetVector<StringAttr> provenance;
};

/// Adds up in an order that does not depend on how functions are shared, so
/// that merging layers changes no bit of a report.
class Collector {
public:
  Collector(ModuleOp module, bool byShapes)
      : byShapes(byShapes), workload(module->getAttrOfType<WorkloadAttr>(
                                transformer::kWorkloadAttrName)) {}

  LogicalResult add(func::FuncOp function, double runs) {
    WalkResult result = function.walk([&](ascend::LaunchOp launch) {
      return failed(add(launch, runs)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  void finish(Report &report) {
    for (auto &[key, sum] : sums) {
      double totalS = sum.calls * key.timeS;
      report.kernelTimeS += totalS;
      report.launches += sum.calls;
      report.writeBacks += sum.calls * sum.writeBacks;
      report.breakdown.add(sum.terms, sum.calls);
      addWork(report.work, sum.work, sum.calls);

      OpRow *row = report.ops.empty() ? nullptr : &report.ops.back();
      if (!row || byShapes || row->name != key.name ||
          row->referenceName != key.referenceName) {
        row = &report.ops.emplace_back();
        row->name = key.name;
        row->referenceName = key.referenceName;
        row->inputShapes = byShapes ? key.inputShapes : "";
      }
      row->calls += sum.calls;
      row->totalS += totalS;
      row->breakdown.add(sum.terms, sum.calls);
      for (StringAttr name : sum.provenance)
        if (!llvm::is_contained(row->provenance, name.getValue()))
          row->provenance.push_back(name.str());
    }
    for (OpRow &row : report.ops)
      llvm::sort(row.provenance);
    llvm::sort(report.ops, [](const OpRow &lhs, const OpRow &rhs) {
      return std::tie(rhs.totalS, lhs.name, lhs.referenceName, lhs.inputShapes,
                      lhs.calls) < std::tie(lhs.totalS, rhs.name,
                                            rhs.referenceName, rhs.inputShapes,
                                            rhs.calls);
    });
  }

private:
  LogicalResult add(ascend::LaunchOp launch, double runs) {
    ascend::CostAttr cost = launch.getCostAttr();
    if (!cost)
      return launch.emitOpError("expected a cost; run ascend-estimate first");
    FailureOr<double> starts = countStarts(launch, runs, workload);
    if (failed(starts))
      return failure();
    double calls = *starts;
    if (calls == 0)
      return success();
    LaunchKey key{launch.getKernel().str(),
                  launch.getReferenceName().value_or("").str(),
                  describeInputs(launch), cost.getTime().getValueAsDouble()};
    LaunchSum &sum = sums[key];
    if (sum.calls == 0) {
      sum.terms = getTerms(cost);
      sum.work = getWork(launch);
      sum.writeBacks = llvm::count_if(launch.getResultTypes(),
                                      llvm::IsaPred<RankedTensorType>);
    }
    sum.calls += calls;
    if (std::optional<StringRef> name = launch.getProvenance())
      sum.provenance.insert(StringAttr::get(
          launch.getContext(), transformer::generalizeName(*name)));
    return success();
  }

  WorkSum getWork(ascend::LaunchOp launch) {
    ascend::WorkTotal total = launch.getWorkTotal();
    auto value = [&](transformer::ExprAttr expr) {
      return expr ? transformer::evaluate(expr, workload) : 0;
    };
    WorkSum work;
    for (auto [type, ops] : total.cubeOps)
      work.cubeOps += value(ops);
    for (auto [type, ops] : total.vectorOps)
      work.vectorOps += value(ops);
    work.bytesRead = value(total.bytesRead);
    work.bytesWritten = value(total.bytesWritten);
    for (const ascend::Exchange &exchange : total.exchanges)
      work.wireBytes +=
          getWireBytes({exchange.kind, value(exchange.bytes),
                        exchange.ranks.getCount(), exchange.ranks.getStep()});
    return work;
  }

  static void addWork(WorkSum &sum, const WorkSum &work, double calls) {
    sum.cubeOps += calls * work.cubeOps;
    sum.vectorOps += calls * work.vectorOps;
    sum.bytesRead += calls * work.bytesRead;
    sum.bytesWritten += calls * work.bytesWritten;
    sum.wireBytes += calls * work.wireBytes;
  }

  bool byShapes;
  WorkloadAttr workload;
  std::map<LaunchKey, LaunchSum> sums;
};
} // namespace

/// Time of one run of a function, without the layers that it calls.
static double getTime(func::FuncOp function, WorkloadAttr workload) {
  double seconds = 0;
  function.walk([&](ascend::LaunchOp launch) {
    seconds += launch.getCostAttr().getTime().getValueAsDouble() *
               transformer::evaluate(launch.getCountExpr(), workload);
  });
  return seconds;
}

FailureOr<Report> mlir::tensorcast::buildReport(ModuleOp module,
                                                bool byShapes) {
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

  auto runs = countRuns(module);
  if (failed(runs))
    return failure();
  Collector collector(module, byShapes);
  llvm::DenseMap<Operation *, double> runsOf;
  for (auto [function, times] : *runs) {
    runsOf[function] = times;
    if (failed(collector.add(function, times)))
      return failure();
  }
  collector.finish(report);
  if (!std::isfinite(report.kernelTimeS))
    return mlir::emitError(module.getLoc(),
                           "expected a finite time of all kernels, but got ")
           << report.kernelTimeS << " s";
  // One stream: launches follow each other.
  report.executionTimeS = report.kernelTimeS;

  for (const transformer::LayerGroup &group :
       transformer::groupLayers(module)) {
    LayerRow row;
    row.kind = func::FuncOp(group.front()).getName().str();
    for (func::FuncOp function : group)
      row.calls += runsOf.lookup(function);
    row.totalS = row.calls * getTime(group.front(), report.workload);
    report.layers.push_back(row);
  }

  FailureOr<MemoryUse> memory = measureMemory(module);
  if (failed(memory))
    return failure();
  report.memory = *memory;
  if (auto device =
          module->getAttrOfType<ascend::DeviceAttr>(ascend::kDeviceAttrName)) {
    auto emitError = [&] { return mlir::emitError(module.getLoc()); };
    FailureOr<DeviceProfile> profile =
        parseDeviceProfile(device.getProfile(), emitError);
    if (failed(profile))
      return failure();
    report.device = profile->name;
    report.memory.deviceBytes = static_cast<double>(profile->memoryBytes);
  } else {
    return mlir::emitError(module.getLoc(),
                           "expected a device, but the module has no '")
           << ascend::kDeviceAttrName << "'; run ascend-estimate first";
  }
  report.memory.availableBytes =
      report.memory.deviceBytes - report.memory.weightsBytes -
      report.memory.kvCacheBytes - report.memory.activationBytes -
      report.memory.reservedBytes;
  if (!std::isfinite(report.memory.availableBytes))
    return mlir::emitError(module.getLoc(),
                           "expected a finite amount of memory, but the step "
                           "needs more bytes than a double can hold");
  return report;
}
