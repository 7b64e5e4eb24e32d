//===- JsonReader.h - Checked access to a JSON object -----------*- C++ -*-===//
//
// Reads the members of one object, checking type and range of each.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_SUPPORT_JSONREADER_H
#define TENSORCAST_SUPPORT_JSONREADER_H

#include "tensorcast/Support/Json.h"

#include <optional>

namespace mlir::tensorcast {

/// Reads members of a JSON object and reports every one that is wrong, rather
/// than stopping at the first. A method that reported an error returns some
/// value of its type, within the range asked for; nothing read may be used
/// before `finish` succeeded.
///
/// Each kind of member comes in three forms: required (null is an error),
/// with a fallback (used if the key is absent; null is an error), and
/// `optional...` (absent and null are the same).
class JsonReader {
public:
  /// Reads from `object`, which must outlive the reader. Messages begin with
  /// `source` and the JSON pointer of the member; `pointer` is that of
  /// `object` itself. A value that is no object is an error.
  JsonReader(const Json &object, StringRef source, Location loc,
             StringRef pointer = "");

  int64_t integer(StringRef key, int64_t min, int64_t max,
                  std::optional<int64_t> fallback = std::nullopt);
  std::optional<int64_t> optionalInteger(StringRef key, int64_t min,
                                         int64_t max);

  /// Integers count as numbers.
  double number(StringRef key, double min, double max,
                std::optional<double> fallback = std::nullopt);
  std::optional<double> optionalNumber(StringRef key, double min, double max);

  bool boolean(StringRef key, std::optional<bool> fallback = std::nullopt);
  std::optional<bool> optionalBoolean(StringRef key);

  std::string string(StringRef key,
                     std::optional<StringRef> fallback = std::nullopt);
  std::optional<std::string> optionalString(StringRef key);

  /// The object under `key`, or null if it is absent, null, or (after an
  /// error) something else.
  const Json *optionalObject(StringRef key);

  /// The member `key` as it is, or null if it is absent.
  const Json *find(StringRef key) const;

  /// Whether `key` is there with a value other than null.
  bool has(StringRef key) const;

  /// Begins an error about the member `key`; the caller completes it.
  InFlightDiagnostic emitError(StringRef key);

  /// Marks the reading as failed: for errors that a nested reader reported.
  void fail() { hasError = true; }

  /// The JSON pointer of the member `key`.
  std::string pointerTo(StringRef key) const;

  /// Reports all required keys that were absent, in one diagnostic. Fails if
  /// anything was wrong since the beginning. May be called again.
  LogicalResult finish();

private:
  /// The member to be read, or null if it is absent. Null members are found.
  const Json *require(StringRef key, bool isRequired);
  void expected(StringRef key, const Twine &what, const Json &found);
  int64_t checkInteger(StringRef key, const Json &value, int64_t min,
                       int64_t max);
  double checkNumber(StringRef key, const Json &value, double min, double max);
  bool checkBoolean(StringRef key, const Json &value);
  std::string checkString(StringRef key, const Json &value);

  const Json *object;
  std::string source;
  Location loc;
  std::string pointer;
  SmallVector<std::string> missingKeys;
  /// Keys with a value of the wrong kind, each of which is reported once.
  SmallVector<std::string> reportedKeys;
  bool hasError = false;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_JSONREADER_H
