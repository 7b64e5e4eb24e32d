//===- Simplify.cpp - Formulas that take fewer instructions ---------------===//

#include "Code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// Copies formulas, with `max(a, b)` as `b` and what `a` is above it: of the
/// kernels whose times are added up, the `b` become one sum of few terms, and
/// what is left of each is a difference, which many have in common.
class Simplifier {
public:
  Simplifier(const FormulaGraph &from, FormulaGraph &to) : from(from) {
    for (unsigned input : from.getInputs())
      copies[input] = to.addInput(from[input].range);
  }

  Formula copy(Formula formula) {
    if (formula.isConstant())
      return formula;
    // Operands come before what is made of them.
    SmallVector<unsigned> pending = {formula.getNode()};
    while (!pending.empty()) {
      unsigned node = pending.back();
      size_t numPending = pending.size();
      for (unsigned operand : from[node].operands)
        if (!copies.count(operand))
          pending.push_back(operand);
      if (pending.size() != numPending)
        continue;
      pending.pop_back();
      if (!copies.count(node)) {
        Formula rebuilt = rebuild(from[node]);
        copies[node] = rebuilt;
      }
    }
    return get(formula.getNode());
  }

private:
  Formula get(unsigned node) { return copies.find(node)->second; }

  Formula rebuild(const FormulaNode &node) {
    auto operand = [&](unsigned i) { return get(node.operands[i]); };
    switch (node.kind) {
    case FormulaKind::Input:
      break;
    case FormulaKind::Sum: {
      SmallVector<std::pair<Formula, double>> summands;
      for (auto [summand, coefficient] :
           llvm::zip_equal(node.operands, node.coefficients))
        summands.emplace_back(get(summand), coefficient);
      return addUp(node.constant, summands);
    }
    case FormulaKind::Product: {
      Formula product = operand(0);
      for (unsigned factor : ArrayRef(node.operands).drop_front())
        product = product * get(factor);
      return product;
    }
    case FormulaKind::Quotient:
      return divideExactly(operand(0), operand(1));
    case FormulaKind::Max:
      return rebuildMax(node);
    case FormulaKind::Min:
      return min(operand(0), operand(1));
    case FormulaKind::PositivePart:
      return getPositivePart(operand(0));
    case FormulaKind::Ceil:
      return ceil(operand(0));
    case FormulaKind::Floor:
      return floor(operand(0));
    case FormulaKind::Log2:
      return log2(operand(0));
    case FormulaKind::IsPositive:
      return isPositive(operand(0));
    case FormulaKind::IsZero:
      return isZero(operand(0));
    case FormulaKind::Select:
      return select(operand(0), operand(1), operand(2));
    case FormulaKind::Name:
      return name(operand(0));
    }
    return 0;
  }

  Formula rebuildMax(const FormulaNode &node) {
    Formula result = get(node.operands.front());
    bool isPlain = llvm::none_of(node.operands, [&](unsigned operand) {
      return from[operand].hasExtremes;
    });
    if (isPlain && node.operands.size() == 2) {
      Formula rest = get(node.operands.back());
      return rest + getPositivePart(result - rest);
    }
    for (unsigned operand : ArrayRef(node.operands).drop_front())
      result = max(result, get(operand));
    return result;
  }

  const FormulaGraph &from;
  llvm::DenseMap<unsigned, Formula> copies;
};
} // namespace

SmallVector<Formula> mlir::tensorcast::simplify(const FormulaGraph &from,
                                                ArrayRef<Formula> formulas,
                                                FormulaGraph &to) {
  Simplifier simplifier(from, to);
  return llvm::map_to_vector(
      formulas, [&](Formula formula) { return simplifier.copy(formula); });
}
