//===- Numbers.cpp - Numbers as text --------------------------------------===//

#include "tensorcast/Support/Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace mlir;

static std::string format(const char *pattern, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(pattern, value);
  return text;
}

std::string tensorcast::formatDecimal(double value) {
  std::string text;
  if (!std::isfinite(value)) {
    llvm::raw_string_ostream(text)
        << llvm::format_hex(llvm::bit_cast<uint64_t>(value), 18, true);
    return text;
  }
  // Between these, people write numbers without an exponent; 2^53 is the last
  // integer that doubles represent without gaps.
  double magnitude = std::fabs(value);
  bool isPlain =
      value == 0 || (magnitude >= 1e-4 && magnitude <= 9007199254740992.0);
  char buffer[32];
  std::to_chars_result result = std::to_chars(
      buffer, std::end(buffer), value,
      isPlain ? std::chars_format::fixed : std::chars_format::scientific);
  text.assign(buffer, result.ptr);
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string tensorcast::describeNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return formatDecimal(value);
}

std::string tensorcast::formatTime(double seconds) {
  if (!std::isfinite(seconds))
    return format("%g s", seconds);
  struct Unit {
    const char *name;
    double seconds;
  };
  static const Unit units[] = {
      {" ns", 1e-9}, {" us", 1e-6}, {" ms", 1e-3}, {" s", 1.0}};
  if (seconds == 0)
    return "0 s";
  for (const Unit &unit : units) {
    double count = seconds / unit.seconds;
    double magnitude = std::fabs(count);
    // Rounding must not carry into a fifth digit: 999.96 us is 1.000 ms.
    bool isLast = &unit == std::end(units) - 1;
    if (magnitude >= 999.95 && !isLast)
      continue;
    const char *pattern = magnitude >= 999.95   ? "%.0f"
                          : magnitude >= 99.995 ? "%.1f"
                          : magnitude >= 9.9995 ? "%.2f"
                                                : "%.3f";
    return format(pattern, count) + unit.name;
  }
  return "0 s";
}

std::string tensorcast::formatGigabytes(double bytes) {
  return format("%.3f GB", bytes / (uint64_t(1) << 30));
}
