//===- Code.cpp - Formulas as straight-line code --------------------------===//

#include "Code.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

static CodeKind getCodeKind(FormulaKind kind) {
  switch (kind) {
  case FormulaKind::Product:
    return CodeKind::Product;
  case FormulaKind::Quotient:
    return CodeKind::Quotient;
  case FormulaKind::Max:
    return CodeKind::Max;
  case FormulaKind::Min:
    return CodeKind::Min;
  case FormulaKind::PositivePart:
    return CodeKind::PositivePart;
  case FormulaKind::Ceil:
    return CodeKind::Ceil;
  case FormulaKind::Floor:
    return CodeKind::Floor;
  case FormulaKind::Log2:
    return CodeKind::Log2;
  case FormulaKind::IsPositive:
    return CodeKind::IsPositive;
  case FormulaKind::IsZero:
    return CodeKind::IsZero;
  case FormulaKind::Select:
    return CodeKind::Select;
  case FormulaKind::Input:
  case FormulaKind::Sum:
  case FormulaKind::Name:
    break;
  }
  return CodeKind::Sum;
}

namespace {
/// Writes instructions for the nodes that outputs need, in the order of the
/// graph, and gives slots that are free again to later results.
class CodeBuilder {
public:
  CodeBuilder(const FormulaGraph &graph, Code &code)
      : graph(graph), code(code), numUses(graph.size()), slots(graph.size()) {}

  void build(ArrayRef<Formula> outputs) {
    for (unsigned input : graph.getInputs())
      slots[input] = code.numSlots++;
    code.numInputs = code.numSlots;
    countUses(outputs);
    for (unsigned node = 0; node < graph.size(); ++node)
      if (numUses[node] != 0 && graph[node].kind != FormulaKind::Input &&
          graph[node].kind != FormulaKind::Name && !isPartOfUser(node))
        add(node);
    for (Formula output : outputs)
      code.outputs.push_back(
          output.isConstant()
              ? CodeOutput{true, 0, output.getConstant()}
              : CodeOutput{false, slots[resolve(output.getNode())], 0});
  }

private:
  /// A named sum is in the slot of the sum.
  unsigned resolve(unsigned node) const {
    while (graph[node].kind == FormulaKind::Name)
      node = graph[node].operands.front();
    return node;
  }

  void countUses(ArrayRef<Formula> outputs) {
    SmallVector<unsigned> pending;
    auto use = [&](unsigned node) {
      if (numUses[node]++ == 0)
        pending.push_back(node);
    };
    for (Formula output : outputs)
      if (!output.isConstant()) {
        use(resolve(output.getNode()));
        // It is needed to the end.
        kept.insert(resolve(output.getNode()));
      }
    while (!pending.empty()) {
      const FormulaNode &node = graph[pending.pop_back_val()];
      for (unsigned operand : node.operands)
        use(resolve(operand));
      // Its operand may be a sum that is for this alone.
      if (node.kind == FormulaKind::PositivePart)
        positiveParts.insert(resolve(node.operands.front()));
    }
  }

  /// Whether a sum is computed by the positive part of it.
  bool isPartOfUser(unsigned node) const {
    return graph[node].kind == FormulaKind::Sum && numUses[node] == 1 &&
           positiveParts.contains(node) && !kept.contains(node);
  }

  void add(unsigned index) {
    const FormulaNode *node = &graph[index];
    Instruction instruction;
    instruction.kind = getCodeKind(node->kind);
    bool isSum = node->kind == FormulaKind::Sum;
    if (node->kind == FormulaKind::PositivePart) {
      unsigned operand = resolve(node->operands.front());
      if (isPartOfUser(operand)) {
        node = &graph[operand];
        isSum = true;
      }
    }
    instruction.first = code.operands.size();
    instruction.count = node->operands.size();
    instruction.constant = isSum ? node->constant : 0;
    SmallVector<unsigned> lastUsed;
    for (auto [i, operand] : llvm::enumerate(node->operands)) {
      unsigned value = resolve(operand);
      code.operands.push_back(slots[value]);
      code.coefficients.push_back(isSum ? node->coefficients[i] : 1);
      if (--numUses[value] == 0 && !kept.contains(value) &&
          graph[value].kind != FormulaKind::Input)
        lastUsed.push_back(slots[value]);
    }
    // Results must not overwrite operands, which may be read after a part of
    // the result is written.
    if (free.empty())
      free.push_back(code.numSlots++);
    instruction.result = slots[index] = free.pop_back_val();
    llvm::append_range(free, lastUsed);
    code.instructions.push_back(instruction);
  }

  const FormulaGraph &graph;
  Code &code;
  /// By node; uses by instructions that are still to come, and by outputs.
  std::vector<unsigned> numUses, slots;
  llvm::DenseSet<unsigned> kept, positiveParts;
  SmallVector<unsigned> free;
};
} // namespace

Code Code::build(const FormulaGraph &graph, ArrayRef<Formula> outputs) {
  FormulaGraph simpler;
  SmallVector<Formula> copies = simplify(graph, outputs, simpler);
  Code code;
  CodeBuilder(simpler, code).build(copies);
  return code;
}
