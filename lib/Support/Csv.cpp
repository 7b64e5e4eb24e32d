//===- Csv.cpp - Reading comma-separated values ---------------------------===//

#include "tensorcast/Support/Csv.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <csv.h>

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// Feeds libcsv byte by byte, which is how to know where its cells are.
class CsvText {
public:
  CsvText(StringRef text, StringRef fileName, MLIRContext *context,
          function_ref<LogicalResult(ArrayRef<CsvCell>)> useRow)
      : text(text), fileName(fileName), context(context), useRow(useRow) {
    // It fails only for want of memory, which ends a program anyway.
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
  }
  ~CsvText() { csv_free(&parser); }
  CsvText(const CsvText &) = delete;
  CsvText &operator=(const CsvText &) = delete;

  LogicalResult read() {
    for (char c : text) {
      if (csv_parse(&parser, &c, 1, takeCell, takeRow, this) != 1)
        return errorAt(line, column)
               << "expected '\"' only around a whole cell, and twice within it";
      step(c);
      if (failed(result))
        return failure();
    }
    if (csv_fini(&parser, takeCell, takeRow, this) != 0)
      return errorAt(startLine, startColumn)
             << "expected '\"' at the end of a quoted cell, but got the end of "
                "the file";
    return result;
  }

private:
  InFlightDiagnostic errorAt(unsigned line, unsigned column) const {
    return emitError(FileLineColLoc::get(context, fileName, line, column));
  }

  /// Goes past a byte. Blanks in front of a cell are none of it.
  void step(char c) {
    bool isBlank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (isBetween && !isBlank) {
      startLine = line;
      startColumn = column;
      isBetween = false;
    }
    if (tookCell)
      isBetween = true;
    tookCell = false;
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
  }

  static void takeCell(void *data, size_t size, void *self) {
    static_cast<CsvText *>(self)->takeCell(
        StringRef(static_cast<const char *>(data), size));
  }

  static void takeRow(int, void *self) {
    static_cast<CsvText *>(self)->takeRow();
  }

  void takeCell(StringRef cell) {
    // An empty cell begins at the comma that ends it.
    if (isBetween)
      cells.push_back({cell.str(), line, column});
    else
      cells.push_back({cell.str(), startLine, startColumn});
    tookCell = true;
  }

  void takeRow() {
    if (failed(result))
      return;
    if (numCells == 0)
      numCells = cells.size();
    if (cells.size() != numCells)
      result = errorAt(cells.front().line, 1)
               << "expected " << numCells
               << " cells, as in the header, but got " << cells.size();
    else
      result = useRow(cells);
    cells.clear();
  }

  StringRef text, fileName;
  MLIRContext *context;
  function_ref<LogicalResult(ArrayRef<CsvCell>)> useRow;
  csv_parser parser;
  /// Where the next byte is, and where the cell around it begins.
  unsigned line = 1, column = 1, startLine = 1, startColumn = 1;
  /// Whether no cell has begun, and whether the byte at hand ended one.
  bool isBetween = true, tookCell = false;
  SmallVector<CsvCell> cells;
  size_t numCells = 0;
  LogicalResult result = success();
};
} // namespace

LogicalResult mlir::tensorcast::readCsv(
    StringRef text, StringRef fileName, MLIRContext *context,
    function_ref<LogicalResult(ArrayRef<CsvCell>)> useRow) {
  return CsvText(text, fileName, context, useRow).read();
}
