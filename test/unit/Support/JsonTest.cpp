//===- JsonTest.cpp - Reading JSON ----------------------------------------===//

#include "CollectDiagnostics.h"

#include "tensorcast/Support/Json.h"

#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

class JsonTest : public DiagnosticTest {
protected:
  /// What `text` parses to, or the messages.
  std::string parse(StringRef text) {
    FailureOr<Json> value = parseJson(text, "a.json", &context);
    if (failed(value))
      return takeMessages();
    EXPECT_EQ(takeMessages(), "");
    return value->dump();
  }

  std::string read(StringRef path) {
    EXPECT_TRUE(failed(readJsonFile(path, &context)));
    return takeMessages();
  }
};

TEST_F(JsonTest, KeepsValuesAndOrder) {
  EXPECT_EQ(parse(R"( {"b": [1, -2, 2.5, 1e3], "a": {"x": null, "": true}} )"),
            R"({"b":[1,-2,2.5,1000.0],"a":{"x":null,"":true}})");
  EXPECT_EQ(parse("3"), "3");
  EXPECT_EQ(parse("\"\\u00e9\""), "\"\u00e9\"");
  EXPECT_EQ(parse("\xEF\xBB\xBF{}"), "{}");
}

TEST_F(JsonTest, KeepsManyMembers) {
  std::string text = "{\"k\":0";
  for (int i = 0; i < 100000; ++i)
    text += ",\"key" + std::to_string(i) + "\":" + std::to_string(i);
  FailureOr<Json> value = parseJson(text + "}", "a.json", &context);
  ASSERT_TRUE(succeeded(value));
  EXPECT_EQ(value->size(), 100001u);
}

TEST_F(JsonTest, SyntaxErrorsHaveAPlace) {
  EXPECT_EQ(parse("{\n  \"a\": 1,\n}"),
            "a.json:3:1: expected string literal in object key, but got '}'");
  EXPECT_EQ(parse("{\"a\" 1}"),
            "a.json:1:6: expected ':' in object separator, but got number "
            "literal");
  EXPECT_EQ(parse("{\"a\": \"abc\" \"def\"}"),
            "a.json:1:13: expected '}' in object, but got string literal");
  EXPECT_EQ(parse("[1,\n2"),
            "a.json:2:2: expected ']' in array, but got end of input");
  EXPECT_EQ(parse("{} x"), "a.json:1:4: invalid literal: 'x'");
  EXPECT_EQ(parse("{} {}"), "a.json:1:4: expected end of input, but got '{'");
  EXPECT_EQ(parse("{\"a\": nul}"), "a.json:1:7: invalid literal: 'nul}'");
  EXPECT_EQ(parse("// comment\n1"), "a.json:1:1: invalid literal: '/'");
  EXPECT_EQ(parse("[01]"),
            "a.json:1:3: expected ']' in array, but got number literal");
  EXPECT_EQ(parse("[NaN]"), "a.json:1:2: invalid literal: 'N'");
}

TEST_F(JsonTest, MalformedStrings) {
  EXPECT_EQ(parse("\"abc"), "a.json:1:5: missing closing quote: '\"abc'");
  EXPECT_EQ(parse("[\"\xff\"]"), "a.json:1:3: ill-formed UTF-8 byte: '\"\xff'");
  EXPECT_EQ(parse("[\"\\ud800\"]"),
            "a.json:1:9: surrogate U+D800..U+DBFF must be followed by "
            "U+DC00..U+DFFF: '\"\\ud800\"'");
}

TEST_F(JsonTest, NumbersBeyondDoubles) {
  EXPECT_EQ(parse("[1, 1e400]"), "a.json:1:5: expected a number within the "
                                 "range of a double, but got '1e400'");
}

TEST_F(JsonTest, DuplicateKeys) {
  EXPECT_EQ(parse("{\"a\": 1,\n \"b\": {\"a\": 2}, \"a\": 3}"),
            "a.json:2:17: duplicate key 'a'");
  EXPECT_EQ(parse("{\"x\\\"y\": 1, \"x\\\"y\": 3}"),
            "a.json:1:13: duplicate key 'x\"y'");
}

