//===- Wording.cpp - How diagnostics say things ---------------------------===//

#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::tensorcast;

std::optional<StringRef> tensorcast::nearestName(StringRef name,
                                                 ArrayRef<StringRef> known) {
  std::optional<StringRef> nearest;
  unsigned nearestDistance = 0;
  for (StringRef candidate : known) {
    // One wrong letter in three is still a slip; more is another word. The
    // limit also keeps the cost down when a user passes a whole file as name.
    size_t shorter = std::min(name.size(), candidate.size());
    size_t longer = std::max(name.size(), candidate.size());
    unsigned limit = std::max<size_t>(1, shorter / 3);
    if (shorter == 0 || longer - shorter > limit)
      continue;
    unsigned distance = name.edit_distance_insensitive(
        candidate, /*AllowReplacements=*/true, limit);
    if (distance > limit || (nearest && distance >= nearestDistance))
      continue;
    nearest = candidate;
    nearestDistance = distance;
  }
  return nearest;
}

std::string tensorcast::joinNames(ArrayRef<StringRef> names,
                                  StringRef separator, StringRef quote) {
  std::string result;
  for (auto [index, name] : llvm::enumerate(names)) {
    if (index > 0)
      result += separator;
    result += (quote + name + quote).str();
  }
  return result;
}

std::string tensorcast::quoteText(StringRef text) {
  constexpr size_t longest = 200;
  std::string result = "'";
  for (char c : text.take_front(longest))
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (text.size() > longest)
    result += "...";
  return result + "'";
}

/// The plural of a regular noun: keys, but topologies.
static std::string pluralOf(StringRef noun) {
  bool hasIes = noun.size() > 1 && noun.ends_with("y") &&
                !StringRef("aeiou").contains(noun[noun.size() - 2]);
  return hasIes ? (noun.drop_back() + "ies").str() : (noun + "s").str();
}

std::string tensorcast::unknownName(StringRef kind, StringRef name,
                                    ArrayRef<StringRef> known,
                                    std::optional<StringRef> nearest) {
  std::string result = ("unknown " + kind + " ").str() + quoteText(name) + ";";
  if (nearest)
    result += (" did you mean '" + *nearest + "'?").str();
  return result + " known " + pluralOf(kind) + ": " + joinNames(known);
}

std::string tensorcast::unknownName(StringRef kind, StringRef name,
                                    ArrayRef<StringRef> known) {
  return unknownName(kind, name, known, nearestName(name, known));
}
