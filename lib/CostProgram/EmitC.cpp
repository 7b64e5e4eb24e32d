//===- EmitC.cpp - Cost programs as C -------------------------------------===//
//
// Every instruction becomes a constant, with the operations in the order in
// which the interpreter does them, so that a price is the same to the bit.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;

/// What C programs use, and how.
static constexpr StringLiteral interface = R"(
#include <math.h>
#include <stddef.h>

/* Requests that are alike, of those that one group of devices works on. */
struct tensorcast_requests {
  double requests;     /* how many */
  double new_tokens;   /* of each, in this step */
  double total_tokens; /* of each, in the cache and new */
  double decode;       /* 1 in decode, where all tokens yield logits, else 0 */
};

/* Images that one group of devices looks at, and the cells of each. */
struct tensorcast_images {
  double images, rows, columns;
};

struct tensorcast_price {
  double execution_time_s, kernel_time_s;
  double weights_bytes, kv_cache_bytes, activation_bytes, reserved_bytes;
  double device_bytes;
};

struct tensorcast_kernel {
  double calls, total_s;
};

/* Computes the features of a batch of `count` kinds of requests; `images` may be
   null. */
void tensorcast_features(const struct tensorcast_requests *requests,
                         size_t count, const struct tensorcast_images *images,
                         double features[]);

/* Prices a batch; `kernels` may be null. Returns null, or why there is no price:
   the program is not for such batches. */
const char *tensorcast_price(const double features[],
                             struct tensorcast_price *price,
                             struct tensorcast_kernel kernels[]);

/* Prices `count` batches, of which feature i of batch j is `features[i][j]`.
   Those without a price get NaN; returns how many they are. */
size_t tensorcast_prices(const double *const features[], size_t count,
                         double execution_time_s[], double used_bytes[]);

/* A fused multiply-add would be rounded otherwise. */
#pragma STDC FP_CONTRACT OFF

static inline double positive_part(double x) { return x < 0 ? 0 : x; }
static inline double larger(double x, double y) { return x < y ? y : x; }
static inline double smaller(double x, double y) { return y < x ? y : x; }
)";

namespace {
/// A number as C writes it, exactly.
struct Number {
  double value;
};

raw_ostream &operator<<(raw_ostream &os, Number number) {
  if (std::isinf(number.value))
    return os << (number.value < 0 ? "-INFINITY" : "INFINITY");
  return os << llvm::format("%.17g", number.value);
}

/// Text as a C string.
struct Quoted {
  StringRef text;
};

raw_ostream &operator<<(raw_ostream &os, Quoted quoted) {
  os << '"';
  for (char c : quoted.text) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (llvm::isPrint(c))
      os << c;
    else
      os << llvm::format("\\%03o", static_cast<unsigned char>(c));
  }
  return os << '"';
}

/// Text in a comment, which it must not end.
std::string toComment(StringRef text) {
  std::string result;
  for (char c : text) {
    bool ends = c == '/' && StringRef(result).ends_with("*");
    result += ends || !llvm::isPrint(c) ? ' ' : c;
  }
  return result;
}

/// Writes code as definitions of constants, each with a number of its own.
class CodePrinter {
public:
  CodePrinter(raw_ostream &os, const Code &code, StringRef indent,
              function_ref<std::string(unsigned)> getInput)
      : os(os), code(code), indent(indent), names(code.numSlots) {
    for (unsigned i = 0; i < code.numInputs; ++i)
      names[i] = getInput(i);
    for (auto [number, instruction] : llvm::enumerate(code.instructions)) {
      std::string text;
      llvm::raw_string_ostream expression(text);
      printExpression(expression, instruction);
      std::string name = "v" + std::to_string(number);
      printWrapped("const double " + name + " = " + text + ";");
      names[instruction.result] = name;
    }
  }

  std::string getOutput(unsigned i) const {
    const CodeOutput &output = code.outputs[i];
    if (!output.isConstant)
      return names[output.slot];
    std::string text;
    llvm::raw_string_ostream(text) << Number{output.constant};
    return text;
  }

private:
  /// Breaks lines where terms begin.
  void printWrapped(StringRef text) {
    static constexpr size_t width = 78;
    os << indent;
    size_t column = indent.size();
    while (!text.empty()) {
      auto [term, rest] = text.split(" + ");
      os << term;
      column += term.size();
      if (rest.empty())
        break;
      os << " +";
      size_t next = rest.find(" + ");
      if (column + std::min(next, rest.size()) + 4 > width) {
        os << '\n' << indent << "    ";
        column = indent.size() + 4;
      } else {
        os << ' ';
        column += 3;
      }
      text = rest;
    }
    os << '\n';
  }

