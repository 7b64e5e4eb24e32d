//===- OpRows.cpp - Launches added up by kernel ---------------------------===//

#include "OpRows.h"

#include "InputShapes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Report/Pricing.h"

#include <map>

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

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
  /// Whether it does nothing but send from one stage to the next.
  bool isTransfer = false;
  llvm::SetVector<StringAttr> provenance;
  /// Of one call.
  std::vector<PartRow> parts;
};

/// Adds up in an order that does not depend on how functions are shared, so
/// that merging layers changes no bit of a report.
class Collector {
public:
  /// Rows get their parts if there is a `pricing`.
  Collector(WorkloadAttr workload, bool byShapes, const Pricing *pricing)
      : byShapes(byShapes), workload(workload), pricing(pricing) {}

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
      if (!sum.isTransfer)
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
      addParts(row->parts, sum.parts, sum.calls);
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
      if (pricing)
        addParts(sum.parts, getParts(launch, *pricing), /*calls=*/1);
      sum.isTransfer = ascend::isTransfer(launch);
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
      work.wireBytes += getWireBytes(ExchangeAmount{
          exchange.kind, value(exchange.bytes), exchange.ranks.getCount(),
          exchange.ranks.getStep(), exchange.isSerial, exchange.first});
    return work;
  }

  static void addWork(WorkSum &sum, const WorkSum &work, double calls) {
    sum.cubeOps += calls * work.cubeOps;
    sum.vectorOps += calls * work.vectorOps;
    sum.bytesRead += calls * work.bytesRead;
    sum.bytesWritten += calls * work.bytesWritten;
    sum.wireBytes += calls * work.wireBytes;
  }

  /// Parts of one kind are one row.
  static void addParts(std::vector<PartRow> &rows, ArrayRef<PartRow> parts,
                       double calls) {
    for (const PartRow &part : parts) {
      auto row = llvm::find_if(rows, [&](const PartRow &other) {
        return other.what == part.what && other.unit == part.unit;
      });
      if (row == rows.end())
        row = rows.insert(rows.end(), {part.what, part.unit, 0});
      row->totalS += calls * part.totalS;
    }
  }

  bool byShapes;
  WorkloadAttr workload;
  const Pricing *pricing;
  std::map<LaunchKey, LaunchSum> sums;
};
} // namespace

LogicalResult mlir::tensorcast::addLaunches(Report &report, ModuleOp module,
                                            ArrayRef<FunctionRuns> runs,
                                            ReportOptions options) {
  std::optional<Pricing> pricing;
  if (options.withParts) {
    FailureOr<Pricing> read = Pricing::get(module);
    if (failed(read))
      return failure();
    pricing.emplace(std::move(*read));
  }
  Collector collector(report.workload, options.byShapes,
                      pricing ? &*pricing : nullptr);
  for (auto [function, times] : runs)
    if (failed(collector.add(function, times)))
      return failure();
  collector.finish(report);
  return success();
}
