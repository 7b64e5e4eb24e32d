//===- LinalgRule.h - Rules that say what an op computes --------*- C++ -*-===//
//
// A rule lowers one op to linalg on static tensors. Float arithmetic is done in
// f32 (f64 on f64 operands) and rounded once, to the element type of the op's
// result. A family of ops has one file with its rules and a populate function.
//
// Of the types that are no tensors, a batch becomes nothing (its workload is in
// the type), a rope table `2 x tokens x width` (cosines, sines), and a cache
// `requests x kv tokens x 2 x heads x head size` (keys, values), or `requests x
// kv tokens x row` where heads share one; where devices share the tokens, it
// has those that the device keeps. Where heads of keys and of values differ in
// size, the cache has room for the larger ones. A window changes nothing of
// that: attention hides what is before it. A state becomes `requests x` its
// sizes per request.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_LINALGRULE_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_LINALGRULE_H

#include "tensorcast/Conversion/TransformerToLinalg/NarrowTypes.h"
#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::tensorcast {

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Why rules declined ops, to be reported all at once.
using DeclineReasons = DenseMap<Operation *, std::string>;

/// What the rules of one function share.
struct RuleContext {
  const TypeConverter &types;
  DeclineReasons &reasons;
};

template <typename OpT> class LinalgRule : public OpConversionPattern<OpT> {
public:
  using OpAdaptor = typename OpConversionPattern<OpT>::OpAdaptor;
  /// The adaptor of ops with an operand that becomes nothing: the batch.
  using RangeAdaptor = typename OpConversionPattern<OpT>::OneToNOpAdaptor;

  LinalgRule(MLIRContext *context, const RuleContext &rules)
      : OpConversionPattern<OpT>(rules.types, context), reasons(rules.reasons) {
  }

protected:
  LogicalResult decline(OpT op, ConversionPatternRewriter &rewriter,
                        const Twine &reason) const {
    reasons[op] = reason.str();
    return rewriter.notifyMatchFailure(op, reason);
  }

private:
  DeclineReasons &reasons;
};

void populateElementwiseRules(RewritePatternSet &patterns,
                              const RuleContext &rules);
void populateNormRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateLinearRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateQuantizeRules(RewritePatternSet &patterns,
                           const RuleContext &rules);
void populateDataRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateRopeRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateAttentionRules(RewritePatternSet &patterns,
                            const RuleContext &rules);
void populateContextRules(RewritePatternSet &patterns,
                          const RuleContext &rules);
void populateRoutingRules(RewritePatternSet &patterns,
                          const RuleContext &rules);
void populateExpertRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateGroupedLinearRules(RewritePatternSet &patterns,
                                const RuleContext &rules);
void populateSparseRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateCompressedRules(RewritePatternSet &patterns,
                             const RuleContext &rules);
void populateHyperRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateIndexerRules(RewritePatternSet &patterns,
                          const RuleContext &rules);
void populateLatentProjectionRules(RewritePatternSet &patterns,
                                   const RuleContext &rules);
void populateLatentRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateLinearAttentionRules(RewritePatternSet &patterns,
                                  const RuleContext &rules);
void populateVisionRules(RewritePatternSet &patterns, const RuleContext &rules);
void populateEncoderRules(RewritePatternSet &patterns,
                          const RuleContext &rules);

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Turns the weights and caches that `function` declares into arguments, and
/// the caches as the step leaves them into results, of their own types yet.
/// Reports what stands in the way.
LogicalResult declareArguments(func::FuncOp function);

/// What each argument of `function` is, before and after lowering: one
/// dictionary per argument or result that `types` keeps.
struct Signature {
  SmallVector<DictionaryAttr> arguments, results;

  static Signature describe(func::FuncOp function, const TypeConverter &types);
  void attach(func::FuncOp lowered) const;
};

//===----------------------------------------------------------------------===//
// Building linalg
//===----------------------------------------------------------------------===//

/// Builds a scalar from scalars. Floats come in the type of computation and
/// are rounded afterwards; integers are as they are.
using ScalarBody = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

RankedTensorType getTensorType(Value value);

/// f32, or `type` if that is wider.
Type getComputeType(Type type);

/// The float `value` in its type of computation.
Value widen(OpBuilder &builder, Location loc, Value value);

/// The float `value` rounded, or widened, to `type`.
Value roundTo(OpBuilder &builder, Location loc, Value value, Type type);

/// A float of at most 8 bits in f32, and back: rounded to the nearest number,
/// ties to even, and to the largest where it is beyond. A scale (f8E8M0FNU)
/// is rounded down to a power of two.
Value decodeNarrow(OpBuilder &builder, Location loc, Value value);
Value encodeNarrow(OpBuilder &builder, Location loc, Value value,
                   FloatType type);

/// The float or integer `value` in `type`, a type of computation that holds it.
Value convertTo(OpBuilder &builder, Location loc, Value value, Type type);

