//===- JsonToAttributes.cpp - JSON values as MLIR attributes --------------===//

#include "tensorcast/Support/Json.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

/// Converts one document, keeping the JSON pointer of where it is.
class Converter {
public:
  Converter(MLIRContext *context,
            llvm::function_ref<InFlightDiagnostic()> emitError)
      : builder(context), emitError(emitError) {}

  Attribute convert(const Json &value, StringRef pointer) {
    switch (value.type()) {
    case Json::value_t::object:
      return convertObject(value, pointer);
    case Json::value_t::array:
      return convertArray(value, pointer);
    case Json::value_t::string:
      return builder.getStringAttr(value.get_ref<const std::string &>());
    case Json::value_t::boolean:
      return builder.getBoolAttr(value.get<bool>());
    case Json::value_t::number_float:
      return builder.getF64FloatAttr(value.get<double>());
    case Json::value_t::number_integer:
      return builder.getI64IntegerAttr(value.get<int64_t>());
    case Json::value_t::number_unsigned:
      if (value.get<uint64_t>() <= uint64_t(INT64_MAX))
        return builder.getI64IntegerAttr(value.get<int64_t>());
      return error(pointer, "an integer of 64 bits", value);
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      return error(pointer, "a value", value);
    }
    return error(pointer, "a value", value);
  }

private:
  /// Reports what is wrong; the null attribute stands for failure.
  Attribute error(StringRef pointer, StringRef expected, const Json &found) {
    InFlightDiagnostic diagnostic = emitError();
    if (!pointer.empty())
      diagnostic << pointer << ": ";
    diagnostic << "expected " << expected << ", but got "
               << describeJson(found);
    return {};
  }

  Attribute convertObject(const Json &object, StringRef pointer) {
    NamedAttrList members;
    bool isValid = true;
    for (const auto &[key, value] : object.get_ref<const Json::object_t &>()) {
      std::string inner = appendJsonPointer(pointer, key);
      // MLIR has no attribute without a name.
      if (key.empty()) {
        emitError() << inner << ": expected a key, but got an empty one";
        isValid = false;
        continue;
      }
      if (Attribute attribute = convert(value, inner))
        members.append(key, attribute);
      else
        isValid = false;
    }
    return isValid ? members.getDictionary(builder.getContext()) : Attribute();
  }

  Attribute convertArray(const Json &array, StringRef pointer) {
    SmallVector<Attribute> elements;
    bool isValid = true;
    for (const auto &[index, value] :
         llvm::enumerate(array.get_ref<const Json::array_t &>())) {
      elements.push_back(
          convert(value, appendJsonPointer(pointer, std::to_string(index))));
      isValid &= elements.back() != Attribute();
    }
    return isValid ? builder.getArrayAttr(elements) : Attribute();
  }

  Builder builder;
  llvm::function_ref<InFlightDiagnostic()> emitError;
};

} // namespace

FailureOr<DictionaryAttr>
tensorcast::jsonToDictionary(const Json &value,
                             llvm::function_ref<InFlightDiagnostic()> emitError,
                             MLIRContext *context) {
  if (!value.is_object())
    return emitError() << "expected an object, but got " << describeJson(value);
  Attribute attribute = Converter(context, emitError).convert(value, "");
  if (!attribute)
    return failure();
  return cast<DictionaryAttr>(attribute);
}
