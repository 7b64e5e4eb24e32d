//===- ReportJson.h - Reports as JSON ---------------------------*- C++ -*-===//

#ifndef TENSORCAST_REPORT_REPORTJSON_H
#define TENSORCAST_REPORT_REPORTJSON_H

#include "tensorcast/Report/FusionReport.h"
#include "tensorcast/Report/Report.h"
#include "tensorcast/Support/Json.h"

namespace mlir::tensorcast {

/// Counts and bytes are integers as long as a double holds them exactly.
Json toIntegerJson(double value);

Json toJson(const Workload &workload);
Json toJson(const MemoryUse &memory);
Json toJson(const Report &report);
Json toJson(const FusionReport &report);

/// A CSV cell as RFC 4180 wants it.
std::string quoteCsv(StringRef cell);

/// Writes `json`; names come from files, and what is no UTF-8 in them must not
/// stop a report.
void writeJson(raw_ostream &os, const Json &json);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_REPORTJSON_H
