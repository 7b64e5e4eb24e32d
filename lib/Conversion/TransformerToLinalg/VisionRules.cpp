//===- VisionRules.cpp - Images in front of a decoder ---------------------===//

#include "LinalgRule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic on the scalars of one body.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  Value index(int64_t value) const {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value number(double value) const {
    return makeScalar(builder, loc, builder.getF32Type(), value);
  }
  Value toNumber(Value value) const {
    Value integer =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), value);
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), integer);
  }
  Value toIndex(Value value) const {
    Value integer =
        arith::FPToSIOp::create(builder, loc, builder.getI32Type(), value);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      integer);
  }
  Value div(Value a, int64_t b) const {
    return arith::DivSIOp::create(builder, loc, a, index(b));
  }
  Value rem(Value a, int64_t b) const {
    return arith::RemSIOp::create(builder, loc, a, index(b));
  }
  Value addIndex(Value a, Value b) const {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value mulIndex(Value a, int64_t b) const {
    return arith::MulIOp::create(builder, loc, a, index(b));
  }
  Value add(Value a, Value b) const {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value sub(Value a, Value b) const {
    return arith::SubFOp::create(builder, loc, a, b);
  }
  Value mul(Value a, Value b) const {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value clamp(Value a, int64_t last) const {
    Value low = arith::MaxSIOp::create(builder, loc, a, index(0));
    return arith::MinSIOp::create(builder, loc, low, index(last));
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
};

/// The grids of a step, in patches.
struct Grid {
  int64_t images, rows, columns, merge;

  int64_t getPatches() const { return rows * columns; }

  /// Row and column of patch `p`: patches are in order of cells.
  std::pair<Value, Value> locate(const Scalars &s, Value p) const {
    Value own = s.rem(p, getPatches());
    Value cell = s.div(own, merge * merge), inner = s.rem(own, merge * merge);
    int64_t cellColumns = columns / merge;
    Value row = s.addIndex(s.mulIndex(s.div(cell, cellColumns), merge),
                           s.div(inner, merge));
    Value column = s.addIndex(s.mulIndex(s.rem(cell, cellColumns), merge),
                              s.rem(inner, merge));
    return {row, column};
  }
};
} // namespace

/// The grids that `op` works on, or why there are none.
template <typename GridOp>
static std::optional<Grid> getGrid(GridOp op, std::string &reason) {
  WorkloadAttr workload = op.getBatch().getType().getWorkload();
  if (!workload || workload.getNumImages() == 0) {
    reason = workload ? "its batch has no images" : "its batch has no workload";
    return std::nullopt;
  }
  auto merge = static_cast<int64_t>(op.getMerge());
  return Grid{workload.getNumImages(), workload.getImages().getRows() * merge,
              workload.getImages().getColumns() * merge, merge};
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// A position on one edge of a table, and its weight.
using Tap = std::pair<Value, Value>;

/// Of the positions between which `place` lies, that number `tap`; `size`
/// places are as long as `side` positions.
static Tap getLinearTap(const Scalars &s, Value place, Value tap, int64_t size,
                        int64_t side) {
  double step = size > 1 ? double(side - 1) / double(size - 1) : 0;
  Value at = s.mul(s.toNumber(place), s.number(step));
  Value floor = math::FloorOp::create(s.builder, s.loc, at);
  Value share = s.sub(at, floor);
  Value isFirst = arith::CmpIOp::create(s.builder, s.loc, CmpIPredicate::eq,
                                        tap, s.index(0));
  Value weight = s.select(isFirst, s.sub(s.number(1), share), share);
  return {s.clamp(s.addIndex(s.toIndex(floor), tap), side - 1), weight};
}

/// The same of four positions; Keys, 1981, with a = -0.75, as PyTorch has it.
static Tap getCubicTap(const Scalars &s, Value place, Value tap, int64_t size,
                       int64_t side) {
  constexpr double a = -0.75;
  Value half = s.number(0.5);
  Value at = s.sub(s.mul(s.add(s.toNumber(place), half),
                         s.number(double(side) / double(size))),
                   half);
  Value floor = math::FloorOp::create(s.builder, s.loc, at);
  Value first = s.sub(floor, s.number(1));
  Value position = s.add(first, s.toNumber(tap));
  Value d = math::AbsFOp::create(s.builder, s.loc, s.sub(at, position));
  auto poly = [&](double c3, double c2, double c1, double c0) {
    Value result = s.number(c3);
    for (double c : {c2, c1, c0})
      result = s.add(s.mul(result, d), s.number(c));
    return result;
  };
  Value isNear = arith::CmpFOp::create(s.builder, s.loc, CmpFPredicate::OLE, d,
                                       s.number(1));
  Value weight = s.select(isNear, poly(a + 2, -(a + 3), 0, 1),
                          poly(a, -5 * a, 8 * a, -4 * a));
  return {s.clamp(s.toIndex(position), side - 1), weight};
}

namespace {
struct LowerGridNeighbors : LinalgRule<GridNeighborsOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(GridNeighborsOp op, RangeAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    std::optional<Grid> grid = getGrid(op, reason);
    if (!grid)
      return decline(op, rewriter, reason);
    auto side = static_cast<int64_t>(op.getSide());
    int64_t taps = op.getForm() == GridForm::Exact      ? 1
                   : op.getForm() == GridForm::Bilinear ? 2
                                                        : 4;
    // Index and weight of neighbour `n` of patch `p`.
    auto find = [&](const Scalars &s, Value n, Value p) -> Tap {
      auto [row, column] = grid->locate(s, p);
      if (op.getForm() == GridForm::Exact)
        return {s.addIndex(s.mulIndex(row, side), column), s.number(1)};
      auto getTap =
          op.getForm() == GridForm::Bilinear ? getLinearTap : getCubicTap;
      Tap down = getTap(s, row, s.div(n, taps), grid->rows, side);
      Tap across = getTap(s, column, s.rem(n, taps), grid->columns, side);
      return {s.addIndex(s.mulIndex(down.first, side), across.first),
              s.mul(down.second, across.second)};
    };
    int64_t patches = grid->images * grid->getPatches();
    auto indexOf = [&](OpBuilder &builder, Location loc,
                       ValueRange at) -> Value {
      Scalars s{builder, loc};
      Value index = find(s, s.div(at[0], patches), s.rem(at[0], patches)).first;
      return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                        index);
    };
    auto weightOf = [&](OpBuilder &builder, Location loc, ValueRange at) {
      return find(Scalars{builder, loc}, at[0], at[1]).second;
    };
    Location loc = op.getLoc();
    Value indices =
        buildByIndex(rewriter, loc, op.getIndices().getType(), indexOf);
    Value weights =
        buildByIndex(rewriter, loc, op.getWeights().getType(), weightOf);
    rewriter.replaceOp(op, {indices, weights});
    return success();
  }
};

struct LowerGridAngles : LinalgRule<GridAnglesOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(GridAnglesOp op, RangeAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    std::optional<Grid> grid = getGrid(op, reason);
    if (!grid)
      return decline(op, rewriter, reason);
    double frequencies = static_cast<double>(op.getType().getDimSize(2));
    double step = -std::log(op.getTheta().convertToDouble()) / frequencies;
    auto body = [&](OpBuilder &builder, Location loc, ValueRange at) -> Value {
      Scalars s{builder, loc};
      auto [row, column] = grid->locate(s, at[0]);
      Value isRow = arith::CmpIOp::create(builder, loc, CmpIPredicate::eq,
                                          at[1], s.index(0));
      Value place = s.toNumber(s.select(isRow, row, column));
      Value power = s.mul(s.toNumber(at[2]), s.number(step));
      Value frequency = math::ExpOp::create(builder, loc, power);
      return s.mul(place, frequency);
    };
    rewriter.replaceOp(op,
                       buildByIndex(rewriter, op.getLoc(), op.getType(), body));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// Over loops of images, patches i, heads h, patches s or features d.
struct LowerImageAttention : LinalgRule<ImageAttentionOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(ImageAttentionOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string reason;
    std::optional<Grid> grid = getGrid(op, reason);
    if (!grid)
      return decline(op, rewriter, reason);
    auto type = cast<RankedTensorType>(op.getType());
    int64_t patches = grid->getPatches();
    if (type.getDimSize(0) != grid->images * patches)
      return decline(op, rewriter,
                     "it has " + Twine(type.getDimSize(0)) +
                         " rows, but the images have " +
                         Twine(grid->images * patches) + " patches");
    Location loc = op.getLoc();
    SmallVector<int64_t> shape = {grid->images, patches, type.getDimSize(1),
                                  type.getDimSize(2)};
    auto byImage = [&](ValueRange values) {
      return buildReshape(rewriter, loc, values.front(), shape);
    };
    double scale = op.getScale().convertToDouble();
    Value scores = contract(rewriter, loc, byImage(adaptor.getQuery()),
                            byImage(adaptor.getKey()), patches,
                            /*isTransposed=*/true);
    Value weights = softmax(rewriter, loc, scores, scale);
    Value mixed = contract(rewriter, loc, weights, byImage(adaptor.getValue()),
                           shape[3], /*isTransposed=*/false);
    mixed = buildReshape(rewriter, loc, mixed, type.getShape());
    rewriter.replaceOp(op, buildRound(rewriter, loc, type, mixed));
    return success();
  }

private:
  /// result[n, i, h, j] = sum_k lhs[n, i, h, k] * rhs[n, k, h, j], or rhs[n, j,
  /// h, k] if it is transposed.
  static Value contract(OpBuilder &builder, Location loc, Value lhs, Value rhs,
                        int64_t last, bool isTransposed) {
    MLIRContext *context = builder.getContext();
    auto dim = [&](unsigned position) {
      return getAffineDimExpr(position, context);
    };
    auto map = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(5, 0, exprs, context);
    };
    // Loops: n, i, h, j, k.
    AffineMap maps[] = {map({dim(0), dim(1), dim(2), dim(4)}),
                        isTransposed ? map({dim(0), dim(3), dim(2), dim(4)})
                                     : map({dim(0), dim(4), dim(2), dim(3)}),
                        map({dim(0), dim(1), dim(2), dim(3)})};
    SmallVector<int64_t> shape(getTensorType(lhs).getShape());
    shape.back() = last;
    SmallVector<IteratorType> iterators(5, IteratorType::parallel);
    iterators[4] = IteratorType::reduction;
    return buildContraction(builder, loc, shape, lhs, rhs, maps, iterators);
  }

  static Value softmax(OpBuilder &builder, Location loc, Value scores,
                       double scale) {
    auto max = [](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
      return arith::MaximumFOp::create(inner, innerLoc, args[0], args[1]);
    };
    Value peaks = buildRowReduction(
        builder, loc, scores, -std::numeric_limits<double>::infinity(), max);
    auto exponential = [&](OpBuilder &inner, Location innerLoc,
                           ValueRange args) -> Value {
      Value below = arith::SubFOp::create(inner, innerLoc, args[0], args[1]);
      Value factor = makeScalar(inner, innerLoc, below.getType(), scale);
      Value scaled = arith::MulFOp::create(inner, innerLoc, below, factor);
      return math::ExpOp::create(inner, innerLoc, scaled);
    };
    RankedTensorType type = getTensorType(scores);
    Value powers =
        buildElementwise(builder, loc, type, {scores, peaks}, exponential);
    auto add = [](OpBuilder &inner, Location innerLoc,
                  ValueRange args) -> Value {
      return arith::AddFOp::create(inner, innerLoc, args[0], args[1]);
    };
    Value sums = buildRowReduction(builder, loc, powers, 0, add);
    auto divide = [](OpBuilder &inner, Location innerLoc,
                     ValueRange args) -> Value {
      return arith::DivFOp::create(inner, innerLoc, args[0], args[1]);
    };
    return buildElementwise(builder, loc, type, {powers, sums}, divide);
  }
};

/// Tokens of images come first in each request, after half of the markers.
struct LowerPlaceImages : LinalgRule<PlaceImagesOp> {
  using LinalgRule::LinalgRule;

  LogicalResult
  matchAndRewrite(PlaceImagesOp op, RangeAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WorkloadAttr workload = op.getBatch().getType().getWorkload();
    if (!workload || workload.getNumImages() == 0)
      return decline(op, rewriter,
                     workload ? "its batch has no images"
                              : "its batch has no workload");
    if (workload.getHitRate() != 0)
      return decline(op, rewriter,
                     "it is not known which of the images a prefix cache "
                     "holds");
    ImagesAttr images = workload.getImages();
    int64_t cells = images.getNumCells(), length = workload.getNewTokens();
    int64_t first = (images.getTokens() - cells) / 2;
    Value features = adaptor.getFeatures().front();
    Value hidden = adaptor.getHidden().front();
    auto body = [&](OpBuilder &builder, Location loc, ValueRange at) -> Value {
      Scalars s{builder, loc};
      auto read = [&](Value tensor, Value row) {
        Value element = tensor::ExtractOp::create(builder, loc, tensor,
                                                  ValueRange{row, at[1]});
        return widen(builder, loc, element);
      };
      Value cell = arith::SubIOp::create(builder, loc, s.rem(at[0], length),
                                         s.index(first));
      // Below 0, the cell is a large unsigned number.
      Value isCell = arith::CmpIOp::create(builder, loc, CmpIPredicate::ult,
                                           cell, s.index(cells));
      Value row = s.addIndex(s.mulIndex(s.div(at[0], length), cells),
                             s.clamp(cell, cells - 1));
      Value seen = read(features, row), text = read(hidden, at[0]);
      if (op.getAdd())
        seen = s.add(text, seen);
      return s.select(isCell, seen, text);
    };
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOp(op, buildByIndex(rewriter, op.getLoc(), type, body));
    return success();
  }
};
} // namespace

void tensorcast::populateVisionRules(RewritePatternSet &patterns,
                                     const RuleContext &rules) {
  patterns.add<LowerGridAngles, LowerGridNeighbors, LowerImageAttention,
               LowerPlaceImages>(patterns.getContext(), rules);
}
