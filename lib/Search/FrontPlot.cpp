//===- FrontPlot.cpp - The front on a terminal ----------------------------===//

#include "tensorcast/Report/TextTable.h"
#include "tensorcast/Search/Front.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

namespace {
/// The letters of the plans on the front.
class Letters {
public:
  Letters(const SearchResult &result, ArrayRef<FrontPoint> points) {
    for (const FrontPoint &point : points)
      if (point.isOnFront)
        letters.try_emplace(point.row.outcome,
                            names[std::min(letters.size(), names.size() - 1)]);
  }

  char operator[](const FrontPoint &point) const {
    return letters.lookup(point.row.outcome);
  }

private:
  static constexpr StringRef names =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*";
  llvm::MapVector<const Outcome *, char> letters;
};
} // namespace

/// A row of the table for each plan that follows another, and for the ends of
/// its part of the front; at most `top` of them.
static void printRows(raw_ostream &os, const SearchResult &result,
                      ArrayRef<FrontPoint> points, const Letters &letters,
                      size_t top) {
  SmallVector<const FrontPoint *> front;
  for (const FrontPoint &point : points)
    if (point.isOnFront)
      front.push_back(&point);
  SmallVector<size_t> shown;
  for (size_t i = 0; i < front.size(); ++i) {
    bool begins = i == 0 || letters[*front[i]] != letters[*front[i - 1]];
    bool ends =
        i + 1 == front.size() || letters[*front[i]] != letters[*front[i + 1]];
    if (begins || ends)
      shown.push_back(i);
  }
  // If there are few, some in between; if there are many, an even choice.
  if (shown.size() < top && front.size() > shown.size()) {
    shown.clear();
    size_t count = std::min(top, front.size());
    for (size_t i = 0; i < count; ++i)
      shown.push_back(count == 1 ? 0 : i * (front.size() - 1) / (count - 1));
  }
  if (shown.size() > top) {
    SmallVector<size_t> some;
    for (size_t i = 0; i < top; ++i)
      some.push_back(shown[top == 1 ? 0 : i * (shown.size() - 1) / (top - 1)]);
    shown = some;
  }
  TextTable table({"front", "tokens/s/user", "tokens/s/device", "TTFT (ms)",
                   "TPOT (ms)", "concurrency", "batch", "plan"},
                  /*numLeft=*/1);
  for (size_t index : shown) {
    const FrontPoint &point = *front[index];
    const Point &batch = *point.row.point;
    const Point &first = point.prefill ? *point.prefill->point : batch;
    table.addRow(
        {std::string(1, letters[point]), formatFixed(point.tokensPerSPerUser),
         formatFixed(point.tokensPerSPerDevice),
         formatFixed(first.firstTokenMs), formatFixed(batch.perTokenMs),
         std::to_string(batch.concurrency), std::to_string(batch.batch),
         describePlan(result, point)});
  }
  table.print(os);
  if (front.size() > shown.size())
    os << front.size() - shown.size() << " more\n";
}

/// A field of characters with a point for each batch.
static void printPlot(raw_ostream &os, const SearchResult &result,
                      ArrayRef<FrontPoint> points, const Letters &letters) {
  constexpr size_t width = 72, height = 20;
  double right = 0, top = 0;
  for (const FrontPoint &point : points) {
    right = std::max(right, point.tokensPerSPerUser);
    top = std::max(top, point.tokensPerSPerDevice);
  }
  std::vector<std::string> field(height, std::string(width, ' '));
  auto place = [](double value, double most, size_t size) {
    return std::min(
        static_cast<size_t>(value / most * static_cast<double>(size)),
        size - 1);
  };
  auto draw = [&](const FrontPoint &point, char mark) {
    field[height - 1 - place(point.tokensPerSPerDevice, top, height)]
         [place(point.tokensPerSPerUser, right, width)] = mark;
  };
  for (const FrontPoint &point : points)
    if (!point.isOnFront)
      draw(point, '.');
  for (const FrontPoint &point : points)
    if (point.isOnFront)
      draw(point, letters[point]);
  FrontAxes axes = getAxes(result);
  std::string topText = formatFixed(top), rightText = formatFixed(right);
  os << '\n' << axes.perDevice << '\n';
  for (size_t y = 0; y < height; ++y) {
    std::string label = y == 0 ? topText : y + 1 == height ? "0" : "";
    os << std::string(topText.size() - std::min(label.size(), topText.size()),
                      ' ')
       << label << " |" << StringRef(field[y]).rtrim() << '\n';
  }
  os << std::string(topText.size() + 1, ' ') << '+' << std::string(width, '-')
     << '\n'
     << std::string(topText.size() + 2, ' ') << '0'
     << std::string(width - std::min(width, rightText.size() + 1), ' ')
     << rightText << '\n'
     << std::string(topText.size() + 2, ' ') << axes.perUser
     << "; letters: plans on the front, dots: other batches\n\n";
}

void tensorcast::search::printFront(raw_ostream &os, const SearchResult &result,
                                    size_t top) {
  std::vector<FrontPoint> points = listFront(result);
  if (points.empty())
    return;
  Letters letters(result, points);
  printRows(os, result, points, letters, top);
  printPlot(os, result, points, letters);
}
