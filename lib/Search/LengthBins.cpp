//===- LengthBins.cpp - A distribution of lengths as YAML -----------------===//
//
//   bins:
//     - min_tokens: 0
//       max_tokens: 500
//       weight: 0.25
//       output_tokens: 200   # where answers have lengths of their own
//
//===----------------------------------------------------------------------===//

#include "LengthReaders.h"

#include "tensorcast/Support/Wording.h"

#include "llvm/Support/YAMLTraits.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

namespace {
struct Bin {
  int64_t minTokens = 0, maxTokens = 0;
  double weight = 0;
  std::optional<int64_t> outputTokens;
};

struct BinFile {
  std::vector<Bin> bins;
};
} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(Bin)

namespace llvm::yaml {
template <> struct MappingTraits<Bin> {
  static void mapping(IO &io, Bin &bin) {
    io.mapRequired("min_tokens", bin.minTokens);
    io.mapRequired("max_tokens", bin.maxTokens);
    io.mapRequired("weight", bin.weight);
    io.mapOptional("output_tokens", bin.outputTokens);
  }

  static std::string validate(IO &, Bin &bin) {
    if (bin.minTokens < 0 || bin.maxTokens < bin.minTokens ||
        bin.maxTokens > maxTokensOfRequest)
      return "expected 0 <= 'min_tokens' <= 'max_tokens' <= " +
             std::to_string(maxTokensOfRequest) + ", but got " +
             std::to_string(bin.minTokens) + " and " +
             std::to_string(bin.maxTokens);
    if (!(bin.weight >= 0) || !std::isfinite(bin.weight))
      return "expected a finite 'weight' of at least 0";
    if (bin.outputTokens &&
        (*bin.outputTokens < 1 || *bin.outputTokens > maxTokensOfRequest))
      return "expected 'output_tokens' from 1 to " +
             std::to_string(maxTokensOfRequest) + ", but got " +
             std::to_string(*bin.outputTokens);
    return "";
  }
};

template <> struct MappingTraits<BinFile> {
  static void mapping(IO &io, BinFile &file) {
    io.mapRequired("bins", file.bins);
  }
};
} // namespace llvm::yaml

/// Finds what would overflow the stack of the library's recursive parser: lines
/// that are nested deeper than any list of bins.
static LogicalResult checkNesting(const LengthSource &source) {
  constexpr size_t maxDepth = 64;
  size_t line = 1, brackets = 0;
  for (StringRef rest = source.text; !rest.empty(); ++line) {
    auto [text, next] = rest.split('\n');
    rest = next;
    size_t indent = text.find_first_not_of(" -?:\t\r");
    for (char c : text) {
      brackets += c == '[' || c == '{';
      if ((c == ']' || c == '}') && brackets > 0)
        --brackets;
    }
    bool isBlank = indent == StringRef::npos && text.trim().empty();
    if (brackets > maxDepth ||
        (!isBlank && std::min(indent, text.size()) > 2 * maxDepth))
      return source.emitError(line, 1)
             << "expected values at most " << maxDepth << " deep";
    if (size_t nul = text.find('\0'); nul != StringRef::npos)
      return source.emitError(line, nul + 1)
             << "expected text, but got a NUL byte";
  }
  return success();
}

FailureOr<Lengths> tensorcast::search::readBins(const LengthSource &source) {
  if (failed(checkNesting(source)))
    return failure();
  struct Messages {
    const LengthSource &source;
    bool any = false;
  } messages{source};
  auto report = [](const llvm::SMDiagnostic &diag, void *data) {
    auto &messages = *static_cast<Messages *>(data);
    // What follows from the first mistake is none of its own.
    if (messages.any)
      return;
    messages.any = true;
    messages.source.emitError(std::max(diag.getLineNo(), 1),
                              std::max(diag.getColumnNo(), 0) + 1)
        << "in length bins: " << diag.getMessage();
  };
  // The library reads up to a NUL.
  std::string text = source.text.str();
  llvm::yaml::Input input(text, /*Ctxt=*/nullptr, report, &messages);
  BinFile file;
  input >> file;
  if (input.error() || messages.any) {
    if (!messages.any)
      source.emitError(1, 1) << "expected 'bins' with lengths";
    return failure();
  }
  Lengths lengths;
  for (const Bin &bin : file.bins) {
    if (bin.weight == 0)
      continue;
    std::optional<int64_t> output =
        source.output ? source.output : bin.outputTokens;
    if (!output)
      return source.emitError(1, 1)
             << "expected 'output_tokens' in all bins, or '--output-length'";
    int64_t middle = (bin.minTokens + bin.maxTokens) / 2;
    lengths.classes.push_back(
        {std::max<int64_t>(middle, 1), *output, bin.weight});
  }
  if (lengths.classes.empty())
    return source.emitError(1, 1)
           << "expected a bin with a weight above 0, but got none";
  return lengths;
}
