//===- Formula.cpp - Numbers that depend on inputs ------------------------===//
//
// The normal form: a sum has no sums and no constants among its terms, a
// product no products, constants or sums of one term among its factors, and
// what a range decides is not asked.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/CostModel/Formula.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::tensorcast;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

Formula FormulaGraph::addInput(FormulaRange range) {
  FormulaNode node{FormulaKind::Input};
  node.range = range;
  inputs.push_back(nodes.size());
  nodes.push_back(std::move(node));
  return Formula(this, inputs.back());
}

/// Equal numbers have equal bits here, as long as none is minus zero.
static uint64_t getBits(double value) {
  return llvm::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
}

static size_t hashNode(const FormulaNode &node) {
  llvm::hash_code hash = llvm::hash_combine(
      static_cast<unsigned>(node.kind), getBits(node.constant),
      llvm::hash_combine_range(node.operands));
  for (double coefficient : node.coefficients)
    hash = llvm::hash_combine(hash, getBits(coefficient));
  return hash;
}

static bool areEqual(const FormulaNode &lhs, const FormulaNode &rhs) {
  return lhs.kind == rhs.kind && lhs.operands == rhs.operands &&
         lhs.coefficients == rhs.coefficients && lhs.constant == rhs.constant;
}

Formula FormulaGraph::get(FormulaNode node) {
  SmallVector<unsigned, 1> &alike = known[hashNode(node)];
  for (unsigned other : alike)
    if (areEqual(nodes[other], node))
      return Formula(this, other);
  node.range = computeRange(node, *this);
  node.hasExtremes =
      node.kind == FormulaKind::Max || node.kind == FormulaKind::Min ||
      llvm::any_of(node.operands,
                   [&](unsigned other) { return nodes[other].hasExtremes; });
  alike.push_back(nodes.size());
  nodes.push_back(std::move(node));
  return Formula(this, nodes.size() - 1);
}

static const FormulaNode *getNodeOf(Formula formula) {
  return formula.isConstant() ? nullptr
                              : &(*formula.getGraph())[formula.getNode()];
}

static FormulaGraph *getGraph(Formula lhs, Formula rhs) {
  return lhs.isConstant() ? rhs.getGraph() : lhs.getGraph();
}

/// A node for a formula that may be a constant.
static unsigned toOperand(Formula formula, FormulaGraph *graph) {
  if (!formula.isConstant())
    return formula.getNode();
  FormulaNode node{FormulaKind::Sum};
  node.constant = formula.getConstant();
  return graph->get(std::move(node)).getNode();
}

static Formula makeUnary(FormulaKind kind, Formula value) {
  FormulaNode node{kind};
  node.operands = {value.getNode()};
  return value.getGraph()->get(std::move(node));
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// A constant and terms, by node.
struct Terms {
  double constant = 0;
  SmallVector<std::pair<unsigned, double>, 8> terms;
};
} // namespace

static Terms getTerms(Formula formula) {
  Terms result;
  const FormulaNode *node = getNodeOf(formula);
  if (!node) {
    result.constant = formula.getConstant();
  } else if (node->kind == FormulaKind::Sum) {
    result.constant = node->constant;
    for (auto [operand, coefficient] :
         llvm::zip_equal(node->operands, node->coefficients))
      result.terms.emplace_back(operand, coefficient);
  } else {
    result.terms.emplace_back(formula.getNode(), 1);
  }
  return result;
}

static Formula fromTerms(const Terms &terms, FormulaGraph *graph) {
  // A time that never comes is never late.
  if (terms.terms.empty() || terms.constant == -infinity)
    return terms.constant;
  if (terms.constant == 0 && terms.terms.size() == 1 &&
      terms.terms.front().second == 1)
    return Formula(graph, terms.terms.front().first);
  FormulaNode node{FormulaKind::Sum};
  node.constant = terms.constant;
  for (auto [operand, coefficient] : terms.terms) {
    node.operands.push_back(operand);
    node.coefficients.push_back(coefficient);
  }
  return graph->get(std::move(node));
}

