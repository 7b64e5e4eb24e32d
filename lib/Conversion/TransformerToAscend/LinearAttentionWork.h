//===- LinearAttentionWork.h - Work of gated delta net kernels --*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LINEARATTENTIONWORK_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LINEARATTENTIONWORK_H

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

namespace mlir::tensorcast {

/// What a gated delta rule is made of: heads, features of a key and of a value,
/// tokens of a chunk, the types of the operands and of the state.
struct DeltaRuleSizes {
  int64_t heads, keySize, valueSize, chunk;
  Type elementType, stateType;
};

/// The work of the rule on the tokens of requests. Coefficients of kernels:
/// `packs_requests` (the tokens of all requests are one sequence),
/// `wide_products` (products are f32), `spills` (what chunks have in common
/// goes through device memory), `extra_starts`, `states_per_token` (each token
/// of a decode step has a state of its own).
class DeltaRuleWork {
public:
  /// `isIn` says which requests: 1 for those, 0 for others.
  DeltaRuleWork(const DeltaRuleSizes &sizes, const Kernel &kernel,
                transformer::WorkloadAttr workload, transformer::ExprAttr isIn);

  /// By chunks: products within each, and with the state between them.
  void buildChunked(OpBuilder &builder, Location loc);
  /// The same but for what is in device memory.
  void buildChunkedOperations(OpBuilder &builder, Location loc);
  /// Token by token.
  void buildRecurrent(OpBuilder &builder, Location loc);
  /// The states are read, unless there are none yet, and written.
  void buildStates(OpBuilder &builder, Location loc, bool decode);

private:
  using Expr = transformer::ExprAttr;

  Expr number(double value);
  void addMatmul(OpBuilder &builder, Location loc, Expr m, double n, double k);
  void addVector(OpBuilder &builder, Location loc, Expr elements, double ops,
                 Type type);
  void addTraffic(OpBuilder &builder, Location loc, Expr rows, double rowBytes);
  /// Queries and keys become as long as 1.
  void buildLengths(OpBuilder &builder, Location loc);

  const DeltaRuleSizes &sizes;
  const Kernel &kernel;
  transformer::WorkloadAttr workload;
  MLIRContext *context;
  Expr isIn;
  /// New tokens of the requests, chunks of a head, and tokens with those that
  /// fill up the last chunks.
  Expr tokens, chunks, padded;
};

/// Which requests of a step are in decode, or are not: 1 for those, else 0.
transformer::ExprAttr isOfStep(MLIRContext *context, bool decode);

/// The work of a convolution of the requests in decode or of the others, whose
/// result has so many elements for all.
void buildConvWork(transformer::CausalConvOp op, transformer::ExprAttr elements,
                   bool decode, const Kernel &kernel, OpBuilder &builder,
                   Location loc);

/// The work of a gated delta net that is one kernel.
void buildLinearAttentionWork(transformer::LinearAttentionOp op,
                              const Kernel &kernel, OpBuilder &builder,
                              Location loc);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LINEARATTENTIONWORK_H
