//===- JsonReaderTest.cpp - Checked access to a JSON object ---------------===//

#include "CollectDiagnostics.h"

#include "tensorcast/Support/JsonReader.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class JsonReaderTest : public DiagnosticTest {
protected:
  Json parse(StringRef text) {
    FailureOr<Json> value = parseJson(text, "config.json", &context);
    EXPECT_TRUE(succeeded(value)) << takeMessages();
    return succeeded(value) ? *value : Json();
  }

  /// The messages of `read` about the member `k`, whose value is `text`.
  std::string readMember(StringRef text,
                         llvm::function_ref<void(JsonReader &)> read) {
    Json object = parse(("{\"k\": " + text + "}").str());
    JsonReader reader(object, "config.json", unknownLoc());
    read(reader);
    EXPECT_EQ(failed(reader.finish()), !messages.empty());
    return takeMessages();
  }

  std::string readInteger(StringRef text) {
    return readMember(text, [](JsonReader &reader) {
      EXPECT_GE(reader.integer("k", 1, 16777216), 1);
    });
  }
};

TEST_F(JsonReaderTest, ReadsMembers) {
  Json object = parse(R"({"i": 3, "n": 2, "f": 1e-6, "b": true, "s": "x",
                          "null": null, "o": {"a": 1}})");
  JsonReader reader(object, "config.json", unknownLoc());
  EXPECT_EQ(reader.integer("i", 1, 3), 3);
  EXPECT_EQ(reader.number("n", 0, 2), 2.0);
  EXPECT_EQ(reader.number("f", 0, 1), 1e-6);
  EXPECT_TRUE(reader.boolean("b"));
  EXPECT_EQ(reader.string("s"), "x");
  EXPECT_EQ(reader.integer("none", 1, 3, 2), 2);
  EXPECT_EQ(reader.number("none", 0, 1, 0.5), 0.5);
  EXPECT_TRUE(reader.boolean("none", true));
  EXPECT_EQ(reader.string("none", "y"), "y");
  EXPECT_EQ(reader.optionalInteger("i", 1, 3), 3);
  EXPECT_EQ(reader.optionalNumber("f", 0, 1), 1e-6);
  EXPECT_EQ(reader.optionalBoolean("b"), true);
  EXPECT_EQ(reader.optionalString("s"), "x");
  for (StringRef key : {"none", "null"}) {
    EXPECT_EQ(reader.optionalInteger(key, 1, 3), std::nullopt);
    EXPECT_EQ(reader.optionalNumber(key, 0, 1), std::nullopt);
    EXPECT_EQ(reader.optionalBoolean(key), std::nullopt);
    EXPECT_EQ(reader.optionalString(key), std::nullopt);
    EXPECT_EQ(reader.optionalObject(key), nullptr);
    EXPECT_FALSE(reader.has(key));
  }
  EXPECT_EQ(reader.optionalObject("o"), reader.find("o"));
  EXPECT_TRUE(succeeded(reader.finish()));
  EXPECT_EQ(takeMessages(), "");
}

TEST_F(JsonReaderTest, IntegersOutOfPlace) {
  auto message = [](StringRef found) {
    return ("config.json: /k: expected an integer from 1 to 16777216, but "
            "got " +
            found)
        .str();
  };
  EXPECT_EQ(readInteger("\"x\""), message("\"x\""));
  EXPECT_EQ(readInteger("\"4096\""), message("\"4096\""));
  EXPECT_EQ(readInteger("-1"), message("-1"));
  EXPECT_EQ(readInteger("0"), message("0"));
  EXPECT_EQ(readInteger("16777217"), message("16777217"));
  EXPECT_EQ(readInteger("null"), message("null"));
  EXPECT_EQ(readInteger("true"), message("true"));
  EXPECT_EQ(readInteger("1e30"), message("1e+30"));
  EXPECT_EQ(readInteger("4096.5"), message("4096.5"));
  EXPECT_EQ(readInteger("9223372036854775808"), message("9223372036854775808"));
  EXPECT_EQ(readInteger("18446744073709551615"),
            message("18446744073709551615"));
  EXPECT_EQ(readInteger("99999999999999999999"), message("1e+20"));
  EXPECT_EQ(readInteger("-99999999999999999999"), message("-1e+20"));
  EXPECT_EQ(readInteger("-9223372036854775808"),
            message("-9223372036854775808"));
  EXPECT_EQ(readInteger("[1]"), message("an array"));
  EXPECT_EQ(readInteger("{}"), message("an object"));
}