/// `lhs + factor * rhs`.
static Formula addScaled(Formula lhs, Formula rhs, double factor) {
  FormulaGraph *graph = getGraph(lhs, rhs);
  Terms left = getTerms(lhs), right = getTerms(rhs), sum;
  sum.constant = left.constant + factor * right.constant;
  const auto *a = left.terms.begin(), *b = right.terms.begin();
  while (a != left.terms.end() || b != right.terms.end()) {
    if (b == right.terms.end() ||
        (a != left.terms.end() && a->first < b->first)) {
      sum.terms.push_back(*a++);
      continue;
    }
    auto [node, coefficient] = *b++;
    coefficient *= factor;
    if (a != left.terms.end() && a->first == node)
      coefficient += (a++)->second;
    if (coefficient != 0)
      sum.terms.emplace_back(node, coefficient);
  }
  return fromTerms(sum, graph);
}

Formula mlir::tensorcast::operator+(Formula lhs, Formula rhs) {
  return addScaled(lhs, rhs, 1);
}

Formula mlir::tensorcast::operator-(Formula lhs, Formula rhs) {
  return addScaled(lhs, rhs, -1);
}

Formula mlir::tensorcast::addUp(double constant,
                                ArrayRef<std::pair<Formula, double>> summands) {
  FormulaGraph *graph = nullptr;
  Terms sum;
  sum.constant = constant;
  std::map<unsigned, double> coefficients;
  for (auto [summand, factor] : summands) {
    Terms terms = getTerms(summand);
    sum.constant += factor * terms.constant;
    graph = graph ? graph : summand.getGraph();
    for (auto [node, coefficient] : terms.terms)
      coefficients[node] += factor * coefficient;
  }
  for (auto [node, coefficient] : coefficients)
    if (coefficient != 0)
      sum.terms.emplace_back(node, coefficient);
  return fromTerms(sum, graph);
}

//===----------------------------------------------------------------------===//
// Products and quotients
//===----------------------------------------------------------------------===//

static Formula scale(Formula value, double factor) {
  if (factor == 0)
    return 0;
  Terms terms = getTerms(value);
  terms.constant *= factor;
  for (auto &[node, coefficient] : terms.terms)
    coefficient *= factor;
  return fromTerms(terms, value.getGraph());
}

/// The factors of a node.
static SmallVector<unsigned, 2> getFactors(unsigned node,
                                           const FormulaGraph &graph) {
  if (graph[node].kind == FormulaKind::Product)
    return graph[node].operands;
  return {node};
}

static Formula multiplyNodes(unsigned lhs, unsigned rhs, FormulaGraph *graph) {
  SmallVector<unsigned, 2> factors = getFactors(lhs, *graph);
  llvm::append_range(factors, getFactors(rhs, *graph));
  llvm::sort(factors);
  // A truth value is its square.
  factors.erase(std::unique(factors.begin(), factors.end(),
                            [&](unsigned a, unsigned b) {
                              return a == b && (*graph)[a].range.isTruth();
                            }),
                factors.end());
  if (factors.size() == 1)
    return Formula(graph, factors.front());
  FormulaNode product{FormulaKind::Product};
  product.operands = factors;
  return graph->get(std::move(product));
}

/// Whether a formula is a coefficient times a node.
static bool isSingleTerm(const Terms &terms) {
  return terms.constant == 0 && terms.terms.size() == 1;
}

Formula mlir::tensorcast::operator*(Formula lhs, Formula rhs) {
  if (rhs.isConstant())
    std::swap(lhs, rhs);
  if (lhs.isConstant())
    return rhs.isConstant() ? Formula(lhs.getConstant() * rhs.getConstant())
                            : scale(rhs, lhs.getConstant());
  FormulaGraph *graph = lhs.getGraph();
  Terms left = getTerms(lhs), right = getTerms(rhs);
  if (!isSingleTerm(left))
    std::swap(left, right);
  // Two sums stay apart: their product would be long.
  if (!isSingleTerm(left))
    return multiplyNodes(lhs.getNode(), rhs.getNode(), graph);
  auto [node, factor] = left.terms.front();
  Formula result = scale(Formula(graph, node), factor * right.constant);
  for (auto [other, coefficient] : right.terms)
    result = addScaled(result, multiplyNodes(node, other, graph),
                       factor * coefficient);
  return result;
}

