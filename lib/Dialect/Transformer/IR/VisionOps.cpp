//===- VisionOps.cpp - Images in front of a decoder -----------------------===//

#include "Checks.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Support/Numbers.h"

#include "mlir/IR/DialectImplementation.h"

#include <cmath>

using namespace mlir;
using namespace mlir::transformer;

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsVision.cpp.inc"

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Cells of all images of a batch, times `factor`.
static Dim getCells(BatchType batch, int64_t factor) {
  ExprAttr cells =
      getImageCellsExpr(batch.getContext()) * static_cast<double>(factor);
  if (WorkloadAttr workload = batch.getWorkload())
    return Dim(static_cast<int64_t>(evaluate(cells, workload)));
  return Dim(cells);
}

static Dim getPatches(BatchType batch, int64_t merge) {
  return getCells(batch, merge * merge);
}

/// Positions of a table that a patch lies between.
static int64_t countNeighbors(GridForm form) {
  if (form == GridForm::Exact)
    return 1;
  return form == GridForm::Bilinear ? 4 : 16;
}

/// `dim` times a number; unknown if it is.
static Dim multiply(const Dim &dim, int64_t factor) {
  if (dim.isStatic())
    return Dim(dim.size * factor);
  return dim.expr ? Dim(dim.expr * static_cast<double>(factor)) : dim;
}

/// Checks that a table whose positions are patches is one to one with them.
static LogicalResult verifyExact(Operation *op, BatchType batch, GridForm form,
                                 int64_t side, int64_t merge) {
  WorkloadAttr workload = batch.getWorkload();
  if (form != GridForm::Exact || !workload || !workload.getImages())
    return success();
  ImagesAttr images = workload.getImages();
  if (images.getRows() * merge == side && images.getColumns() * merge == side)
    return success();
  return op->emitOpError("expected images of ")
         << side << " x " << side << " patches, one per position, but got "
         << images.getRows() * merge << " x " << images.getColumns() * merge;
}

//===----------------------------------------------------------------------===//
// Patches
//===----------------------------------------------------------------------===//

LogicalResult ConvolvePatchesOp::verify() {
  RankedTensorType patches = getPatches().getType();
  RankedTensorType weight = getWeight().getType();
  if (failed(verifyRank(*this, "patches", patches, 2)) ||
      failed(verifyDims(*this, "weight", weight,
                        {getDims(weight)[0], getDims(patches)[1]})))
    return failure();
  if (getBias() && failed(verifyDims(*this, "bias", getBias().getType(),
                                     {getDims(weight)[0]})))
    return failure();
  return verifyDims(*this, "result", getType(),
                    {getDims(patches)[0], getDims(weight)[0]});
}

bool ConvolvePatchesOp::isLaunchedWhole() { return true; }

SmallVector<Value> ConvolvePatchesOp::decompose(OpBuilder &builder) {
  return {MatmulOp::create(builder, getLoc(), getPatches(), getWeight(),
                           getBias(), /*transposed=*/true)};
}

//===----------------------------------------------------------------------===//
// Positions on the grid
//===----------------------------------------------------------------------===//

LogicalResult GridNeighborsOp::verify() {
  Dim patches = ::getPatches(getBatch().getType(), getMerge());
  int64_t count = countNeighbors(getForm());
  if (failed(verifyExact(*this, getBatch().getType(), getForm(), getSide(),
                         getMerge())) ||
      failed(verifyDims(*this, "indices", getIndices().getType(),
                        {multiply(patches, count)})))
    return failure();
  return verifyDims(*this, "weights", getWeights().getType(),
                    {Dim(count), patches, Dim(1)});
}

int64_t GridEmbeddingOp::getSide() {
  int64_t positions = getTable().getType().getDimSize(0);
  return static_cast<int64_t>(
      std::llround(std::sqrt(static_cast<double>(positions))));
}

LogicalResult GridEmbeddingOp::verify() {
  RankedTensorType table = getTable().getType();
  if (failed(verifyRank(*this, "table", table, 2)))
    return failure();
  int64_t positions = table.getDimSize(0), side = getSide();
  if (ShapedType::isDynamic(positions) || positions < 1 ||
      side * side != positions || side > 65536)
    return emitOpError("expected a table of a square number of positions, but "
                       "got ")
           << toString(getDims(table)[0]);
  if (failed(verifyElementType(*this, "result", getType().getElementType(),
                               table.getElementType())) ||
      failed(verifyExact(*this, getBatch().getType(), getForm(), side,
                         getMerge())))
    return failure();
  return verifyDims(
      *this, "result", getType(),
      {::getPatches(getBatch().getType(), getMerge()), getDims(table)[1]});
}