TEST_F(JsonReaderTest, FallbacksAndOptionsAreCheckedToo) {
  StringRef expected =
      "config.json: /k: expected an integer from 1 to 8, but got null";
  EXPECT_EQ(
      readMember("null",
                 [](JsonReader &reader) { reader.integer("k", 1, 8, 4); }),
      expected);
  EXPECT_EQ(
      readMember("9",
                 [](JsonReader &reader) { reader.optionalInteger("k", 1, 8); }),
      "config.json: /k: expected an integer from 1 to 8, but got 9");
}

TEST_F(JsonReaderTest, OtherKindsOutOfPlace) {
  EXPECT_EQ(
      readMember("2", [](JsonReader &r) { r.number("k", 1e-6, 1); }),
      "config.json: /k: expected a number from 1.0e-06 to 1.0, but got 2");
  EXPECT_EQ(readMember("\"1\"", [](JsonReader &r) { r.number("k", 0, 1, 1); }),
            "config.json: /k: expected a number from 0.0 to 1.0, but got "
            "\"1\"");
  EXPECT_EQ(readMember("1", [](JsonReader &r) { r.boolean("k"); }),
            "config.json: /k: expected true or false, but got 1");
  EXPECT_EQ(readMember("null", [](JsonReader &r) { r.boolean("k", true); }),
            "config.json: /k: expected true or false, but got null");
  EXPECT_EQ(readMember("1", [](JsonReader &r) { r.string("k"); }),
            "config.json: /k: expected a string, but got 1");
  EXPECT_EQ(readMember("[]", [](JsonReader &r) { r.optionalString("k"); }),
            "config.json: /k: expected a string, but got an empty array");
  EXPECT_EQ(readMember("1", [](JsonReader &r) { r.optionalObject("k"); }),
            "config.json: /k: expected an object, but got 1");
}

TEST_F(JsonReaderTest, MissingKeysAreReportedTogetherAndLast) {
  Json object = parse(R"({"a": 0})");
  JsonReader reader(object, "config.json", unknownLoc());
  reader.integer("b", 1, 2);
  reader.integer("a", 1, 2);
  reader.string("c");
  reader.integer("b", 1, 2);
  reader.boolean("d");
  reader.number("e", 0, 1);
  EXPECT_TRUE(failed(reader.finish()));
  EXPECT_EQ(takeMessages(),
            "config.json: /a: expected an integer from 1 to 2, but got 0\n"
            "config.json: expected keys 'b', 'c', 'd', 'e', but they are "
            "missing");
  // Once said is enough, but the failure stays.
  EXPECT_TRUE(failed(reader.finish()));
  EXPECT_EQ(takeMessages(), "");
}

TEST_F(JsonReaderTest, WrongMembersAreReportedOnce) {
  EXPECT_EQ(readMember("1",
                       [](JsonReader &r) {
                         r.boolean("k");
                         r.boolean("k", true);
                       }),
            "config.json: /k: expected true or false, but got 1");
}

TEST_F(JsonReaderTest, NestedReadersNameTheirPlace) {
  Json object = parse(R"({"a": 0})");
  JsonReader reader(object, "config.json", unknownLoc(), "/rope/x");
  reader.integer("a", 1, 2);
  reader.string("b");
  EXPECT_TRUE(failed(reader.finish()));
  EXPECT_EQ(takeMessages(),
            "config.json: /rope/x/a: expected an integer from 1 to 2, but got "
            "0\n"
            "config.json: /rope/x: expected key 'b', but it is missing");
}

TEST_F(JsonReaderTest, OnlyObjectsHaveMembers) {
  Json array = parse("[1]");
  JsonReader reader(array, "config.json", unknownLoc());
  reader.integer("a", 1, 2);
  EXPECT_TRUE(failed(reader.finish()));
  EXPECT_EQ(takeMessages(),
            "config.json: expected an object, but got an array");
}

TEST_F(JsonReaderTest, CallersAddTheirOwnErrors) {
  Json object = parse(R"({"a": 3})");
  JsonReader reader(object, "config.json", unknownLoc());
  reader.emitError("a") << "expected an even number, but got 3";
  EXPECT_TRUE(failed(reader.finish()));
  EXPECT_EQ(takeMessages(),
            "config.json: /a: expected an even number, but got 3");
}

} // namespace
