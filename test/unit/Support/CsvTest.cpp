//===- CsvTest.cpp - Reading comma-separated values -----------------------===//

#include "CollectDiagnostics.h"

#include "tensorcast/Support/Csv.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class CsvTest : public DiagnosticTest {
protected:
  /// The cells of `text` with their places, a line for each row, or the
  /// messages.
  std::string read(StringRef text) {
    std::string rows;
    llvm::raw_string_ostream os(rows);
    auto useRow = [&](ArrayRef<CsvCell> row) -> LogicalResult {
      for (const CsvCell &cell : row)
        os << cell.line << ':' << cell.column << '[' << cell.text << ']';
      os << '\n';
      return success();
    };
    if (failed(readCsv(text, "a.csv", &context, useRow)))
      return takeMessages();
    EXPECT_EQ(takeMessages(), "");
    return rows;
  }
};

TEST_F(CsvTest, KnowsWhereCellsAre) {
  EXPECT_EQ(read("a,bc\n1, 2\r\n"), "1:1[a]1:3[bc]\n2:1[1]2:4[2]\n");
  EXPECT_EQ(read("a,,c\n\n \n,,"), "1:1[a]1:3[]1:4[c]\n4:1[]4:2[]4:3[]\n");
  EXPECT_EQ(read(""), "");
}

TEST_F(CsvTest, ReadsQuotes) {
  EXPECT_EQ(read("\"a,\"\"b\"\"\nc\",d\n\"\",e"),
            "1:1[a,\"b\"\nc]2:4[d]\n3:1[]3:4[e]\n");
  EXPECT_EQ(
      read("a\n\"b"),
      "a.csv:2:1: expected '\"' at the end of a quoted cell, but got the end "
      "of the file");
  EXPECT_EQ(read("a\nb\"c\""),
            "a.csv:2:2: expected '\"' only around a whole cell, "
            "and twice within it");
  EXPECT_EQ(read("a\n\"b\"c"),
            "a.csv:2:4: expected '\"' only around a whole cell, "
            "and twice within it");
}

TEST_F(CsvTest, WantsAsManyCellsAsTheHeaderHas) {
  EXPECT_EQ(read("a,b\n1,2\n3\n"),
            "a.csv:3:1: expected 2 cells, as in the header, but got 1");
}

/// Who reads the rows may end it, once.
TEST_F(CsvTest, EndsAtAFailure) {
  unsigned numRows = 0;
  auto useRow = [&](ArrayRef<CsvCell>) { return success(++numRows < 2); };
  EXPECT_TRUE(failed(readCsv("a\nb\nc\nd", "a.csv", &context, useRow)));
  EXPECT_EQ(numRows, 2u);
}

} // namespace
