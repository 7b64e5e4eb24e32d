//===- FormulaRange.cpp - What formulas may be ----------------------------===//
//
// Interval arithmetic. A range holds for real numbers; rounding moves a value
// out of it by a bit at most, which is no more than it does to a price.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/CostModel/Formula.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr double infinity = std::numeric_limits<double>::infinity();

bool FormulaRange::isFinite() const {
  return std::isfinite(least) && std::isfinite(most);
}

/// A bound times a bound: nothing times what has no bound is nothing.
static double multiply(double lhs, double rhs) {
  return lhs == 0 || rhs == 0 ? 0 : lhs * rhs;
}

/// The least and most of some values; everything if one is no number.
static FormulaRange span(std::initializer_list<double> values, bool isWhole) {
  FormulaRange range{infinity, -infinity, isWhole};
  for (double value : values) {
    if (std::isnan(value))
      return {};
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  }
  return range;
}

static FormulaRange multiply(const FormulaRange &lhs, const FormulaRange &rhs) {
  return span({multiply(lhs.least, rhs.least), multiply(lhs.least, rhs.most),
               multiply(lhs.most, rhs.least), multiply(lhs.most, rhs.most)},
              lhs.isWhole && rhs.isWhole);
}

static bool isWhole(double value) { return value == std::floor(value); }

static FormulaRange getConstantRange(double value) {
  return span({value}, isWhole(value));
}

static FormulaRange add(const FormulaRange &lhs, const FormulaRange &rhs) {
  return span({lhs.least + rhs.least, lhs.most + rhs.most},
              lhs.isWhole && rhs.isWhole);
}

/// Whether `product` is `value` times a truth value.
static bool isPartOf(unsigned product, unsigned value,
                     const FormulaGraph &graph) {
  if (graph[product].kind != FormulaKind::Product)
    return false;
  SmallVector<unsigned, 4> rest(graph[product].operands.begin(),
                                graph[product].operands.end());
  ArrayRef<unsigned> factors = value;
  if (graph[value].kind == FormulaKind::Product)
    factors = graph[value].operands;
  for (unsigned factor : factors) {
    auto *found = llvm::find(rest, factor);
    if (found == rest.end())
      return false;
    rest.erase(found);
  }
  return rest.size() == 1 && graph[rest.front()].range.isTruth();
}

static FormulaRange getSumRange(const FormulaNode &sum,
                                const FormulaGraph &graph) {
  FormulaRange range = getConstantRange(sum.constant);
  SmallVector<bool> isAdded(sum.operands.size());
  auto getTerm = [&](size_t i, double coefficient) {
    return multiply(graph[sum.operands[i]].range,
                    getConstantRange(coefficient));
  };
  for (auto [i, coefficient] : llvm::enumerate(sum.coefficients)) {
    if (coefficient >= 0)
      continue;
    // What is taken away may be a part of another term.
    for (auto [j, other] : llvm::enumerate(sum.coefficients)) {
      if (isAdded[j] || other < -coefficient ||
          graph[sum.operands[j]].range.least < 0 ||
          !isPartOf(sum.operands[i], sum.operands[j], graph))
        continue;
      FormulaRange left = getTerm(j, other + coefficient);
      left.most = getTerm(j, other).most;
      left.isWhole =
          getTerm(i, coefficient).isWhole && getTerm(j, other).isWhole;
      range = add(range, left);
      isAdded[i] = isAdded[j] = true;
      break;
    }
  }
  for (auto [i, coefficient] : llvm::enumerate(sum.coefficients))
    if (!isAdded[i])
      range = add(range, getTerm(i, coefficient));
  return range;
}

static FormulaRange divide(const FormulaRange &lhs, const FormulaRange &rhs) {
  if (rhs.least <= 0 && rhs.most >= 0)
    return {};
  return span({lhs.least / rhs.least, lhs.least / rhs.most,
               lhs.most / rhs.least, lhs.most / rhs.most},
              /*isWhole=*/false);
}

FormulaRange mlir::tensorcast::computeRange(const FormulaNode &node,
                                            const FormulaGraph &graph) {
  auto operand = [&](unsigned i) { return graph[node.operands[i]].range; };
  FormulaRange range;
  switch (node.kind) {
  case FormulaKind::Input:
    return node.range;
  case FormulaKind::Sum:
    return getSumRange(node, graph);
  case FormulaKind::Product:
    range = operand(0);
    for (unsigned factor : ArrayRef(node.operands).drop_front())
      range = multiply(range, graph[factor].range);
    return range;
  case FormulaKind::Quotient:
    return divide(operand(0), operand(1));
  case FormulaKind::Max:
  case FormulaKind::Min: {
    bool isMax = node.kind == FormulaKind::Max;
    range = operand(0);
    for (unsigned other : ArrayRef(node.operands).drop_front()) {
      const FormulaRange &next = graph[other].range;
      range.least = isMax ? std::max(range.least, next.least)
                          : std::min(range.least, next.least);
      range.most = isMax ? std::max(range.most, next.most)
                         : std::min(range.most, next.most);
      range.isWhole &= next.isWhole;
    }
    return range;
  }
  case FormulaKind::PositivePart:
    range = operand(0);
    return {std::max(range.least, 0.0), std::max(range.most, 0.0),
            range.isWhole};
  case FormulaKind::Ceil:
    return {std::ceil(operand(0).least), std::ceil(operand(0).most), true};
  case FormulaKind::Floor:
    return {std::floor(operand(0).least), std::floor(operand(0).most), true};
  case FormulaKind::Log2:
    if (operand(0).least < 0)
      return {};
    return {std::log2(operand(0).least), std::log2(operand(0).most), false};
  case FormulaKind::IsPositive:
  case FormulaKind::IsZero:
    return {0, 1, true};
  case FormulaKind::Select:
    return span(
        {operand(1).least, operand(2).least, operand(1).most, operand(2).most},
        operand(1).isWhole && operand(2).isWhole);
  case FormulaKind::Name:
    return operand(0);
  }
  return range;
}

FormulaRange mlir::tensorcast::getRange(Formula formula) {
  if (formula.isConstant())
    return getConstantRange(formula.getConstant());
  return (*formula.getGraph())[formula.getNode()].range;
}

void FormulaGraph::narrow(unsigned node, const FormulaRange &range) {
  FormulaRange &known = nodes[node].range;
  known.least = std::max(known.least, range.least);
  known.most = std::min(known.most, range.most);
  known.isWhole |= range.isWhole;
}
