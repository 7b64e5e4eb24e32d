//===- HyperOps.cpp - Hyper-connections -----------------------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsHyper.cpp.inc"

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The sizes of streams: tokens, streams and features. Counts are known and
/// small enough that products of them fit.
struct StreamSizes {
  Dim tokens = Dim(0);
  int64_t count = 0, features = 0;

  static FailureOr<StreamSizes> get(Operation *op, RankedTensorType streams) {
    constexpr int64_t maxCount = 1 << 10, maxFeatures = int64_t(1) << 32;
    if (failed(verifyRank(op, "streams", streams, 3)))
      return failure();
    SmallVector<Dim> dims = getDims(streams);
    if (!dims[1].isStatic() || !dims[2].isStatic() || dims[1].size < 1 ||
        dims[1].size > maxCount || dims[2].size > maxFeatures)
      return op->emitOpError("expected from 1 to ")
             << maxCount << " streams of up to " << maxFeatures
             << " features, but got " << streams;
    return StreamSizes{dims[0], dims[1].size, dims[2].size};
  }

  int64_t getNumMixes() const { return count * (count + 2); }
};

/// Checks a tensor of f32 of the given sizes.
static LogicalResult verifyWide(Operation *op, StringRef name, Value value,
                                ArrayRef<Dim> dims) {
  auto type = cast<RankedTensorType>(value.getType());
  if (failed(verifyDims(op, name, type, dims)))
    return failure();
  return verifyElementType(op, name, type.getElementType(),
                           Float32Type::get(op->getContext()));
}

/// Checks a tensor of `T x H` in the type of the streams.
static LogicalResult verifyState(Operation *op, StringRef name, Value value,
                                 const StreamSizes &sizes, Value streams) {
  auto type = cast<RankedTensorType>(value.getType());
  if (failed(verifyDims(op, name, type, {sizes.tokens, Dim(sizes.features)})))
    return failure();
  return verifyElementType(
      op, name, type.getElementType(),
      cast<RankedTensorType>(streams.getType()).getElementType());
}

template <typename MixingOp> static LogicalResult verifyMixing(MixingOp op) {
  FailureOr<StreamSizes> sizes =
      StreamSizes::get(op, op.getStreams().getType());
  if (failed(sizes))
    return failure();
  Dim count(sizes->count);
  if (failed(verifyWide(op, "scale", op.getScale(), {Dim(3)})) ||
      failed(verifyWide(op, "base", op.getBase(), {Dim(sizes->getNumMixes())})))
    return failure();
  if (failed(verifyState(op, "input", op->getResult(0), *sizes,
                         op.getStreams())) ||
      failed(verifyWide(op, "post", op.getPost(), {sizes->tokens, count})) ||
      failed(
          verifyWide(op, "comb", op.getComb(), {sizes->tokens, count, count})))
    return failure();
  return verifyPositive(op, "eps", op.getEps());
}

LogicalResult RepeatStreamsOp::verify() {
  FailureOr<StreamSizes> sizes = StreamSizes::get(*this, getType());
  if (failed(sizes))
    return failure();
  return verifyState(*this, "input", getInput(), *sizes, getResult());
}

LogicalResult HyperInputOp::verify() {
  if (failed(verifyMixing(*this)))
    return failure();
  FailureOr<StreamSizes> sizes =
      StreamSizes::get(*this, getStreams().getType());
  if (failed(verifyWide(
          *this, "projection", getProjection(),
          {Dim(sizes->getNumMixes()), Dim(sizes->count * sizes->features)})))
    return failure();
  return verifyPositive(*this, "norm_eps", getNormEps());
}

LogicalResult InverseRMSOp::verify() {
  FailureOr<StreamSizes> sizes =
      StreamSizes::get(*this, getStreams().getType());
  if (failed(sizes) ||
      failed(verifyWide(*this, "result", getResult(), {sizes->tokens, Dim(1)})))
    return failure();
  return verifyPositive(*this, "eps", getEps());
}

LogicalResult MixStreamsOp::verify() {
  if (failed(verifyMixing(*this)))
    return failure();
  FailureOr<StreamSizes> sizes =
      StreamSizes::get(*this, getStreams().getType());
  return verifyWide(*this, "mixes", getMixes(),
                    {sizes->tokens, Dim(sizes->getNumMixes())});
}

