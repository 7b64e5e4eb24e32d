//===- VisionLowering.cpp - Images in front of a decoder ------------------===//

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Positions and places are 64-bit integers.
static constexpr double indexBytes = 8;

static double getRowBytes(RankedTensorType rows) {
  return rows.getShape().back() * *getElementBytes(rows.getElementType());
}

/// What the host knows from the sizes of the images, and has copied to the
/// device.
static Value getHostData(Location loc, Type type, OpBuilder &builder) {
  return ascend::ViewOp::create(builder, loc, TypeRange{type}, ValueRange{})
      .getResult(0);
}

/// Dimension `index` of `type` as an expression; null if it is not known.
static ExprAttr getSize(RankedTensorType type, unsigned index) {
  return getExpr(type.getContext(), getDims(type)[index]);
}

namespace {
/// Windows that do not overlap make a product of matrices.
struct LowerConvolvePatches : LoweringPattern<ConvolvePatchesOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ConvolvePatchesOp op,
                                PatternRewriter &rewriter) const override {
    ExprAttr m = getSize(op.getType(), 0), n = getSize(op.getType(), 1),
             k = getSize(op.getPatches().getType(), 1);
    if (!m || !n || !k)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ExprAttr products = k;
      if (op.getBias())
        products = k + kernel.getCoefficient("bias_products");
      ascend::MatmulOp::create(builder, loc, m, n, products,
                               op.getType().getElementType());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"convolve_patches", llvm::to_vector(op->getOperands()), {}, {}, work});
  }
};

/// The grid is known to the host.
struct LowerGridNeighbors : LoweringPattern<GridNeighborsOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GridNeighborsOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (Type type : op->getResultTypes())
      results.push_back(getHostData(op.getLoc(), type, rewriter));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A row of the table is read per neighbour, weighed and added.
struct LowerGridEmbedding : LoweringPattern<GridEmbeddingOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GridEmbeddingOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    ExprAttr patches = getSize(type, 0), elements = getNumElements(type);
    if (!patches || !elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    double neighbors = op.getForm() == GridForm::Exact      ? 1
                       : op.getForm() == GridForm::Bilinear ? 4
                                                            : 16;
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      // An index and a weight of each neighbour.
      ascend::GatherOp::create(
          builder, loc, patches * neighbors,
          ExprAttr::constant(op.getContext(), getRowBytes(type)),
          patches * (neighbors * 2 * indexBytes));
      addElementwiseWork(builder, loc, kernel, elements * neighbors,
                         type.getElementType());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"grid_embedding", {}, {op.getTable(), op.getBatch()}, {}, work});
  }
};

/// Rows and columns of patches times frequencies.
struct LowerGridAngles : LoweringPattern<GridAnglesOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GridAnglesOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    SmallVector<Dim> dims = getDims(type);
    ExprAttr elements = getNumElements(type);
    if (!elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    Value places = getHostData(
        op.getLoc(),
        getTensorType({dims[0], dims[1], Dim(1)}, rewriter.getI64Type()),
        rewriter);
    Value frequencies = getHostData(
        op.getLoc(), getTensorType({dims[2]}, type.getElementType()), rewriter);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      addElementwiseWork(builder, loc, kernel, elements, type.getElementType());
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"grid_angles", {places, frequencies}, {}, {}, work});
  }
};

/// One kernel for all images, or one after the other.
struct LowerImageAttention : LoweringPattern<ImageAttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ImageAttentionOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *context = op.getContext();
    WorkloadAttr workload = getWorkload(op.getBatch());
    ExprAttr images = bind(getImagesExpr(context), workload);
    double merged = static_cast<double>(op.getMerge() * op.getMerge());
    ExprAttr patches =
        bind(getImageRowsExpr(context) * getImageColumnsExpr(context) * merged,
             workload);
    auto type = cast<RankedTensorType>(op.getType());
    const Kernel *kernel = kernels.lookup("image_attention");
    if (!kernel || !kernel->getCoefficient("one_image_per_start"))
      return launchAttention(op, op->getResultTypes(), op.getQuery(),
                             {op.getKey(), op.getValue()},
                             images * patches * patches, {}, rewriter)
                     .has_value()
                 ? success()
                 : failure();
    return launchOneByOne(op, type, images, patches, rewriter);
  }

