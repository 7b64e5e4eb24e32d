//===- EmitLLVM.cpp - Cost programs as LLVM IR ----------------------------===//
//
// One loop runs over vectors of batches, another over those that are left. No
// operation may be fused or reordered, so that a price is the same to the bit.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Batches in a vector: what the widest registers hold of doubles.
static constexpr unsigned vectorWidth = 8;

namespace {
/// Writes code on vectors of some width, or on doubles for 1.
class CodePrinter {
public:
  CodePrinter(raw_ostream &os, const Code &code, unsigned width)
      : os(os), code(code), width(width), values(code.numSlots),
        type(width == 1 ? "double"
                        : "<" + std::to_string(width) + " x double>"),
        prefix(width == 1 ? "s" : "v") {}

  /// The loop from `first` to `end`, behind the block `before`; jumps to
  /// `after`.
  void printLoop(StringRef before, StringRef first, StringRef end,
                 StringRef after) {
    std::string index = "%" + prefix + "_index";
    os << prefix << "_head:\n  " << index << " = phi i64 [ " << first << ", %"
       << before << " ], [ " << index << "_next, %" << prefix << "_body ]\n  %"
       << prefix << "_more = icmp ult i64 " << index << ", " << end
       << "\n  br i1 %" << prefix << "_more, label %" << prefix
       << "_body, label %" << after << "\n\n"
       << prefix << "_body:\n";
    for (unsigned i = 0; i < code.numInputs; ++i) {
      std::string address = define("getelementptr inbounds double, ptr %input" +
                                   std::to_string(i) + ", i64 " + index);
      values[i] = define("load " + type + ", ptr " + address + ", align 8");
    }
    for (const Instruction &instruction : code.instructions)
      values[instruction.result] = print(instruction);
    for (auto [i, output] : llvm::enumerate(code.outputs)) {
      std::string value =
          output.isConstant ? constant(output.constant) : values[output.slot];
      std::string address =
          define("getelementptr inbounds double, ptr %output" +
                 std::to_string(i) + ", i64 " + index);
      os << "  store " << type << ' ' << value << ", ptr " << address
         << ", align 8\n";
    }
    os << "  " << index << "_next = add nuw i64 " << index << ", " << width
       << "\n  br label %" << prefix << "_head\n\n";
  }

private:
  std::string define(const Twine &text) {
    std::string name = "%" + prefix + std::to_string(numValues++);
    os << "  " << name << " = " << text << '\n';
    return name;
  }

  std::string constant(double value) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << llvm::format("0x%016llX", static_cast<unsigned long long>(
                                            llvm::bit_cast<uint64_t>(value)));
    return width == 1 ? text : "splat (double " + text + ")";
  }

  std::string binary(StringRef op, StringRef lhs, StringRef rhs) {
    return define(op + " " + type + " " + lhs + ", " + rhs);
  }

  /// 1 where a comparison holds, else 0.
  std::string toNumber(StringRef condition) {
    std::string bits =
        width == 1 ? "i1" : "<" + std::to_string(width) + " x i1>";
    return define("uitofp " + bits + " " + condition + " to " + type);
  }

  std::string select(StringRef condition, StringRef lhs, StringRef rhs) {
    std::string bits =
        width == 1 ? "i1" : "<" + std::to_string(width) + " x i1>";
    return define("select " + bits + " " + condition + ", " + type + " " + lhs +
                  ", " + type + " " + rhs);
  }

  std::string call(StringRef function, StringRef operand) {
    std::string suffix =
        width == 1 ? "f64" : "v" + std::to_string(width) + "f64";
    return define("call " + type + " @llvm." + function + "." + suffix + "(" +
                  type + " " + operand + ")");
  }

  std::string printSum(const Instruction &instruction) {
    std::string sum;
    if (instruction.constant != 0 || instruction.count == 0)
      sum = constant(instruction.constant);
    for (auto [operand, coefficient] :
         llvm::zip_equal(code.getOperands(instruction),
                         code.getCoefficients(instruction))) {
      std::string term = values[operand];
      if (coefficient != 1)
        term = binary("fmul", term, constant(coefficient));
      sum = sum.empty() ? term : binary("fadd", sum, term);
    }
    return sum;
  }

