//===- Code.h - Formulas as straight-line code ------------------*- C++ -*-===//
//
// Instructions on slots, each a number for every batch of a block. Inputs are
// the first slots.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_COSTPROGRAM_CODE_H
#define TENSORCAST_LIB_COSTPROGRAM_CODE_H

#include "tensorcast/CostModel/Formula.h"

namespace mlir::tensorcast {

/// What an instruction makes of its operands.
enum class CodeKind : uint8_t {
  /// A constant and operands, each times its coefficient.
  Sum,
  /// A sum, or 0 if it is below that.
  PositivePart,
  Product,
  Quotient,
  Max,
  Min,
  Ceil,
  Floor,
  Log2,
  /// 1 if the operand is above 0, or 0.
  IsPositive,
  IsZero,
  /// The second operand if the first is not 0, else the third.
  Select
};

struct Instruction {
  CodeKind kind;
  unsigned result;
  /// Its operands, and the coefficients of a sum, among those of the code.
  unsigned first, count;
  /// What a sum adds.
  double constant;
};

/// A slot, or a constant.
struct CodeOutput {
  bool isConstant;
  unsigned slot;
  double constant;
};

/// Computes outputs from inputs, in order.
struct Code {
  /// Code for formulas of one graph, whose inputs are its inputs.
  static Code build(const FormulaGraph &graph, ArrayRef<Formula> outputs);

  ArrayRef<unsigned> getOperands(const Instruction &instruction) const {
    return ArrayRef(operands).slice(instruction.first, instruction.count);
  }
  ArrayRef<double> getCoefficients(const Instruction &instruction) const {
    return ArrayRef(coefficients).slice(instruction.first, instruction.count);
  }

  unsigned numInputs = 0, numSlots = 0;
  std::vector<Instruction> instructions;
  std::vector<unsigned> operands;
  std::vector<double> coefficients;
  SmallVector<CodeOutput> outputs;
};

/// Copies formulas of `from` into `to`, which has no nodes yet, so that they
/// take fewer instructions.
SmallVector<Formula> simplify(const FormulaGraph &from,
                              ArrayRef<Formula> formulas, FormulaGraph &to);

/// Runs code for one batch.
void runCode(const Code &code, ArrayRef<double> inputs,
             MutableArrayRef<double> outputs);

/// Runs code for `count` batches: `inputs[i][j]` is input i of batch j, and
/// `outputs[i][j]` becomes output i.
void runCode(const Code &code, ArrayRef<const double *> inputs, size_t count,
             ArrayRef<double *> outputs);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_COSTPROGRAM_CODE_H
