//===- Report.h - What a priced module says ---------------------*- C++ -*-===//
//
// Adds up the launches of a module, and writes the sums for people and
// programs. Everything is read from the module.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_REPORT_REPORT_H
#define TENSORCAST_REPORT_REPORT_H

#include "tensorcast/CostModel/CostModel.h"
#include "tensorcast/Device/DeviceProfile.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::tensorcast {

/// Seconds by what bounds them: a launch counts under what takes longest, one
/// that computes under both units; the fixed cost of starts is in none.
struct Breakdown {
  double cubeS = 0, vectorS = 0, memoryS = 0, communicationS = 0;

  void add(const CostTerms &terms, double calls);
  /// The largest of the four; memory for a kernel that takes no time.
  Bound getLargest() const;
};

/// Operations and bytes of the whole step.
struct WorkSum {
  double cubeOps = 0, vectorOps = 0;
  double bytesRead = 0, bytesWritten = 0, wireBytes = 0;
};

/// Device memory in bytes.
template <typename Number> struct MemoryUseOf {
  Number deviceBytes = 0;
  Number weightsBytes = 0;
  Number kvCacheBytes = 0;
  /// The most that activations occupy at one time.
  Number activationBytes = 0;
  Number reservedBytes = 0;
  /// What is left; negative if the model does not fit.
  Number availableBytes = 0;
};
using MemoryUse = MemoryUseOf<double>;

/// What kernels spend on one part of their work, if it were alone: parts that
/// use different units overlap, so that they take longer than the kernel.
struct PartRow {
  /// `matmul i8`; in a fused kernel also what it was in: `linear: matmul i8`.
  std::string what;
  /// `cube`, `vector`, `memory`, `communication` or `launch`.
  std::string unit;
  double totalS = 0;
};

/// The launches of one kernel, or of one kernel on operands of one kind.
struct OpRow {
  std::string name;
  std::string referenceName;
  /// `i8[7000,5120]; f32[]`; empty if rows are not split by operands.
  std::string inputShapes;
  double calls = 0;
  double totalS = 0;
  Breakdown breakdown;
  /// Parts of the model that the launches are from.
  SmallVector<std::string> provenance;
  /// In the order of the kernel's work; empty unless asked for.
  std::vector<PartRow> parts;
};

/// Layers that compute the same.
struct LayerRow {
  std::string kind;
  double calls = 0;
  double totalS = 0;
};

/// One stage of a pipeline.
struct StageRow {
  /// Calls of layers.
  double layers = 0;
  /// From its begin to the end of its last stream.
  double executionTimeS = 0;
  /// Of what it sends to the next one.
  double transferS = 0;
  MemoryUse memory;
};

struct Report {
  std::string model, device, costModel, kernelSet;
  /// Null for a module without a workload, whose sizes are all numbers.
  transformer::WorkloadAttr workload;
  /// Devices that run the model together.
  int64_t devices = 1;
  /// Time to the end of the last stream, and sum of all launches.
  double executionTimeS = 0, kernelTimeS = 0;
  double launches = 0, writeBacks = 0;
  /// What a device needs; of a pipeline, one of the stage that needs most.
  MemoryUse memory;
  /// Of all kernels but those that send from stage to stage.
  Breakdown breakdown;
  WorkSum work;
  SmallVector<LayerRow> layers;
  /// The stages of a pipeline, in order, and the one that needs most memory.
  SmallVector<StageRow> stages;
  size_t largestStage = 0;
  std::vector<OpRow> ops;

  /// New tokens (as the workload gives them) per second and device; 0 without a
  /// workload.
  double getTokensPerSecond() const;
};

/// How fine a report is.
struct ReportOptions {
  /// Whether rows are by operand types and time too, not by kernel alone.
  bool byShapes = false;
  /// Whether rows have their parts.
  bool withParts = false;
};

/// A report of a module with its model, what it is priced on and the workload,
/// without numbers.
Report describeModule(ModuleOp module);

/// Adds up a module whose launches have costs.
FailureOr<Report> buildReport(ModuleOp module, ReportOptions options = {});

/// Device memory that a bound module needs, but for what the device has: of a
/// pipeline, what the stage that needs most does.
FailureOr<MemoryUse> measureMemory(ModuleOp module);

/// Device memory that each stage of a bound module's pipeline needs, in order;
/// none if the module has no stages.
FailureOr<SmallVector<MemoryUse>> measureStages(ModuleOp module);

/// The number of the stage that needs most.
size_t findLargest(ArrayRef<MemoryUse> stages);

/// How often each function runs, from the calls of layers and stages; functions
/// that nothing calls run once. With a `root`, of one run of that function. In
/// module order.
FailureOr<SmallVector<std::pair<func::FuncOp, double>>>
countRuns(ModuleOp module, func::FuncOp root = {});

/// How often there are the weights of each function: once for all calls of one
/// name.
FailureOr<SmallVector<std::pair<func::FuncOp, double>>>
countWeightSets(ModuleOp module, func::FuncOp root = {});

/// How often `launch` starts if its function runs `runs` times, or an error.
FailureOr<double> countStarts(ascend::LaunchOp launch, double runs,
                              transformer::WorkloadAttr workload);

void printTable(raw_ostream &os, const Report &report);
void printJson(raw_ostream &os, const Report &report);
void printCsv(raw_ostream &os, const Report &report);

/// Writes when each launch of a priced module runs, for the trace viewers of
/// Chrome and Perfetto. `report` is that of the module.
LogicalResult printChromeTrace(raw_ostream &os, ModuleOp module,
                               const Report &report);

/// Explains the launches of a kernel, by its own or the reference's name: the
/// law, its terms, peaks, efficiencies and where they are from.
LogicalResult explainKernel(raw_ostream &os, ModuleOp module, StringRef name);

/// One line on stderr's behalf if the model, or a stage of it, does not fit,
/// else empty.
std::string describeShortage(const Report &report);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_REPORT_H
