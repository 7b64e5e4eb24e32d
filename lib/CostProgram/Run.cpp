//===- Run.cpp - Straight-line code on blocks of batches ------------------===//
//
// Each instruction runs over a block of batches, in loops that compilers turn
// into vector instructions.
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include "llvm/Support/Compiler.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

// Processors that have wider vectors use them. What they compute is the same to
// the bit, as no operations are fused.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__x86_64__) && defined(__gnu_linux__) &&                           \
    !LLVM_ADDRESS_SANITIZER_BUILD
#define TENSORCAST_WIDE_VECTORS                                                \
  __attribute__((target_clones("avx512f", "avx2", "sse4.2", "default")))
#else
#define TENSORCAST_WIDE_VECTORS
#endif

/// Batches that an instruction runs over at a time.
static constexpr size_t blockSize = 128;

namespace {
/// An instruction with the numbers that it is about.
struct Step {
  CodeKind kind;
  double *result;
  const double *const *slots;
  const unsigned *operands;
  const double *coefficients;
  unsigned numOperands;
  double constant;

  const double *operator[](unsigned i) const { return slots[operands[i]]; }
};
} // namespace

/// Adds a constant and terms, four at a time; of a positive part, what is above
/// 0 is left. A value that is no number stays one.
TENSORCAST_WIDE_VECTORS
static void runSum(const Step &step, size_t count) {
  double *result = step.result;
  double constant = step.constant;
  const double *factors = step.coefficients;
  unsigned i = step.numOperands % 4;
  if (i == 0) {
    for (size_t j = 0; j < count; ++j)
      result[j] = constant;
  } else if (i == 1) {
    const double *a = step[0];
    double x = factors[0];
    for (size_t j = 0; j < count; ++j)
      result[j] = constant + x * a[j];
  } else if (i == 2) {
    const double *a = step[0], *b = step[1];
    double x = factors[0], y = factors[1];
    for (size_t j = 0; j < count; ++j)
      result[j] = constant + x * a[j] + y * b[j];
  } else {
    const double *a = step[0], *b = step[1], *c = step[2];
    double x = factors[0], y = factors[1], z = factors[2];
    for (size_t j = 0; j < count; ++j)
      result[j] = constant + x * a[j] + y * b[j] + z * c[j];
  }
  for (; i < step.numOperands; i += 4) {
    const double *a = step[i], *b = step[i + 1], *c = step[i + 2],
                 *d = step[i + 3];
    double x = factors[i], y = factors[i + 1], z = factors[i + 2],
           w = factors[i + 3];
    for (size_t j = 0; j < count; ++j)
      result[j] = result[j] + x * a[j] + y * b[j] + z * c[j] + w * d[j];
  }
  if (step.kind == CodeKind::PositivePart)
    for (size_t j = 0; j < count; ++j)
      result[j] = result[j] < 0 ? 0 : result[j];
}

/// Instructions with one operand.
TENSORCAST_WIDE_VECTORS
static void runUnary(const Step &step, size_t count) {
  double *result = step.result;
  const double *a = step[0];
  if (step.kind == CodeKind::Ceil)
    for (size_t j = 0; j < count; ++j)
      result[j] = __builtin_ceil(a[j]);
  else if (step.kind == CodeKind::Floor)
    for (size_t j = 0; j < count; ++j)
      result[j] = __builtin_floor(a[j]);
  else if (step.kind == CodeKind::IsPositive)
    for (size_t j = 0; j < count; ++j)
      result[j] = a[j] > 0 ? 1.0 : 0.0;
  else if (step.kind == CodeKind::IsZero)
    for (size_t j = 0; j < count; ++j)
      result[j] = a[j] == 0 ? 1.0 : 0.0;
  else
    for (size_t j = 0; j < count; ++j)
      result[j] = __builtin_log2(a[j]);
}

/// Two operands, and then the result and each of the others.
TENSORCAST_WIDE_VECTORS
static void runFold(const Step &step, size_t count) {
  double *result = step.result;
  const double *a = step[0];
  for (unsigned i = 1; i < step.numOperands; ++i) {
    const double *b = step[i];
    if (step.kind == CodeKind::Product)
      for (size_t j = 0; j < count; ++j)
        result[j] = a[j] * b[j];
    else if (step.kind == CodeKind::Quotient)
      for (size_t j = 0; j < count; ++j)
        result[j] = a[j] / b[j];
    else if (step.kind == CodeKind::Max)
      for (size_t j = 0; j < count; ++j)
        result[j] = a[j] < b[j] ? b[j] : a[j];
    else
      for (size_t j = 0; j < count; ++j)
        result[j] = b[j] < a[j] ? b[j] : a[j];
    a = result;
  }
}

