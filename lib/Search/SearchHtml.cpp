//===- SearchHtml.cpp - A search as a page of HTML ------------------------===//

#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Search/Front.h"
#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

static std::string escape(const Twine &text) {
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printHTMLEscaped(text.str(), os);
  return escaped;
}

// Readable on screens of either kind, and on paper.
static constexpr StringLiteral style = R"(
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --line: #bbb; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --paper: #181818; --line: #555; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 72rem; margin: 2rem auto;
  padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line);
  text-align: right; white-space: nowrap; }
th.text, td.text { text-align: left; white-space: normal; }
.scroll { overflow-x: auto; }
svg { width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 12px; }
svg line { stroke: var(--line); }
svg polyline { fill: none; stroke: var(--ink); stroke-width: 1.2; }
)";

// Told apart by those who see colours otherwise, too (Okabe and Ito).
static constexpr StringLiteral colors[] = {"#0072b2", "#e69f00", "#009e73",
                                           "#cc79a7", "#d55e00", "#56b4e9",
                                           "#b8a800", "#888888"};

//===----------------------------------------------------------------------===//
// The plot
//===----------------------------------------------------------------------===//

namespace {
/// One axis: a round number of steps from 0 to beyond the largest value.
struct Axis {
  explicit Axis(double largest) {
    double size = std::pow(10, std::floor(std::log10(std::max(largest, 1e-9))));
    for (double factor : {0.1, 0.2, 0.5, 1.0, 2.0})
      if (step = size * factor; largest / step <= 8)
        break;
    end = step * std::ceil(largest / step);
  }
  double step = 1, end = 1;
};
} // namespace

static void printPlot(raw_ostream &os, const SearchResult &result,
                      ArrayRef<FrontPoint> points) {
  constexpr double left = 70, right = 940, top = 20, bottom = 440;
  double mostUser = 0, mostDevice = 0;
  for (const FrontPoint &point : points) {
    mostUser = std::max(mostUser, point.tokensPerSPerUser);
    mostDevice = std::max(mostDevice, point.tokensPerSPerDevice);
  }
  Axis xAxis(mostUser), yAxis(mostDevice);
  auto x = [&](double value) {
    return formatFixed(left + value / xAxis.end * (right - left), 1);
  };
  auto y = [&](double value) {
    return formatFixed(bottom - value / yAxis.end * (bottom - top), 1);
  };
  os << "<svg viewBox=\"0 0 960 490\" role=\"img\" aria-label=\"Throughput "
        "against speed\">\n";
  for (double value = 0; value <= xAxis.end * 1.0001; value += xAxis.step)
    os << "<line x1=\"" << x(value) << "\" x2=\"" << x(value) << "\" y1=\""
       << top << "\" y2=\"" << bottom << "\"/><text x=\"" << x(value)
       << "\" y=\"" << bottom + 18 << "\" text-anchor=\"middle\">"
       << llvm::format("%g", value) << "</text>\n";
  for (double value = 0; value <= yAxis.end * 1.0001; value += yAxis.step)
    os << "<line x1=\"" << left << "\" x2=\"" << right << "\" y1=\"" << y(value)
       << "\" y2=\"" << y(value) << "\"/><text x=\"" << left - 8 << "\" y=\""
       << y(value) << "\" dy=\"4\" text-anchor=\"end\">"
       << llvm::format("%g", value) << "</text>\n";
  FrontAxes axes = getAxes(result);
  os << "<text x=\"" << (left + right) / 2 << "\" y=\"" << bottom + 40
     << "\" text-anchor=\"middle\">" << axes.perUser
     << "</text>\n<text transform=\"translate(16 " << (top + bottom) / 2
     << ") rotate(-90)\" text-anchor=\"middle\">" << axes.perDevice
     << "</text>\n<polyline points=\"";
  for (const FrontPoint &point : points)
    if (point.isOnFront)
      os << x(point.tokensPerSPerUser) << ',' << y(point.tokensPerSPerDevice)
         << ' ';
  os << "\"/>\n";
  llvm::MapVector<const Outcome *, std::pair<std::string, StringRef>> plans;
  for (const FrontPoint &point : points) {
    auto &[plan, color] = plans[point.row.outcome];
    if (color.empty()) {
      plan = describePlan(result, point);
      color = colors[(plans.size() - 1) % std::size(colors)];
    }
    os << "<circle cx=\"" << x(point.tokensPerSPerUser) << "\" cy=\""
       << y(point.tokensPerSPerDevice) << "\" r=\"" << (point.isOnFront ? 5 : 3)
       << "\" fill=\"" << color << "\" fill-opacity=\""
       << (point.isOnFront ? "1" : "0.45") << "\"><title>" << escape(plan)
       << "\nbatch " << point.row.point->batch << ", concurrency "
       << point.row.point->concurrency << "\n"
       << formatFixed(point.tokensPerSPerUser) << " tokens/s for each user, "
       << formatFixed(point.tokensPerSPerDevice)
       << " tokens/s per device\nTTFT "
       << formatFixed(point.row.point->firstTokenMs) << " ms, TPOT "
       << formatFixed(point.row.point->perTokenMs) << " ms</title></circle>\n";
  }
  os << "</svg>\n<p>";
  for (const auto &[outcome, entry] : plans)
    os << "<span style=\"color:" << entry.second << "\">&#9679;</span> "
       << escape(entry.first) << "<br>\n";
  os << "Large: on the front.</p>\n";
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// Begins and ends a table; those columns are text whose number is given.
class HtmlTable {
public:
  HtmlTable(raw_ostream &os, ArrayRef<StringRef> header,
            ArrayRef<size_t> textColumns)
      : os(os), textColumns(textColumns) {
    os << "<div class=\"scroll\"><table>\n<thead>";
    addCells("th", llvm::to_vector_of<std::string>(header));
    os << "</thead>\n<tbody>\n";
  }
  ~HtmlTable() { os << "</tbody></table></div>\n"; }

  void addRow(ArrayRef<std::string> cells) { addCells("td", cells); }

private:
  void addCells(StringRef tag, ArrayRef<std::string> cells) {
    os << "<tr>";
    for (auto [index, cell] : llvm::enumerate(cells))
      os << '<' << tag
         << (llvm::is_contained(textColumns, index) ? " class=\"text\">" : ">")
         << escape(cell) << "</" << tag << '>';
    os << "</tr>\n";
  }

  raw_ostream &os;
  SmallVector<size_t> textColumns;
};
} // namespace