  void printExpression(raw_ostream &os, const Instruction &instruction) {
    ArrayRef<unsigned> operands = code.getOperands(instruction);
    auto name = [&](unsigned i) -> StringRef { return names[operands[i]]; };
    auto nest = [&](StringRef function) {
      for (size_t i = 1; i < operands.size(); ++i)
        os << function << '(';
      os << name(0);
      for (unsigned operand : operands.drop_front())
        os << ", " << names[operand] << ')';
    };
    switch (instruction.kind) {
    case CodeKind::Sum:
      return printSum(os, instruction);
    case CodeKind::PositivePart:
      os << "positive_part(";
      printSum(os, instruction);
      os << ')';
      return;
    case CodeKind::Product:
      os << name(0);
      for (unsigned operand : operands.drop_front())
        os << " * " << names[operand];
      return;
    case CodeKind::Quotient:
      os << name(0) << " / " << name(1);
      return;
    case CodeKind::Max:
      return nest("larger");
    case CodeKind::Min:
      return nest("smaller");
    case CodeKind::Ceil:
      os << "ceil(" << name(0) << ')';
      return;
    case CodeKind::Floor:
      os << "floor(" << name(0) << ')';
      return;
    case CodeKind::Log2:
      os << "log2(" << name(0) << ')';
      return;
    case CodeKind::IsPositive:
      os << name(0) << " > 0";
      return;
    case CodeKind::IsZero:
      os << name(0) << " == 0";
      return;
    case CodeKind::Select:
      os << name(0) << " != 0 ? " << name(1) << " : " << name(2);
      return;
    }
  }

  void printSum(raw_ostream &os, const Instruction &instruction) {
    StringRef separator = "";
    if (instruction.constant != 0 || instruction.count == 0) {
      os << Number{instruction.constant};
      separator = " + ";
    }
    for (auto [operand, coefficient] :
         llvm::zip_equal(code.getOperands(instruction),
                         code.getCoefficients(instruction))) {
      os << std::exchange(separator, " + ");
      if (coefficient != 1)
        os << Number{coefficient} << " * ";
      os << names[operand];
    }
  }

  raw_ostream &os;
  const Code &code;
  StringRef indent;
  std::vector<std::string> names;
};

class ProgramPrinter {
public:
  using Program = CostProgram::Implementation;

  ProgramPrinter(raw_ostream &os, const Program &program)
      : os(os), program(program) {}

  void print() {
    os << "/* What a step costs: " << toComment(program.title)
       << ".\n   Written by tensorcast cost-program --emit-c. */\n";
    os << interface << "\n#define TENSORCAST_NUM_FEATURES "
       << program.features.size() << "\n#define TENSORCAST_NUM_KERNELS "
       << program.kernels.size()
       << "\n/* Groups of devices that share the requests. */\n"
          "#define TENSORCAST_DATA_PARALLEL "
       << program.dataParallel << "\n\n";
    printNames();
    printFeatures();
    printPrice();
    printPrices();
  }

private:
  void printNames() {
    os << "const char *const tensorcast_feature_names[] = {\n";
    for (const Feature &feature : program.features)
      os << "    " << Quoted{feature.text} << ",\n";
    os << "    0};\n\nconst char *const tensorcast_kernel_names[] = {\n";
    for (const KernelName &kernel : program.kernels)
      os << "    " << Quoted{kernel.first} << ", /* "
         << toComment(kernel.second) << " */\n";
    os << "    0};\n\n";
  }

  void printFeatures() {
    os << "void tensorcast_features(const struct tensorcast_requests "
          "*requests,\n"
          "                         size_t count, const struct "
          "tensorcast_images *images,\n"
          "                         double features[]) {\n"
          "  size_t i;\n  (void)requests, (void)count, (void)images, "
          "(void)i;\n";
    for (auto [number, feature] : llvm::enumerate(program.features)) {
      os << "  features[" << number << "] = ";
      switch (feature.kind) {
      case FeatureKind::Sum:
        os << "0;\n";
        break;
      case FeatureKind::Max:
        os << "-INFINITY;\n";
        break;
      case FeatureKind::Decode:
        os << "1;\n  for (i = 0; i < count; ++i)\n    features[" << number
           << "] *= requests[i].decode;\n";
        break;
      case FeatureKind::Images:
        os << "images ? images->images : 0;\n";
        break;
      case FeatureKind::ImageRows:
        os << "images ? images->rows : 0;\n";
        break;
      case FeatureKind::ImageColumns:
        os << "images ? images->columns : 0;\n";
        break;
      }
    }
    for (const FeatureCode &level : program.featureCode)
      if (!level.features.empty())
        printLevel(level);
    os << "}\n\n";
  }