SmallVector<Value> GridEmbeddingOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType table = getTable().getType();
  Dim patches = getDims(getType())[0], width = getDims(table)[1];
  int64_t count = countNeighbors(getForm());
  Dim rows = multiply(patches, count);
  auto neighbors = GridNeighborsOp::create(
      builder, loc,
      TypeRange{
          getTensorType({rows}, builder.getI64Type()),
          getTensorType({Dim(count), patches, Dim(1)}, builder.getF32Type())},
      getBatch(), getSide(), getMerge(), getForm());
  Value found = GatherOp::create(builder, loc, getTable(),
                                 neighbors.getIndices(), IntegerAttr());
  Value byNeighbor = ReshapeOp::create(
      builder, loc,
      getTensorType({Dim(count), patches, width}, table.getElementType()),
      found);
  Value weighed =
      MulOp::create(builder, loc, byNeighbor, neighbors.getWeights());
  Value sum = SumOp::create(builder, loc, weighed, 0);
  Type wide = cast<RankedTensorType>(weighed.getType()).getElementType();
  Value rows2d = ReshapeOp::create(builder, loc,
                                   getTensorType({patches, width}, wide), sum);
  if (rows2d.getType() == getType())
    return {rows2d};
  return {CastOp::create(builder, loc, getType(), rows2d)};
}

/// Checks the base of a rotation.
template <typename GridOp> static LogicalResult verifyTheta(GridOp op) {
  double theta = op.getTheta().convertToDouble();
  if (theta >= 1 && std::isfinite(theta))
    return success();
  return op.emitOpError("expected a finite 'theta' of at least 1, but got ")
         << tensorcast::describeNumber(theta);
}

LogicalResult GridAnglesOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifyTheta(*this)) ||
      failed(verifyRank(*this, "result", type, 3)))
    return failure();
  return verifyDims(*this, "result", type,
                    {::getPatches(getBatch().getType(), getMerge()), Dim(2),
                     getDims(type)[2]});
}

LogicalResult GridRopeOp::verify() {
  if (failed(verifyTheta(*this)))
    return failure();
  int64_t width = getType().getWidth();
  int64_t inCell = static_cast<int64_t>(getMerge() * getMerge());
  if (getType().getPatches() != inCell)
    return emitOpError("expected a table of ")
           << inCell << " patches per cell, but got " << getType().getPatches();
  if (width % 4 == 0)
    return success();
  return emitOpError("expected a width of a multiple of 4, for rows and "
                     "columns of pairs, but got ")
         << width;
}

SmallVector<Value> GridRopeOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  int64_t width = getType().getWidth();
  Type element = getType().getElementType();
  Dim patches = ::getPatches(getBatch().getType(), getMerge());
  auto see = [&](Value value, ArrayRef<Dim> dims) -> Value {
    return ReshapeOp::create(builder, loc, getTensorType(dims, element), value);
  };
  Value angles = GridAnglesOp::create(
      builder, loc, getTensorType({patches, Dim(2), Dim(width / 4)}, element),
      getBatch(), getThetaAttr(), getMergeAttr());
  // Each angle is there twice: behind the others, or beside itself.
  angles = getInterleaved() ? see(angles, {patches, Dim(width / 2), Dim(1)})
                            : see(angles, {patches, Dim(width / 2)});
  angles = ConcatOp::create(builder, loc, angles, angles);
  if (getInterleaved())
    angles = see(angles, {patches, Dim(width)});
  Value cos = CosOp::create(builder, loc, angles.getType(), angles);
  Value sin = SinOp::create(builder, loc, angles.getType(), angles);
  return {RopePackOp::create(builder, loc, getType(), cos, sin)};
}

//===----------------------------------------------------------------------===//
// Attention, and the way into the decoder
//===----------------------------------------------------------------------===//

LogicalResult ImageAttentionOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (failed(verifyRank(*this, "query", type, 3)))
    return failure();
  if (ShapedType::isDynamic(type.getDimSize(1)) ||
      ShapedType::isDynamic(type.getDimSize(2)))
    return emitOpError("expected heads of a static number and size, but got ")
           << type;
  double scale = getScale().convertToDouble();
  if (!(scale > 0 && std::isfinite(scale)))
    return emitOpError("expected a finite 'scale' above 0, but got ")
           << tensorcast::describeNumber(scale);
  return verifyDims(*this, "query", type,
                    {::getPatches(getBatch().getType(), getMerge()),
                     getDims(type)[1], getDims(type)[2]});
}

LogicalResult PlaceImagesOp::verify() {
  auto hidden = cast<RankedTensorType>(getHidden().getType());
  RankedTensorType features = getFeatures().getType();
  if (failed(verifyRank(*this, "hidden", hidden, 2)) ||
      failed(verifyElementType(*this, "features", features.getElementType(),
                               hidden.getElementType())))
    return failure();
  return verifyDims(*this, "features", features,
                    {getCells(getBatch().getType(), 1), getDims(hidden)[1]});
}