  std::string print(const Instruction &instruction) {
    ArrayRef<unsigned> operands = code.getOperands(instruction);
    auto value = [&](unsigned i) { return values[operands[i]]; };
    std::string zero = constant(0);
    switch (instruction.kind) {
    case CodeKind::Sum:
      return printSum(instruction);
    case CodeKind::PositivePart: {
      std::string sum = printSum(instruction);
      return select(binary("fcmp olt", sum, zero), zero, sum);
    }
    case CodeKind::Product:
    case CodeKind::Max:
    case CodeKind::Min:
      return printFold(instruction);
    case CodeKind::Quotient:
      return binary("fdiv", value(0), value(1));
    case CodeKind::Ceil:
      return call("ceil", value(0));
    case CodeKind::Floor:
      return call("floor", value(0));
    case CodeKind::Log2:
      return printLog2(value(0));
    case CodeKind::IsPositive:
      return toNumber(binary("fcmp ogt", value(0), zero));
    case CodeKind::IsZero:
      return toNumber(binary("fcmp oeq", value(0), zero));
    case CodeKind::Select:
      return select(binary("fcmp une", value(0), zero), value(1), value(2));
    }
    return zero;
  }

  std::string printFold(const Instruction &instruction) {
    ArrayRef<unsigned> operands = code.getOperands(instruction);
    std::string result = values[operands.front()];
    for (unsigned operand : operands.drop_front()) {
      const std::string &other = values[operand];
      if (instruction.kind == CodeKind::Product)
        result = binary("fmul", result, other);
      else if (instruction.kind == CodeKind::Max)
        result = select(binary("fcmp olt", result, other), other, result);
      else
        result = select(binary("fcmp olt", other, result), other, result);
    }
    return result;
  }

  /// The C library has it for one number.
  std::string printLog2(StringRef operand) {
    if (width == 1)
      return define("call double @log2(double " + operand + ")");
    std::string result = "poison";
    for (unsigned i = 0; i < width; ++i) {
      std::string lane = ", i32 " + std::to_string(i);
      std::string one = define("extractelement " + type + " " + operand + lane);
      std::string logarithm = define("call double @log2(double " + one + ")");
      result = define("insertelement " + type + " " + result + ", double " +
                      logarithm + lane);
    }
    return result;
  }

  raw_ostream &os;
  const Code &code;
  unsigned width, numValues = 0;
  std::vector<std::string> values;
  std::string type, prefix;
};
} // namespace

void CostProgram::emitLLVM(raw_ostream &os, bool withKernels) const {
  const Code &code = withKernels ? implementation->rows : implementation->sums;
  os << "; What a step costs: ";
  for (char c : implementation->title)
    os << (llvm::isPrint(c) ? c : ' ');
  os << ".\n; Written by tensorcast cost-program --emit-llvm.\n;\n"
        "; Execution and kernel time in seconds, bytes of weights, caches and "
        "activations,\n; and the number of conditions that a batch does not "
        "meet"
     << (withKernels ? ";\n; then calls and seconds of each kernel" : "")
     << ".\n\n";
  for (StringRef function : {"ceil", "floor"})
    os << "declare double @llvm." << function << ".f64(double)\ndeclare <"
       << vectorWidth << " x double> @llvm." << function << ".v" << vectorWidth
       << "f64(<" << vectorWidth << " x double>)\n";
  os << "declare double @log2(double)\n\n"
        "define void @"
     << kLLVMFunction << "(ptr %inputs, i64 %count, ptr %outputs) {\nentry:\n";
  auto load = [&](StringRef name, StringRef table, unsigned i) {
    os << "  %" << name << i << "_address = getelementptr inbounds ptr, ptr "
       << table << ", i64 " << i << "\n  %" << name << i << " = load ptr, ptr %"
       << name << i << "_address, align 8\n";
  };
  for (unsigned i = 0; i < code.numInputs; ++i)
    load("input", "%inputs", i);
  for (unsigned i = 0; i < code.outputs.size(); ++i)
    load("output", "%outputs", i);
  os << "  %whole = and i64 %count, -" << vectorWidth
     << "\n  br label %v_head\n\n";
  CodePrinter(os, code, vectorWidth)
      .printLoop("entry", "0", "%whole", "s_head");
  CodePrinter(os, code, 1).printLoop("v_head", "%whole", "%count", "exit");
  os << "exit:\n  ret void\n}\n";
}
