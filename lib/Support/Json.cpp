//===- Json.cpp - Reading JSON without exceptions -------------------------===//

#include "tensorcast/Support/Json.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Wording of syntax errors
//===----------------------------------------------------------------------===//

/// Where the token begins that the parser stopped at, having read `offset` + 1
/// bytes. The library's idea of the token is right only for strings and
/// numbers; otherwise, it may begin with what came before.
static size_t findTokenStart(StringRef text, size_t offset, StringRef message,
                             StringRef libraryToken) {
  bool isValue = message.contains("unexpected string literal") ||
                 message.contains("unexpected number literal") ||
                 !message.contains("syntax error");
  if (isValue && libraryToken.size() <= offset + 1)
    return offset + 1 - libraryToken.size();
  // A misspelt word ends with the first byte that does not fit.
  bool isWord = message.contains("invalid literal") ||
                (offset < text.size() && llvm::isAlnum(text[offset]));
  size_t start = offset;
  while (isWord && start > 0 && llvm::isAlnum(text[start - 1]))
    --start;
  return start;
}

/// Rewords the library's message, whose parts are "syntax error while parsing
/// C - unexpected G; expected E" for tokens in the wrong place and "syntax
/// error while parsing C - M; last read: 'T'" for malformed ones.
static std::string rewordSyntaxError(StringRef message, StringRef token) {
  StringRef rest = message.split("syntax error").second;
  if (rest.empty()) {
    // The one other error of text input.
    return "expected a number within the range of a double, but got " +
           quoteText(token);
  }
  auto [context, problem] = rest.split(" - ");
  context = context.trim();
  context.consume_front("while parsing ");
  std::string where =
      context.empty() || context == "value" ? "" : (" in " + context).str();

  auto [found, wanted] = problem.split("; expected ");
  if (found.consume_front("unexpected ")) {
    if (wanted.empty())
      return ("unexpected " + found + where).str();
    return ("expected " + wanted + where + ", but got " + found).str();
  }
  StringRef reason = found.split("; last read: ").first;
  reason.consume_front("invalid string: ");
  return (reason + where + ": ").str() + quoteText(token);
}

//===----------------------------------------------------------------------===//
// Building a value from parser events
//===----------------------------------------------------------------------===//

namespace {

/// Walks the text and tells how far the parser has read, which its events do
/// not say.
class TrackingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  TrackingIterator(const char *position, const char **furthest)
      : position(position), furthest(furthest) {}

  reference operator*() const { return *position; }
  TrackingIterator &operator++() {
    *furthest = ++position;
    return *this;
  }
  TrackingIterator operator++(int) {
    TrackingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const TrackingIterator &other) const {
    return position == other.position;
  }
  bool operator!=(const TrackingIterator &other) const {
    return !(*this == other);
  }

private:
  const char *position;
  const char **furthest;
};

/// Receives the parser's events and builds the value. Returning false from
/// any of them ends the parse.
class JsonBuilder {
public:
  JsonBuilder(StringRef text, StringRef fileName, MLIRContext *context,
              unsigned firstLine)
      : text(text), fileName(fileName), context(context), firstLine(firstLine),
        furthest(text.data()) {}

  LogicalResult parse() {
    TrackingIterator begin(text.begin(), &furthest);
    TrackingIterator end(text.end(), &furthest);
    return success(Json::sax_parse(begin, end, this));
  }

  Json takeValue() { return std::move(root); }

  /// An error at `offset` bytes into the text.
  InFlightDiagnostic errorAt(size_t offset) {
    StringRef before = text.take_front(offset);
    unsigned line = before.count('\n') + firstLine;
    size_t lineBreak = before.rfind('\n');
    size_t lineStart = lineBreak == StringRef::npos ? 0 : lineBreak + 1;
    return emitError(FileLineColLoc::get(context, fileName, line,
                                         before.size() - lineStart + 1));
  }

  // The interface that the library calls.
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(number_integer_t value) { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) { return add(Json(value)); }
  bool number_float(number_float_t value, const string_t &) {
    return add(Json(value));
  }
  bool string(string_t &value) { return add(Json(std::move(value))); }
  bool binary(binary_t &) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_array() { return close(); }

  bool key(string_t &name) {
    if (!frames.back().keys.insert(name).second) {
      errorAt(offsetOfLastString()) << "duplicate key " << quoteText(name);
      return false;
    }
    pendingKey = std::move(name);
    return true;
  }

