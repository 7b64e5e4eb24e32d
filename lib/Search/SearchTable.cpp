//===- SearchTable.cpp - Plans for people ---------------------------------===//

#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Search/Front.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

static std::string formatNumber(int64_t value) { return std::to_string(value); }

/// Where a column is for what only some searches have.
static bool hasDevices(const SearchResult &result) {
  return result.request.devices.size() > 1;
}

std::string tensorcast::search::describeQuestion(const SearchResult &result) {
  const SearchRequest &request = result.request;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << request.model << " on ";
  if (request.mode == Mode::Ratio)
    os << "instances of " << request.prefillDevices << " (prefill) and "
       << request.decodeDevices << " (decode) ";
  else
    os << request.numDevices << " x ";
  llvm::interleave(request.devices, os, ", ");
  os << ": " << request.lengthsText;
  if (request.prefixCacheHitRate > 0)
    os << ", prefix cache hit rate "
       << formatDecimal(request.prefixCacheHitRate);
  if (request.firstTokenLimitMs)
    os << ", TTFT up to " << formatFixed(*request.firstTokenLimitMs) << " ms";
  if (request.perTokenLimitMs)
    os << ", TPOT up to " << formatFixed(*request.perTokenLimitMs) << " ms";
  return text;
}

static void printPlans(raw_ostream &os, const SearchResult &result, Phase phase,
                       size_t top) {
  SmallVector<ResultRow> rows = rankPlans(result, phase);
  if (rows.empty())
    return;
  bool prefill = phase == Phase::Prefill, decode = phase == Phase::Decode;
  SmallVector<StringRef> header = {
      "top", prefill ? "input tokens/s" : "output tokens/s", "per device"};
  if (phase != Phase::Aggregated)
    header.push_back("requests/s");
  if (!decode)
    header.push_back("TTFT (ms)");
  if (!prefill)
    header.push_back("TPOT (ms)");
  header.append({"concurrency", "batch", "weights", "KV cache", "activations",
                 "available", "bound by"});
  if (hasDevices(result))
    header.push_back("device");
  header.push_back("plan");
  TextTable table(header, /*numLeft=*/0);
  for (auto [index, row] : llvm::enumerate(rows)) {
    if (index == top)
      break;
    const Point &point = *row.point;
    const Candidate &candidate = row.outcome->candidate;
    SmallVector<std::string> cells = {
        formatNumber(index + 1), formatFixed(point.tokensPerS),
        formatFixed(point.tokensPerS /
                    static_cast<double>(candidate.plan.getDevices()))};
    if (phase != Phase::Aggregated)
      cells.push_back(formatFixed(point.requestsPerS));
    if (!decode)
      cells.push_back(formatFixed(point.firstTokenMs));
    if (!prefill)
      cells.push_back(formatFixed(point.perTokenMs));
    cells.append({formatNumber(point.concurrency), formatNumber(point.batch),
                  formatGigabytes(point.memory.weightsBytes),
                  formatGigabytes(point.memory.kvCacheBytes),
                  formatGigabytes(point.memory.activationBytes),
                  formatGigabytes(point.memory.availableBytes),
                  describeBound(result, *row.outcome)});
    if (hasDevices(result))
      cells.push_back(result.request.devices[candidate.device]);
    cells.push_back(getMarkedLabel(result, *row.outcome));
    table.addRow(std::move(cells));
  }
  if (phase != Phase::Aggregated)
    os << (prefill ? "prefill\n" : "decode\n");
  table.print(os);
  if (rows.size() > top)
    os << rows.size() - top << " more\n";
  os << '\n';
}

