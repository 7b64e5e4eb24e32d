//===- WorkloadFile.cpp - Workloads from a file ---------------------------===//

#include "tensorcast/CostProgram/WorkloadFile.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"
#include "tensorcast/Support/Csv.h"
#include "tensorcast/Support/JsonReader.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr int64_t maxTokens = transformer::WorkloadAttr::kMaxTokens;
static constexpr int64_t maxImages = transformer::ImageRuleAttr::kMaxImages;
static constexpr int64_t maxSide = transformer::ImageRuleAttr::kMaxSide;

static constexpr StringLiteral moreRequests = "more_requests";
static constexpr StringRef requestKeys[] = {"queries", "query_length",
                                            "context_length", "decode",
                                            "prefix_cache_hit_rate"};
static constexpr StringRef stepKeys[] = {
    "queries",          "query_length",          "context_length",
    "decode",           "prefix_cache_hit_rate", moreRequests,
    "image_batch_size", "image_height",          "image_width"};

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Refuses members that mean nothing: a misspelt one must not be its default.
static void checkKeys(JsonReader &reader, const Json &object,
                      ArrayRef<StringRef> known) {
  if (!object.is_object())
    return;
  for (const auto &[key, value] : object.items())
    if (!llvm::is_contained(known, key))
      reader.emitError(key) << unknownName("member", key, known);
}

static RequestGroup readRequests(JsonReader &reader) {
  RequestGroup group;
  group.queries = reader.integer("queries", 1, maxTokens);
  group.queryLength = reader.integer("query_length", 1, maxTokens);
  group.contextLength = reader.integer("context_length", 0, maxTokens, 0);
  group.decode = reader.boolean("decode", false);
  group.prefixCacheHitRate = reader.number("prefix_cache_hit_rate", 0, 1, 0);
  return group;
}

static FailureOr<WorkloadEntry> readEntry(const Json &object, StringRef place,
                                          StringRef pointer,
                                          MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  JsonReader reader(object, place, loc, pointer);
  checkKeys(reader, object, stepKeys);
  WorkloadEntry entry;
  entry.place = (place + (pointer.empty() ? "" : ": ") + pointer).str();
  entry.workload.groups.push_back(readRequests(reader));
  entry.imageCount = reader.integer("image_batch_size", 0, maxImages, 0);
  entry.imageHeight = reader.integer("image_height", 0, maxSide, 0);
  entry.imageWidth = reader.integer("image_width", 0, maxSide, 0);
  if (const Json *more = reader.find(moreRequests)) {
    if (!more->is_array())
      reader.emitError(moreRequests)
          << "expected an array of objects, but got " << describeJson(*more);
    else
      for (size_t i = 0; i < more->size(); ++i) {
        JsonReader other((*more)[i], place, loc,
                         appendJsonPointer(reader.pointerTo(moreRequests),
                                           std::to_string(i)));
        checkKeys(other, (*more)[i], requestKeys);
        entry.workload.groups.push_back(readRequests(other));
        if (failed(other.finish()))
          reader.fail();
      }
  }
  if (failed(reader.finish()))
    return failure();
  return entry;
}

static FailureOr<std::vector<WorkloadEntry>>
readJsonLines(StringRef text, StringRef path, MLIRContext *context) {
  std::vector<WorkloadEntry> entries;
  auto useLine = [&](const Json &json, unsigned number) -> LogicalResult {
    FailureOr<WorkloadEntry> entry = readEntry(
        json, (path + ":" + Twine(number)).str(), /*pointer=*/"", context);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
    return success();
  };
  if (failed(parseJsonLines(text, path, context, useLine)))
    return failure();
  return entries;
}

