//===- Table.cpp - A report for people ------------------------------------===//

#include "tensorcast/Report/Report.h"
#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::ImagesAttr;

void mlir::tensorcast::printHeading(raw_ostream &os, const Report &report) {
  os << (report.model.empty() ? "model" : report.model) << " on "
     << (report.devices == 1 ? "" : std::to_string(report.devices) + " x ")
     << report.device;
  if (transformer::WorkloadAttr workload = report.workload) {
    Workload step = workload.getWorkload();
    StringRef separator = ": ";
    for (const RequestGroup &group : step.groups) {
      os << std::exchange(separator, "; ") << group.queries
         << (group.queries == 1 ? " query" : " queries") << " of "
         << group.queryLength << " tokens after " << group.contextLength
         << " in the cache, " << (group.decode ? "decode" : "prefill");
      if (workload.isMixed() && group.prefixCacheHitRate > 0)
        os << ", prefix cache hit rate "
           << formatDecimal(group.prefixCacheHitRate);
    }
    if (ImagesAttr images = workload.getImages())
      os << ", behind " << images.getCount()
         << (images.getCount() == 1 ? " image" : " images") << " of "
         << images.getRows() << " x " << images.getColumns() << " cells each";
    if (!workload.isMixed() && workload.getHitRate() > 0)
      os << ", prefix cache hit rate " << formatDecimal(workload.getHitRate());
  }
  os << "\nkernel set " << report.kernelSet << ", cost model "
     << report.costModel << "\n\n";
}

static void printOps(raw_ostream &os, const Report &report) {
  bool byShapes = llvm::any_of(
      report.ops, [](const OpRow &row) { return !row.inputShapes.empty(); });
  SmallVector<StringRef> header = {"kernel", "reference name", "calls",
                                   "total",  "average",        "share",
                                   "bound"};
  if (byShapes)
    header.push_back("inputs");
  TextTable table(header, /*numLeft=*/2);
  for (const OpRow &row : report.ops) {
    SmallVector<std::string> cells = {
        row.name,
        row.referenceName,
        formatCount(row.calls),
        formatColumn(row.totalS),
        formatColumn(row.totalS / row.calls),
        formatShare(row.totalS, report.kernelTimeS),
        stringifyBound(row.breakdown.getLargest()).str()};
    if (byShapes)
      cells.push_back(row.inputShapes);
    table.addRow(std::move(cells));
    for (const PartRow &part : row.parts)
      table.addRow({"  " + part.what, "", "", formatColumn(part.totalS),
                    formatColumn(part.totalS / row.calls),
                    formatShare(part.totalS, row.totalS), part.unit});
  }
  table.addRow({"total", "", formatCount(report.launches),
                formatColumn(report.kernelTimeS)});
  table.print(os);
  if (llvm::any_of(report.ops,
                   [](const OpRow &row) { return !row.parts.empty(); }))
    os << "Parts are what they take alone, as shares of their kernel; units "
          "overlap, so they may add up to more.\n";
}

static void printStages(raw_ostream &os, ArrayRef<StageRow> stages) {
  TextTable table({"stage", "layers", "time", "transfer", "weights", "KV cache",
                   "activations", "available"},
                  /*numLeft=*/1);
  for (auto [index, row] : llvm::enumerate(stages))
    table.addRow({std::to_string(index), formatCount(row.layers),
                  formatColumn(row.executionTimeS), formatColumn(row.transferS),
                  formatGigabytes(row.memory.weightsBytes),
                  formatGigabytes(row.memory.kvCacheBytes),
                  formatGigabytes(row.memory.activationBytes),
                  formatGigabytes(row.memory.availableBytes)});
  os << '\n';
  table.print(os);
  os << '\n';
}

static void printMemory(raw_ostream &os, const Report &report) {
  const MemoryUse &memory = report.memory;
  os << "memory";
  if (!report.stages.empty())
    os << " of stage " << report.largestStage;
  os << ": weights " << formatGigabytes(memory.weightsBytes) << ", KV cache "
     << formatGigabytes(memory.kvCacheBytes) << ", activations "
     << formatGigabytes(memory.activationBytes) << ", reserved "
     << formatGigabytes(memory.reservedBytes) << ", available "
     << formatGigabytes(memory.availableBytes) << " of "
     << formatGigabytes(memory.deviceBytes) << '\n';
}

void mlir::tensorcast::printTable(raw_ostream &os, const Report &report) {
  printHeading(os, report);
  printOps(os, report);
  os << llvm::format("\nexecution time: %.6f s", report.executionTimeS);
  if (report.workload)
    os << llvm::format(" (%.4g tokens/s per device)",
                       report.getTokensPerSecond());
  os << '\n';

  const Breakdown &bound = report.breakdown;
  double sum =
      bound.cubeS + bound.vectorS + bound.memoryS + bound.communicationS;
  os << "bound by: cube " << formatShare(bound.cubeS, sum) << ", vector "
     << formatShare(bound.vectorS, sum) << ", memory "
     << formatShare(bound.memoryS, sum) << ", communication "
     << formatShare(bound.communicationS, sum) << '\n';
  for (const LayerRow &row : report.layers)
    os << "layers: " << formatCount(row.calls) << " x " << row.kind << ", "
       << formatColumn(row.totalS) << '\n';
  os << "launches: " << formatCount(report.launches)
     << ", write-backs: " << formatCount(report.writeBacks) << '\n';
  if (!report.stages.empty())
    printStages(os, report.stages);
  printMemory(os, report);
}

std::string mlir::tensorcast::describeShortage(const Report &report) {
  const MemoryUse &memory = report.memory;
  if (memory.deviceBytes == 0 || memory.availableBytes >= 0)
    return {};
  std::string what = report.stages.empty()
                         ? "the model"
                         : "stage " + std::to_string(report.largestStage);
  return what + " does not fit: it needs " +
         formatGigabytes(memory.deviceBytes - memory.availableBytes) + " of " +
         formatGigabytes(memory.deviceBytes) + " (weights " +
         formatGigabytes(memory.weightsBytes) + ", KV cache " +
         formatGigabytes(memory.kvCacheBytes) + ", activations " +
         formatGigabytes(memory.activationBytes) + ", reserved " +
         formatGigabytes(memory.reservedBytes) + ")";
}