static void printRatios(raw_ostream &os, const SearchResult &result,
                        size_t top) {
  SmallVector<RatioRow> rows = rankRatios(result);
  if (rows.empty())
    return;
  SmallVector<StringRef> header = {
      "top",          "P : D",         "requests/s",   "P requests/s",
      "D requests/s", "TTFT (ms)",     "TPOT (ms)",    "P batch",
      "D batch",      "P concurrency", "D concurrency"};
  bool hasInstances = llvm::any_of(
      rows, [](const RatioRow &row) { return row.decodeInstances > 0; });
  if (hasInstances)
    header.push_back("instances");
  if (hasDevices(result))
    header.push_back("device");
  header.append({"P plan", "D plan"});
  TextTable table(header, /*numLeft=*/0);
  for (auto [index, row] : llvm::enumerate(rows)) {
    if (index == top)
      break;
    const Point &prefill = *row.prefill.point, &decode = *row.decode.point;
    SmallVector<std::string> cells = {
        formatNumber(index + 1),          formatFixed(row.ratio),
        formatFixed(row.balancedPerS),    formatFixed(prefill.requestsPerS),
        formatFixed(decode.requestsPerS), formatFixed(prefill.firstTokenMs),
        formatFixed(decode.perTokenMs),   formatNumber(prefill.batch),
        formatNumber(decode.batch),       formatNumber(prefill.concurrency),
        formatNumber(decode.concurrency)};
    if (hasInstances)
      cells.push_back(formatNumber(row.prefillInstances) + " P, " +
                      formatNumber(row.decodeInstances) + " D");
    if (hasDevices(result))
      cells.push_back(
          result.request.devices[row.decode.outcome->candidate.device]);
    cells.push_back(getMarkedLabel(result, *row.prefill.outcome));
    cells.push_back(getMarkedLabel(result, *row.decode.outcome));
    table.addRow(std::move(cells));
  }
  table.print(os);
  os << '\n';
}

/// The best plan of each device, where there are several.
static void printDevices(raw_ostream &os, const SearchResult &result,
                         Phase phase) {
  SmallVector<ResultRow> rows = rankPlans(result, phase);
  if (!hasDevices(result) || rows.empty())
    return;
  TextTable table({"best on", "tokens/s", "per device", "concurrency", "plan"},
                  /*numLeft=*/1);
  llvm::SmallDenseSet<size_t> seen;
  for (const ResultRow &row : rows) {
    const Candidate &candidate = row.outcome->candidate;
    if (!seen.insert(candidate.device).second)
      continue;
    table.addRow({result.request.devices[candidate.device],
                  formatFixed(row.point->tokensPerS),
                  formatFixed(row.point->tokensPerS /
                              static_cast<double>(candidate.plan.getDevices())),
                  formatNumber(row.point->concurrency),
                  getMarkedLabel(result, *row.outcome)});
  }
  table.print(os);
  os << '\n';
}

/// Plans without a row, and combinations that are no plan.
static void printLosses(raw_ostream &os, const SearchResult &result) {
  TextTable table({"not served", "", "why"}, /*numLeft=*/2);
  bool any = false;
  for (const Outcome &outcome : result.outcomes) {
    Loss loss = explainLoss(result, outcome);
    if (loss.kind == "served")
      continue;
    std::string label = getLabel(result, outcome);
    if (hasDevices(result))
      label += " on " + result.request.devices[outcome.candidate.device];
    if (outcome.candidate.phase != Phase::Aggregated)
      label += outcome.candidate.phase == Phase::Prefill ? " (prefill)"
                                                         : " (decode)";
    table.addRow({label, loss.kind.str(), loss.why});
    any = true;
  }
  for (const RejectedPlan &plan : result.rejectedPlans) {
    table.addRow({plan.label, "no plan", plan.why});
    any = true;
  }
  if (any)
    table.print(os);
}

void tensorcast::search::printTable(raw_ostream &os, const SearchResult &result,
                                    size_t top) {
  os << describeQuestion(result) << "\n\n";
  printDeviceFacts(os, result);
  if (result.request.mode == Mode::Ratio)
    printRatios(os, result, top);
  else
    for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode}) {
      printPlans(os, result, phase, top);
      printDevices(os, result, phase);
    }
  if (result.request.wholeFront)
    printFront(os, result, std::max<size_t>(top, 2));
  for (const std::string &warning : listWarnings(result))
    os << "* " << warning << "\n\n";
  printLosses(os, result);
}
