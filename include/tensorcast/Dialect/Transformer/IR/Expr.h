//===- Expr.h - Arithmetic on workload expressions --------------*- C++ -*-===//
//
// Builds and evaluates `#transformer.expr`. Every builder returns the normal
// form: products are expanded, terms ordered and merged, constants folded, so
// that equal polynomials are the same attribute.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_IR_EXPR_H
#define TENSORCAST_DIALECT_TRANSFORMER_IR_EXPR_H

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

namespace mlir::transformer {

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// New tokens of a request, q.
ExprAttr getNewTokensExpr(MLIRContext *context);
/// Tokens that a request attends to, kv.
ExprAttr getTotalTokensExpr(MLIRContext *context);
/// 1 for a request in decode, else 0; for the batch, 1 if all requests are.
ExprAttr getDecodeExpr(MLIRContext *context);
/// Images that the step looks at, and the cells of each.
ExprAttr getImagesExpr(MLIRContext *context);
ExprAttr getImageRowsExpr(MLIRContext *context);
ExprAttr getImageColumnsExpr(MLIRContext *context);
/// Cells of all images that the step looks at.
ExprAttr getImageCellsExpr(MLIRContext *context);
/// Sum of q over the requests.
ExprAttr getTokensExpr(MLIRContext *context);
/// Number of requests.
ExprAttr getSequencesExpr(MLIRContext *context);
/// Tokens that yield logits: of a request in decode all, of others the last.
ExprAttr getLogitRowsExpr(MLIRContext *context);

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

ExprAttr operator+(ExprAttr lhs, ExprAttr rhs);
ExprAttr operator-(ExprAttr lhs, ExprAttr rhs);
ExprAttr operator*(ExprAttr lhs, ExprAttr rhs);
ExprAttr operator+(ExprAttr lhs, double rhs);
ExprAttr operator*(ExprAttr lhs, double rhs);
inline ExprAttr operator*(double lhs, ExprAttr rhs) { return rhs * lhs; }

/// Sum, or maximum, of an expression in q and kv over the requests.
ExprAttr sumOverRequests(ExprAttr expr);
ExprAttr maxOverRequests(ExprAttr expr);

/// A function of one (log2) or two operands: CeilDiv to Divide.
ExprAttr getFunctionExpr(ExprKind kind, ArrayRef<ExprAttr> operands);

/// 1 where `expr` is 0, else 0.
ExprAttr negate(ExprAttr expr);

/// Number of terms of the normal form; what products multiply.
size_t getNumTerms(ExprAttr expr);
/// Number of factors of its longest term, without the coefficient.
size_t getNumFactors(ExprAttr expr);
/// Whether its coefficients are in the range of a double.
bool isFinite(ExprAttr expr);

/// Whether `q` or `kv` occurs outside of a sum or maximum over the requests.
/// Such an expression has a value per request, none for the batch.
bool dependsOnRequest(ExprAttr expr);

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The value of `expr` for `workload`; not finite after a division by zero.
double evaluate(ExprAttr expr, WorkloadAttr workload);

/// `expr` as a constant if `workload` is given, else as it is.
ExprAttr bind(ExprAttr expr, WorkloadAttr workload);

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `8192 * tokens + sum(q * kv)`; the result has a value for the batch.
FailureOr<ExprAttr> parseExprText(AsmParser &parser);
void printExprText(raw_ostream &os, ExprAttr expr);

/// The directive `custom<Expr>` of ops.
ParseResult parseExpr(OpAsmParser &parser, ExprAttr &expr);
void printExpr(OpAsmPrinter &printer, Operation *op, ExprAttr expr);

/// The directive `custom<Decimal>`: numbers as people write them, where the
/// builtin printer would write 1e-6 as 9.9999999999999995E-7.
ParseResult parseDecimal(OpAsmParser &parser, FloatAttr &value);
void printDecimal(OpAsmPrinter &printer, Operation *op, FloatAttr value);

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_IR_EXPR_H
