//===- ExprSyntax.cpp - Text of workload expressions ----------------------===//
//
// Reads and writes `8 + 24 * sequences + sum(q * kv)`. What is read is brought
// to the normal form, so that printing it again is stable.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// A recursive-descent parser: sums of products of integers, symbols and
/// functions.
class ExprParser {
public:
  ExprParser(AsmParser &parser)
      : parser(parser), context(parser.getContext()) {}

  FailureOr<ExprAttr> parseSum() {
    // Deeper text is not written by anyone, and would exhaust the stack.
    static constexpr unsigned maxDepth = 128;
    if (++depth > maxDepth)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected an expression of at most ")
             << maxDepth << " levels";
    bool negative = succeeded(parser.parseOptionalMinus());
    FailureOr<ExprAttr> sum = parseProduct();
    if (failed(sum))
      return failure();
    if (negative)
      *sum = *sum * -1.0;
    while (true) {
      double sign = 1;
      if (succeeded(parser.parseOptionalMinus()))
        sign = -1;
      else if (failed(parser.parseOptionalPlus()))
        break;
      SMLoc loc = parser.getCurrentLocation();
      FailureOr<ExprAttr> next = parseProduct();
      if (failed(next))
        return failure();
      *sum = *sum + *next * sign;
      if (failed(checkFinite(*sum, loc)))
        return failure();
    }
    --depth;
    return sum;
  }

private:
  FailureOr<ExprAttr> parseProduct() {
    FailureOr<ExprAttr> product = parseFactor();
    while (succeeded(product) && succeeded(parser.parseOptionalStar())) {
      SMLoc loc = parser.getCurrentLocation();
      FailureOr<ExprAttr> next = parseFactor();
      if (failed(next))
        return failure();
      static constexpr size_t maxTerms = 256;
      if (getNumTerms(*product) * getNumTerms(*next) > maxTerms)
        return parser.emitError(loc, "expected a product of at most ")
               << maxTerms << " terms";
      static constexpr size_t maxFactors = 32;
      if (getNumFactors(*product) + getNumFactors(*next) > maxFactors)
        return parser.emitError(loc, "expected a product of at most ")
               << maxFactors << " symbols and functions";
      product = *product * *next;
      if (failed(checkFinite(*product, loc)))
        return failure();
    }
    return product;
  }

  LogicalResult checkFinite(ExprAttr expr, SMLoc loc) {
    if (isFinite(expr))
      return success();
    return parser.emitError(loc, "expected coefficients within the range of a "
                                 "double");
  }

  FailureOr<ExprAttr> parseFactor() {
    SMLoc loc = parser.getCurrentLocation();
    // Sums and products are kept sorted, which takes long for many terms.
    static constexpr unsigned maxFactors = 1024;
    if (++numFactors > maxFactors)
      return parser.emitError(loc, "expected an expression of at most ")
             << maxFactors << " numbers, symbols and functions";
    APInt number;
    OptionalParseResult integer = parser.parseOptionalInteger(number);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      // APInt::signedRoundToDouble is wrong beyond 64 bits.
      llvm::APFloat rounded(llvm::APFloat::IEEEdouble());
      rounded.convertFromAPInt(number, /*IsSigned=*/true,
                               llvm::APFloat::rmNearestTiesToEven);
      double value = rounded.convertToDouble();
      if (!(std::fabs(value) <= 0x1p100))
        return parser.emitError(loc, "expected a number of at most 2^100");
      return ExprAttr::constant(context, value);
    }
    // Before attributes, which would read a function type here.
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<ExprAttr> inner = parseSum();
      if (failed(inner) || parser.parseRParen())
        return failure();
      return inner;
    }
    Attribute decimal;
    OptionalParseResult fraction = parser.parseOptionalAttribute(
        decimal, parser.getBuilder().getF64Type());
    if (fraction.has_value()) {
      auto value = dyn_cast_or_null<FloatAttr>(decimal);
      if (failed(*fraction))
        return failure();
      if (!value || !value.getType().isF64() || !value.getValue().isFinite())
        return parser.emitError(loc, "expected a finite number");
      return ExprAttr::constant(context, value.getValueAsDouble());
    }
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(loc, "expected a number, a symbol or a function "
                                   "of an expression");
    return parseNamed(name, loc);
  }

  FailureOr<ExprAttr> parseNamed(StringRef name, SMLoc loc) {
    if (name == "tokens")
      return getTokensExpr(context);
    if (name == "sequences")
      return getSequencesExpr(context);
    if (name == "q")
      return getNewTokensExpr(context);
    if (name == "kv")
      return getTotalTokensExpr(context);
    if (name == "decode")
      return getDecodeExpr(context);
    if (name == "images")
      return getImagesExpr(context);
    if (name == "image_rows")
      return getImageRowsExpr(context);
    if (name == "image_columns")
      return getImageColumnsExpr(context);
    std::optional<ExprKind> kind = symbolizeExprKind(name);
    bool isFunction =
        kind && *kind >= ExprKind::CeilDiv && *kind <= ExprKind::Divide;
    if (!isFunction && name != "sum") {
      StringRef known[] = {
          "tokens",   "sequences", "q",      "kv",         "decode",
          "sum",      "max",       "min",    "mod",        "ceildiv",
          "floordiv", "div",       "log2",   "eq",         "ne",
          "lt",       "le",        "images", "image_rows", "image_columns"};
      return parser.emitError(loc,
                              tensorcast::unknownName("symbol", name, known));
    }
    SmallVector<ExprAttr> operands;
    auto parseOperand = [&]() -> ParseResult {
      FailureOr<ExprAttr> operand = parseSum();
      if (failed(operand))
        return failure();
      operands.push_back(*operand);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                       parseOperand))
      return failure();
    return makeCall(name, kind, operands, loc);
  }

  FailureOr<ExprAttr> makeCall(StringRef name, std::optional<ExprKind> kind,
                               ArrayRef<ExprAttr> operands, SMLoc loc) {
    if (name == "sum" && operands.size() == 1)
      return sumOverRequests(operands.front());
    if (name == "max" && operands.size() == 1)
      return maxOverRequests(operands.front());
    size_t expected = name == "sum" || name == "log2" ? 1 : 2;
    if (operands.size() != expected)
      return parser.emitError(loc, "expected ")
             << expected << " operands of '" << name << "', but got "
             << operands.size();
    bool divides = *kind == ExprKind::CeilDiv || *kind == ExprKind::FloorDiv ||
                   *kind == ExprKind::Mod || *kind == ExprKind::Divide;
    if (divides && operands.back().isConstant() &&
        operands.back().getValue() <= 0)
      return parser.emitError(loc, "expected a divisor above 0, but got ")
             << tensorcast::describeNumber(operands.back().getValue());
    return getFunctionExpr(*kind, operands);
  }

  AsmParser &parser;
  MLIRContext *context;
  unsigned depth = 0, numFactors = 0;
};
} // namespace

