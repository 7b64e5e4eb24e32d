//===- Machine.cpp - A report for programs: JSON and CSV ------------------===//

#include "tensorcast/Report/ReportJson.h"

#include "tensorcast/Support/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

Json mlir::tensorcast::toIntegerJson(double value) {
  if (std::fabs(value) <= 0x1p53 && value == std::floor(value))
    return static_cast<int64_t>(value);
  return value;
}

static Json toJson(const RequestGroup &group) {
  return {{"queries", group.queries},
          {"query_length", group.queryLength},
          {"context_length", group.contextLength},
          {"decode", group.decode},
          {"prefix_cache_hit_rate", group.prefixCacheHitRate}};
}

Json mlir::tensorcast::toJson(const Workload &workload) {
  Json json = ::toJson(workload.groups.front());
  for (const RequestGroup &group : ArrayRef(workload.groups).drop_front())
    json["more_requests"].push_back(::toJson(group));
  if (const RequestImages &images = workload.images; images.count != 0)
    json["images"] = {{"count", images.count},
                      {"rows", images.rows},
                      {"columns", images.columns},
                      {"tokens", images.tokens}};
  return json;
}

Json mlir::tensorcast::toJson(const MemoryUse &memory) {
  return {{"device_bytes", toIntegerJson(memory.deviceBytes)},
          {"weights_bytes", toIntegerJson(memory.weightsBytes)},
          {"kv_cache_bytes", toIntegerJson(memory.kvCacheBytes)},
          {"activation_bytes", toIntegerJson(memory.activationBytes)},
          {"reserved_bytes", toIntegerJson(memory.reservedBytes)},
          {"available_bytes", toIntegerJson(memory.availableBytes)}};
}

static Json toJson(const Breakdown &breakdown) {
  return {{"cube_s", breakdown.cubeS},
          {"vector_s", breakdown.vectorS},
          {"memory_s", breakdown.memoryS},
          {"communication_s", breakdown.communicationS}};
}

static Json toJson(const WorkSum &work) {
  return {{"cube_ops", toIntegerJson(work.cubeOps)},
          {"vector_ops", toIntegerJson(work.vectorOps)},
          {"bytes_read", toIntegerJson(work.bytesRead)},
          {"bytes_written", toIntegerJson(work.bytesWritten)},
          {"wire_bytes", toIntegerJson(work.wireBytes)}};
}

static Json toJson(const OpRow &row) {
  Json json = {{"name", row.name},
               {"reference_name", row.referenceName},
               {"calls", toIntegerJson(row.calls)},
               {"total_s", row.totalS},
               {"average_s", row.totalS / row.calls},
               {"bound", stringifyBound(row.breakdown.getLargest()).str()}};
  if (!row.inputShapes.empty())
    json["input_shapes"] = row.inputShapes;
  json["provenance"] = Json::array();
  for (const std::string &name : row.provenance)
    json["provenance"].push_back(name);
  for (const PartRow &part : row.parts)
    json["parts"].push_back({{"part", part.what},
                             {"unit", part.unit},
                             {"total_s", part.totalS},
                             {"share", part.totalS / row.totalS}});
  return json;
}

Json mlir::tensorcast::toJson(const Report &report) {
  Json json = {{"schema", "tensorcast-report-1"},
               {"model", report.model},
               {"device", report.device},
               {"num_devices", report.devices},
               {"cost_model", report.costModel},
               {"kernel_set", report.kernelSet},
               {"workload", report.workload
                                ? toJson(report.workload.getWorkload())
                                : Json()},
               {"execution_time_s", report.executionTimeS},
               {"kernel_time_s", report.kernelTimeS},
               {"tokens_per_second_per_device", report.getTokensPerSecond()},
               {"launches", toIntegerJson(report.launches)},
               {"write_backs", toIntegerJson(report.writeBacks)},
               {"memory", toJson(report.memory)},
               {"breakdown", ::toJson(report.breakdown)},
               {"work", ::toJson(report.work)}};
  json["layers"] = Json::array();
  for (const LayerRow &row : report.layers)
    json["layers"].push_back({{"kind", row.kind},
                              {"calls", toIntegerJson(row.calls)},
                              {"total_s", row.totalS}});
  for (const StageRow &row : report.stages)
    json["stages"].push_back({{"layers", toIntegerJson(row.layers)},
                              {"execution_time_s", row.executionTimeS},
                              {"transfer_s", row.transferS},
                              {"memory", toJson(row.memory)}});
  json["ops"] = Json::array();
  for (const OpRow &row : report.ops)
    json["ops"].push_back(::toJson(row));
  return json;
}

void mlir::tensorcast::writeJson(raw_ostream &os, const Json &json) {
  os << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void mlir::tensorcast::printJson(raw_ostream &os, const Report &report) {
  writeJson(os, toJson(report));
}

std::string mlir::tensorcast::quoteCsv(StringRef cell) {
  if (cell.find_first_of(",\"\r\n") == StringRef::npos)
    return cell.str();
  std::string text = "\"";
  for (char c : cell) {
    if (c == '"')
      text += '"';
    text += c;
  }
  return text + '"';
}

void mlir::tensorcast::printCsv(raw_ostream &os, const Report &report) {
  os << "name,reference_name,calls,total_s,average_s,bound,input_shapes\n";
  for (const OpRow &row : report.ops)
    os << quoteCsv(row.name) << ',' << quoteCsv(row.referenceName) << ','
       << toIntegerJson(row.calls).dump() << ',' << formatDecimal(row.totalS)
       << ',' << formatDecimal(row.totalS / row.calls) << ','
       << stringifyBound(row.breakdown.getLargest()) << ','
       << quoteCsv(row.inputShapes) << '\n';
}
