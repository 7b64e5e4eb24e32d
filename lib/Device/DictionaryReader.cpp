//===- DictionaryReader.cpp - Checked access to a dictionary --------------===//

#include "DictionaryReader.h"

#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// `attribute` as messages show it: numbers and short strings as people write
/// them, the rest by kind.
static std::string describe(Attribute attribute) {
  if (isa<DictionaryAttr>(attribute))
    return "a dictionary";
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    return array.empty() ? "an empty array" : "an array";
  if (auto text = dyn_cast<StringAttr>(attribute))
    return quoteText(text.getValue());
  if (auto value = dyn_cast<FloatAttr>(attribute);
      value && value.getValue().isFinite())
    return describeNumber(value.getValueAsDouble());
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream, /*elideType=*/isa<IntegerAttr>(attribute));
  constexpr size_t longest = 60;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

InFlightDiagnostic DictionaryReader::emitError(const Twine &key) {
  errors.hasError = true;
  InFlightDiagnostic diagnostic = errors.emitError();
  diagnostic << "'" << path << key << "': ";
  return diagnostic;
}

void DictionaryReader::expected(StringRef key, const Twine &what,
                                Attribute found) {
  emitError(key) << "expected " << what << ", but got " << describe(found);
}

LogicalResult DictionaryErrors::finish() {
  if (!missingKeys.empty()) {
    SmallVector<StringRef> names(missingKeys.begin(), missingKeys.end());
    bool isOne = names.size() == 1;
    emitError() << "expected " << (isOne ? "key " : "keys ")
                << joinNames(names, ", ", "'") << ", but "
                << (isOne ? "it is" : "they are") << " missing";
    missingKeys.clear();
    hasError = true;
  }
  return failure(hasError);
}

void DictionaryReader::rejectOthers(ArrayRef<StringRef> known) {
  for (NamedAttribute member : dictionary) {
    StringRef key = member.getName().getValue();
    if (llvm::is_contained(known, key))
      continue;
    errors.hasError = true;
    InFlightDiagnostic diagnostic = errors.emitError();
    if (!path.empty())
      diagnostic << "'" << StringRef(path).drop_back() << "': ";
    diagnostic << unknownName("key", key, known);
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// An integer's value if it fits into 64 bits. Booleans are no integers.
static std::optional<int64_t> getInteger(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (!integer || isa<BoolAttr>(attribute))
    return std::nullopt;
  // Only ui64 and wider can hold what int64_t cannot.
  if (integer.getType().isUnsignedInteger()) {
    if (integer.getValue().getActiveBits() > 63)
      return std::nullopt;
    return integer.getValue().getZExtValue();
  }
  if (!integer.getValue().isSignedIntN(64))
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

std::optional<double> tensorcast::getNumber(Attribute attribute) {
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return value.getValueAsDouble();
  if (std::optional<int64_t> integer = getInteger(attribute))
    return static_cast<double>(*integer);
  return std::nullopt;
}

double DictionaryReader::checkNumber(StringRef key, Attribute value,
                                     NumberRange range) {
  std::optional<double> number = getNumber(value);
  // Written so that NaN is out of range.
  if (number && *number >= range.min && *number <= range.max)
    return *number;
  expected(key,
           "a number from " + formatDecimal(range.min) + " to " +
               formatDecimal(range.max),
           value);
  return range.max;
}

int64_t DictionaryReader::checkInteger(StringRef key, Attribute value,
                                       int64_t min, int64_t max) {
  std::optional<int64_t> integer = getInteger(value);
  if (integer && *integer >= min && *integer <= max)
    return *integer;
  expected(key, "an integer from " + Twine(min) + " to " + Twine(max), value);
  return min;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

Attribute DictionaryReader::require(StringRef key) {
  Attribute value = dictionary.get(key);
  if (!value)
    errors.missingKeys.push_back(path + key.str());
  return value;
}

double DictionaryReader::number(StringRef key, NumberRange range) {
  Attribute value = require(key);
  return value ? checkNumber(key, value, range) : range.max;
}

std::optional<double> DictionaryReader::optionalNumber(StringRef key,
                                                       NumberRange range) {
  if (Attribute value = dictionary.get(key))
    return checkNumber(key, value, range);
  return std::nullopt;
}

int64_t DictionaryReader::integer(StringRef key, int64_t min, int64_t max) {
  Attribute value = require(key);
  return value ? checkInteger(key, value, min, max) : min;
}

std::optional<int64_t>
DictionaryReader::optionalInteger(StringRef key, int64_t min, int64_t max) {
  if (Attribute value = dictionary.get(key))
    return checkInteger(key, value, min, max);
  return std::nullopt;
}

std::string DictionaryReader::string(StringRef key) {
  require(key);
  std::string text = optionalString(key);
  if (text.empty() && isa_and_present<StringAttr>(dictionary.get(key)))
    emitError(key) << "expected a string, but got an empty one";
  return text;
}

std::string DictionaryReader::optionalString(StringRef key) {
  Attribute value = dictionary.get(key);
  if (!value)
    return "";
  if (auto text = dyn_cast<StringAttr>(value))
    return text.getValue().str();
  expected(key, "a string", value);
  return "";
}

DictionaryAttr DictionaryReader::dictionaryOf(StringRef key) {
  return require(key) ? optionalDictionaryOf(key) : DictionaryAttr();
}

DictionaryAttr DictionaryReader::optionalDictionaryOf(StringRef key) {
  Attribute value = dictionary.get(key);
  if (!value)
    return {};
  auto result = dyn_cast<DictionaryAttr>(value);
  if (!result)
    expected(key, "a dictionary", value);
  return result;
}

ArrayAttr DictionaryReader::arrayOf(StringRef key) {
  Attribute value = require(key);
  if (!value)
    return {};
  auto result = dyn_cast<ArrayAttr>(value);
  if (!result)
    expected(key, "an array", value);
  return result;
}