TENSORCAST_WIDE_VECTORS
static void runSelect(const Step &step, size_t count) {
  double *result = step.result;
  const double *a = step[0], *b = step[1], *c = step[2];
  for (size_t j = 0; j < count; ++j)
    result[j] = a[j] != 0 ? b[j] : c[j];
}

static void runStep(const Step &step, size_t count) {
  switch (step.kind) {
  case CodeKind::Sum:
  case CodeKind::PositivePart:
    return runSum(step, count);
  case CodeKind::Product:
  case CodeKind::Quotient:
  case CodeKind::Max:
  case CodeKind::Min:
    return runFold(step, count);
  case CodeKind::Select:
    return runSelect(step, count);
  case CodeKind::Ceil:
  case CodeKind::Floor:
  case CodeKind::Log2:
  case CodeKind::IsPositive:
  case CodeKind::IsZero:
    return runUnary(step, count);
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
      runStep({instruction.kind, slots[instruction.result], slots.data(),
               code.operands.data() + instruction.first,
               code.coefficients.data() + instruction.first, instruction.count,
               instruction.constant},
              size);
    for (auto [output, to] : llvm::zip_equal(code.outputs, outputs)) {
      if (output.isConstant)
        std::fill_n(to + begin, size, output.constant);
      else
        std::copy_n(slots[output.slot], size, to + begin);
    }
  }
}

//===----------------------------------------------------------------------===//
// One batch
//===----------------------------------------------------------------------===//

/// The result of an instruction, rounded as above.
static double runOne(const Instruction &instruction, const unsigned *operands,
                     const double *coefficients, const double *slots) {
  auto operand = [&](unsigned i) { return slots[operands[i]]; };
  unsigned count = instruction.count;
  double result = instruction.constant;
  if (instruction.kind == CodeKind::Sum ||
      instruction.kind == CodeKind::PositivePart) {
    for (unsigned i = 0; i < count; ++i)
      result = result + coefficients[i] * operand(i);
    bool isBelow = instruction.kind == CodeKind::PositivePart && result < 0;
    return isBelow ? 0 : result;
  }
  result = operand(0);
  switch (instruction.kind) {
  case CodeKind::Sum:
  case CodeKind::PositivePart:
    break;
  case CodeKind::Product:
    for (unsigned i = 1; i < count; ++i)
      result = result * operand(i);
    return result;
  case CodeKind::Quotient:
    return result / operand(1);
  case CodeKind::Max:
    for (unsigned i = 1; i < count; ++i)
      result = result < operand(i) ? operand(i) : result;
    return result;
  case CodeKind::Min:
    for (unsigned i = 1; i < count; ++i)
      result = operand(i) < result ? operand(i) : result;
    return result;
  case CodeKind::Ceil:
    return std::ceil(result);
  case CodeKind::Floor:
    return std::floor(result);
  case CodeKind::Log2:
    return std::log2(result);
  case CodeKind::IsPositive:
    return result > 0 ? 1 : 0;
  case CodeKind::IsZero:
    return result == 0 ? 1 : 0;
  case CodeKind::Select:
    return result != 0 ? operand(1) : operand(2);
  }
  return result;
}

void mlir::tensorcast::runCode(const Code &code, ArrayRef<double> inputs,
                               MutableArrayRef<double> outputs) {
  SmallVector<double, 512> slots(inputs.begin(), inputs.end());
  slots.resize_for_overwrite(code.numSlots);
  const unsigned *operands = code.operands.data();
  const double *coefficients = code.coefficients.data();
  for (const Instruction &instruction : code.instructions)
    slots[instruction.result] =
        runOne(instruction, operands + instruction.first,
               coefficients + instruction.first, slots.data());
  for (auto [output, to] : llvm::zip_equal(code.outputs, outputs))
    to = output.isConstant ? output.constant : slots[output.slot];
}
