//===- LatentProjectionRules.cpp - Queries and latents --------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Builds one projection; what the kernel hands on within stays as wide as it
/// is computed.
class ProjectionBuilder {
public:
  ProjectionBuilder(OpBuilder &builder, Location loc, double eps,
                    RopeStyle style)
      : builder(builder), loc(loc), eps(eps), style(style) {}

  /// `rows[t, k] / sqrt(mean_k(rows[t, k]^2) + eps) * weight[k]`
  Value norm(Value rows, Value weight) {
    RankedTensorType type = getTensorType(rows);
    auto addSquare = [](OpBuilder &inner, Location innerLoc,
                        ValueRange args) -> Value {
      Value square = arith::MulFOp::create(inner, innerLoc, args[1], args[1]);
      return arith::AddFOp::create(inner, innerLoc, args[0], square);
    };
    Value sums = buildRowReduction(builder, loc, rows, 0, addSquare);
    auto scale = [&](OpBuilder &inner, Location innerLoc,
                     ValueRange args) -> Value {
      Type wide = args[0].getType();
      Value count = makeScalar(inner, innerLoc, wide, type.getDimSize(1));
      Value mean = arith::DivFOp::create(inner, innerLoc, args[1], count);
      mean = arith::AddFOp::create(inner, innerLoc, mean,
                                   makeScalar(inner, innerLoc, wide, eps));
      Value root = math::SqrtOp::create(inner, innerLoc, mean);
      Value quotient = arith::DivFOp::create(inner, innerLoc, args[0], root);
      return arith::MulFOp::create(inner, innerLoc, quotient, args[2]);
    };
    return buildElementwise(builder, loc, type, {rows, sums, weight}, scale);
  }

  /// Turns pairs of the last features of `heads` (tokens x heads x size), as
  /// many as the table is wide.
  Value rotate(Value heads, Value table) {
    RankedTensorType type = getTensorType(heads);
    int64_t width = getTensorType(table).getDimSize(2);
    int64_t first = type.getDimSize(2) - width;
    auto body = [&](OpBuilder &inner, Location innerLoc,
                    ValueRange at) -> Value {
      auto index = [&](int64_t value) -> Value {
        return arith::ConstantIndexOp::create(inner, innerLoc, value);
      };
      auto read = [&](Value tensor, ValueRange indices) {
        Value element =
            tensor::ExtractOp::create(inner, innerLoc, tensor, indices);
        return widen(inner, innerLoc, element);
      };
      // The feature within the rotated part, kept inside it for those before.
      Value feature =
          arith::SubIOp::create(inner, innerLoc, at[2], index(first));
      Value isRotated = arith::CmpIOp::create(
          inner, innerLoc, arith::CmpIPredicate::sge, feature, index(0));
      feature = arith::MaxSIOp::create(inner, innerLoc, feature, index(0));
      // Halves turn with each other at a distance of width / 2; neighbours
      // are 2 i and 2 i + 1.
      Value half = index(width / 2), isSecond, partner;
      if (style == RopeStyle::Half) {
        isSecond = arith::CmpIOp::create(
            inner, innerLoc, arith::CmpIPredicate::sge, feature, half);
        partner = arith::RemSIOp::create(
            inner, innerLoc,
            arith::AddIOp::create(inner, innerLoc, feature, half),
            index(width));
      } else {
        Value odd = arith::RemSIOp::create(inner, innerLoc, feature, index(2));
        isSecond = arith::CmpIOp::create(
            inner, innerLoc, arith::CmpIPredicate::eq, odd, index(1));
        partner = arith::XOrIOp::create(inner, innerLoc, feature, index(1));
      }
      Value place =
          arith::AddIOp::create(inner, innerLoc, partner, index(first));
      Value x = read(heads, at), y = read(heads, {at[0], at[1], place});
      Value minus = arith::NegFOp::create(inner, innerLoc, y);
      y = arith::SelectOp::create(inner, innerLoc, isSecond, y, minus);
      Value cos = read(table, {index(0), at[0], feature});
      Value sin = read(table, {index(1), at[0], feature});
      Value rotated = arith::AddFOp::create(
          inner, innerLoc, arith::MulFOp::create(inner, innerLoc, x, cos),
          arith::MulFOp::create(inner, innerLoc, y, sin));
      return arith::SelectOp::create(inner, innerLoc, isRotated, rotated, x);
    };
    return buildByIndex(builder, loc, type, body);
  }

private:
  OpBuilder &builder;
  Location loc;
  double eps;
  RopeStyle style;
};

struct LowerLatentProjection : LinalgRule<LatentProjectionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(LatentProjectionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = adaptor.getInput(), table = adaptor.getTable();
    int64_t tokens = getTensorType(input).getDimSize(0);
    int64_t rows = getTensorType(table).getDimSize(1);
    int64_t width = getTensorType(table).getDimSize(2);
    if (rows != tokens)
      return decline(op, rewriter,
                     "its table has " + Twine(rows) + " rows, not " +
                         Twine(tokens));
    ProjectionBuilder build(rewriter, loc, op.getEps().convertToDouble(),
                            op.getStyle());
    auto multiply = [&](Value lhs, Value weight) {
      return buildMatmul(rewriter, loc, lhs, weight, /*transposed=*/true);
    };
    Value queryLatent = build.norm(multiply(input, adaptor.getQueryDown()),
                                   adaptor.getQueryNorm());
    Value query =
        buildReshape(rewriter, loc, multiply(queryLatent, adaptor.getQueryUp()),
                     op.getQuery().getType().getShape());
    query = build.rotate(query, table);
    Value both = multiply(input, adaptor.getLatentDown());
    int64_t rank = op.getLatent().getType().getDimSize(1);
    Value latent = buildSlice(rewriter, loc, both, {0, 0}, {tokens, rank});
    latent = build.norm(latent, adaptor.getLatentNorm());
    Value key = buildSlice(rewriter, loc, both, {0, rank}, {tokens, width});
    key = build.rotate(buildReshape(rewriter, loc, key, {tokens, 1, width}),
                       table);
    key = buildReshape(rewriter, loc, key, {tokens, width});
    auto round = [&](Value value, Value result) {
      return buildRound(rewriter, loc, cast<RankedTensorType>(result.getType()),
                        value);
    };
    rewriter.replaceOp(op, {round(query, op.getQuery()),
                            round(latent, op.getLatent()),
                            round(key, op.getRopeKey()),
                            round(queryLatent, op.getQueryLatent())});
    return success();
  }
};
} // namespace

void tensorcast::populateLatentProjectionRules(RewritePatternSet &patterns,
                                               const RuleContext &rules) {
  patterns.add<LowerLatentProjection>(patterns.getContext(), rules);
}