FailureOr<ExprAttr> mlir::transformer::parseExprText(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<ExprAttr> expr = ExprParser(parser).parseSum();
  if (failed(expr))
    return failure();
  if (dependsOnRequest(*expr))
    return parser.emitError(loc, "expected 'q' and 'kv' inside of sum(...) or "
                                 "max(...), since they differ by request");
  return expr;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints a number so that it reads back as the same.
static void printNumber(raw_ostream &os, double value) {
  if (value == std::floor(value) && std::fabs(value) <= 0x1p100)
    os << llvm::format("%.0f", value);
  else
    os << tensorcast::formatDecimal(value);
}

static void printAtom(raw_ostream &os, ExprAttr expr) {
  ExprKind kind = expr.getKind();
  if (kind == ExprKind::SumOverRequests) {
    ExprAttr operand = expr.getOperands().front();
    if (operand.isConstant(1)) {
      os << "sequences";
      return;
    }
    if (operand.getKind() == ExprKind::NewTokens) {
      os << "tokens";
      return;
    }
  }
  os << (kind == ExprKind::MaxOverRequests ? "max" : stringifyExprKind(kind));
  if (expr.getOperands().empty())
    return;
  os << '(';
  llvm::interleaveComma(expr.getOperands(), os,
                        [&](ExprAttr operand) { printExprText(os, operand); });
  os << ')';
}

/// Prints a constant, atom or product without its sign.
static void printTerm(raw_ostream &os, ExprAttr term) {
  if (term.isConstant())
    return printNumber(os, std::fabs(term.getValue()));
  if (term.getKind() != ExprKind::Product)
    return printAtom(os, term);
  double coefficient = std::fabs(term.getValue());
  if (coefficient != 1) {
    printNumber(os, coefficient);
    os << " * ";
  }
  llvm::interleave(
      term.getOperands(), os, [&](ExprAttr atom) { printAtom(os, atom); },
      " * ");
}

static bool isNegative(ExprAttr term) {
  return (term.isConstant() || term.getKind() == ExprKind::Product) &&
         term.getValue() < 0;
}

void mlir::transformer::printExprText(raw_ostream &os, ExprAttr expr) {
  SmallVector<ExprAttr> terms{expr};
  if (expr.getKind() == ExprKind::Sum)
    terms.assign(expr.getOperands().begin(), expr.getOperands().end());
  for (auto [index, term] : llvm::enumerate(terms)) {
    if (index > 0)
      os << (isNegative(term) ? " - " : " + ");
    else if (isNegative(term))
      os << "-";
    printTerm(os, term);
  }
}

//===----------------------------------------------------------------------===//
// Attributes and directives
//===----------------------------------------------------------------------===//

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ExprAttr> expr = parseExprText(parser);
  if (failed(expr) || parser.parseGreater())
    return {};
  return *expr;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExprText(printer.getStream(), *this);
  printer << '>';
}

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<ExprAttr> exprs;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<ExprAttr> expr = parseExprText(parser);
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return {};
  return DimsAttr::get(parser.getContext(), exprs);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getExprs(), printer, [&](ExprAttr expr) {
    printExprText(printer.getStream(), expr);
  });
  printer << '>';
}

ParseResult mlir::transformer::parseExpr(OpAsmParser &parser, ExprAttr &expr) {
  FailureOr<ExprAttr> parsed = parseExprText(parser);
  if (failed(parsed))
    return failure();
  expr = *parsed;
  return success();
}

void mlir::transformer::printExpr(OpAsmPrinter &printer, Operation *,
                                  ExprAttr expr) {
  printExprText(printer.getStream(), expr);
}

ParseResult mlir::transformer::parseDecimal(OpAsmParser &parser,
                                            FloatAttr &value) {
  double number;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseFloat(number))
    return failure();
  if (!std::isfinite(number))
    return parser.emitError(loc, "expected a finite number");
  value = parser.getBuilder().getF64FloatAttr(number);
  return success();
}

void mlir::transformer::printDecimal(OpAsmPrinter &printer, Operation *,
                                     FloatAttr value) {
  printer << tensorcast::formatDecimal(value.getValueAsDouble());
}
