//===- RopeRules.cpp - Rotary position embedding --------------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// A rope table of its two tensors, each tokens x width.
static Value packTable(OpBuilder &builder, Location loc, Value cos, Value sin) {
  SmallVector<int64_t> shape(getTensorType(cos).getShape());
  shape.insert(shape.begin(), 1);
  return buildConcat(builder, loc,
                     {buildReshape(builder, loc, cos, shape),
                      buildReshape(builder, loc, sin, shape)},
                     /*dim=*/0);
}

namespace {
struct LowerRopeTable : LinalgRule<RopeTableOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RopeTableOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value positions = adaptor.getPositions();
    Value cos = buildGather(rewriter, loc, adaptor.getCos(), positions);
    Value sin = buildGather(rewriter, loc, adaptor.getSin(), positions);
    rewriter.replaceOp(op, packTable(rewriter, loc, cos, sin));
    return success();
  }
};

struct LowerRopePack : LinalgRule<RopePackOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RopePackOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, packTable(rewriter, op.getLoc(), adaptor.getCos(),
                                     adaptor.getSin()));
    return success();
  }
};

struct LowerRopeParts : LinalgRule<RopePartsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RopePartsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ArrayRef<int64_t> table = getTensorType(adaptor.getTable()).getShape();
    ArrayRef<int64_t> shape = op.getCos().getType().getShape();
    if (shape[0] != table[1])
      return decline(op, rewriter,
                     "its table has " + Twine(table[1]) + " rows, not " +
                         Twine(shape[0]));
    auto part = [&](int64_t index) {
      Value slice = buildSlice(rewriter, loc, adaptor.getTable(), {index, 0, 0},
                               {1, table[1], table[2]});
      return buildReshape(rewriter, loc, slice, shape);
    };
    Value cos = part(0), sin = part(1);
    rewriter.replaceOp(op, {cos, sin});
    return success();
  }
};

/// result[t, h, d] = input[t, h, d] * cos[t, d] + rotated[t, h, d] * sin[t, d]
/// for d below the width r; the rest passes. Features are rotated in pairs at a
/// distance: r/2 between the halves, 1 between neighbours. rotated is minus the
/// partner for the first of a pair, and the partner for the second.
struct LowerRope : LinalgRule<RopeOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(RopeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput(), table = adaptor.getTable();
    RankedTensorType tableType = getTensorType(table);
    int64_t rows = tableType.getDimSize(1), columns = tableType.getDimSize(2);
    int64_t width =
        op.getStyle() == RopeStyle::HalfTable ? 2 * columns : columns;
    if (rows != op.getType().getDimSize(0))
      return decline(op, rewriter,
                     "its table has " + Twine(rows) + " rows, not " +
                         Twine(op.getType().getDimSize(0)));
    auto body = [&](OpBuilder &builder, Location loc, ValueRange at) -> Value {
      auto index = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(builder, loc, value);
      };
      auto compare = [&](arith::CmpIPredicate how, int64_t limit) -> Value {
        return arith::CmpIOp::create(builder, loc, how, at[2], index(limit));
      };
      auto read = [&](Value tensor, ValueRange indices) {
        Value element =
            tensor::ExtractOp::create(builder, loc, tensor, indices);
        return widen(builder, loc, element);
      };
      bool isHalf = op.getStyle() != RopeStyle::Interleaved &&
                    op.getStyle() != RopeStyle::Complex;
      Value isFirst;
      if (isHalf) {
        isFirst = compare(arith::CmpIPredicate::slt, width / 2);
      } else {
        Value rest = arith::RemSIOp::create(builder, loc, at[2], index(2));
        isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, index(0));
      }
      Value distance = index(isHalf ? width / 2 : 1);
      Value isRotated = compare(arith::CmpIPredicate::slt, width);
      Value up = arith::AddIOp::create(builder, loc, at[2], distance);
      Value down = arith::SubIOp::create(builder, loc, at[2], distance);
      Value partner = arith::SelectOp::create(builder, loc, isFirst, up, down);
      // Beyond the width nothing is rotated; reads stay within the tensors.
      partner = arith::MinSIOp::create(builder, loc, partner,
                                       index(op.getType().getDimSize(2) - 1));
      Value column =
          width == columns
              ? arith::MinSIOp::create(builder, loc, at[2], index(width - 1))
                    .getResult()
              // Both halves read the same row.
              : arith::RemSIOp::create(builder, loc, at[2], index(columns))
                    .getResult();

      Value x = read(input, at);
      Value y = read(input, {at[0], at[1], partner});
      Value negated = arith::NegFOp::create(builder, loc, y);
      y = arith::SelectOp::create(builder, loc, isFirst, negated, y);
      Value cos = read(table, {index(0), at[0], column});
      Value sin = read(table, {index(1), at[0], column});
      Value rotated = arith::AddFOp::create(
          builder, loc, arith::MulFOp::create(builder, loc, x, cos),
          arith::MulFOp::create(builder, loc, y, sin));
      return arith::SelectOp::create(builder, loc, isRotated, rotated, x);
    };
    rewriter.replaceOp(op,
                       buildByIndex(rewriter, op.getLoc(), op.getType(), body));
    return success();
  }
};
} // namespace

void tensorcast::populateRopeRules(RewritePatternSet &patterns,
                                   const RuleContext &rules) {
  patterns.add<LowerRopeTable, LowerRopePack, LowerRopeParts, LowerRope>(
      patterns.getContext(), rules);
}
