//===- VisionWays.cpp - Images as the reference sees them -----------------===//
//
// The reference lets the framework find out on the device where patches are:
// many small launches per image, which a serving stack does on the host. Tokens
// of images are compared with the placeholder, but nothing is written to them,
// and what goes to deeper layers is dropped.
//
//===----------------------------------------------------------------------===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Builds the small launches in place of one op.
class ImageLaunches {
public:
  ImageLaunches(Operation *op, Value batch, int64_t merge,
                const KernelSet &kernels)
      : op(op), kernels(kernels), rewriter(op->getContext()) {
    rewriter.setInsertionPoint(op);
    MLIRContext *context = op->getContext();
    WorkloadAttr workload = getWorkload(batch);
    double side = static_cast<double>(merge);
    images = bind(getImagesExpr(context), workload);
    cellRows = bind(getImageRowsExpr(context), workload);
    cellColumns = bind(getImageColumnsExpr(context), workload);
    rows = cellRows * side;
    columns = cellColumns * side;
    patches = rows * columns;
    tokens = bind(getTokensExpr(context), workload);
    inCell = ExprAttr::constant(context, side);
    one = ExprAttr::constant(context, 1);
    f32 = rewriter.getF32Type();
    i32 = rewriter.getI32Type();
    i64 = rewriter.getI64Type();
  }

  Type list(ArrayRef<ExprAttr> sizes, Type element) const {
    SmallVector<Dim> dims;
    for (ExprAttr size : sizes)
      dims.push_back(size.isConstant()
                         ? Dim(static_cast<int64_t>(size.getValue()))
                         : Dim(size));
    return getTensorType(dims, element);
  }

  /// What is in memory from the start, or comes from launches that do not
  /// matter here.
  Value getData(Type type) {
    return ascend::ViewOp::create(rewriter, op->getLoc(), TypeRange{type},
                                  ValueRange{})
        .getResult(0);
  }

  /// A launch that reads `inputs`; null if the set has no such kernel.
  Value launch(StringRef kernel, Type result, ValueRange inputs,
               ExprAttr count) {
    FailureOr<ascend::LaunchOp> built =
        createLaunch(op, result, kernels, rewriter,
                     {kernel, llvm::to_vector(inputs), {}, count, {}});
    return succeeded(built) ? built->getResult(0) : Value();
  }

  /// The same on data of such types.
  void launch(StringRef kernel, Type result, ArrayRef<Type> inputs,
              ExprAttr count) {
    SmallVector<Value> values;
    for (Type type : inputs)
      values.push_back(getData(type));
    launch(kernel, result, values, count);
  }

  Operation *op;
  const KernelSet &kernels;
  PatternRewriter rewriter;
  /// Images of the step; of each, cells and patches along the sides; patches of
  /// an image; tokens of the step.
  ExprAttr images, cellRows, cellColumns, rows, columns, patches, tokens;
  ExprAttr inCell, one;
  Type f32, i32, i64;
};
} // namespace

/// The places of patches on a table of positions, and on the grid.
static void findPlaces(ImageLaunches &at) {
  ExprAttr n = at.images, all = at.images * at.patches;
  auto i32 = [&](ArrayRef<ExprAttr> sizes) { return at.list(sizes, at.i32); };
  auto i64 = [&](ArrayRef<ExprAttr> sizes) { return at.list(sizes, at.i64); };
  auto f32 = [&](ArrayRef<ExprAttr> sizes) { return at.list(sizes, at.f32); };
  for (ExprAttr side : {at.rows, at.columns}) {
    at.launch("linspace", f32({side}), ArrayRef<Type>(), n);
    at.launch("cast", i32({side}), {f32({side})}, n);
    at.launch("add_scalar", i32({side}), {i32({side})}, n);
    at.launch("max_scalar", i32({side}), {i32({side})}, n);
    at.launch("sub", f32({side}), {f32({side}), i32({side})}, n);
    at.launch("subtract_from_scalar", f32({side}), {f32({side})}, n * 2);
    at.launch("arange", i64({side}), ArrayRef<Type>(), n * 2);
  }
  // Indices and weights of the four corners.
  at.launch("mul_scalar", i32({at.rows}), {i32({at.rows})}, n * 2);
  at.launch("add", i32({at.rows, at.columns}),
            {i32({at.rows, at.one}), i32({at.one, at.columns})}, n * 4);
  at.launch("mul", f32({at.rows, at.columns}),
            {f32({at.rows, at.one}), f32({at.one, at.columns})}, n * 4);
  // The order of patches by cells.
  Type down = i64({at.cellRows, at.inCell, at.one, at.one});
  at.launch("mul_scalar", down, {down}, n);
  at.launch("add", i64({at.cellRows, at.inCell, at.cellColumns, at.inCell}),
            {down, i64({at.one, at.one, at.cellColumns, at.inCell})}, n);
  Type cells = i64({at.cellRows, at.cellColumns, at.inCell, at.inCell});
  at.launch("clone", cells, {cells}, n * 3);
  at.launch("repeat", i64({at.patches}), {i64({at.patches})}, n);
  for (auto list : {i32({at.patches}), f32({at.patches})})
    at.launch("index", list, {list, i64({at.patches})}, n * 4);
  for (Type element : {at.i32, at.f32}) {
    Type joined = at.list({all}, element);
    at.launch("concat", joined, {joined}, at.one * 4);
    ExprAttr four = at.one * 4;
    at.launch("stack", at.list({four, all}, element),
              {joined, joined, joined, joined}, at.one);
  }
  Type pairs = i64({at.patches, at.one * 2});
  at.launch("stack", pairs, {i64({at.patches}), i64({at.patches})}, n);
  at.launch("repeat", pairs, {pairs}, n);
  Type allPairs = i64({all, at.one * 2});
  at.launch("concat", allPairs, {allPairs}, at.one);
  // Where images begin.
  Type each = i64({n});
  at.launch("mul", each, {each, each}, at.one);
  at.launch("repeat_interleave", each, {each}, at.one);
  at.launch("index_images", each, {each, each}, at.one);
  at.launch("cumulative_sum", i32({n}), {each}, at.one);
  at.launch("pad_rows", i32({n + 1}), {i32({n})}, at.one);
}

