//===- VerifyReport.cpp - The verdict -------------------------------------===//

#include "tensorcast/Verify/Verify.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printDifference(raw_ostream &os, const Difference &difference,
                            std::optional<double> limit) {
  if (difference.numNotFinite > 0) {
    os << difference.numNotFinite
       << " elements are infinite or no numbers on one side only";
    return;
  }
  os << llvm::format("max abs error %.3g of %.3g (relative %.3g",
                     difference.maxError, difference.largest,
                     difference.getRelativeError());
  if (limit)
    os << llvm::format(", limit %.3g", *limit);
  os << llvm::format("), cosine %.7f", difference.cosine);
}

/// Of many caches that agree, one line about the worst will do.
static const ResultComparison *findWorstCache(const VerifyReport &report) {
  const ResultComparison *worst = nullptr;
  for (const ResultComparison &result : report.results)
    if (StringRef(result.name).starts_with("cache ") && result.isEqual)
      if (!worst || result.difference.getRelativeError() >
                        worst->difference.getRelativeError())
        worst = &result;
  return worst;
}

static void printFirst(raw_ostream &os, const FirstDifference &first) {
  os << "first difference";
  if (!first.layer.empty())
    os << " in " << first.layer;
  if (!first.op.empty())
    os << " at " << first.op;
  if (first.layer.empty() && first.op.empty()) {
    os << " unknown: no value on the way has a counterpart that differs\n";
    return;
  }
  os << ": ";
  printDifference(os, first.difference, first.errorLimit);
  os << '\n';
}

void tensorcast::printText(raw_ostream &os, const VerifyReport &report) {
  bool isEqual = report.isEqual();
  if (report.isQuantized())
    os << (isEqual ? "close" : "different")
       << ": one side is quantized, so only the cosine counts\n  limit: cosine "
          "above "
       << llvm::format("%.6g, smallest type of %u bits\n", report.minCosine,
                       *report.quantizedBits);
  else
    os << (isEqual ? "equal\n" : "different\n");
  if (report.workload)
    os << "  workload: " << report.workload.getQueries() << " x "
       << report.workload.getNewTokens() << " new tokens after "
       << report.workload.getTotalTokens() - report.workload.getNewTokens()
       << (report.workload.getDecode() ? ", decode\n" : ", prefill\n");
  if (report.numRanks > 1)
    os << "  " << (report.bothSharded ? "both sides are" : "one side is")
       << " sharded and " << (report.bothSharded ? "were" : "was") << " run on "
       << report.numRanks << " ranks\n";
  const ResultComparison *worst = findWorstCache(report);
  size_t numCaches = 0;
  for (const ResultComparison &result : report.results) {
    bool isCache = StringRef(result.name).starts_with("cache ");
    numCaches += isCache && result.isEqual;
    if (isCache && result.isEqual)
      continue;
    os << "  @" << result.function << " " << result.name << ", " << result.type
       << ": ";
    printDifference(os, result.difference, result.errorLimit);
    os << (result.isEqual ? "\n" : " DIFFERENT\n");
  }
  if (worst) {
    os << "  caches (" << numCaches << "), the worst is " << worst->name
       << ": ";
    printDifference(os, worst->difference, worst->errorLimit);
    os << '\n';
  }
  if (report.first)
    printFirst(os, *report.first);
  if (isEqual)
    return;
  for (const std::string &name : report.unmatchedWeights)
    os << "note: only one side has the weight " << name << '\n';
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeDifference(llvm::json::OStream &json,
                            const Difference &difference,
                            std::optional<double> limit) {
  json.attribute("cosine", difference.cosine);
  json.attribute("max_abs_error", difference.maxError);
  json.attribute("largest_magnitude", difference.largest);
  json.attribute("relative_error", difference.getRelativeError());
  if (limit)
    json.attribute("relative_error_limit", *limit);
  json.attribute("not_finite", difference.numNotFinite);
  json.attribute("position", difference.position);
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

void tensorcast::printJson(raw_ostream &os, const VerifyReport &report) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schema", "tensorcast-verify-1");
    json.attribute("equal", report.isEqual());
    json.attribute("quantized", report.isQuantized());
    json.attribute("min_cosine", report.minCosine);
    json.attribute("ranks", report.numRanks);
    json.attributeArray("results", [&] {
      for (const ResultComparison &result : report.results)
        json.object([&] {
          json.attribute("function", result.function);
          json.attribute("name", result.name);
          json.attribute("type", toText(result.type));
          json.attribute("equal", result.isEqual);
          writeDifference(json, result.difference, result.errorLimit);
        });
    });
    if (report.first)
      json.attributeObject("first_difference", [&] {
        json.attribute("function", report.first->function);
        json.attribute("layer", report.first->layer);
        json.attribute("op", report.first->op);
        writeDifference(json, report.first->difference,
                        report.first->errorLimit);
      });
    json.attributeArray("unmatched_weights", [&] {
      for (const std::string &name : report.unmatchedWeights)
        json.value(name);
    });
  });
  os << '\n';
}
