//===- JsonToAttributesTest.cpp - JSON values as MLIR attributes ----------===//

#include "CollectDiagnostics.h"

#include "tensorcast/Support/Json.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class JsonToAttributesTest : public DiagnosticTest {
protected:
  /// The attribute as text, or the messages.
  std::string convert(StringRef text) {
    FailureOr<Json> value = parseJson(text, "a.json", &context);
    if (failed(value))
      return takeMessages();
    FailureOr<DictionaryAttr> dictionary = jsonToDictionary(
        *value, [&]() { return emitError(unknownLoc()); }, &context);
    if (failed(dictionary))
      return takeMessages();
    std::string result;
    llvm::raw_string_ostream(result) << *dictionary;
    return result;
  }
};

TEST_F(JsonToAttributesTest, EachKindOfValue) {
  EXPECT_EQ(convert(R"({"s": "x", "i": -3, "b": true, "f": 0.5,
                        "o": {"z": 1}, "a": [1, "y", []], "e": {}})"),
            "{a = [1, \"y\", []], b = true, e = {}, f = 5.000000e-01 : f64, "
            "i = -3 : i64, o = {z = 1 : i64}, s = \"x\"}");
  EXPECT_EQ(convert(R"({"i": 9223372036854775807})"),
            "{i = 9223372036854775807 : i64}");
}

TEST_F(JsonToAttributesTest, WhatHasNoAttribute) {
  EXPECT_EQ(convert("[1]"), "expected an object, but got an array");
  EXPECT_EQ(convert(R"({"a": [1, {"b/c": null}], "d": null})"),
            "/a/1/b~1c: expected a value, but got null\n"
            "/d: expected a value, but got null");
  EXPECT_EQ(convert(R"({"a": 9223372036854775808})"),
            "/a: expected an integer of 64 bits, but got 9223372036854775808");
  EXPECT_EQ(convert(R"({"a": {"": 1}})"),
            "/a/: expected a key, but got an empty one");
}

} // namespace