  void printLevel(const FeatureCode &level) {
    os << "  for (i = 0; i < count; ++i) {\n"
          "    const double n = requests[i].requests;\n"
          "    const double q = requests[i].new_tokens;\n"
          "    const double kv = requests[i].total_tokens;\n"
          "    const double decode = requests[i].decode;\n";
    CodePrinter printer(os, level.code, "    ", [&](unsigned i) {
      constexpr StringLiteral names[] = {"q", "kv", "decode"};
      return i < 3 ? names[i].str()
                   : "features[" + std::to_string(level.inputs[i - 3]) + "]";
    });
    os << "    (void)n, (void)q, (void)kv, (void)decode;\n";
    for (auto [i, number] : llvm::enumerate(level.features)) {
      std::string feature = "features[" + std::to_string(number) + "]";
      if (program.features[number].kind == FeatureKind::Max)
        os << "    " << feature << " = larger(" << feature << ", "
           << printer.getOutput(i) << ");\n";
      else
        os << "    " << feature << " = " << feature << " + n * "
           << printer.getOutput(i) << ";\n";
    }
    os << "  }\n";
  }

  static std::string getFeature(unsigned i) {
    return "features[" + std::to_string(i) + "]";
  }

  /// Leaves a function with what is wrong with a batch.
  void printRejection(const Twine &condition, StringRef text) {
    os << "  if (" << condition << ")\n    return " << Quoted{text} << ";\n";
  }

  void printPrice() {
    os << "const char *tensorcast_price(const double features[],\n"
          "                             struct tensorcast_price *price,\n"
          "                             struct tensorcast_kernel kernels[]) "
          "{\n";
    for (auto [number, feature] : llvm::enumerate(program.features)) {
      std::string text;
      llvm::raw_string_ostream bounds(text);
      bounds << "!(" << getFeature(number)
             << " >= " << Number{feature.range.least} << " && "
             << getFeature(number) << " <= " << Number{feature.range.most}
             << ")";
      printRejection(text, "expected '" + feature.text +
                               "' in the range of what batches have");
    }
    os << "  {\n";
    CodePrinter checks(os, program.checks, "    ", getFeature);
    for (auto [i, text] : llvm::enumerate(program.texts))
      os << "    if (" << checks.getOutput(i) << " != 0)\n      return "
         << Quoted{text} << ";\n";
    os << "  }\n  {\n";
    CodePrinter sums(os, program.sums, "    ", getFeature);
    constexpr StringLiteral fields[] = {"execution_time_s", "kernel_time_s",
                                        "weights_bytes", "kv_cache_bytes",
                                        "activation_bytes"};
    for (auto [i, field] : llvm::enumerate(fields))
      os << "    price->" << field << " = " << sums.getOutput(i) << ";\n";
    os << "    price->reserved_bytes = " << Number{program.reservedBytes}
       << ";\n    price->device_bytes = " << Number{program.deviceBytes}
       << ";\n  }\n";
    printRejection("!isfinite(price->execution_time_s + price->weights_bytes "
                   "+\n                price->kv_cache_bytes + "
                   "price->activation_bytes)",
                   "expected a finite time and memory");
    os << "  if (kernels) {\n";
    CodePrinter rows(os, program.rows, "    ", getFeature);
    for (size_t i = 0; i < program.kernels.size(); ++i)
      os << "    kernels[" << i << "].calls = "
         << rows.getOutput(CostProgram::Implementation::numSums + 2 * i)
         << ";\n    kernels[" << i << "].total_s = "
         << rows.getOutput(CostProgram::Implementation::numSums + 2 * i + 1)
         << ";\n";
    os << "  }\n  return 0;\n}\n\n";
  }

  void printPrices() {
    os << "size_t tensorcast_prices(const double *const features[], size_t "
          "count,\n"
          "                         double execution_time_s[], double "
          "used_bytes[]) {\n"
          "  size_t rejected = 0, i;\n  for (i = 0; i < count; ++i) {\n";
    auto getInput = [](unsigned i) {
      return "features[" + std::to_string(i) + "][i]";
    };
    CodePrinter total(os, program.total, "    ", getInput);
    os << "    const double time = " << total.getOutput(0)
       << ", bytes = " << total.getOutput(1)
       << ";\n    const int priced = " << total.getOutput(2)
       << " == 0 && time - time == 0 && bytes - bytes == 0";
    for (auto [number, feature] : llvm::enumerate(program.features))
      os << " &&\n        " << getInput(number)
         << " >= " << Number{feature.range.least} << " && " << getInput(number)
         << " <= " << Number{feature.range.most};
    os << ";\n    execution_time_s[i] = priced ? time : NAN;\n"
          "    used_bytes[i] = priced ? bytes : NAN;\n"
          "    rejected += !priced;\n  }\n  return rejected;\n}\n";
  }

  raw_ostream &os;
  const Program &program;
};
} // namespace

void CostProgram::emitC(raw_ostream &os) const {
  ProgramPrinter(os, *implementation).print();
}
