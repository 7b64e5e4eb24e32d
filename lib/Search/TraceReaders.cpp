//===- TraceReaders.cpp - Requests of a trace, as CSV or JSON lines -------===//

#include "LengthReaders.h"

#include "tensorcast/Support/Json.h"
#include "tensorcast/Support/Wording.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

namespace {
struct Cell {
  std::string text;
  size_t line, column;
};

/// Reads rows as RFC 4180 has them; lines may end with or without a return.
class CsvReader {
public:
  explicit CsvReader(const LengthSource &source)
      : source(source), rest(source.text) {}

  bool isAtEnd() const { return rest.empty(); }

  /// The cells of the next row; none for an empty line.
  FailureOr<SmallVector<Cell>> readRow() {
    SmallVector<Cell> cells;
    do {
      Cell cell{"", line, column};
      if (failed(readCell(cell.text)))
        return failure();
      cells.push_back(std::move(cell));
    } while (consume(","));
    bool isBlank = cells.size() == 1 && StringRef(cells[0].text).trim().empty();
    if (!consume("\r\n"))
      consume("\n");
    ++line;
    column = 1;
    if (isBlank)
      cells.clear();
    return cells;
  }

private:
  bool consume(StringRef text) {
    if (!rest.consume_front(text))
      return false;
    column += text.size();
    return true;
  }

  LogicalResult readCell(std::string &text) {
    if (!consume("\"")) {
      StringRef cell = rest.take_front(rest.find_first_of(",\n"));
      if (rest.substr(cell.size()).starts_with("\n"))
        cell.consume_back("\r");
      consume(cell);
      text = cell.str();
      return success();
    }
    size_t startLine = line, startColumn = column - 1;
    while (rest.starts_with("\"\"") || !consume("\"")) {
      if (rest.empty())
        return source.emitError(startLine, startColumn)
               << "expected '\"' at the end of a quoted cell, but got the end "
                  "of the file";
      if (consume("\"\"")) {
        text += '"';
        continue;
      }
      char c = rest.front();
      consume(rest.take_front());
      text += c;
      if (c == '\n') {
        ++line;
        column = 1;
      }
    }
    if (rest.empty() || rest.starts_with(",") || rest.starts_with("\n") ||
        rest.starts_with("\r\n"))
      return success();
    return source.emitError(line, column)
           << "expected ',' behind a quoted cell";
  }

  const LengthSource &source;
  StringRef rest;
  size_t line = 1, column = 1;
};
} // namespace

/// The tokens of a cell.
static FailureOr<int64_t> readTokens(const LengthSource &source,
                                     const Cell &cell) {
  StringRef text = StringRef(cell.text).trim();
  int64_t tokens;
  if (!text.getAsInteger(10, tokens) && tokens >= 0 &&
      tokens <= maxTokensOfRequest)
    return tokens;
  return source.emitError(cell.line, cell.column)
         << "expected a number of tokens from 0 to " << maxTokensOfRequest
         << ", but got " << quoteText(text);
}

FailureOr<Lengths>
tensorcast::search::readCsvTrace(const LengthSource &source) {
  CsvReader reader(source);
  FailureOr<SmallVector<Cell>> header = reader.readRow();
  if (failed(header))
    return failure();
  auto names = llvm::map_to_vector(
      *header, [](const Cell &cell) { return StringRef(cell.text); });
  std::optional<size_t> input = findLengthName(names, /*output=*/false);
  std::optional<size_t> output = findLengthName(names, /*output=*/true);
  if (!input || (!output && !source.output))
    return source.emitError(1, 1)
           << "expected a column with the length of "
           << (input ? "answers" : "prompts") << ", called "
           << joinNames(getLengthNames(/*output=*/input.has_value()), ", ", "'")
           << ", but got "
           << (names.empty() ? "no header" : joinNames(names, ", ", "'"));
  TraceBuilder builder(source);
  while (!reader.isAtEnd()) {
    FailureOr<SmallVector<Cell>> row = reader.readRow();
    if (failed(row))
      return failure();
    if (row->empty())
      continue;
    if (row->size() != header->size())
      return source.emitError(row->front().line, 1)
             << "expected " << header->size() << " cells, as in the header, "
             << "but got " << row->size();
    FailureOr<int64_t> prompt = readTokens(source, (*row)[*input]);
    FailureOr<int64_t> answer = source.output
                                    ? FailureOr<int64_t>(*source.output)
                                    : readTokens(source, (*row)[*output]);
    if (failed(prompt) || failed(answer))
      return failure();
    builder.add(*prompt, *answer);
  }
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
  size_t line = 0;
  for (StringRef rest = source.text; !rest.empty();) {
    auto [text, next] = rest.split('\n');
    rest = next;
    ++line;
    if (text.trim().empty())
      continue;
    FailureOr<Json> json = parseJson(text, source.path, source.context, line);
    if (failed(json))
      return failure();
    if (!json->is_object())
      return source.emitError(line, 1)
             << "expected an object, but got " << describeJson(*json);
    FailureOr<int64_t> prompt =
        readTokens(source, line, *json, /*output=*/false);
    if (failed(prompt))
      return failure();
    FailureOr<int64_t> answer =
        source.output ? FailureOr<int64_t>(*source.output)
                      : readTokens(source, line, *json, /*output=*/true);
    if (failed(answer))
      return failure();
    builder.add(*prompt, *answer);
  }
  return builder.finish();
}