/// A look-up of four rows per patch, which are weighed and added.
static void interpolate(GridEmbeddingOp op, const KernelSet &kernels) {
  ImageLaunches at(op, op.getBatch(), op.getMerge(), kernels);
  findPlaces(at);
  MLIRContext *context = op.getContext();
  RankedTensorType table = op.getTable().getType();
  double width = static_cast<double>(table.getDimSize(1));
  ExprAttr all = at.images * at.patches, four = at.one * 4;
  ExprAttr features = ExprAttr::constant(context, width);
  Value indices = at.getData(at.list({four, all}, at.i32));
  auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
    ascend::GatherOp::create(
        builder, loc, all * 4,
        ExprAttr::constant(context,
                           width * *getElementBytes(table.getElementType())),
        ExprAttr::constant(context, 0));
  };
  FailureOr<ascend::LaunchOp> rows = createLaunch(
      op, at.list({four, all, features}, table.getElementType()), kernels,
      at.rewriter, {"embedding", {indices}, {op.getTable()}, {}, work});
  if (failed(rows))
    return;
  Value weights = at.getData(at.list({four, all, at.one}, at.f32));
  Value weighed = at.launch("mul", at.list({four, all, features}, at.f32),
                            {rows->getResult(0), weights}, at.one);
  Value sum =
      at.launch("sum", at.list({all, features}, at.f32), weighed, at.one);
  Value result = at.launch("cast", op.getType(), sum, at.one);
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
}

/// What is done with what the tower has seen.
static void comparePlaceholders(PlaceImagesOp op, const KernelSet &kernels) {
  ImageLaunches at(op, op.getBatch(), /*merge=*/1, kernels);
  ExprAttr n = at.images;
  Type each = at.list({n}, at.i64), ids = at.list({at.tokens}, at.i64);
  Type mask = at.list({at.tokens}, at.rewriter.getI1Type());
  at.launch("product", each, {at.list({n, at.one * 3}, at.i64)}, at.one);
  at.launch("count_cells", each, {each}, at.one);
  Type features = op.getFeatures().getType();
  bool isCompiled = kernels.lookup("placeholders_of_others") == nullptr;
  // Compiled, one image is not copied.
  ExprAttr joins = at.one;
  if (isCompiled)
    joins = getFunctionExpr(ExprKind::NotEqual, {n, at.one});
  at.launch("join_images", features, {op.getFeatures()}, joins);
  at.launch("placeholders", mask, {ids}, at.one);
  if (!isCompiled) {
    at.launch("placeholders_of_others", mask, {ids}, at.one);
    at.launch("count_placeholders", at.list({}, at.i64), {mask}, at.one * 2);
    at.launch("empty_like", op.getHidden().getType(), {op.getHidden()}, at.one);
  }
  op->replaceAllUsesWith(ValueRange{op.getHidden()});
  op->erase();
}

/// Lets layers of a tower whose rows are split add their bias before the sum
/// over devices: one of them does.
static void addBiasesBeforeSums(func::FuncOp function) {
  function.walk([](AddOp add) {
    auto bias = add.getRhs().getDefiningOp<WeightOp>();
    auto sum = add.getLhs().getDefiningOp<AllReduceOp>();
    auto linear = sum ? sum.getInput().getDefiningOp<LinearOp>() : LinearOp();
    if (!bias || !linear || linear.getBias() || !sum->hasOneUse() ||
        !bias->isBeforeInBlock(linear))
      return;
    linear.getBiasMutable().assign(bias);
    add->replaceAllUsesWith(sum->getResults());
    add->erase();
  });
}

void mlir::tensorcast::applyVisionWays(ModuleOp module,
                                       const KernelSet &kernels,
                                       const KernelSet &eagerKernels) {
  if (!kernels.getSwitch("finds_patches_on_device"))
    return;
  for (auto function : module.getOps<func::FuncOp>()) {
    const KernelSet &own =
        function->hasAttr(kEagerAttrName) ? eagerKernels : kernels;
    if (function->hasAttr(kTowerAttrName))
      addBiasesBeforeSums(function);
    function.walk([&](GridEmbeddingOp op) {
      if (op.getForm() == GridForm::Bilinear)
        interpolate(op, own);
    });
    function.walk([&](PlaceImagesOp op) {
      if (!op.getAdd())
        return comparePlaceholders(op, own);
      op->replaceAllUsesWith(ValueRange{op.getHidden()});
      op->erase();
    });
  }
}
