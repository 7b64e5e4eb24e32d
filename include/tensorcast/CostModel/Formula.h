//===- Formula.h - Numbers that depend on inputs ----------------*- C++ -*-===//
//
// The laws of cost are written once, for numbers that may be doubles or
// formulas. A formula is a constant or a node of a graph in which what is equal
// is one node: constants are folded, sums and products have one order, and what
// the ranges of the inputs decide is decided.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_COSTMODEL_FORMULA_H
#define TENSORCAST_COSTMODEL_FORMULA_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <unordered_map>
#include <vector>

namespace mlir::tensorcast {

class FormulaGraph;

/// A constant, or a node of a graph. Truth values are formulas that are 0 or 1.
class Formula {
public:
  Formula(double value = 0) : constant(value) {}
  Formula(FormulaGraph *graph, unsigned node) : graph(graph), node(node) {}

  bool isConstant() const { return !graph; }
  bool isConstant(double value) const {
    return isConstant() && constant == value;
  }
  double getConstant() const { return constant; }
  FormulaGraph *getGraph() const { return graph; }
  unsigned getNode() const { return node; }

  bool operator==(const Formula &other) const {
    return graph == other.graph && node == other.node &&
           (graph || constant == other.constant);
  }
  bool operator!=(const Formula &other) const { return !(*this == other); }

private:
  FormulaGraph *graph = nullptr;
  unsigned node = 0;
  double constant = 0;
};

/// What a formula may be, whatever the inputs.
struct FormulaRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  /// Whether it is a whole number.
  bool isWhole = false;

  bool isTruth() const { return isWhole && least >= 0 && most <= 1; }
  bool isFinite() const;
};

/// The kinds of nodes. A sum has a constant and coefficients; the others have
/// operands alone.
enum class FormulaKind : uint8_t {
  Input,
  Sum,
  Product,
  Quotient,
  Max,
  Min,
  PositivePart,
  Ceil,
  Floor,
  Log2,
  IsPositive,
  IsZero,
  Select,
  Name
};

struct FormulaNode {
  FormulaKind kind;
  /// Nodes. Of a sum, product, maximum or minimum sorted; of a quotient or
  /// choice in order.
  SmallVector<unsigned, 2> operands = {};
  /// Of a sum: one for each operand.
  SmallVector<double, 2> coefficients = {};
  /// Of a sum: what it adds.
  double constant = 0;
  FormulaRange range = {};
  /// Whether a maximum or minimum is part of it.
  bool hasExtremes = false;
};

/// Nodes, operands before those that use them.
class FormulaGraph {
public:
  FormulaGraph() = default;
  FormulaGraph(const FormulaGraph &) = delete;
  FormulaGraph &operator=(const FormulaGraph &) = delete;

  /// The next input.
  Formula addInput(FormulaRange range);
  ArrayRef<unsigned> getInputs() const { return inputs; }

  const FormulaNode &operator[](unsigned node) const { return nodes[node]; }
  size_t size() const { return nodes.size(); }

  /// The node that is equal to `node`.
  Formula get(FormulaNode node);

  /// Says more of what a node may be.
  void narrow(unsigned node, const FormulaRange &range);

private:
  std::vector<FormulaNode> nodes;
  SmallVector<unsigned> inputs;
  /// Nodes by the hash of what they are made of.
  std::unordered_map<size_t, SmallVector<unsigned, 1>> known;
};

FormulaRange getRange(Formula formula);
/// The range of a node with these operands, without what else is known of it.
FormulaRange computeRange(const FormulaNode &node, const FormulaGraph &graph);

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Formula operator+(Formula lhs, Formula rhs);
Formula operator-(Formula lhs, Formula rhs);
Formula operator*(Formula lhs, Formula rhs);
/// `constant` and formulas, each times its coefficient.
Formula addUp(double constant, ArrayRef<std::pair<Formula, double>> summands);
/// May be rounded otherwise than a division, by a bit.
Formula operator/(Formula lhs, Formula rhs);
inline Formula &operator+=(Formula &lhs, Formula rhs) {
  return lhs = lhs + rhs;
}
inline Formula &operator-=(Formula &lhs, Formula rhs) {
  return lhs = lhs - rhs;
}

/// Rounded as a division.
Formula divideExactly(Formula lhs, Formula rhs);
Formula ceil(Formula value);
Formula floor(Formula value);
Formula log2(Formula value);
Formula max(Formula lhs, Formula rhs);
Formula min(Formula lhs, Formula rhs);
/// A value, or 0 if it is below that.
Formula getPositivePart(Formula value);

/// 1 if a value is above 0, or 0.
Formula isPositive(Formula value);
Formula isZero(Formula value);
Formula isNonZero(Formula value);
/// Of truth values.
Formula both(Formula lhs, Formula rhs);
Formula either(Formula lhs, Formula rhs);
Formula negate(Formula value);
/// `lhs` if `condition` is 1, else `rhs`.
Formula select(Formula condition, Formula lhs, Formula rhs);

/// The same value, that sums do not take apart: for what is used often.
Formula name(Formula value);

//===----------------------------------------------------------------------===//
// The same for doubles
//===----------------------------------------------------------------------===//

inline double max(double lhs, double rhs) { return lhs < rhs ? rhs : lhs; }
inline double min(double lhs, double rhs) { return rhs < lhs ? rhs : lhs; }
inline bool isPositive(double value) { return value > 0; }
inline bool isZero(double value) { return value == 0; }
inline bool isNonZero(double value) { return value != 0; }
inline bool both(bool lhs, bool rhs) { return lhs && rhs; }
inline bool either(bool lhs, bool rhs) { return lhs || rhs; }
inline bool negate(bool value) { return !value; }
inline double select(bool condition, double lhs, double rhs) {
  return condition ? lhs : rhs;
}
inline double name(double value) { return value; }

/// Whether a value is the same whatever the inputs, and which.
inline bool isKnown(double value, double expected) { return value == expected; }
inline bool isKnown(bool value, bool expected) { return value == expected; }
inline bool isKnown(Formula value, double expected) {
  return value.isConstant(expected);
}

/// The type of comparisons of numbers.
template <typename Number> struct TruthOf;
template <> struct TruthOf<double> {
  using type = bool;
};
template <> struct TruthOf<Formula> {
  using type = Formula;
};
template <typename Number> using Truth = typename TruthOf<Number>::type;

} // namespace mlir::tensorcast

#endif // TENSORCAST_COSTMODEL_FORMULA_H