TEST_F(JsonTest, NothingToRead) {
  EXPECT_EQ(parse(""), "a.json:1:1: expected a JSON value, but got nothing");
  EXPECT_EQ(parse(" \n "),
            "a.json:1:1: expected a JSON value, but got nothing");
  EXPECT_EQ(parse(StringRef("{}\0x", 4)),
            "a.json:1:3: expected text, but got a NUL byte");
}

TEST_F(JsonTest, NestingIsLimited) {
  std::string deepest = std::string(256, '[') + std::string(256, ']');
  EXPECT_EQ(parse(deepest), deepest);
  std::string limit = "a.json:1:257: expected at most 256 levels of nested "
                      "arrays and objects";
  EXPECT_EQ(parse("[" + deepest + "]"), limit);
  EXPECT_EQ(parse(std::string(2000000, '[')), limit);
  std::string objects;
  for (int i = 0; i < 300; ++i)
    objects += "{\"\":";
  EXPECT_EQ(parse(objects), "a.json:1:1025: expected at most 256 levels of "
                            "nested arrays and objects");
}

TEST_F(JsonTest, FilesThatCannotBeRead) {
  TemporaryDirectory directory;
  std::string missing = directory.path("none.json");
  EXPECT_EQ(read(missing),
            "cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(read(directory.path("")), "expected a JSON file, but '" +
                                          directory.path("") +
                                          "' is a directory");
  std::string empty = directory.write("empty.json", "");
  EXPECT_EQ(read(empty), "expected a JSON file, but '" + empty + "' is empty");
  EXPECT_EQ(read("/dev/null"),
            "expected a JSON file, but '/dev/null' is not a regular file");
}

TEST_F(JsonTest, LargeFilesAreNotRead) {
  TemporaryDirectory directory;
  std::string large = directory.write("large.json", "{}");
  int descriptor = 0;
  ASSERT_FALSE(llvm::sys::fs::openFileForWrite(large, descriptor,
                                               llvm::sys::fs::CD_OpenExisting));
  // A hole: takes no space on the disk.
  ASSERT_FALSE(llvm::sys::fs::resize_file(descriptor, maxJsonFileBytes + 1));
  llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  EXPECT_EQ(read(large), "expected a JSON file of at most 64 MiB, but '" +
                             large + "' has more");
}

TEST_F(JsonTest, ReadsFiles) {
  TemporaryDirectory directory;
  std::string path = directory.write("a.json", "{\"a\": 1}");
  FailureOr<Json> value = readJsonFile(path, &context);
  ASSERT_TRUE(succeeded(value));
  EXPECT_EQ(value->dump(), "{\"a\":1}");
  EXPECT_EQ(read(directory.write("b.json", "\n{")),
            directory.path("b.json") +
                ":2:2: expected string literal in object key, but got end of "
                "input");
}

TEST(JsonPointerTest, EscapesKeys) {
  EXPECT_EQ(appendJsonPointer("", "a"), "/a");
  EXPECT_EQ(appendJsonPointer("/a", "b/c~d"), "/a/b~1c~0d");
}

TEST(DescribeJsonTest, ShortScalarsAsTheyAre) {
  EXPECT_EQ(describeJson(Json(5)), "5");
  EXPECT_EQ(describeJson(Json("x")), "\"x\"");
  EXPECT_EQ(describeJson(Json(nullptr)), "null");
  EXPECT_EQ(describeJson(Json::array()), "an empty array");
  EXPECT_EQ(describeJson(Json::array({1})), "an array");
  EXPECT_EQ(describeJson(Json::object()), "an object");
  EXPECT_EQ(describeJson(Json(std::string(1000, 'x'))),
            "a string of 1000 bytes");
  EXPECT_EQ(describeJson(Json(std::string("\xff"))), "\"\xEF\xBF\xBD\"");
}

} // namespace
