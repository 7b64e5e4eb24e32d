//===- CostProgramPrint.cpp - Prices of many workloads as text ------------===//

#include "CostProgram.h"

#include "tensorcast/Report/ReportJson.h"
#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Requests as the option `--more-requests` takes them.
static std::string describe(const RequestGroup &group) {
  std::string text =
      std::to_string(group.queries) + "x" + std::to_string(group.queryLength);
  if (group.contextLength != 0)
    text += "+" + std::to_string(group.contextLength);
  if (group.prefixCacheHitRate != 0)
    text += "@" + formatDecimal(group.prefixCacheHitRate);
  return text + (group.decode ? ":decode" : "");
}

static std::string describe(ArrayRef<RequestGroup> groups) {
  return llvm::join(
      llvm::map_range(
          groups, [](const RequestGroup &group) { return describe(group); }),
      ";");
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

/// Kernels by time, longest first; equal ones by name.
static SmallVector<size_t> sortKernels(const Price &price) {
  SmallVector<size_t> order;
  for (size_t i = 0; i < price.kernels.size(); ++i)
    if (price.kernels[i].calls != 0)
      order.push_back(i);
  llvm::sort(order, [&](size_t lhs, size_t rhs) {
    double left = price.kernels[lhs].totalS, right = price.kernels[rhs].totalS;
    return left != right ? left > right : lhs < rhs;
  });
  return order;
}

static void printKernels(raw_ostream &os, const CostProgram &program,
                         const PricedWorkload &workload) {
  TextTable table(
      {"kernel", "reference name", "calls", "total", "average", "share"},
      /*numLeft=*/2);
  for (size_t i : sortKernels(workload.price)) {
    const KernelPrice &kernel = workload.price.kernels[i];
    const auto &[name, referenceName] = program.getKernels()[i];
    table.addRow({name, referenceName, formatCount(kernel.calls),
                  formatColumn(kernel.totalS),
                  formatColumn(kernel.totalS / kernel.calls),
                  formatShare(kernel.totalS, workload.price.kernelTimeS)});
  }
  os << '\n' << describe(workload.workload.groups) << '\n';
  table.print(os);
}

static void printTable(raw_ostream &os, const Report &heading,
                       const CostProgram &program,
                       ArrayRef<PricedWorkload> workloads) {
  printHeading(os, heading);
  TextTable table({"requests", "time", "tokens/s/device", "weights", "KV cache",
                   "activations", "available"},
                  /*numLeft=*/1);
  for (const PricedWorkload &workload : workloads) {
    const MemoryUse &memory = workload.price.memory;
    std::string rate;
    llvm::raw_string_ostream(rate)
        << llvm::format("%.1f", workload.getTokensPerSecond(heading.devices));
    table.addRow({describe(workload.workload.groups),
                  formatTime(workload.price.executionTimeS), rate,
                  formatGigabytes(memory.weightsBytes),
                  formatGigabytes(memory.kvCacheBytes),
                  formatGigabytes(memory.activationBytes),
                  formatGigabytes(memory.availableBytes)});
  }
  table.print(os);
  for (const PricedWorkload &workload : workloads)
    if (!workload.price.kernels.empty())
      printKernels(os, program, workload);
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static Json toJson(const CostProgram &program, const Price &price) {
  Json kernels = Json::array();
  for (size_t i : sortKernels(price))
    kernels.push_back({{"name", program.getKernels()[i].first},
                       {"reference_name", program.getKernels()[i].second},
                       {"calls", toIntegerJson(price.kernels[i].calls)},
                       {"total_s", price.kernels[i].totalS}});
  return kernels;
}

static void printJson(raw_ostream &os, const Report &heading,
                      const CostProgram &program,
                      ArrayRef<PricedWorkload> workloads) {
  Json json = {{"schema", "tensorcast-cost-program-1"},
               {"model", heading.model},
               {"device", heading.device},
               {"num_devices", heading.devices},
               {"cost_model", heading.costModel},
               {"kernel_set", heading.kernelSet},
               {"features", Json::array()},
               {"prices", Json::array()}};
  for (const std::string &name : program.getFeatureNames())
    json["features"].push_back(name);
  for (const PricedWorkload &workload : workloads) {
    const Price &price = workload.price;
    Json entry = {{"workload", toJson(workload.workload)},
                  {"features", Json::array()},
                  {"execution_time_s", price.executionTimeS},
                  {"kernel_time_s", price.kernelTimeS},
                  {"tokens_per_second_per_device",
                   workload.getTokensPerSecond(heading.devices)},
                  {"memory", toJson(price.memory)}};
    for (double feature : workload.features)
      entry["features"].push_back(toIntegerJson(feature));
    if (!price.kernels.empty())
      entry["kernels"] = toJson(program, price);
    json["prices"].push_back(std::move(entry));
  }
  writeJson(os, json);
}

static void printCsv(raw_ostream &os, const Report &heading,
                     const CostProgram &program,
                     ArrayRef<PricedWorkload> workloads) {
  bool withKernels = !workloads.front().price.kernels.empty();
  os << "queries,query_length,context_length,decode,prefix_cache_hit_rate,"
        "more_requests,";
  if (withKernels)
    os << "name,reference_name,calls,total_s\n";
  else
    os << "execution_time_s,kernel_time_s,tokens_per_second_per_device,"
          "weights_bytes,kv_cache_bytes,activation_bytes,available_bytes\n";
  for (const PricedWorkload &workload : workloads) {
    ArrayRef<RequestGroup> groups = workload.workload.groups;
    const RequestGroup &first = groups.front();
    std::string head;
    llvm::raw_string_ostream(head)
        << first.queries << ',' << first.queryLength << ','
        << first.contextLength << ',' << (first.decode ? "true" : "false")
        << ',' << formatDecimal(first.prefixCacheHitRate) << ','
        << describe(groups.drop_front()) << ',';
    const Price &price = workload.price;
    for (size_t i : sortKernels(price))
      os << head << quoteCsv(program.getKernels()[i].first) << ','
         << quoteCsv(program.getKernels()[i].second) << ','
         << toIntegerJson(price.kernels[i].calls).dump() << ','
         << formatDecimal(price.kernels[i].totalS) << '\n';
    if (withKernels)
      continue;
    os << head << formatDecimal(price.executionTimeS) << ','
       << formatDecimal(price.kernelTimeS) << ','
       << formatDecimal(workload.getTokensPerSecond(heading.devices));
    for (double bytes :
         {price.memory.weightsBytes, price.memory.kvCacheBytes,
          price.memory.activationBytes, price.memory.availableBytes})
      os << ',' << toIntegerJson(bytes).dump();
    os << '\n';
  }
}

void mlir::tensorcast::printPrices(raw_ostream &os, StringRef format,
                                   const Report &heading,
                                   const CostProgram &program,
                                   ArrayRef<PricedWorkload> workloads) {
  auto print = format == "json"  ? ::printJson
               : format == "csv" ? ::printCsv
                                 : ::printTable;
  print(os, heading, program, workloads);
}
