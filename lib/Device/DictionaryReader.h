//===- DictionaryReader.h - Checked access to a dictionary ------*- C++ -*-===//
//
// Reads the members of a dictionary attribute, checking type and range of
// each. Dictionaries come from JSON or are written in IR, so integers count
// as numbers whatever their width.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_DEVICE_DICTIONARYREADER_H
#define TENSORCAST_LIB_DEVICE_DICTIONARYREADER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"

#include <optional>

namespace mlir::tensorcast {

/// The smallest and largest value of a number.
struct NumberRange {
  double min, max;
};

/// What all readers of one document share: where errors go, whether there
/// was one, and which keys are missing.
struct DictionaryErrors {
  llvm::function_ref<InFlightDiagnostic()> emitError;
  SmallVector<std::string> missingKeys = {};
  bool hasError = false;

  /// Reports the missing keys of all readers in one diagnostic. Fails if there
  /// was any error.
  LogicalResult finish();
};

/// Reads one dictionary. As with `JsonReader`, nothing read may be used before
/// `DictionaryErrors::finish` succeeded.
class DictionaryReader {
public:
  /// `path` is how messages call the dictionary: empty, or `launch_cost_s.`.
  DictionaryReader(DictionaryAttr dictionary, const Twine &path,
                   DictionaryErrors &errors)
      : dictionary(dictionary), path(path.str()), errors(errors) {}

  /// Reports members whose key is none of `known`.
  void rejectOthers(ArrayRef<StringRef> known);

  double number(StringRef key, NumberRange range);
  std::optional<double> optionalNumber(StringRef key, NumberRange range);
  int64_t integer(StringRef key, int64_t min, int64_t max);
  std::optional<int64_t> optionalInteger(StringRef key, int64_t min,
                                         int64_t max);
  std::string string(StringRef key);
  std::string optionalString(StringRef key);

  /// Null after an error.
  DictionaryAttr dictionaryOf(StringRef key);
  DictionaryAttr optionalDictionaryOf(StringRef key);
  ArrayAttr arrayOf(StringRef key);

  /// Begins an error about the member `key`; the caller completes it.
  InFlightDiagnostic emitError(const Twine &key);

private:
  Attribute require(StringRef key);
  void expected(StringRef key, const Twine &what, Attribute found);
  double checkNumber(StringRef key, Attribute value, NumberRange range);
  int64_t checkInteger(StringRef key, Attribute value, int64_t min,
                       int64_t max);

  DictionaryAttr dictionary;
  std::string path;
  DictionaryErrors &errors;
};

/// A number of any width as a double; nothing for other attributes.
std::optional<double> getNumber(Attribute attribute);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_DEVICE_DICTIONARYREADER_H