/// A float or integer constant of `type`.
Value makeScalar(OpBuilder &builder, Location loc, Type type, double value);

/// `result[..] = body(inputs[..])`. Inputs are aligned at the last dimension;
/// those that miss dimensions, or have 1, are repeated.
Value buildElementwise(OpBuilder &builder, Location loc, RankedTensorType type,
                       ValueRange inputs, ScalarBody body);

/// `result[i] = body(i)` for each index into a tensor of `type`.
Value buildByIndex(OpBuilder &builder, Location loc, RankedTensorType type,
                   ScalarBody body);

/// Folds the last dimension, which becomes 1: `body(accumulator, element)`,
/// starting at `start`, in the type of computation, which the result has.
Value buildRowReduction(OpBuilder &builder, Location loc, Value input,
                        double start, ScalarBody body);

/// The sum of products over loops that `maps` (of left, right and result)
/// describe; floats, and integers times floats, are summed in the float's type
/// of computation, integers in i32, and the result is of that type.
Value buildContraction(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, Value lhs, Value rhs,
                       ArrayRef<AffineMap> maps,
                       ArrayRef<utils::IteratorType> iterators);

/// The same over `numLoops` loops, of which the last is summed over; `maps` are
/// lists of loops of left, right and result.
Value buildContraction(OpBuilder &builder, Location loc,
                       ArrayRef<int64_t> shape, Value lhs, Value rhs,
                       unsigned numLoops, ArrayRef<ArrayRef<unsigned>> maps);

/// `lhs[m, k] * rhs[k, n]`, or `rhs[n, k]` if `transposed`.
Value buildMatmul(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                  bool transposed);

/// `input` rounded to the element type of `type`, which has its sizes.
Value buildRound(OpBuilder &builder, Location loc, RankedTensorType type,
                 Value input);

/// `input` in another shape, its elements in row-major order.
Value buildReshape(OpBuilder &builder, Location loc, Value input,
                   ArrayRef<int64_t> shape);

/// The sizes of `type` that `offsets` begin, one after another.
Value buildSlice(OpBuilder &builder, Location loc, Value input,
                 ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes);

/// `target` with `part` written at `offsets`.
Value buildInsert(OpBuilder &builder, Location loc, Value part, Value target,
                  ArrayRef<int64_t> offsets);

/// The tensors one after another along `dim`.
Value buildConcat(OpBuilder &builder, Location loc, ValueRange inputs,
                  int64_t dim);

/// The scale of one element of a row, where `scales` are rows x groups, or
/// groups that rows share; in f32.
Value readGroupScale(OpBuilder &builder, Location loc, Value scales, Value row,
                     Value column, int64_t groupSize);

/// `input`, rows of groups, times its scales, in f32.
Value buildGroupScaled(OpBuilder &builder, Location loc, Value input,
                       Value scales, int64_t groupSize);

/// `table[indices[t], :]`; an index out of range picks the nearest row. Of a
/// part of a table, which begins at `firstRow`, it picks zeros.
Value buildGather(OpBuilder &builder, Location loc, Value table, Value indices,
                  std::optional<int64_t> firstRow = std::nullopt);

/// `input`, rows of groups, quantized dynamically, and the scales; they have
/// the types given.
std::pair<Value, Value> buildGroupQuantized(OpBuilder &builder, Location loc,
                                            RankedTensorType type,
                                            RankedTensorType scaleType,
                                            Value input, int64_t groupSize);

//===----------------------------------------------------------------------===//
// Sums over an index
//===----------------------------------------------------------------------===//

/// `result[i..] = sum of body(i.., q)` over `q` below `count`, in the element
/// type of `type`, which `body` yields.
Value buildSum(OpBuilder &builder, Location loc, RankedTensorType type,
               int64_t count, ScalarBody body);

/// `indices[at..]` as an index; one out of range is the nearest below `size`.
Value readIndex(OpBuilder &builder, Location loc, Value indices, ValueRange at,
                int64_t size);

/// How many elements of its row are in front of each element: larger ones, or
/// smaller ones if `ascending`, and equal ones that come first; in i64.
Value buildRanks(OpBuilder &builder, Location loc, Value input,
                 bool ascending = false);

/// Which element of each row has rank 0, 1 .. `count` - 1; in i64.
Value buildInverse(OpBuilder &builder, Location loc, Value ranks,
                   int64_t count);

/// `result[.., j] = input[.., indices[.., j]]`
Value buildTake(OpBuilder &builder, Location loc, Value input, Value indices);

/// The order of rows for experts: by expert, then by token and choice.
struct RowOrder {
  /// The choices of all tokens, one after another.
  int64_t count = 0;
  /// Of each choice its expert and its row, and of each row its choice; in i64.
  Value ids, rowOfChoice, choiceOfRow;

  static RowOrder get(OpBuilder &builder, Location loc, Value ids);
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOLINALG_LINALGRULE_H
