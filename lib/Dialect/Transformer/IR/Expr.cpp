//===- Expr.cpp - Normal form of workload expressions ---------------------===//
//
// A normal form is a constant, an atom (a feature, symbol or function), a
// product of a coefficient and sorted atoms, or a sum of at least two sorted
// terms.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static ExprAttr makeNode(MLIRContext *context, ExprKind kind,
                         ArrayRef<ExprAttr> operands = {}, double value = 0) {
  return ExprAttr::get(context, kind, llvm::bit_cast<uint64_t>(value),
                       operands);
}

ExprAttr ExprAttr::constant(MLIRContext *context, double value) {
  // Minus zero would be a second constant of the same value.
  return makeNode(context, ExprKind::Constant, {}, value == 0 ? 0.0 : value);
}

double ExprAttr::getValue() const { return llvm::bit_cast<double>(getBits()); }

/// A total order that does not depend on where attributes live in memory.
static int compare(ExprAttr lhs, ExprAttr rhs) {
  if (lhs == rhs)
    return 0;
  if (lhs.getKind() != rhs.getKind())
    return lhs.getKind() < rhs.getKind() ? -1 : 1;
  for (auto [left, right] : llvm::zip(lhs.getOperands(), rhs.getOperands()))
    if (int order = compare(left, right))
      return order;
  if (lhs.getOperands().size() != rhs.getOperands().size())
    return lhs.getOperands().size() < rhs.getOperands().size() ? -1 : 1;
  return lhs.getValue() < rhs.getValue() ? -1 : 1;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

namespace {
/// A coefficient times atoms, which are sorted.
struct Term {
  double coefficient;
  SmallVector<ExprAttr, 2> atoms;
};
} // namespace

static Term getTerm(ExprAttr expr) {
  if (expr.isConstant())
    return {expr.getValue(), {}};
  if (expr.getKind() == ExprKind::Product)
    return {expr.getValue(), llvm::to_vector<2>(expr.getOperands())};
  return {1, {expr}};
}

static SmallVector<Term> getTerms(ExprAttr expr) {
  if (expr.getKind() != ExprKind::Sum)
    return {getTerm(expr)};
  return llvm::map_to_vector(expr.getOperands(), getTerm);
}

static int compare(ArrayRef<ExprAttr> lhs, ArrayRef<ExprAttr> rhs) {
  if (lhs.size() != rhs.size())
    return lhs.size() < rhs.size() ? -1 : 1;
  for (auto [left, right] : llvm::zip(lhs, rhs))
    if (int order = compare(left, right))
      return order;
  return 0;
}

static ExprAttr fromTerm(MLIRContext *context, const Term &term) {
  if (term.atoms.empty())
    return ExprAttr::constant(context, term.coefficient);
  if (term.coefficient == 1 && term.atoms.size() == 1)
    return term.atoms.front();
  return makeNode(context, ExprKind::Product, term.atoms, term.coefficient);
}

static ExprAttr fromTerms(MLIRContext *context, SmallVector<Term> terms) {
  llvm::sort(terms, [](const Term &lhs, const Term &rhs) {
    return compare(lhs.atoms, rhs.atoms) < 0;
  });
  SmallVector<ExprAttr> operands;
  for (auto it = terms.begin(); it != terms.end();) {
    Term merged = *it++;
    while (it != terms.end() && compare(it->atoms, merged.atoms) == 0)
      merged.coefficient += (it++)->coefficient;
    if (merged.coefficient != 0)
      operands.push_back(fromTerm(context, merged));
  }
  if (operands.empty())
    return ExprAttr::constant(context, 0);
  if (operands.size() == 1)
    return operands.front();
  return makeNode(context, ExprKind::Sum, operands);
}

size_t mlir::transformer::getNumTerms(ExprAttr expr) {
  return expr.getKind() == ExprKind::Sum ? expr.getOperands().size() : 1;
}

size_t mlir::transformer::getNumFactors(ExprAttr expr) {
  size_t longest = 0;
  for (const Term &term : getTerms(expr))
    longest = std::max<size_t>(longest, term.atoms.size());
  return longest;
}

bool mlir::transformer::isFinite(ExprAttr expr) {
  return llvm::all_of(getTerms(expr), [](const Term &term) {
    return std::isfinite(term.coefficient);
  });
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

ExprAttr mlir::transformer::getNewTokensExpr(MLIRContext *context) {
  return makeNode(context, ExprKind::NewTokens);
}
ExprAttr mlir::transformer::getTotalTokensExpr(MLIRContext *context) {
  return makeNode(context, ExprKind::TotalTokens);
}
ExprAttr mlir::transformer::getDecodeExpr(MLIRContext *context) {
  return makeNode(context, ExprKind::Decode);
}
ExprAttr mlir::transformer::getImagesExpr(MLIRContext *context) {
  return makeNode(context, ExprKind::Images);
}
ExprAttr mlir::transformer::getImageRowsExpr(MLIRContext *context) {
  return makeNode(context, ExprKind::ImageRows);
}
ExprAttr mlir::transformer::getImageColumnsExpr(MLIRContext *context) {
  return makeNode(context, ExprKind::ImageColumns);
}
ExprAttr mlir::transformer::getImageCellsExpr(MLIRContext *context) {
  return getImagesExpr(context) * getImageRowsExpr(context) *
         getImageColumnsExpr(context);
}
ExprAttr mlir::transformer::getTokensExpr(MLIRContext *context) {
  return sumOverRequests(getNewTokensExpr(context));
}
ExprAttr mlir::transformer::getSequencesExpr(MLIRContext *context) {
  return sumOverRequests(ExprAttr::constant(context, 1));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

ExprAttr mlir::transformer::operator+(ExprAttr lhs, ExprAttr rhs) {
  SmallVector<Term> terms = getTerms(lhs);
  llvm::append_range(terms, getTerms(rhs));
  return fromTerms(lhs.getContext(), std::move(terms));
}

ExprAttr mlir::transformer::operator*(ExprAttr lhs, ExprAttr rhs) {
  SmallVector<Term> terms;
  SmallVector<Term> right = getTerms(rhs);
  for (const Term &a : getTerms(lhs)) {
    for (const Term &b : right) {
      Term product = a;
      product.coefficient *= b.coefficient;
      llvm::append_range(product.atoms, b.atoms);
      llvm::sort(product.atoms,
                 [](ExprAttr x, ExprAttr y) { return compare(x, y) < 0; });
      terms.push_back(std::move(product));
    }
  }
  return fromTerms(lhs.getContext(), std::move(terms));
}

ExprAttr mlir::transformer::operator+(ExprAttr lhs, double rhs) {
  return lhs + ExprAttr::constant(lhs.getContext(), rhs);
}
ExprAttr mlir::transformer::operator*(ExprAttr lhs, double rhs) {
  return lhs * ExprAttr::constant(lhs.getContext(), rhs);
}
ExprAttr mlir::transformer::operator-(ExprAttr lhs, ExprAttr rhs) {
  return lhs + rhs * -1.0;
}

bool mlir::transformer::dependsOnRequest(ExprAttr expr) {
  switch (expr.getKind()) {
  case ExprKind::NewTokens:
  case ExprKind::TotalTokens:
    return true;
  case ExprKind::SumOverRequests:
  case ExprKind::MaxOverRequests:
    return false;
  default:
    return llvm::any_of(expr.getOperands(), dependsOnRequest);
  }
}

/// Whether requests of one batch may have several values of it.
static bool variesByRequest(ExprAttr expr) {
  switch (expr.getKind()) {
  case ExprKind::Decode:
    return true;
  case ExprKind::SumOverRequests:
  case ExprKind::MaxOverRequests:
    return false;
  default:
    return dependsOnRequest(expr) ||
           llvm::any_of(expr.getOperands(), variesByRequest);
  }
}

ExprAttr mlir::transformer::sumOverRequests(ExprAttr expr) {
  // The sum is linear: coefficients and what is the same for every request
  // come out of it, so that equal features are shared.
  MLIRContext *context = expr.getContext();
  ExprAttr result = ExprAttr::constant(context, 0);
  for (const Term &term : getTerms(expr)) {
    Term inner{1, {}}, outer{term.coefficient, {}};
    for (ExprAttr atom : term.atoms)
      (variesByRequest(atom) ? inner : outer).atoms.push_back(atom);
    ExprAttr feature =
        makeNode(context, ExprKind::SumOverRequests, fromTerm(context, inner));
    result = result + fromTerm(context, outer) * feature;
  }
  return result;
}

ExprAttr mlir::transformer::maxOverRequests(ExprAttr expr) {
  if (!variesByRequest(expr))
    return expr;
  return makeNode(expr.getContext(), ExprKind::MaxOverRequests, expr);
}

ExprAttr mlir::transformer::getLogitRowsExpr(MLIRContext *context) {
  ExprAttr others = getNewTokensExpr(context) + -1.0;
  return getSequencesExpr(context) +
         sumOverRequests(getDecodeExpr(context) * others);
}

//===----------------------------------------------------------------------===//
// Functions and values
//===----------------------------------------------------------------------===//

/// The value of a function; not finite after a division by zero.
static double apply(ExprKind kind, double a, double b) {
  switch (kind) {
  case ExprKind::CeilDiv:
    return std::ceil(a / b);
  case ExprKind::FloorDiv:
    return std::floor(a / b);
  case ExprKind::Mod:
    return a - b * std::floor(a / b);
  case ExprKind::Min:
    return std::min(a, b);
  case ExprKind::Max:
    return std::max(a, b);
  case ExprKind::Log2:
    return std::log2(a);
  case ExprKind::Equal:
    return a == b;
  case ExprKind::NotEqual:
    return a != b;
  case ExprKind::Less:
    return a < b;
  case ExprKind::Divide:
    return a / b;
  default:
    return a <= b;
  }
}

/// Whether the value is a whole number for every workload.
static bool isWhole(ExprAttr expr) {
  switch (expr.getKind()) {
  case ExprKind::Log2:
  case ExprKind::Divide:
    return false;
  case ExprKind::CeilDiv:
  case ExprKind::FloorDiv:
    return true;
  case ExprKind::Constant:
  case ExprKind::Product:
    if (expr.getValue() != std::floor(expr.getValue()))
      return false;
    [[fallthrough]];
  default:
    return llvm::all_of(expr.getOperands(), isWhole);
  }
}

/// Takes the terms that `divisor` divides out of a rounded division:
/// `ceildiv(4 * a + b, 4)` is `a + ceildiv(b, 4)`. Null if there are none.
static ExprAttr simplifyDivision(ExprKind kind, ExprAttr dividend,
                                 ExprAttr divisor) {
  if (!divisor.isConstant() || divisor.getValue() <= 0)
    return {};
  MLIRContext *context = dividend.getContext();
  SmallVector<Term> whole, rest;
  for (const Term &term : getTerms(dividend)) {
    Term quotient = term;
    quotient.coefficient /= divisor.getValue();
    bool divides = !term.atoms.empty() && isWhole(fromTerm(context, quotient));
    (divides ? whole : rest).push_back(divides ? quotient : term);
  }
  if (whole.empty())
    return {};
  ExprAttr remainder =
      getFunctionExpr(kind, {fromTerms(context, std::move(rest)), divisor});
  return fromTerms(context, std::move(whole)) + remainder;
}

ExprAttr mlir::transformer::getFunctionExpr(ExprKind kind,
                                            ArrayRef<ExprAttr> operands) {
  MLIRContext *context = operands.front().getContext();
  if (llvm::all_of(operands, [](ExprAttr e) { return e.isConstant(); })) {
    double value =
        apply(kind, operands.front().getValue(), operands.back().getValue());
    if (std::isfinite(value))
      return ExprAttr::constant(context, value);
  }
  bool divides = kind == ExprKind::CeilDiv || kind == ExprKind::FloorDiv;
  bool picks = kind == ExprKind::Min || kind == ExprKind::Max;
  if ((picks && operands.front() == operands.back()) ||
      (divides && operands.back().isConstant(1)))
    return operands.front();
  if (divides)
    if (ExprAttr simple =
            simplifyDivision(kind, operands.front(), operands.back()))
      return simple;
  SmallVector<ExprAttr> sorted(operands);
  if (picks && compare(sorted[0], sorted[1]) > 0)
    std::swap(sorted[0], sorted[1]);
  return makeNode(context, kind, sorted);
}

ExprAttr mlir::transformer::negate(ExprAttr expr) {
  MLIRContext *context = expr.getContext();
  if (expr.getKind() == ExprKind::Equal)
    return makeNode(context, ExprKind::NotEqual, expr.getOperands());
  if (expr.getKind() == ExprKind::NotEqual)
    return makeNode(context, ExprKind::Equal, expr.getOperands());
  return getFunctionExpr(ExprKind::Equal,
                         {expr, ExprAttr::constant(context, 0)});
}

/// The value of an expression for a batch, or for one of its requests.
static double evaluate(ExprAttr expr, const tensorcast::Batch &batch,
                       const tensorcast::Batch::Group *request) {
  ArrayRef<ExprAttr> operands = expr.getOperands();
  auto value = [&](size_t index) {
    return evaluate(operands[index], batch, request);
  };
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getValue();
  case ExprKind::NewTokens:
    return request ? request->newTokens : std::nan("");
  case ExprKind::TotalTokens:
    return request ? request->totalTokens : std::nan("");
  case ExprKind::Decode:
    return request ? request->decode : batch.decode;
  case ExprKind::Images:
    return batch.images;
  case ExprKind::ImageRows:
    return batch.imageRows;
  case ExprKind::ImageColumns:
    return batch.imageColumns;
  case ExprKind::SumOverRequests: {
    double sum = 0;
    for (const tensorcast::Batch::Group &group : batch.groups)
      sum += group.requests * evaluate(operands.front(), batch, &group);
    return sum;
  }
  case ExprKind::MaxOverRequests: {
    double most = -std::numeric_limits<double>::infinity();
    for (const tensorcast::Batch::Group &group : batch.groups)
      most = std::max(most, evaluate(operands.front(), batch, &group));
    return most;
  }
  case ExprKind::Product: {
    double product = expr.getValue();
    for (size_t i = 0, e = operands.size(); i < e; ++i)
      product *= value(i);
    return product;
  }
  case ExprKind::Sum: {
    double sum = 0;
    for (size_t i = 0, e = operands.size(); i < e; ++i)
      sum += value(i);
    return sum;
  }
  default:
    return apply(expr.getKind(), value(0), value(operands.size() - 1));
  }
}

double mlir::transformer::evaluate(ExprAttr expr, WorkloadAttr workload) {
  if (expr.isConstant())
    return expr.getValue();
  tensorcast::Batch batch;
  if (workload)
    batch = workload.getWorkload().getBatch(workload.getDataParallel());
  return ::evaluate(expr, batch, /*request=*/nullptr);
}

ExprAttr mlir::transformer::bind(ExprAttr expr, WorkloadAttr workload) {
  if (!workload || expr.isConstant())
    return expr;
  return ExprAttr::constant(expr.getContext(), evaluate(expr, workload));
}
