//===- TextTable.h - Tables and numbers for people --------------*- C++ -*-===//

#ifndef TENSORCAST_REPORT_TEXTTABLE_H
#define TENSORCAST_REPORT_TEXTTABLE_H

#include "tensorcast/Report/Report.h"

namespace mlir::tensorcast {

/// Seconds with three decimals of the largest fitting unit: `884.004 ms`.
std::string formatColumn(double seconds);

std::string formatCount(double count);

/// A number with so many digits behind the point.
std::string formatFixed(double value, int digits = 2);

/// `part` of `whole` in percent.
std::string formatShare(double part, double whole);

/// Columns as wide as their widest cell.
class TextTable {
public:
  /// The first `numLeft` columns and the last are set flush left.
  TextTable(ArrayRef<StringRef> header, unsigned numLeft);

  void addRow(SmallVector<std::string> row);
  void print(raw_ostream &os);

private:
  unsigned numLeft;
  SmallVector<size_t> widths;
  SmallVector<SmallVector<std::string>> rows;
};

/// The model, the workload and what priced it.
void printHeading(raw_ostream &os, const Report &report);

} // namespace mlir::tensorcast

#endif // TENSORCAST_REPORT_TEXTTABLE_H