static FailureOr<std::vector<WorkloadEntry>>
readJsonArray(StringRef text, StringRef path, MLIRContext *context) {
  FailureOr<Json> json = parseJson(text, path, context);
  if (failed(json))
    return failure();
  std::vector<WorkloadEntry> entries;
  for (size_t i = 0; i < json->size(); ++i) {
    FailureOr<WorkloadEntry> entry =
        readEntry((*json)[i], path, "/" + std::to_string(i), context);
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  return entries;
}

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

namespace {
/// Reads the rows of one file; errors name their line and column.
class WorkloadRows {
public:
  WorkloadRows(StringRef path, MLIRContext *context)
      : path(path), context(context) {}

  FailureOr<std::vector<WorkloadEntry>> read(StringRef text) {
    auto useRow = [&](ArrayRef<CsvCell> row) {
      return columns.empty() ? readHeader(row) : readRow(row);
    };
    if (failed(readCsv(text, path, context, useRow)))
      return failure();
    return std::move(entries);
  }

private:
  InFlightDiagnostic errorAt(const CsvCell &cell) const {
    return emitError(
        FileLineColLoc::get(context, path, cell.line, cell.column));
  }

  LogicalResult readHeader(ArrayRef<CsvCell> row) {
    for (const CsvCell &cell : row) {
      StringRef name = cell.text;
      if (!llvm::is_contained(stepKeys, name))
        return errorAt(cell) << unknownName("column", name, stepKeys);
      if (llvm::is_contained(columns, name))
        return errorAt(cell)
               << "expected each column once, but got '" << name << "' again";
      columns.push_back(cell.text);
    }
    for (StringRef name : {"queries", "query_length"})
      if (!llvm::is_contained(columns, name))
        return errorAt(row.front())
               << "expected a column '" << name << "', but got none";
    return success();
  }

  LogicalResult readRow(ArrayRef<CsvCell> row) {
    WorkloadEntry &entry = entries.emplace_back();
    entry.place = (path + ":" + Twine(row.front().line)).str();
    entry.workload.groups.emplace_back();
    for (auto [column, cell] : llvm::zip_equal(columns, row)) {
      // An empty cell is as good as no column.
      if (cell.text.empty() && column != "queries" && column != "query_length")
        continue;
      if (failed(readCell(column, cell, entry)))
        return failure();
    }
    return success();
  }

  LogicalResult readCell(StringRef column, const CsvCell &cell,
                         WorkloadEntry &entry) const {
    RequestGroup &group = entry.workload.groups.front();
    if (column == "queries")
      return readInteger(cell, 1, maxTokens, group.queries);
    if (column == "query_length")
      return readInteger(cell, 1, maxTokens, group.queryLength);
    if (column == "context_length")
      return readInteger(cell, 0, maxTokens, group.contextLength);
    if (column == "decode")
      return readBoolean(cell, group.decode);
    if (column == "prefix_cache_hit_rate")
      return readRate(cell, group.prefixCacheHitRate);
    if (column == "image_batch_size")
      return readInteger(cell, 0, maxImages, entry.imageCount);
    if (column == "image_height")
      return readInteger(cell, 0, maxSide, entry.imageHeight);
    if (column == "image_width")
      return readInteger(cell, 0, maxSide, entry.imageWidth);
    return readMore(cell, entry);
  }

  LogicalResult readInteger(const CsvCell &cell, int64_t min, int64_t max,
                            int64_t &value) const {
    if (!StringRef(cell.text).getAsInteger(10, value) && value >= min &&
        value <= max)
      return success();
    return errorAt(cell) << "expected an integer from " << min << " to " << max
                         << ", but got " << quoteText(cell.text);
  }

  LogicalResult readBoolean(const CsvCell &cell, bool &value) const {
    StringRef text = cell.text;
    value = text.equals_insensitive("true") || text == "1";
    if (value || text.equals_insensitive("false") || text == "0")
      return success();
    return errorAt(cell) << "expected true or false, but got "
                         << quoteText(cell.text);
  }

  LogicalResult readRate(const CsvCell &cell, double &value) const {
    if (!StringRef(cell.text).getAsDouble(value) && value >= 0 && value < 1)
      return success();
    return errorAt(cell) << "expected a number from 0 to below 1, but got "
                         << quoteText(cell.text);
  }

  LogicalResult readMore(const CsvCell &cell, WorkloadEntry &entry) const {
    SmallVector<StringRef> texts;
    StringRef(cell.text).split(texts, ';', /*MaxSplit=*/-1,
                               /*KeepEmpty=*/false);
    for (StringRef part : texts) {
      std::string mistake;
      FailureOr<RequestGroup> group = parseRequestGroup(part.trim(), mistake);
      if (failed(group))
        return errorAt(cell) << mistake;
      entry.workload.groups.push_back(*group);
    }
    return success();
  }

  StringRef path;
  MLIRContext *context;
  SmallVector<std::string> columns;
  std::vector<WorkloadEntry> entries;
};
} // namespace

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

FailureOr<std::vector<WorkloadEntry>>
mlir::tensorcast::readWorkloads(StringRef path, MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  llvm::sys::fs::file_status status;
  if (path != "-" && !llvm::sys::fs::status(path, status) &&
      !llvm::sys::fs::is_regular_file(status))
    return emitError(loc) << "expected a file of workloads, but "
                          << quoteText(path) << " is not a regular file";
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return emitError(loc) << "cannot read " << quoteText(path) << ": "
                          << buffer.getError().message();
  StringRef text = (*buffer)->getBuffer();
  StringRef name = path == "-" ? "<stdin>" : path;
  StringRef start = text.ltrim();
  if (start.empty())
    return emitError(loc) << "expected workloads, but " << quoteText(name)
                          << " is empty";
  auto entries = start.starts_with("[") ? readJsonArray(text, name, context)
                 : start.starts_with("{")
                     ? readJsonLines(text, name, context)
                     : WorkloadRows(name, context).read(text);
  if (failed(entries) || !entries->empty())
    return entries;
  return emitError(loc) << "expected workloads, but " << quoteText(name)
                        << " has none";
}
