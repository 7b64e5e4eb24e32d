//===- HyperLowering.cpp - Hyper-connections ------------------------------===//

#include "LatentWork.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// The work of kernels on streams: tokens, streams `n` and features `H`.
/// Numbers of operations follow the formulas of the ops; the coefficient
/// `stream_bytes` is what a kernel moves of each element beside its operands,
/// as it keeps products of f32 in memory.
class StreamWork {
public:
  StreamWork(OpBuilder &builder, Location loc, const Kernel &kernel,
             RankedTensorType streams)
      : builder(builder), loc(loc), kernel(kernel), tokens(getRows(streams)),
        count(static_cast<double>(streams.getDimSize(1))),
        features(static_cast<double>(streams.getDimSize(2))),
        narrow(streams.getElementType()) {}

  void add(double perToken, Type type) {
    ascend::ElementwiseOp::create(
        builder, loc, tokens,
        ExprAttr::constant(builder.getContext(), perToken), type);
  }
  void addWide(double perToken) { add(perToken, builder.getF32Type()); }
  void addNarrow(double perToken) { add(perToken, narrow); }

  /// Products of f32 that are written and read again.
  void addMoved(double elementsPerToken) {
    double bytes = kernel.getCoefficient("stream_bytes") * elementsPerToken;
    if (bytes > 0)
      ascend::GatherOp::create(builder, loc, tokens, number(bytes), number(0));
  }

  void addMatmul(double n, double k) {
    ascend::MatmulOp::create(builder, loc, tokens, number(n), number(k),
                             builder.getF32Type());
  }

  double getCount() const { return count; }
  double getFeatures() const { return features; }

private:
  ExprAttr number(double value) const {
    return ExprAttr::constant(builder.getContext(), value);
  }

  OpBuilder &builder;
  Location loc;
  const Kernel &kernel;
  ExprAttr tokens;
  double count, features;
  Type narrow;
};

static void addMixing(StreamWork &work, double iterations) {
  double n = work.getCount(), H = work.getFeatures();
  work.addWide(3 * n + 2 * n * n + 5 * n * n + 2 * n +
               (iterations - 1) * (6 * n * n + 2 * n) + 2 * n * H);
  work.addNarrow(H);
  work.addMoved(H);
}

static void addWork(InverseRMSOp, StreamWork &work) {
  double elements = work.getCount() * work.getFeatures();
  work.addWide(6 * elements);
  work.addMoved(elements);
}

static void addWork(MixStreamsOp op, StreamWork &work) {
  addMixing(work, static_cast<double>(op.getIterations()));
}

static void addWork(HyperInputOp op, StreamWork &work) {
  double n = work.getCount(), elements = n * work.getFeatures();
  work.addMatmul(n * (n + 2), elements);
  work.addWide(6 * elements + n * (n + 2));
  addMixing(work, static_cast<double>(op.getIterations()));
}

static void addWork(HyperOutputOp, StreamWork &work) {
  double n = work.getCount(), elements = n * work.getFeatures();
  work.addWide(2 * n * elements + 2 * elements);
  work.addNarrow(elements);
  work.addMoved(elements);
}

static void addWork(HyperHeadOp, StreamWork &work) {
  double n = work.getCount(), elements = n * work.getFeatures();
  work.addMatmul(n, elements);
  work.addWide(5 * elements + 8 * n + 2 * elements);
  work.addMoved(work.getFeatures());
}

/// A kernel on streams that reads its operands and writes its results.
template <typename SourceOp> struct LowerStreams : LoweringPattern<SourceOp> {
  using LoweringPattern<SourceOp>::LoweringPattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType streams = op.getStreams().getType();
    if (!getRows(streams))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      StreamWork streamWork(builder, loc, kernel, streams);
      addWork(op, streamWork);
    };
    return replaceWithLaunch(op, this->kernels, rewriter,
                             {op->getName().stripDialect(),
                              llvm::to_vector(op->getOperands()),
                              {},
                              {},
                              work});
  }
};

struct LowerRepeatStreams : LoweringPattern<RepeatStreamsOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(RepeatStreamsOp op,
                                PatternRewriter &rewriter) const override {
    return replaceWithLaunch(op, kernels, rewriter,
                             {"repeat_streams", {op.getInput()}, {}, {}, {}});
  }
};
} // namespace

void mlir::tensorcast::populateHyperLowering(RewritePatternSet &patterns,
                                             const KernelSet &kernels) {
  patterns.add<LowerRepeatStreams, LowerStreams<HyperHeadOp>,
               LowerStreams<HyperInputOp>, LowerStreams<HyperOutputOp>,
               LowerStreams<InverseRMSOp>, LowerStreams<MixStreamsOp>>(
      patterns.getContext(), kernels);
}
