//===- TraceReaders.cpp - Requests of a trace, as CSV or JSON lines -------===//

#include "LengthReaders.h"

#include "tensorcast/Support/Csv.h"
#include "tensorcast/Support/Json.h"
#include "tensorcast/Support/Wording.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

/// The tokens of a cell.
static FailureOr<int64_t> readTokens(const LengthSource &source,
                                     const CsvCell &cell) {
  StringRef text = StringRef(cell.text).trim();
  int64_t tokens;
  if (!text.getAsInteger(10, tokens) && tokens >= 0 &&
      tokens <= maxTokensOfRequest)
    return tokens;
  return source.emitError(cell.line, cell.column)
         << "expected a number of tokens from 0 to " << maxTokensOfRequest
         << ", but got " << quoteText(text);
}

/// The columns of lengths in a header.
static LogicalResult findColumns(const LengthSource &source,
                                 ArrayRef<CsvCell> header,
                                 std::optional<size_t> &input,
                                 std::optional<size_t> &output) {
  auto names = llvm::map_to_vector(
      header, [](const CsvCell &cell) { return StringRef(cell.text); });
  input = findLengthName(names, /*output=*/false);
  output = findLengthName(names, /*output=*/true);
  if (input && (output || source.output))
    return success();
  return source.emitError(1, 1)
         << "expected a column with the length of "
         << (input ? "answers" : "prompts") << ", called "
         << joinNames(getLengthNames(/*output=*/input.has_value()), ", ", "'")
         << ", but got "
         << (names.empty() ? "no header" : joinNames(names, ", ", "'"));
}

FailureOr<Lengths>
tensorcast::search::readCsvTrace(const LengthSource &source) {
  TraceBuilder builder(source);
  bool hasHeader = false;
  std::optional<size_t> input, output;
  auto useRow = [&](ArrayRef<CsvCell> row) -> LogicalResult {
    if (!std::exchange(hasHeader, true))
      return findColumns(source, row, input, output);
    FailureOr<int64_t> prompt = readTokens(source, row[*input]);
    FailureOr<int64_t> answer = source.output
                                    ? FailureOr<int64_t>(*source.output)
                                    : readTokens(source, row[*output]);
    if (failed(prompt) || failed(answer))
      return failure();
    builder.add(*prompt, *answer);
    return success();
  };
  if (failed(readCsv(source.text, source.path, source.context, useRow)))
    return failure();
  if (!hasHeader && failed(findColumns(source, {}, input, output)))
    return failure();
  return builder.finish();
}

//===----------------------------------------------------------------------===//
// JSON lines
//===----------------------------------------------------------------------===//

/// The tokens under the member of an object that is known as a length.
static FailureOr<int64_t> readTokens(const LengthSource &source, size_t line,
                                     const Json &object, bool output) {
  for (const auto &[key, value] : object.items()) {
    if (!findLengthName({StringRef(key)}, output))
      continue;
    if (value.is_number_integer() && value >= 0 && value <= maxTokensOfRequest)
      return value.get<int64_t>();
    return source.emitError(line, 1)
           << "expected a number of tokens from 0 to " << maxTokensOfRequest
           << " for '" << key << "', but got " << describeJson(value);
  }
  return source.emitError(line, 1)
         << "expected the length of the " << (output ? "answer" : "prompt")
         << ", called " << joinNames(getLengthNames(output), ", ", "'");
}

FailureOr<Lengths>
tensorcast::search::readJsonTrace(const LengthSource &source) {
  TraceBuilder builder(source);
  auto useLine = [&](const Json &object, unsigned line) -> LogicalResult {
    if (!object.is_object())
      return source.emitError(line, 1)
             << "expected an object, but got " << describeJson(object);
    FailureOr<int64_t> prompt =
        readTokens(source, line, object, /*output=*/false);
    if (failed(prompt))
      return failure();
    FailureOr<int64_t> answer =
        source.output ? FailureOr<int64_t>(*source.output)
                      : readTokens(source, line, object, /*output=*/true);
    if (failed(answer))
      return failure();
    builder.add(*prompt, *answer);
    return success();
  };
  if (failed(parseJsonLines(source.text, source.path, source.context, useLine)))
    return failure();
  return builder.finish();
}
