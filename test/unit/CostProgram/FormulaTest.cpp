//===- FormulaTest.cpp - Formulas are what they stand for -----------------===//

#include "Code.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::tensorcast;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr FormulaRange counts = {1, 1000, true};
constexpr FormulaRange truths = {0, 1, true};

/// The value of a formula of one graph for some inputs.
double run(const FormulaGraph &graph, Formula formula,
           ArrayRef<double> inputs) {
  Code code = Code::build(graph, formula);
  double value = 0;
  runCode(code, inputs, value);
  return value;
}

TEST(FormulaTest, EqualFormulasAreOneNode) {
  FormulaGraph graph;
  Formula x = graph.addInput(counts), y = graph.addInput(counts);
  EXPECT_EQ(x + y, y + x);
  EXPECT_EQ(x * y, y * x);
  EXPECT_EQ(2 * (x + y), 2 * x + 2 * y);
  EXPECT_EQ(x - x, Formula(0));
  EXPECT_EQ((x + 3) - 3, x);
  EXPECT_EQ(max(x, y), max(y, x));
  // Kernels of one shape differ by a factor.
  Formula one = getPositivePart(x - y);
  EXPECT_EQ(getPositivePart(4 * x - 4 * y), 4 * one);
}

TEST(FormulaTest, RangesDecide) {
  FormulaGraph graph;
  Formula x = graph.addInput(counts), y = graph.addInput(counts);
  Formula isOdd = graph.addInput(truths);
  EXPECT_EQ(max(2 * x, x), 2 * x);
  EXPECT_EQ(min(x + 5, x), x);
  EXPECT_EQ(max(x, Formula(0)), x);
  EXPECT_EQ(isZero(x), Formula(0));
  EXPECT_EQ(isPositive(x - 1000), Formula(0));
  EXPECT_EQ(isPositive(isOdd), isOdd);
  EXPECT_EQ(ceil(x), x);
  EXPECT_NE(ceil(divideExactly(x, 3)), divideExactly(x, 3));
  EXPECT_EQ(isOdd * isOdd, isOdd);
  // A part of a value is at most the value.
  EXPECT_EQ(getRange(x * y - x * y * isOdd).least, 0);
  // What is halved may be whole no more, though all that is taken away is.
  EXPECT_FALSE(getRange(0.5 * x - 0.5 * x * isOdd).isWhole);
  EXPECT_TRUE(getRange(3 * x - x * isOdd).isWhole);
  EXPECT_EQ(select(Formula(1), x, y), x);
  EXPECT_EQ(select(isOdd, x, x), x);
}

TEST(FormulaTest, WhatIsNoNumberStaysNone) {
  FormulaGraph graph;
  Formula x = graph.addInput({0, 10, true});
  Formula none = divideExactly(x, x);
  for (Formula formula : {none, none + 1, max(none, x), min(none, x) + none,
                          getPositivePart(none), none * x})
    EXPECT_TRUE(std::isnan(run(graph, formula, 0.0)));
  EXPECT_EQ(run(graph, none, 5.0), 1);
  // A time that never comes is not late.
  EXPECT_EQ(Formula(-infinity) + x, Formula(-infinity));
  EXPECT_EQ(max(Formula(-infinity), x), x);
  Formula nan = Formula(infinity) - Formula(infinity);
  EXPECT_EQ(isPositive(nan), Formula(0));
  EXPECT_TRUE(std::isnan(run(graph, getPositivePart(nan), 1.0)));
  // No factor makes infinite ones alike.
  Formula y = graph.addInput(counts);
  Formula differs = getPositivePart(infinity * x - infinity * y);
  EXPECT_TRUE(std::isnan(run(graph, differs, {1.0, 1.0})));
}

/// Makes the same of doubles and of formulas.
template <typename Number> class Maker {
public:
  Maker(unsigned seed, ArrayRef<Number> inputs)
      : generator(seed), numbers(inputs) {}

  Number make(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i)
      numbers.push_back(step());
    // Of the last some, so that most of it is needed.
    Number sum = 0;
    for (const Number &number : ArrayRef(numbers).take_back(6))
      sum += number;
    return sum;
  }

private:
  size_t draw(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(generator);
  }
  Number pick() { return numbers[draw(numbers.size())]; }

  Number step() {
    size_t kind = draw(12);
    Number a = pick(), b = pick();
    double factor = 1 + draw(9), half = 0.5 * (1 + draw(7));
    switch (kind) {
    case 0:
    case 1:
      return a * factor + b * half;
    case 2:
      return a - b;
    case 3:
      return a * factor + half;
    case 4:
    case 5:
      return max(a, b * half);
    case 6:
      return min(a, b + factor);
    case 7:
      return a * half / factor;
    case 8:
      return select(isPositive(a - factor), b, a);
    case 9:
      return select(either(isZero(a), isPositive(b)), a * half, Number(0));
    case 10:
      return name(a + b);
    default:
      return select(both(isNonZero(a), negate(isPositive(b))), a, b * factor);
    }
  }

  std::mt19937 generator;
  SmallVector<Number> numbers;
};

/// One batch and many give the same number to the bit, and that of doubles but
/// for rounding.
TEST(FormulaTest, RandomFormulas) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> count(1, 1000), truth(0, 1);
  for (unsigned seed = 0; seed < 300; ++seed) {
    FormulaGraph graph;
    SmallVector<Formula> inputs = {
        graph.addInput(counts), graph.addInput(counts), graph.addInput(truths)};
    Formula formula = Maker<Formula>(seed, inputs).make(20);
    Code code = Code::build(graph, formula);
    constexpr size_t numBatches = 150;
    std::vector<double> columns[3], results(numBatches);
    for (size_t i = 0; i < numBatches; ++i) {
      columns[0].push_back(count(generator));
      columns[1].push_back(count(generator));
      columns[2].push_back(truth(generator));
    }
    runCode(code, {columns[0].data(), columns[1].data(), columns[2].data()},
            numBatches, results.data());
    for (size_t i = 0; i < numBatches; ++i) {
      double values[] = {columns[0][i], columns[1][i], columns[2][i]};
      double one = 0, expected = Maker<double>(seed, values).make(20);
      runCode(code, values, one);
      ASSERT_EQ(one, results[i]) << seed;
      ASSERT_NEAR(one, expected, 1e-9 * std::max(1e6, std::fabs(expected)))
          << seed;
      FormulaRange range = getRange(formula);
      double slack = 1e-9 * std::max(1e6, std::fabs(expected));
      ASSERT_GE(expected, range.least - slack) << seed;
      ASSERT_LE(expected, range.most + slack) << seed;
      ASSERT_TRUE(!range.isWhole || expected == std::floor(expected)) << seed;
    }
  }
}

} // namespace
