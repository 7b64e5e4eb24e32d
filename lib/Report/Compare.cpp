//===- Compare.cpp - What a rewrite changes in the price ------------------===//

#include "tensorcast/Report/Compare.h"

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Pairs of what is before and after
//===----------------------------------------------------------------------===//

namespace {
/// Calls and seconds of a kernel or a kind of layer.
struct Part {
  double calls = 0, totalS = 0;

  bool operator!=(const Part &other) const {
    return calls != other.calls || totalS != other.totalS;
  }
};

struct PartPair {
  Part before, after;
};

/// A number of the whole model.
struct Total {
  StringRef key, label;
  double before, after;
  /// How it is written for people.
  std::string (*format)(double);
};
} // namespace

/// Puts what has the same name side by side, in the order of the first.
template <typename RowT, typename NameT>
static llvm::MapVector<StringRef, PartPair>
pairUp(ArrayRef<RowT> before, ArrayRef<RowT> after, NameT getName) {
  llvm::MapVector<StringRef, PartPair> pairs;
  auto add = [&](ArrayRef<RowT> rows, Part PartPair::*side) {
    for (const RowT &row : rows) {
      Part &part = pairs[getName(row)].*side;
      part.calls += row.calls;
      part.totalS += row.totalS;
    }
  };
  add(before, &PartPair::before);
  add(after, &PartPair::after);
  return pairs;
}

static llvm::MapVector<StringRef, PartPair> pairOps(const Report &before,
                                                    const Report &after) {
  return pairUp(ArrayRef(before.ops), ArrayRef(after.ops),
                [](const OpRow &row) { return StringRef(row.name); });
}

static llvm::MapVector<StringRef, PartPair> pairLayers(const Report &before,
                                                       const Report &after) {
  return pairUp(ArrayRef(before.layers), ArrayRef(after.layers),
                [](const LayerRow &row) { return StringRef(row.kind); });
}

static SmallVector<Total> getTotals(const Report &before, const Report &after) {
  auto bytes = [](const Report &report) {
    return report.work.bytesRead + report.work.bytesWritten;
  };
  return {
      {"execution_time_s", "execution time", before.executionTimeS,
       after.executionTimeS, formatColumn},
      {"launches", "launches", before.launches, after.launches, formatCount},
      {"write_backs", "write-backs", before.writeBacks, after.writeBacks,
       formatCount},
      {"bytes", "bytes moved", bytes(before), bytes(after), formatGigabytes},
      {"activation_bytes", "peak activations", before.memory.activationBytes,
       after.memory.activationBytes, formatGigabytes},
      {"device_memory_bytes", "memory in use",
       before.memory.deviceBytes - before.memory.availableBytes,
       after.memory.deviceBytes - after.memory.availableBytes, formatGigabytes},
  };
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

/// `-3.2 %`, or `new` where there was nothing.
static std::string formatChange(double before, double after) {
  if (before == after)
    return "same";
  if (before == 0)
    return "new";
  if (after == 0)
    return "gone";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%+.2f %%", 100 * (after - before) / before);
  return text;
}

static void printParts(raw_ostream &os, StringRef what,
                       const llvm::MapVector<StringRef, PartPair> &pairs,
                       bool onlyChanged) {
  TextTable table(
      {what, "calls before", "after", "time before", "after", "change"},
      /*numLeft=*/1);
  bool any = false;
  for (const auto &[name, pair] : pairs) {
    if (onlyChanged && !(pair.before != pair.after))
      continue;
    any = true;
    table.addRow({name.str(), formatCount(pair.before.calls),
                  formatCount(pair.after.calls),
                  formatColumn(pair.before.totalS),
                  formatColumn(pair.after.totalS),
                  formatChange(pair.before.totalS, pair.after.totalS)});
  }
  if (!any)
    return;
  os << '\n';
  table.print(os);
}

void mlir::tensorcast::printComparison(raw_ostream &os, const Report &before,
                                       const Report &after,
                                       const FusionReport *fusions) {
  printHeading(os, before);
  if (after.model != before.model || after.device != before.device ||
      after.workload != before.workload ||
      after.kernelSet != before.kernelSet ||
      after.costModel != before.costModel) {
    os << "compared with another run:\n";
    printHeading(os, after);
  }
  TextTable table({"", "before", "after", "change"}, /*numLeft=*/1);
  for (const Total &total : getTotals(before, after))
    table.addRow({total.label.str(), total.format(total.before),
                  total.format(total.after),
                  formatChange(total.before, total.after)});
  table.print(os);
  printParts(os, "layers", pairLayers(before, after), /*onlyChanged=*/false);
  printParts(os, "kernels that changed", pairOps(before, after),
             /*onlyChanged=*/true);
  if (fusions) {
    os << '\n';
    printFusions(os, *fusions, transformer::kPatternCategory);
  }
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static Json toJson(const Part &part) {
  return {{"calls", toIntegerJson(part.calls)}, {"total_s", part.totalS}};
}

static Json toJson(StringRef key,
                   const llvm::MapVector<StringRef, PartPair> &pairs) {
  Json list = Json::array();
  for (const auto &[name, pair] : pairs)
    list.push_back({{key.str(), name.str()},
                    {"before", ::toJson(pair.before)},
                    {"after", ::toJson(pair.after)}});
  return list;
}

void mlir::tensorcast::printComparisonJson(raw_ostream &os,
                                           const Report &before,
                                           const Report &after,
                                           const FusionReport *fusions) {
  Json json = {{"schema", "tensorcast-compare-1"}, {"totals", Json::object()}};
  for (const Total &total : getTotals(before, after)) {
    bool isTime = total.key.ends_with("_s");
    auto number = [&](double value) {
      return isTime ? Json(value) : toIntegerJson(value);
    };
    json["totals"][total.key.str()] = {
        {"before", number(total.before)},
        {"after", number(total.after)},
        {"change", number(total.after - total.before)}};
  }
  json["layers"] = ::toJson("kind", pairLayers(before, after));
  json["ops"] = ::toJson("name", pairOps(before, after));
  if (fusions)
    json["fusions"] = toJson(*fusions);
  json["before"] = toJson(before);
  json["after"] = toJson(after);
  writeJson(os, json);
}