Formula mlir::tensorcast::operator/(Formula lhs, Formula rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return lhs.getConstant() / rhs.getConstant();
  if (rhs.isConstant() && rhs.getConstant() != 0)
    return lhs * (1 / rhs.getConstant());
  return divideExactly(lhs, rhs);
}

/// Whether dividing by `value` is multiplying by another number, to the bit.
static bool isPowerOfTwo(double value) {
  int exponent;
  return value > 0 && std::isfinite(value) &&
         std::frexp(value, &exponent) == 0.5;
}

Formula mlir::tensorcast::divideExactly(Formula lhs, Formula rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return lhs.getConstant() / rhs.getConstant();
  if (rhs.isConstant() && isPowerOfTwo(rhs.getConstant()))
    return lhs * (1 / rhs.getConstant());
  FormulaGraph *graph = getGraph(lhs, rhs);
  FormulaNode node{FormulaKind::Quotient};
  node.operands = {toOperand(lhs, graph), toOperand(rhs, graph)};
  return graph->get(std::move(node));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Formula mlir::tensorcast::ceil(Formula value) {
  if (value.isConstant())
    return std::ceil(value.getConstant());
  return getRange(value).isWhole ? value : makeUnary(FormulaKind::Ceil, value);
}

Formula mlir::tensorcast::floor(Formula value) {
  if (value.isConstant())
    return std::floor(value.getConstant());
  return getRange(value).isWhole ? value : makeUnary(FormulaKind::Floor, value);
}

Formula mlir::tensorcast::log2(Formula value) {
  if (value.isConstant())
    return std::log2(value.getConstant());
  return makeUnary(FormulaKind::Log2, value);
}

Formula mlir::tensorcast::name(Formula value) {
  const FormulaNode *node = getNodeOf(value);
  if (!node || node->kind != FormulaKind::Sum)
    return value;
  return makeUnary(FormulaKind::Name, value);
}

Formula mlir::tensorcast::getPositivePart(Formula value) {
  if (value.isConstant())
    return value.getConstant() < 0 ? 0 : value.getConstant();
  FormulaRange range = getRange(value);
  if (range.least >= 0)
    return value;
  if (range.most <= 0)
    return 0;
  // Kernels of one shape differ by a factor, which must not count here.
  Terms terms = getTerms(value);
  double factor = std::fabs(terms.terms.front().second);
  if (!std::isfinite(factor) || !std::isfinite(1 / factor))
    factor = 1;
  Formula scaled = scale(value, 1 / factor);
  return makeUnary(FormulaKind::PositivePart, scaled) * factor;
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// The candidates of a maximum that `value` is, perhaps beside other terms; the
/// value itself if it is none, or if others have maxima in them.
static SmallVector<Formula> getCandidates(Formula value) {
  const FormulaNode *node = getNodeOf(value);
  if (!node || !node->hasExtremes)
    return {value};
  FormulaGraph *graph = value.getGraph();
  Terms terms = getTerms(value);
  std::optional<unsigned> maximum;
  for (auto [operand, coefficient] : terms.terms) {
    const FormulaNode &term = (*graph)[operand];
    if (!term.hasExtremes)
      continue;
    if (maximum || term.kind != FormulaKind::Max || coefficient != 1)
      return {value};
    maximum = operand;
  }
  Formula rest = value - Formula(graph, *maximum);
  // Adding to the graph moves its nodes.
  SmallVector<unsigned, 2> operands = (*graph)[*maximum].operands;
  SmallVector<Formula> candidates;
  for (unsigned operand : operands) {
    if ((*graph)[operand].hasExtremes)
      return {value};
    candidates.push_back(Formula(graph, operand) + rest);
  }
  return candidates;
}

Formula mlir::tensorcast::max(Formula lhs, Formula rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return max(lhs.getConstant(), rhs.getConstant());
  // A time that never comes.
  for (auto [one, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
    if (one.isConstant(-infinity))
      return other;
  FormulaGraph *graph = getGraph(lhs, rhs);
  static constexpr size_t maxCandidates = 32;
  SmallVector<Formula> left = getCandidates(lhs), right = getCandidates(rhs);
  if (left.size() + right.size() > maxCandidates)
    left = {lhs}, right = {rhs};
  SmallVector<Formula> kept = left;
  for (Formula candidate : right) {
    if (llvm::any_of(kept, [&](Formula other) {
          return getRange(other - candidate).least >= 0;
        }))
      continue;
    llvm::erase_if(kept, [&](Formula other) {
      return getRange(candidate - other).least >= 0;
    });
    kept.push_back(candidate);
  }
  if (kept.size() == 1)
    return kept.front();
  FormulaNode node{FormulaKind::Max};
  for (Formula candidate : kept)
    node.operands.push_back(toOperand(candidate, graph));
  llvm::sort(node.operands);
  return graph->get(std::move(node));
}

Formula mlir::tensorcast::min(Formula lhs, Formula rhs) {
  if (lhs.isConstant() && rhs.isConstant())
    return min(lhs.getConstant(), rhs.getConstant());
  FormulaRange range = getRange(lhs - rhs);
  if (range.least >= 0)
    return rhs;
  if (range.most <= 0)
    return lhs;
  FormulaGraph *graph = getGraph(lhs, rhs);
  FormulaNode node{FormulaKind::Min};
  node.operands = {toOperand(lhs, graph), toOperand(rhs, graph)};
  llvm::sort(node.operands);
  return graph->get(std::move(node));
}

//===----------------------------------------------------------------------===//
// Truth values
//===----------------------------------------------------------------------===//

Formula mlir::tensorcast::isPositive(Formula value) {
  if (value.isConstant())
    return value.getConstant() > 0;
  FormulaRange range = getRange(value);
  if (range.most <= 0)
    return 0;
  if (range.least > 0)
    return 1;
  if (range.isTruth())
    return value;
  return makeUnary(FormulaKind::IsPositive, value);
}

Formula mlir::tensorcast::isZero(Formula value) {
  if (value.isConstant())
    return value.getConstant() == 0;
  FormulaRange range = getRange(value);
  if (range.least > 0 || range.most < 0)
    return 0;
  if (range.least == 0 && range.most == 0)
    return 1;
  if (range.isTruth())
    return negate(value);
  if (range.least >= 0)
    return negate(isPositive(value));
  return makeUnary(FormulaKind::IsZero, value);
}

Formula mlir::tensorcast::isNonZero(Formula value) {
  return negate(isZero(value));
}

Formula mlir::tensorcast::negate(Formula value) { return 1 - value; }

Formula mlir::tensorcast::both(Formula lhs, Formula rhs) { return lhs * rhs; }

Formula mlir::tensorcast::either(Formula lhs, Formula rhs) {
  return negate(negate(lhs) * negate(rhs));
}

Formula mlir::tensorcast::select(Formula condition, Formula lhs, Formula rhs) {
  if (condition.isConstant())
    return condition.getConstant() != 0 ? lhs : rhs;
  if (lhs == rhs)
    return lhs;
  // What is not chosen must not spoil the product.
  if (rhs.isConstant(0) && getRange(lhs).isFinite())
    return condition * lhs;
  if (lhs.isConstant(0) && getRange(rhs).isFinite())
    return negate(condition) * rhs;
  FormulaGraph *graph = condition.getGraph();
  FormulaNode node{FormulaKind::Select};
  node.operands = {condition.getNode(), toOperand(lhs, graph),
                   toOperand(rhs, graph)};
  return graph->get(std::move(node));
}