static void printPlans(raw_ostream &os, const SearchResult &result,
                       Phase phase) {
  SmallVector<ResultRow> rows = rankPlans(result, phase);
  if (rows.empty())
    return;
  os << "<h2>Best batch of each plan"
     << (phase == Phase::Aggregated ? "" : ", ")
     << (phase == Phase::Aggregated ? "" : stringify(phase)) << "</h2>\n";
  HtmlTable table(os,
                  {"tokens/s", "per device", "TTFT (ms)", "TPOT (ms)",
                   "concurrency", "batch", "available", "bound by", "device",
                   "plan"},
                  {7, 8, 9});
  for (const ResultRow &row : rows) {
    const Point &point = *row.point;
    const Candidate &candidate = row.outcome->candidate;
    table.addRow({formatFixed(point.tokensPerS),
                  formatFixed(point.tokensPerS /
                              static_cast<double>(candidate.plan.getDevices())),
                  phase == Phase::Decode ? "" : formatFixed(point.firstTokenMs),
                  phase == Phase::Prefill ? "" : formatFixed(point.perTokenMs),
                  std::to_string(point.concurrency),
                  std::to_string(point.batch),
                  formatGigabytes(point.memory.availableBytes),
                  describeBound(result, *row.outcome),
                  result.request.devices[candidate.device],
                  getMarkedLabel(result, *row.outcome)});
  }
}

static void printRatios(raw_ostream &os, const SearchResult &result) {
  SmallVector<RatioRow> rows = rankRatios(result);
  if (rows.empty())
    return;
  os << "<h2>Prefill and decode in balance</h2>\n";
  HtmlTable table(os,
                  {"P : D", "requests/s", "TTFT (ms)", "TPOT (ms)", "P batch",
                   "D batch", "device", "P plan", "D plan"},
                  {6, 7, 8});
  for (const RatioRow &row : rows)
    table.addRow({formatFixed(row.ratio), formatFixed(row.balancedPerS),
                  formatFixed(row.prefill.point->firstTokenMs),
                  formatFixed(row.decode.point->perTokenMs),
                  std::to_string(row.prefill.point->batch),
                  std::to_string(row.decode.point->batch),
                  result.request.devices[row.decode.outcome->candidate.device],
                  getMarkedLabel(result, *row.prefill.outcome),
                  getMarkedLabel(result, *row.decode.outcome)});
}

static void printLosses(raw_ostream &os, const SearchResult &result) {
  bool any = !result.rejectedPlans.empty() ||
             llvm::any_of(result.outcomes, [&](const Outcome &outcome) {
               return explainLoss(result, outcome).kind != "served";
             });
  if (!any)
    return;
  os << "<h2>Not served</h2>\n";
  HtmlTable table(os, {"plan", "device", "", "why"}, {0, 1, 2, 3});
  for (const Outcome &outcome : result.outcomes) {
    Loss loss = explainLoss(result, outcome);
    if (loss.kind != "served")
      table.addRow({getLabel(result, outcome),
                    result.request.devices[outcome.candidate.device],
                    loss.kind.str(), loss.why});
  }
  for (const RejectedPlan &plan : result.rejectedPlans)
    table.addRow({plan.label, "", "no plan", plan.why});
}

void tensorcast::search::printHtml(raw_ostream &os,
                                   const SearchResult &result) {
  std::string question = describeQuestion(result);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width\">\n<title>"
     << escape(question) << "</title>\n<style>" << style
     << "</style>\n</head>\n<body>\n<h1>" << escape(result.request.model)
     << "</h1>\n<p>" << escape(question) << "</p>\n";
  std::vector<FrontPoint> points = listFront(result);
  if (!points.empty())
    printPlot(os, result, points);
  if (result.request.mode == Mode::Ratio)
    printRatios(os, result);
  for (Phase phase : {Phase::Aggregated, Phase::Prefill, Phase::Decode})
    printPlans(os, result, phase);
  for (const std::string &warning : listWarnings(result))
    os << "<p>* " << escape(warning) << "</p>\n";
  printLosses(os, result);
  os << "</body>\n</html>\n";
}