  bool parse_error(std::size_t bytesRead, const std::string &lastToken,
                   const Json::exception &exception) {
    StringRef message = exception.what();
    size_t offset = std::min(bytesRead ? bytesRead - 1 : 0, text.size());
    size_t start = findTokenStart(text, offset, message, lastToken);
    // Inside a string, the place is the byte in question; otherwise, it is the
    // token.
    bool isString = message.contains("invalid string");
    StringRef token =
        isString ? StringRef(lastToken) : text.slice(start, offset + 1);
    errorAt(isString ? offset : start) << rewordSyntaxError(message, token);
    return false;
  }

private:
  /// An array or object that has not ended yet. Its address is stable: it is
  /// the last member of its parent, which grows no more until it has ended.
  struct Frame {
    Json *value;
    llvm::StringSet<> keys;
  };

  Json *append(Json &&value) {
    if (frames.empty()) {
      root = std::move(value);
      return &root;
    }
    Json &parent = *frames.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    // Keys are known to be distinct; the map's own insertion would search
    // through all of them once more, one by one.
    auto &members = parent.get_ref<Json::object_t &>();
    members.emplace_back(std::move(pendingKey), std::move(value));
    return &members.back().second;
  }

  bool add(Json &&value) {
    append(std::move(value));
    return true;
  }

  bool open(Json &&value) {
    if (frames.size() == maxJsonNesting) {
      errorAt(furthest - text.data() - 1)
          << "expected at most " << maxJsonNesting
          << " levels of nested arrays and objects";
      return false;
    }
    Json *added = append(std::move(value));
    frames.push_back({added, {}});
    return true;
  }

  bool close() {
    frames.pop_back();
    return true;
  }

  /// Where the string that the parser has just read begins.
  size_t offsetOfLastString() const {
    // What has been read ends with the closing quote. Inside the string,
    // quotes follow a backslash; in front of it, none can.
    size_t closing = furthest - text.data() - 1;
    size_t opening = text.rfind('"', closing);
    while (opening != StringRef::npos && opening > 0 &&
           text[opening - 1] == '\\')
      opening = text.rfind('"', opening);
    return opening == StringRef::npos ? closing : opening;
  }

  StringRef text;
  StringRef fileName;
  MLIRContext *context;
  unsigned firstLine;
  const char *furthest;
  Json root;
  std::vector<Frame> frames;
  std::string pendingKey;
};

} // namespace

FailureOr<Json> tensorcast::parseJson(StringRef text, StringRef fileName,
                                      MLIRContext *context,
                                      unsigned firstLine) {
  JsonBuilder builder(text, fileName, context, firstLine);
  // The library would take a NUL byte for the end of the text.
  if (size_t nul = text.find('\0'); nul != StringRef::npos)
    return builder.errorAt(nul) << "expected text, but got a NUL byte";
  if (text.trim().empty())
    return builder.errorAt(0) << "expected a JSON value, but got nothing";
  if (failed(builder.parse()))
    return failure();
  return builder.takeValue();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

LogicalResult tensorcast::parseJsonLines(
    StringRef text, StringRef fileName, MLIRContext *context,
    function_ref<LogicalResult(const Json &, unsigned)> useValue) {
  unsigned number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    if (line.trim().empty())
      continue;
    FailureOr<Json> json = parseJson(line, fileName, context, number);
    if (failed(json) || failed(useValue(*json, number)))
      return failure();
  }
  return success();
}

FailureOr<Json> tensorcast::readJsonFile(StringRef path, MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return emitError(loc) << "cannot read " << quoteText(path) << ": "
                          << error.message();
  if (llvm::sys::fs::is_directory(status))
    return emitError(loc) << "expected a JSON file, but " << quoteText(path)
                          << " is a directory";
  // Devices and pipes have no size, so they might never end.
  if (!llvm::sys::fs::is_regular_file(status))
    return emitError(loc) << "expected a JSON file, but " << quoteText(path)
                          << " is not a regular file";
  if (status.getSize() == 0)
    return emitError(loc) << "expected a JSON file, but " << quoteText(path)
                          << " is empty";
  if (status.getSize() > maxJsonFileBytes)
    return emitError(loc) << "expected a JSON file of at most "
                          << (maxJsonFileBytes >> 20) << " MiB, but "
                          << quoteText(path) << " has more";

  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read " << quoteText(path) << ": "
                          << buffer.getError().message();
  return parseJson((*buffer)->getBuffer(), path, context);
}

//===----------------------------------------------------------------------===//
// Naming values and places
//===----------------------------------------------------------------------===//

std::string tensorcast::describeJson(const Json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return value.empty() ? "an empty array" : "an array";
  // `replace` keeps the library from throwing at malformed UTF-8.
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/false,
                                Json::error_handler_t::replace);
  constexpr size_t longest = 60;
  if (text.size() <= longest)
    return text;
  return value.is_string()
             ? "a string of " + std::to_string(text.size() - 2) + " bytes"
             : text.substr(0, longest) + "...";
}

std::string tensorcast::appendJsonPointer(StringRef pointer, StringRef key) {
  std::string result = pointer.str() + "/";
  for (char c : key) {
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  }
  return result;
}
