//===- JsonReader.cpp - Checked access to a JSON object -------------------===//

#include "tensorcast/Support/JsonReader.h"
#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

JsonReader::JsonReader(const Json &object, StringRef source, Location loc,
                       StringRef pointer)
    : object(&object), source(source), loc(loc), pointer(pointer) {
  if (object.is_object())
    return;
  hasError = true;
  InFlightDiagnostic diagnostic = mlir::emitError(loc);
  diagnostic << source << ": ";
  if (!pointer.empty())
    diagnostic << pointer << ": ";
  diagnostic << "expected an object, but got " << describeJson(object);
}

//===----------------------------------------------------------------------===//
// Finding members
//===----------------------------------------------------------------------===//

const Json *JsonReader::find(StringRef key) const {
  if (!object->is_object())
    return nullptr;
  for (const auto &[name, value] : object->get_ref<const Json::object_t &>())
    if (StringRef(name) == key)
      return &value;
  return nullptr;
}

bool JsonReader::has(StringRef key) const {
  const Json *value = find(key);
  return value && !value->is_null();
}

const Json *JsonReader::require(StringRef key, bool isRequired) {
  const Json *value = find(key);
  if (!value && isRequired && object->is_object() &&
      !llvm::is_contained(missingKeys, key))
    missingKeys.push_back(key.str());
  return value;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string JsonReader::pointerTo(StringRef key) const {
  return appendJsonPointer(pointer, key);
}

InFlightDiagnostic JsonReader::emitError(StringRef key) {
  hasError = true;
  InFlightDiagnostic diagnostic = mlir::emitError(loc);
  diagnostic << source << ": " << pointerTo(key) << ": ";
  return diagnostic;
}

void JsonReader::expected(StringRef key, const Twine &what, const Json &found) {
  hasError = true;
  if (llvm::is_contained(reportedKeys, key))
    return;
  reportedKeys.push_back(key.str());
  emitError(key) << "expected " << what << ", but got " << describeJson(found);
}

LogicalResult JsonReader::finish() {
  if (!missingKeys.empty()) {
    SmallVector<StringRef> names(missingKeys.begin(), missingKeys.end());
    InFlightDiagnostic diagnostic = mlir::emitError(loc);
    diagnostic << source << ": ";
    if (!pointer.empty())
      diagnostic << pointer << ": ";
    diagnostic << "expected " << (names.size() == 1 ? "key " : "keys ")
               << joinNames(names, ", ", "'") << ", but "
               << (names.size() == 1 ? "it is" : "they are") << " missing";
    missingKeys.clear();
    hasError = true;
  }
  return failure(hasError);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

int64_t JsonReader::checkInteger(StringRef key, const Json &value, int64_t min,
                                 int64_t max) {
  // Unsigned values are those that the text writes without a sign.
  bool fits = value.is_number_unsigned()
                  ? value.get<uint64_t>() <= uint64_t(INT64_MAX)
                  : value.is_number_integer();
  if (fits) {
    int64_t number = value.get<int64_t>();
    if (number >= min && number <= max)
      return number;
  }
  expected(key, "an integer from " + Twine(min) + " to " + Twine(max), value);
  return min;
}

int64_t JsonReader::integer(StringRef key, int64_t min, int64_t max,
                            std::optional<int64_t> fallback) {
  if (const Json *value = require(key, !fallback))
    return checkInteger(key, *value, min, max);
  return fallback.value_or(min);
}

std::optional<int64_t> JsonReader::optionalInteger(StringRef key, int64_t min,
                                                   int64_t max) {
  if (!has(key))
    return std::nullopt;
  return checkInteger(key, *find(key), min, max);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

double JsonReader::checkNumber(StringRef key, const Json &value, double min,
                               double max) {
  if (value.is_number()) {
    double number = value.get<double>();
    // Written so that NaN, which no text can spell, is out of range.
    if (number >= min && number <= max)
      return number;
  }
  expected(key,
           "a number from " + formatDecimal(min) + " to " + formatDecimal(max),
           value);
  return min;
}

double JsonReader::number(StringRef key, double min, double max,
                          std::optional<double> fallback) {
  if (const Json *value = require(key, !fallback))
    return checkNumber(key, *value, min, max);
  return fallback.value_or(min);
}

std::optional<double> JsonReader::optionalNumber(StringRef key, double min,
                                                 double max) {
  if (!has(key))
    return std::nullopt;
  return checkNumber(key, *find(key), min, max);
}

//===----------------------------------------------------------------------===//
// Booleans, strings, objects
//===----------------------------------------------------------------------===//

bool JsonReader::checkBoolean(StringRef key, const Json &value) {
  if (value.is_boolean())
    return value.get<bool>();
  expected(key, "true or false", value);
  return false;
}

bool JsonReader::boolean(StringRef key, std::optional<bool> fallback) {
  if (const Json *value = require(key, !fallback))
    return checkBoolean(key, *value);
  return fallback.value_or(false);
}

std::optional<bool> JsonReader::optionalBoolean(StringRef key) {
  if (!has(key))
    return std::nullopt;
  return checkBoolean(key, *find(key));
}

std::string JsonReader::checkString(StringRef key, const Json &value) {
  if (value.is_string())
    return value.get_ref<const std::string &>();
  expected(key, "a string", value);
  return "";
}

std::string JsonReader::string(StringRef key,
                               std::optional<StringRef> fallback) {
  if (const Json *value = require(key, !fallback))
    return checkString(key, *value);
  return fallback.value_or("").str();
}

std::optional<std::string> JsonReader::optionalString(StringRef key) {
  if (!has(key))
    return std::nullopt;
  return checkString(key, *find(key));
}

const Json *JsonReader::optionalObject(StringRef key) {
  if (!has(key))
    return nullptr;
  const Json *value = find(key);
  if (value->is_object())
    return value;
  expected(key, "an object", *value);
  return nullptr;
}
