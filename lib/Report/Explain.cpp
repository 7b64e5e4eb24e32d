//===- Explain.cpp - Where a number comes from ----------------------------===//

#include "InputShapes.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"
#include "tensorcast/Report/Pricing.h"
#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::ExprAttr;
using transformer::WorkloadAttr;

namespace {
/// Prints the terms of launches on one device.
class Explainer {
public:
  Explainer(raw_ostream &os, const CostModel &model,
            const DeviceProfile &device, WorkloadAttr workload)
      : os(os), model(model), device(device), workload(workload) {}

  void explain(ascend::LaunchOp launch, double calls) {
    CostTerms terms = getTerms(launch.getCostAttr());
    ascend::WorkTotal total = launch.getWorkTotal();
    os << launch.getKernel();
    if (std::optional<StringRef> name = launch.getReferenceName())
      os << " (" << *name << ")";
    os << llvm::format(": %.0f x ", calls) << formatTime(terms.totalS)
       << ", bound by " << stringifyBound(getBound(terms))
       << "\n  inputs: " << describeInputs(launch)
       << "\n  law: " << model.getFormula() << " (" << model.getName() << ")\n";
    printOps("cube", terms.cubeS, total.cubeOps, device.cubeOpsPerS);
    printOps("vector", terms.vectorS, total.vectorOps, device.vectorOpsPerS);
    os << "  memory: " << formatTime(terms.memoryS) << " = ("
       << format(total.bytesRead) << " bytes read + "
       << format(total.bytesWritten) << " written) / ("
       << formatRate(device.memoryBandwidthBytesPerS) << "B/s peak x "
       << formatDecimal(device.memoryEfficiency) << " efficiency)\n";
    for (const ascend::Exchange &exchange : total.exchanges)
      printExchange(exchange);
    os << "  launch: " << formatTime(terms.launchS);
    if (!total.extraStarts.isConstant(0))
      os << " = 1 + " << format(total.extraStarts) << " starts";
    os << "\n";
  }

private:
  void printExchange(const ascend::Exchange &exchange) {
    ExchangeAmount amount = {exchange.kind,
                             transformer::evaluate(exchange.bytes, workload),
                             exchange.ranks.getCount(),
                             exchange.ranks.getStep(),
                             exchange.isSerial,
                             exchange.first};
    os << "  communication: " << formatTime(getExchangeTime(amount, device))
       << " = ";
    if (!exchange.kind) {
      os << "send_receive of " << format(exchange.bytes)
         << " bytes between devices " << amount.first << " and "
         << amount.first + amount.step << "\n";
      return;
    }
    os << ascend::stringifyCollectiveKind(*exchange.kind) << " of "
       << format(exchange.bytes) << " bytes over " << amount.count
       << " devices in steps of " << amount.step << ", "
       << llvm::format("%.6g", getWireBytes(amount))
       << " bytes on the wire of each"
       << (exchange.isSerial ? ", before or after the rest, with its own launch"
                             : "")
       << "\n";
  }

  void printOps(StringRef unit, double seconds,
                const llvm::MapVector<Type, ExprAttr> &ops,
                const Rates &rates) {
    for (auto [type, count] : ops) {
      os << "  " << unit << ": ";
      std::optional<RateKey> key = getRateKey(type);
      std::optional<double> rate = key ? rates[*key] : std::nullopt;
      if (!rate) {
        os << format(count) << " operations of " << type
           << ", for which the device has no rate\n";
        continue;
      }
      os << formatTime(seconds) << " = " << format(count) << " operations of "
         << type << " / (" << formatRate(*rate) << "op/s peak x "
         << formatDecimal(device.computeEfficiency) << " efficiency)\n";
    }
  }

  std::string format(ExprAttr expr) {
    std::string text;
    llvm::raw_string_ostream(text)
        << llvm::format("%.6g", transformer::evaluate(expr, workload));
    return text;
  }

  /// A rate with a decimal prefix: `707.8 T`.
  static std::string formatRate(double rate) {
    const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
    const char **prefix = prefixes;
    while (rate >= 1000 && prefix != std::end(prefixes) - 1) {
      rate /= 1000;
      ++prefix;
    }
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.4g %s", rate, *prefix);
    return text;
  }

  raw_ostream &os;
  const CostModel &model;
  const DeviceProfile &device;
  WorkloadAttr workload;
};

/// Launches that need one explanation.
struct LaunchGroup {
  ascend::LaunchOp first;
  double calls = 0;
  llvm::SetVector<StringAttr> provenance;
};
} // namespace

/// The launches of `name`, grouped by operands; reports unknown names.
static FailureOr<SmallVector<LaunchGroup>>
findLaunches(ModuleOp module, StringRef name, WorkloadAttr workload) {
  auto runs = countRuns(module);
  if (failed(runs))
    return failure();
  llvm::MapVector<std::string, LaunchGroup, std::map<std::string, unsigned>>
      groups;
  llvm::SetVector<StringRef> known;
  for (auto [function, times] : *runs) {
    WalkResult result =
        function.walk([&, times = times](ascend::LaunchOp launch) {
          FailureOr<double> starts = countStarts(launch, times, workload);
          if (failed(starts))
            return WalkResult::interrupt();
          double calls = *starts;
          known.insert(launch.getKernel());
          if (calls == 0 || (launch.getKernel() != name &&
                             launch.getReferenceName().value_or("") != name))
            return WalkResult::advance();
          std::string key =
              (launch.getKernel() + " " + describeInputs(launch)).str();
          LaunchGroup &group = groups[key];
          if (!group.first)
            group.first = launch;
          group.calls += calls;
          if (auto from = launch.getProvenanceAttr())
            group.provenance.insert(StringAttr::get(
                module.getContext(), transformer::generalizeName(from)));
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return failure();
  }
  if (groups.empty())
    return emitError(UnknownLoc::get(module.getContext()))
           << unknownName("kernel", name, known.getArrayRef());
  return llvm::map_to_vector(groups, [](auto &entry) { return entry.second; });
}

LogicalResult mlir::tensorcast::explainKernel(raw_ostream &os, ModuleOp module,
                                              StringRef name) {
  FailureOr<Pricing> pricing = Pricing::get(module);
  if (failed(pricing))
    return failure();
  FailureOr<SmallVector<LaunchGroup>> groups =
      findLaunches(module, name, pricing->workload);
  if (failed(groups))
    return failure();
  for (LaunchGroup &group : *groups) {
    StringRef kernel = group.first.getKernel();
    Explainer(os, *pricing->model, pricing->kernels[kernel], pricing->workload)
        .explain(group.first, group.calls);
    if (std::optional<StringRef> source = pricing->kernels.getSource(kernel))
      os << "  coefficients of this kernel: "
         << (source->empty() ? "no source" : *source) << '\n';
    if (!group.provenance.empty()) {
      os << "  from: ";
      llvm::interleaveComma(group.provenance, os,
                            [&](StringAttr from) { os << from.getValue(); });
      os << '\n';
    }
    os << '\n';
  }
  os << "device " << pricing->device.name;
  if (!pricing->device.source.empty())
    os << ": " << pricing->device.source;
  os << '\n';
  return success();
}
