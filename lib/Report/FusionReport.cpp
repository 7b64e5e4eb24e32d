//===- FusionReport.cpp - What fusions did, in text and JSON --------------===//

#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Report/TextTable.h"

using namespace mlir;
using namespace mlir::tensorcast;

double FusionRow::getCandidates() const {
  double candidates = fused;
  for (const NearMiss &miss : nearMisses)
    candidates += miss.count;
  return candidates;
}

static void printRow(raw_ostream &os, const FusionRow &row) {
  os << row.category << ' ' << row.name << ": fused " << formatCount(row.fused)
     << " of " << formatCount(row.getCandidates())
     << (row.getCandidates() == 0
             ? " (its ops are nowhere together, or in other kernels)\n"
             : "\n");
  for (const NearMiss &miss : row.nearMisses) {
    os << "  not " << formatCount(miss.count) << ": " << miss.reason << '\n';
    for (const std::string &place : miss.places)
      os << "    at " << place << '\n';
  }
}

void mlir::tensorcast::printFusions(raw_ostream &os, const FusionReport &report,
                                    StringRef category) {
  bool any = false;
  for (const FusionRow &row : report.fusions) {
    if (!category.empty() && row.category != category)
      continue;
    printRow(os, row);
    any = true;
  }
  if (!any)
    os << "nothing was fused, and nothing nearly\n";
}

static void printForPeople(raw_ostream &os, const FusionReport &report) {
  printFusions(os, report);
  os << "kernels: " << formatCount(report.before.kernels) << " before, "
     << formatCount(report.after.kernels)
     << " after\nwrite-backs: " << formatCount(report.before.writeBacks)
     << " before, " << formatCount(report.after.writeBacks) << " after\n";
  if (report.unknownOps.empty())
    return;
  os << "ops that no pattern looks for:";
  for (const auto &[name, count] : report.unknownOps)
    os << ' ' << name << " (" << formatCount(count) << ')';
  os << '\n';
}

static Json toJson(const FusionRow &row) {
  Json json = {{"category", row.category},
               {"name", row.name},
               {"fused", toIntegerJson(row.fused)},
               {"candidates", toIntegerJson(row.getCandidates())},
               {"near_misses", Json::array()}};
  for (const NearMiss &miss : row.nearMisses) {
    Json places = Json::array();
    for (const std::string &place : miss.places)
      places.push_back(place);
    json["near_misses"].push_back({{"reason", miss.reason},
                                   {"count", toIntegerJson(miss.count)},
                                   {"places", places}});
  }
  return json;
}

static Json toJson(const KernelCount &count) {
  return {{"kernels", toIntegerJson(count.kernels)},
          {"write_backs", toIntegerJson(count.writeBacks)}};
}

Json mlir::tensorcast::toJson(const FusionReport &report) {
  Json json = {{"schema", "tensorcast-fusion-report-1"},
               {"before", ::toJson(report.before)},
               {"after", ::toJson(report.after)},
               {"fusions", Json::array()},
               {"unknown_ops", Json::object()}};
  for (const FusionRow &row : report.fusions)
    json["fusions"].push_back(::toJson(row));
  for (const auto &[name, count] : report.unknownOps)
    json["unknown_ops"][name] = toIntegerJson(count);
  return json;
}

std::string mlir::tensorcast::formatFusionReport(StringRef path,
                                                 const FusionReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (path.ends_with(".json"))
    writeJson(os, toJson(report));
  else
    printForPeople(os, report);
  return text;
}
