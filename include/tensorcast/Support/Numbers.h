//===- Numbers.h - Numbers as text ------------------------------*- C++ -*-===//
//
// Numbers for machines (exact) and for people (rounded, with a unit).
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_SUPPORT_NUMBERS_H
#define TENSORCAST_SUPPORT_NUMBERS_H

#include <cstdint>
#include <string>

namespace mlir::tensorcast {

/// The shortest decimal text that reads back to the same double, in a form
/// that MLIR parses as a float: there is always a '.'. Very large and small
/// numbers have an exponent (`1.0e-06`). What is not finite is written by its
/// bits, as MLIR does.
std::string formatDecimal(double value);

/// The same for messages, but `inf`, `-inf` or `nan` for what is not finite.
std::string describeNumber(double value);

/// Four significant digits with a unit: `1.973 ms`, `237.7 us`, `1.744 s`.
std::string formatTime(double seconds);

/// Bytes in units of 2^30, called GB as customary for device memory:
/// `64.000 GB`.
std::string formatGigabytes(double bytes);

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_NUMBERS_H