private:
  /// Replaces `op` by a launch if it has the op's result.
  std::optional<Value> launchAttention(ImageAttentionOp op, TypeRange results,
                                       Value query, ArrayRef<Value> others,
                                       ExprAttr pairs, ExprAttr count,
                                       PatternRewriter &rewriter) const {
    MLIRContext *context = op.getContext();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    int64_t heads = type.getDimSize(1), size = type.getDimSize(2);
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      ExprAttr none = ExprAttr::constant(context, 0);
      // Keys and values are operands, not rows of a cache.
      ascend::AttentionOp::create(
          builder, loc, pairs, heads, size, size,
          ExprAttr::constant(context,
                             kernel.getCoefficient("softmax_ops_per_score")),
          none, heads, none, element, element, element);
    };
    LaunchParts parts = {"image_attention", {query}, {}, count, work};
    llvm::append_range(parts.inputs, others);
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(op, results, kernels, rewriter, parts);
    if (failed(launch))
      return std::nullopt;
    if (results == TypeRange(op->getResultTypes()))
      rewriter.replaceOp(op, launch->getResults());
    return launch->getResult(0);
  }

  /// A start per image, and a copy that joins the results.
  LogicalResult launchOneByOne(ImageAttentionOp op, RankedTensorType type,
                               ExprAttr images, ExprAttr patches,
                               PatternRewriter &rewriter) const {
    for (StringRef name : {"image_lengths", "join_images"})
      if (!kernels.lookup(name))
        return rewriter.notifyMatchFailure(op, [&](Diagnostic &diag) {
          diag << "kernel set " << kernels.getName() << " has no kernel '"
               << name << "'";
        });
    Location loc = op.getLoc();
    Type element = type.getElementType(), i32 = rewriter.getI32Type();
    Dim own = getDim(patches), all = getDim(images);
    int64_t heads = type.getDimSize(1), size = type.getDimSize(2);
    auto view = [&](Value value, Type to) -> Value {
      return ascend::ViewOp::create(rewriter, loc, TypeRange{to}, value)
          .getResult(0);
    };
    Type lengths = getTensorType({all}, i32);
    Value starts = getHostData(loc, lengths, rewriter);
    if (failed(createLaunch(op, lengths, kernels, rewriter,
                            {"image_lengths", {starts, starts}, {}, {}, {}})))
      return failure();
    Type flat = getTensorType({own, Dim(heads * size)}, element);
    Type byHead = getTensorType({Dim(1), own, Dim(heads), Dim(size)}, element);
    std::optional<Value> mixed = launchAttention(
        op, flat, view(op.getQuery(), flat),
        {view(op.getKey(), byHead), view(op.getValue(), byHead)},
        patches * patches, images, rewriter);
    if (!mixed)
      return failure();
    Type joined = getTensorType({getDims(type)[0], Dim(heads * size)}, element);
    Value parts = view(*mixed, joined);
    FailureOr<ascend::LaunchOp> join = createLaunch(
        op, joined, kernels, rewriter, {"join_images", {parts}, {}, {}, {}});
    if (failed(join))
      return failure();
    rewriter.replaceOp(op, view(join->getResult(0), type));
    return success();
  }
};

/// The rows of the cells are written, or added to, where they are.
struct LowerPlaceImages : LoweringPattern<PlaceImagesOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(PlaceImagesOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType features = op.getFeatures().getType();
    ExprAttr cells = getSize(features, 0), elements = getNumElements(features);
    if (!cells || !elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto bytes = ExprAttr::constant(op.getContext(), getRowBytes(features));
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      if (op.getAdd())
        ascend::GatherOp::create(builder, loc, cells, bytes,
                                 ExprAttr::constant(op.getContext(), 0));
      addElementwiseWork(builder, loc, kernel, elements,
                         features.getElementType());
      ascend::ScatterOp::create(builder, loc, cells, bytes, cells * indexBytes);
    };
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(op, TypeRange{}, kernels, rewriter,
                     {op.getAdd() ? "add_images" : "place_images",
                      {op.getFeatures()},
                      {op.getHidden(), op.getBatch()},
                      {},
                      work});
    if (failed(launch))
      return failure();
    rewriter.replaceOpWithNewOp<ascend::ViewOp>(op, op->getResultTypes(),
                                                op.getHidden());
    return success();
  }
};
} // namespace

void mlir::tensorcast::populateVisionLowering(RewritePatternSet &patterns,
                                              const KernelSet &kernels) {
  patterns.add<LowerConvolvePatches, LowerGridAngles, LowerGridEmbedding,
               LowerGridNeighbors, LowerImageAttention, LowerPlaceImages>(
      patterns.getContext(), kernels);
}