LogicalResult HyperOutputOp::verify() {
  FailureOr<StreamSizes> sizes =
      StreamSizes::get(*this, getStreams().getType());
  if (failed(sizes) ||
      failed(verifyState(*this, "output", getOutput(), *sizes, getStreams())))
    return failure();
  Dim count(sizes->count);
  if (failed(verifyWide(*this, "post", getPost(), {sizes->tokens, count})))
    return failure();
  return verifyWide(*this, "comb", getComb(), {sizes->tokens, count, count});
}

LogicalResult HyperHeadOp::verify() {
  FailureOr<StreamSizes> sizes =
      StreamSizes::get(*this, getStreams().getType());
  if (failed(sizes))
    return failure();
  Dim count(sizes->count);
  if (failed(verifyWide(*this, "projection", getProjection(),
                        {count, Dim(sizes->count * sizes->features)})) ||
      failed(verifyWide(*this, "scale", getScale(), {Dim(1)})) ||
      failed(verifyWide(*this, "base", getBase(), {count})) ||
      failed(verifyState(*this, "result", getResult(), *sizes, getStreams())) ||
      failed(verifyPositive(*this, "eps", getEps())))
    return failure();
  return verifyPositive(*this, "norm_eps", getNormEps());
}

//===----------------------------------------------------------------------===//
// What they stand for
//===----------------------------------------------------------------------===//

namespace {
/// Builds the steps that the ops share, in f32.
class StreamBuilder {
public:
  StreamBuilder(OpBuilder &builder, Location loc, Value streams)
      : builder(builder), loc(loc), streams(streams),
        type(cast<RankedTensorType>(streams.getType())), dims(getDims(type)) {}

  Dim tokens() const { return dims[0]; }
  int64_t count() const { return dims[1].size; }

  Value wide() {
    if (!cached)
      cached = convert(streams, builder.getF32Type());
    return cached;
  }

  Value convert(Value value, Type elementType) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getElementType() == elementType)
      return value;
    return CastOp::create(builder, loc, withElementType(from, elementType),
                          value);
  }

  Value reshape(Value value, ArrayRef<Dim> to) {
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    return ReshapeOp::create(builder, loc, getTensorType(to, element), value);
  }

  /// All streams of a token in one row.
  Value flat() {
    return reshape(wide(), {tokens(), Dim(count() * dims[2].size)});
  }

  /// The product of the streams and `projection`, divided by their size.
  Value mixes(Value projection, FloatAttr eps) {
    Value scale = InverseRMSOp::create(
        builder, loc, getTensorType({tokens(), Dim(1)}, builder.getF32Type()),
        streams, eps);
    Value product = MatmulOp::create(builder, loc, flat(), projection,
                                     /*bias=*/Value(), /*transposed=*/true);
    return MulOp::create(builder, loc, product, scale);
  }

  /// `mixes[offset + i] * scale[index] + base[offset + i]` for `size` mixes.
  Value affine(Value mixes, Value scale, Value base, int64_t index,
               int64_t offset, int64_t size) {
    mixes = SliceOp::create(builder, loc, mixes, offset, size);
    scale = SliceOp::create(builder, loc, scale, index, 1);
    base = SliceOp::create(builder, loc, base, offset, size);
    Value scaled = MulOp::create(builder, loc, mixes, scale);
    return AddOp::create(builder, loc, scaled, base);
  }

  Value sigmoid(Value value) {
    return SigmoidOp::create(builder, loc, value.getType(), value);
  }
  Value add(Value value, FloatAttr eps) {
    return AddScalarOp::create(builder, loc, value, eps);
  }

  /// `value / (sum of value along dim + eps)`
  Value divideBySum(Value value, int64_t dim, FloatAttr eps) {
    Value sum = add(SumOp::create(builder, loc, value, dim), eps);
    return DivOp::create(builder, loc, value, sum);
  }

  /// The sum of the streams, each times its share, in their own type.
  Value weigh(Value shares) {
    shares = reshape(shares, {tokens(), Dim(count()), Dim(1)});
    Value products = MulOp::create(builder, loc, wide(), shares);
    Value sum = SumOp::create(builder, loc, products, 1);
    return convert(reshape(sum, {tokens(), dims[2]}), type.getElementType());
  }

