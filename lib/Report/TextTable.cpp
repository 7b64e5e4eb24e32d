//===- TextTable.cpp - Tables and numbers for people ----------------------===//

#include "tensorcast/Report/TextTable.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;

std::string mlir::tensorcast::formatColumn(double seconds) {
  struct Unit {
    double size;
    const char *name;
  };
  static constexpr Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  const Unit *unit = units;
  while (unit != std::end(units) - 1 && seconds < unit->size)
    ++unit;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.3f %s", seconds / unit->size, unit->name);
  return text;
}

std::string mlir::tensorcast::formatCount(double count) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.0f", count);
  return text;
}

std::string mlir::tensorcast::formatFixed(double value, int digits) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, value);
  return text;
}

std::string mlir::tensorcast::formatShare(double part, double whole) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.1f %%", whole > 0 ? 100 * part / whole : 0.0);
  return text;
}

TextTable::TextTable(ArrayRef<StringRef> header, unsigned numLeft)
    : numLeft(numLeft) {
  addRow(llvm::map_to_vector(header, [](StringRef s) { return s.str(); }));
}

void TextTable::addRow(SmallVector<std::string> row) {
  widths.resize(std::max(widths.size(), row.size()));
  for (auto [width, cell] : llvm::zip(widths, row))
    width = std::max(width, cell.size());
  rows.push_back(std::move(row));
}

void TextTable::print(raw_ostream &os) {
  for (const auto &row : rows) {
    std::string line;
    llvm::raw_string_ostream text(line);
    for (auto [index, cell] : llvm::enumerate(row)) {
      StringRef separator = index == 0 ? "" : "  ";
      std::string padding(widths[index] - cell.size(), ' ');
      bool left = index < numLeft || index + 1 == row.size();
      text << separator << (left ? cell + padding : padding + cell);
    }
    os << StringRef(line).rtrim() << '\n';
  }
}
