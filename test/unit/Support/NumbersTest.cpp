//===- NumbersTest.cpp - Numbers as text ----------------------------------===//

#include "tensorcast/Support/Numbers.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

TEST(FormatDecimalTest, IsShort) {
  EXPECT_EQ(formatDecimal(0), "0.0");
  EXPECT_EQ(formatDecimal(-0.0), "-0.0");
  EXPECT_EQ(formatDecimal(1e-6), "1.0e-06");
  EXPECT_EQ(formatDecimal(1.5e-6), "1.5e-06");
  EXPECT_EQ(formatDecimal(0.7), "0.7");
  EXPECT_EQ(formatDecimal(0.0001), "0.0001");
  EXPECT_EQ(formatDecimal(1), "1.0");
  EXPECT_EQ(formatDecimal(-1000000), "-1000000.0");
  EXPECT_EQ(formatDecimal(1759218604441.6), "1759218604441.6");
  EXPECT_EQ(formatDecimal(1e22), "1.0e+22");
  EXPECT_EQ(formatDecimal(0.1 + 0.2), "0.30000000000000004");
}

TEST(FormatDecimalTest, ReadsBackInMLIR) {
  using Limits = std::numeric_limits<double>;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (double value :
       {0.0, -0.0, 1e-6, 0.1, 1.0 / 3, 9007199254740992.0, 9007199254740994.0,
        1e22, 1e300, -1e-300, Limits::max(), Limits::min(),
        Limits::denorm_min(), Limits::infinity(), -Limits::infinity()}) {
    std::string text = formatDecimal(value);
    EXPECT_NE(text.find_first_of(".x"), std::string::npos) << text;
    auto attribute =
        dyn_cast_or_null<FloatAttr>(parseAttribute(text + " : f64", &context));
    ASSERT_TRUE(attribute) << text;
    EXPECT_EQ(attribute.getValueAsDouble(), value) << text;
    EXPECT_EQ(std::signbit(attribute.getValueAsDouble()), std::signbit(value));
  }
}

TEST(DescribeNumberTest, WhatIsNotFiniteHasAName) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(describeNumber(0.7), "0.7");
  EXPECT_EQ(describeNumber(Limits::infinity()), "inf");
  EXPECT_EQ(describeNumber(-Limits::infinity()), "-inf");
  EXPECT_EQ(describeNumber(Limits::quiet_NaN()), "nan");
  EXPECT_EQ(describeNumber(-Limits::quiet_NaN()), "nan");
}

TEST(FormatTimeTest, FourDigitsWithUnit) {
  EXPECT_EQ(formatTime(0.0019732), "1.973 ms");
  EXPECT_EQ(formatTime(237.71e-6), "237.7 us");
  EXPECT_EQ(formatTime(1.7444), "1.744 s");
  EXPECT_EQ(formatTime(12.3456e-6), "12.35 us");
  EXPECT_EQ(formatTime(5e-9), "5.000 ns");
  EXPECT_EQ(formatTime(1e-12), "0.001 ns");
  EXPECT_EQ(formatTime(0), "0 s");
  EXPECT_EQ(formatTime(-2e-3), "-2.000 ms");
  EXPECT_EQ(formatTime(12345.6), "12346 s");
}

TEST(FormatTimeTest, RoundingCarriesIntoTheNextUnit) {
  EXPECT_EQ(formatTime(9.9996e-6), "10.00 us");
  EXPECT_EQ(formatTime(99.996e-6), "100.0 us");
  EXPECT_EQ(formatTime(999.94e-6), "999.9 us");
  EXPECT_EQ(formatTime(999.96e-6), "1.000 ms");
  EXPECT_EQ(formatTime(999.96), "1000 s");
}

TEST(FormatGigabytesTest, CountsIn2To30) {
  EXPECT_EQ(formatGigabytes(0), "0.000 GB");
  EXPECT_EQ(formatGigabytes(68719476736), "64.000 GB");
  EXPECT_EQ(formatGigabytes(1.5e9), "1.397 GB");
}

} // namespace
