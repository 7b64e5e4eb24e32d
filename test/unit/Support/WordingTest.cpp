//===- WordingTest.cpp - How diagnostics say things -----------------------===//

#include "tensorcast/Support/Wording.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

TEST(NearestNameTest, FindsSlips) {
  SmallVector<StringRef> known = {"TEST_DEVICE", "ATLAS_376T", "ATLAS_313T"};
  EXPECT_EQ(nearestName("TEST_DEVISE", known), "TEST_DEVICE");
  EXPECT_EQ(nearestName("test_device", known), "TEST_DEVICE");
  EXPECT_EQ(nearestName("ATLAS_376", known), "ATLAS_376T");
  EXPECT_EQ(nearestName("ATLAS_319T", known), "ATLAS_313T");
}

TEST(NearestNameTest, LeavesOtherWordsAlone) {
  EXPECT_EQ(nearestName("H100", {"TEST_DEVICE", "clos"}), std::nullopt);
  EXPECT_EQ(nearestName("", {"a", "clos"}), std::nullopt);
  EXPECT_EQ(nearestName("x", {}), std::nullopt);
  EXPECT_EQ(nearestName(std::string(1 << 20, 'x'), {"clos"}), std::nullopt);
}

TEST(JoinNamesTest, SeparatesAndQuotes) {
  EXPECT_EQ(joinNames({}), "");
  EXPECT_EQ(joinNames({"a"}), "a");
  EXPECT_EQ(joinNames({"a", "b"}), "a, b");
  EXPECT_EQ(joinNames({"a", "b"}, " or ", "'"), "'a' or 'b'");
  EXPECT_EQ(joinNames({"", "b"}, ", ", ""), ", b");
}

TEST(QuoteTextTest, FitsOneLine) {
  EXPECT_EQ(quoteText("a b"), "'a b'");
  EXPECT_EQ(quoteText("a\nb\x7f"), "'a?b?'");
  EXPECT_EQ(quoteText(std::string(1000, 'x')),
            "'" + std::string(200, 'x') + "...'");
}

TEST(UnknownNameTest, NamesNearestAndAll) {
  EXPECT_EQ(unknownName("device", "TEST_DEVISE", {"TEST_DEVICE", "X"}),
            "unknown device 'TEST_DEVISE'; did you mean 'TEST_DEVICE'? known "
            "devices: TEST_DEVICE, X");
  EXPECT_EQ(unknownName("device", "H100", {"TEST_DEVICE", "X"}),
            "unknown device 'H100'; known devices: TEST_DEVICE, X");
}

} // namespace