private:
  OpBuilder &builder;
  Location loc;
  Value streams, cached;
  RankedTensorType type;
  SmallVector<Dim> dims;
};
} // namespace

bool HyperInputOp::isLaunchedWhole() { return true; }
bool InverseRMSOp::isLaunchedWhole() { return true; }
bool MixStreamsOp::isLaunchedWhole() { return true; }
bool HyperOutputOp::isLaunchedWhole() { return true; }
bool HyperHeadOp::isLaunchedWhole() { return true; }

SmallVector<Value> HyperInputOp::decompose(OpBuilder &builder) {
  Value mixes = StreamBuilder(builder, getLoc(), getStreams())
                    .mixes(getProjection(), getNormEpsAttr());
  auto mix = MixStreamsOp::create(builder, getLoc(), getResultTypes(), mixes,
                                  getStreams(), getScale(), getBase(),
                                  getIterationsAttr(), getEpsAttr());
  return llvm::to_vector_of<Value>(mix.getResults());
}

SmallVector<Value> InverseRMSOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value flat = StreamBuilder(builder, loc, getStreams()).flat();
  Value squares =
      PowOp::create(builder, loc, flat, builder.getF64FloatAttr(2.0));
  Value mean = MeanOp::create(builder, loc, squares);
  Value stable = AddScalarOp::create(builder, loc, mean, getEpsAttr());
  return {RsqrtOp::create(builder, loc, stable)};
}

SmallVector<Value> MixStreamsOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  StreamBuilder streams(builder, loc, getStreams());
  int64_t count = streams.count();
  auto affine = [&](int64_t index, int64_t offset, int64_t size) {
    return streams.affine(getMixes(), getScale(), getBase(), index, offset,
                          size);
  };
  FloatAttr eps = getEpsAttr();
  Value pre = streams.add(streams.sigmoid(affine(0, 0, count)), eps);
  Value post = MulScalarOp::create(builder, loc,
                                   streams.sigmoid(affine(1, count, count)),
                                   builder.getF64FloatAttr(2.0));
  Value comb = affine(2, 2 * count, count * count);
  comb = streams.reshape(comb, {streams.tokens(), Dim(count), Dim(count)});
  comb = SoftmaxOp::create(builder, loc, comb.getType(), comb);
  comb = streams.divideBySum(streams.add(comb, eps), 1, eps);
  for (int64_t i = 1; i < static_cast<int64_t>(getIterations()); ++i)
    for (int64_t dim : {2, 1})
      comb = streams.divideBySum(comb, dim, eps);
  return {streams.weigh(pre), post, comb};
}

SmallVector<Value> HyperOutputOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  StreamBuilder streams(builder, loc, getStreams());
  Dim tokens = streams.tokens(), count(streams.count());
  Dim features = getDims(getType())[2];
  Type f32 = builder.getF32Type();
  Value comb = streams.reshape(getComb(), {tokens, count, count, Dim(1)});
  Value rows =
      streams.reshape(streams.wide(), {tokens, count, Dim(1), features});
  Value mixed =
      SumOp::create(builder, loc, MulOp::create(builder, loc, comb, rows), 1);
  mixed = streams.reshape(mixed, {tokens, count, features});
  Value post = streams.reshape(getPost(), {tokens, count, Dim(1)});
  Value output = streams.reshape(streams.convert(getOutput(), f32),
                                 {tokens, Dim(1), features});
  Value spread = MulOp::create(builder, loc, post, output);
  Value sum = AddOp::create(builder, loc, spread, mixed);
  return {streams.convert(sum, getType().getElementType())};
}

SmallVector<Value> HyperHeadOp::decompose(OpBuilder &builder) {
  StreamBuilder streams(builder, getLoc(), getStreams());
  Value mixes = streams.mixes(getProjection(), getNormEpsAttr());
  Value shares =
      streams.affine(mixes, getScale(), getBase(), 0, 0, streams.count());
  return {streams.weigh(streams.add(streams.sigmoid(shares), getEpsAttr()))};
}
