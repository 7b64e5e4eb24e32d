//===- Run.cpp - Straight-line code on blocks of batches ------------------===//
//
// Each instruction runs over a block of batches, in loops that compilers turn
// into vector instructions.
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

/// Batches that an instruction runs over at a time.
static constexpr size_t blockSize = 128;

/// Adds a constant and terms; of the operand of a positive part, what is above
/// 0 is left. A value that is no number stays one.
static void runSum(const Code &code, const Instruction &instruction,
                   double *result, const double *const *slots, size_t count) {
  ArrayRef<unsigned> operands = code.getOperands(instruction);
  ArrayRef<double> factors = code.getCoefficients(instruction);
  double constant = instruction.constant;
  size_t i = operands.size() % 4;
  const double *a, *b, *c, *d;
  auto load = [&](size_t first) {
    a = slots[operands[first]];
    b = slots[operands[first + 1]];
  };
  switch (i) {
  case 0:
    for (size_t j = 0; j < count; ++j)
      result[j] = constant;
    break;
  case 1: {
    a = slots[operands[0]];
    double x = factors[0];
    for (size_t j = 0; j < count; ++j)
      result[j] = constant + x * a[j];
    break;
  }
  case 2: {
    load(0);
    double x = factors[0], y = factors[1];
    for (size_t j = 0; j < count; ++j)
      result[j] = constant + x * a[j] + y * b[j];
    break;
  }
  default: {
    load(0);
    c = slots[operands[2]];
    double x = factors[0], y = factors[1], z = factors[2];
    for (size_t j = 0; j < count; ++j)
      result[j] = constant + x * a[j] + y * b[j] + z * c[j];
    break;
  }
  }
  for (; i < operands.size(); i += 4) {
    load(i);
    c = slots[operands[i + 2]];
    d = slots[operands[i + 3]];
    double x = factors[i], y = factors[i + 1], z = factors[i + 2],
           w = factors[i + 3];
    for (size_t j = 0; j < count; ++j)
      result[j] += x * a[j] + y * b[j] + z * c[j] + w * d[j];
  }
  if (instruction.kind == CodeKind::PositivePart)
    for (size_t j = 0; j < count; ++j)
      result[j] = result[j] < 0 ? 0 : result[j];
}

static void runInstruction(const Code &code, const Instruction &instruction,
                           double *const *slots, size_t count) {
  double *result = slots[instruction.result];
  ArrayRef<unsigned> operands = code.getOperands(instruction);
  auto each = [&](auto function) {
    const double *a = slots[operands[0]];
    for (size_t j = 0; j < count; ++j)
      result[j] = function(a[j]);
  };
  /// Two operands, and then the result and each of the others.
  auto fold = [&](auto function) {
    const double *a = slots[operands[0]];
    for (unsigned operand : operands.drop_front()) {
      const double *b = slots[operand];
      for (size_t j = 0; j < count; ++j)
        result[j] = function(a[j], b[j]);
      a = result;
    }
  };
  switch (instruction.kind) {
  case CodeKind::Sum:
  case CodeKind::PositivePart:
    return runSum(code, instruction, result, slots, count);
  case CodeKind::Product:
    return fold([](double a, double b) { return a * b; });
  case CodeKind::Quotient:
    return fold([](double a, double b) { return a / b; });
  case CodeKind::Max:
    return fold([](double a, double b) { return a < b ? b : a; });
  case CodeKind::Min:
    return fold([](double a, double b) { return b < a ? b : a; });
  case CodeKind::Ceil:
    return each([](double a) { return std::ceil(a); });
  case CodeKind::Floor:
    return each([](double a) { return std::floor(a); });
  case CodeKind::Log2:
    return each([](double a) { return std::log2(a); });
  case CodeKind::IsPositive:
    return each([](double a) { return a > 0 ? 1.0 : 0.0; });
  case CodeKind::IsZero:
    return each([](double a) { return a == 0 ? 1.0 : 0.0; });
  case CodeKind::Select: {
    const double *a = slots[operands[0]], *b = slots[operands[1]],
                 *c = slots[operands[2]];
    for (size_t j = 0; j < count; ++j)
      result[j] = a[j] != 0 ? b[j] : c[j];
    return;
  }
  }
}

void mlir::tensorcast::runCode(const Code &code,
                               ArrayRef<const double *> inputs, size_t count,
                               ArrayRef<double *> outputs) {
  size_t numOwn = code.numSlots - code.numInputs;
  size_t width = std::min(count, blockSize);
  std::vector<double> values(numOwn * width);
  SmallVector<double *, 256> slots(code.numSlots);
  for (size_t i = 0; i < numOwn; ++i)
    slots[code.numInputs + i] = values.data() + i * width;
  for (size_t begin = 0; begin < count; begin += width) {
    size_t size = std::min(width, count - begin);
    // No instruction has an input for its result.
    for (size_t i = 0; i < code.numInputs; ++i)
      slots[i] = const_cast<double *>(inputs[i] + begin);
    for (const Instruction &instruction : code.instructions)
      runInstruction(code, instruction, slots.data(), size);
    for (auto [output, to] : llvm::zip_equal(code.outputs, outputs)) {
      if (output.isConstant)
        std::fill_n(to + begin, size, output.constant);
      else
        std::copy_n(slots[output.slot], size, to + begin);
    }
  }
}

void mlir::tensorcast::runCode(const Code &code, ArrayRef<double> inputs,
                               MutableArrayRef<double> outputs) {
  SmallVector<const double *> in;
  for (const double &input : inputs)
    in.push_back(&input);
  SmallVector<double *> out;
  for (double &output : outputs)
    out.push_back(&output);
  runCode(code, in, 1, out);
}
