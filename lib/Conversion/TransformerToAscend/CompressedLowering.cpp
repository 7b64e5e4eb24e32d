//===- CompressedLowering.cpp - Compressed attention ----------------------===//

#include "CompressedWork.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Bytes of cosines or sines of `tokens` in a table.
static ExprAttr getTableBytes(ExprAttr tokens, RopeTableType table) {
  return tokens * (static_cast<double>(table.getWidth()) *
                   *getElementBytes(table.getElementType()));
}

static ascend::ViewOp makeView(OpBuilder &builder, Location loc, Type type,
                               ValueRange operands) {
  return ascend::ViewOp::create(builder, loc, TypeRange{type}, operands);
}

//===----------------------------------------------------------------------===//
// Queries and rows
//===----------------------------------------------------------------------===//

namespace {
/// Rotates in place: what is not rotated does not move.
struct LowerRotatePart : LoweringPattern<RotatePartOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(RotatePartOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    ExprAttr tokens = getRows(type), elements = getNumElements(type);
    if (!tokens || !elements)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    double features = static_cast<double>(op.getFeatures());
    RankedTensorType heads = getTensorType(ArrayRef(getDims(type)).drop_back(),
                                           type.getElementType());
    ExprAttr rotated = getNumElements(heads) * features;
    RopeTableType table = op.getTable().getType();
    double bytes = *getElementBytes(type.getElementType());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      MLIRContext *context = op.getContext();
      auto number = [&](double value) {
        return ExprAttr::constant(context, value);
      };
      Type f32 = builder.getF32Type();
      addOperations(builder, loc, kernel, "f32_ops_per_element", rotated, f32);
      if (op.getInverse())
        addOperations(builder, loc, kernel, "f32_ops_per_inverse_sine",
                      tokens * static_cast<double>(table.getWidth()), f32);
      ExprAttr tables = getTableBytes(tokens, table) * 2;
      double moved = kernel.getCoefficient("bytes_per_element");
      ascend::GatherOp::create(builder, loc, rotated, number(bytes), tables);
      ascend::ScatterOp::create(builder, loc, rotated,
                                number(moved > 0 ? moved : bytes), number(0));
    };
    FailureOr<ascend::LaunchOp> launch = createLaunch(
        op, TypeRange(), kernels, rewriter,
        {"rotate_part", {}, {op.getInput(), op.getTable()}, {}, work});
    if (failed(launch))
      return failure();
    rewriter.replaceOp(op,
                       makeView(rewriter, op.getLoc(), type, op.getInput()));
    return success();
  }
};

/// One kernel, or one per step, of which the last may be in place.
struct LowerNormalize : LoweringPattern<NormalizeOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(NormalizeOp op,
                                PatternRewriter &rewriter) const override {
    if (kernels.lookup("normalize"))
      return replaceWithElementwiseLaunch(op, kernels, rewriter, "normalize");
    RankedTensorType type = op.getType();
    SmallVector<Dim> dims = getDims(type);
    dims.back() = Dim(1);
    Type column = getTensorType(dims, type.getElementType());
    Value value = op.getInput();
    std::pair<StringRef, Type> steps[] = {{"pow", type},
                                          {"mean", column},
                                          {"add_scalar", column},
                                          {"rsqrt", column}};
    for (auto [step, result] : steps) {
      FailureOr<ascend::LaunchOp> launch = createLaunch(
          op, result, kernels, rewriter, {step, {value}, {}, {}, {}});
      if (failed(launch))
        return failure();
      value = launch->getResult(0);
    }
    StringRef last = kernels.lookup("mul_in_place") ? "mul_in_place" : "mul";
    return replaceWithLaunch(op, kernels, rewriter,
                             {last, {op.getInput(), value}, {}, {}, {}});
  }
};

/// One kernel, or a quantization and what puts its result back in place.
struct LowerRoundFeatures : LoweringPattern<RoundFeaturesOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(RoundFeaturesOp op,
                                PatternRewriter &rewriter) const override {
    if (kernels.lookup("round_features"))
      return replaceWithElementwiseLaunch(op, kernels, rewriter,
                                          "round_features");
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    Dim tokens = getDims(type)[0];
    Type element = type.getElementType();
    int64_t features = op.getFeatures();
    auto part = [&](Type of) {
      return getTensorType({tokens, Dim(features)}, of);
    };
    RankedTensorType narrow = part(rewriter.getType<Float8E4M3FNType>());
    RankedTensorType scale =
        getTensorType({tokens, Dim(1)}, rewriter.getF32Type());
    Value input =
        makeView(rewriter, loc, part(element), op.getInput()).getResult(0);
    auto launch = [&](StringRef kernel, TypeRange types,
                      ValueRange inputs) -> Value {
      FailureOr<ascend::LaunchOp> built =
          createLaunch(op, types, kernels, rewriter,
                       {kernel, llvm::to_vector(inputs), {}, {}, {}});
      return succeeded(built) ? built->getResult(0) : Value();
    };
    Value rounded = launch("dynamic_quantize", {narrow, scale}, input);
    Value wide = rounded ? launch("cast", part(element), rounded) : Value();
    Value copied =
        wide ? launch("own_features", part(element), {input, wide}) : Value();
    if (!copied)
      return failure();
    if (!kernels.lookup("put_features")) {
      rewriter.replaceOp(op, makeView(rewriter, loc, type, {input, copied}));
      return success();
    }
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"put_features", {op.getInput(), copied}, {}, {}, {}});
  }
};

/// Kernels of one stream run in order anyway.
struct LowerTie : LoweringPattern<TieOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(TieOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, makeView(rewriter, op.getLoc(), op.getType(),
                                    {op.getInput(), op.getOther()}));
    return success();
  }
};

/// A batched product, whose result is copied into the order of tokens.
struct LowerGroupedProjection : LoweringPattern<GroupedProjectionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(GroupedProjectionOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    RankedTensorType weight = op.getWeight().getType();
    ExprAttr tokens = getRows(op.getInput().getType());
    if (!tokens)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    auto number = [&](int64_t value) {
      return ExprAttr::constant(context, static_cast<double>(value));
    };
    int64_t groups = op.getNumGroups();
    auto work = [&](OpBuilder &builder, Location workLoc, const Kernel &) {
      ascend::MatmulOp::create(
          builder, workLoc, tokens * static_cast<double>(groups),
          number(weight.getDimSize(0) / groups), number(weight.getDimSize(1)),
          op.getType().getElementType());
    };
    Value matrix = op.getWeight();
    // What is kept narrow is widened in each step, if a kernel does that.
    Value narrow = getNarrow(matrix);
    if (narrow && kernels.lookup("cast_weight")) {
      FailureOr<ascend::LaunchOp> cast = createLaunch(
          op, weight, kernels, rewriter, {"cast_weight", {narrow}, {}, {}, {}});
      if (failed(cast))
        return failure();
      matrix = cast->getResult(0);
    }
    if (kernels.lookup("grouped_projection"))
      return replaceWithLaunch(
          op, kernels, rewriter,
          {"grouped_projection", {op.getInput(), matrix}, {}, {}, work});
    FailureOr<ascend::LaunchOp> product =
        createLaunch(op, op.getType(), kernels, rewriter,
                     {"batched_matmul", {op.getInput(), matrix}, {}, {}, work});
    if (failed(product))
      return failure();
    Value result = product->getResult(0);
    auto shaped = getTensorType({getDims(op.getType())[0], Dim(groups),
                                 Dim(weight.getDimSize(0) / groups)},
                                op.getType().getElementType());
    Value order = makeView(rewriter, loc, shaped, result).getResult(0);
    FailureOr<ascend::LaunchOp> copy = createLaunch(
        op, shaped, kernels, rewriter, {"clone", {order}, {}, {}, {}});
    if (failed(copy))
      return failure();
    rewriter.replaceOp(
        op, makeView(rewriter, loc, op.getType(), copy->getResult(0)));
    return success();
  }

private:
  /// The narrow weight that `weight` was loaded from, whether that is lowered
  /// yet or not.
  static Value getNarrow(Value weight) {
    Operation *load = weight.getDefiningOp();
    if (!isa_and_nonnull<LoadWeightOp, ascend::ViewOp>(load))
      return {};
    return load->getOperand(0);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

namespace {
/// Prefill writes what stays in the window, in up to two parts, as the window
/// begins somewhere in its slots.
struct LowerAppendWindow : LoweringPattern<AppendWindowOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(AppendWindowOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getRows().getType();
    if (!getRows(type))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    MLIRContext *context = op.getContext();
    WorkloadAttr workload = getWorkload(op.getBatch());
    auto number = [&](double value) {
      return ExprAttr::constant(context, value);
    };
    ExprAttr one = number(1), window = number(op.getWindow());
    ExprAttr tokens = getTokensExpr(context), decode = getDecodeExpr(context);
    ExprAttr isLong =
        (one - decode) * getFunctionExpr(ExprKind::Less, {window, tokens});
    ExprAttr rest = getFunctionExpr(ExprKind::Mod, {tokens, window});
    ExprAttr first = tokens * (one - isLong) + isLong * (window - rest);
    ExprAttr isSplit =
        isLong * getFunctionExpr(ExprKind::NotEqual, {rest, number(0)});
    Value cache = op.getCache();
    auto write = [&](ExprAttr rows, ExprAttr times) {
      auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
        double bytes = getRowBytes(op.getType());
        ascend::GatherOp::create(builder, loc, bind(rows, workload),
                                 number(bytes), number(0));
        ascend::ScatterOp::create(builder, loc, bind(rows, workload),
                                  number(bytes), number(0));
      };
      FailureOr<ascend::LaunchOp> launch =
          createLaunch(op, op.getType(), kernels, rewriter,
                       {"append_window",
                        {},
                        {op.getRows(), cache, op.getBatch()},
                        times,
                        work});
      if (succeeded(launch))
        cache = launch->getResult(0);
      return success(succeeded(launch));
    };
    if (failed(write(first, {})))
      return failure();
    const Kernel *kernel = kernels.lookup("append_window");
    bool writesOnce =
        op.getCompressed() && kernel->getCoefficient("compressed_writes_once");
    isSplit = bind(isSplit, workload);
    if (!writesOnce && !isSplit.isConstant(0) &&
        failed(write(rest, isSplit.isConstant(1) ? ExprAttr() : isSplit)))
      return failure();
    rewriter.replaceOp(op, cache);
    return success();
  }
};

struct LowerCompress : LoweringPattern<CompressOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(CompressOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    KVCacheType cache = op.getCache().getType();
    if (!getRows(input) || input.isDynamicDim(1))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    CompressWork compress;
    compress.features = static_cast<double>(input.getDimSize(1));
    compress.ratio = static_cast<double>(op.getRatio());
    compress.parts = static_cast<double>(op.getNumParts());
    compress.size = static_cast<double>(cache.getTokenSize());
    compress.rotated = static_cast<double>(op.getFeatures());
    compress.cacheBytes = *getElementBytes(cache.getElementType());
    compress.turns = op.getRotated();
    compress.workload = getWorkload(op.getBatch());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &) {
      compress.build(builder, loc);
    };
    return replaceWithLaunch(
        op, kernels, rewriter,
        {"compress",
         {op.getInput()},
         {op.getTable(), op.getCache(), op.getState(), op.getBatch(),
          op.getValueProjection(), op.getGateProjection(), op.getPositions(),
          op.getNorm()},
         {},
         work});
  }
};

struct LowerPickCompressed : LoweringPattern<PickCompressedOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(PickCompressedOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType query = op.getQuery().getType();
    if (!getRows(query) || query.isDynamicDim(1))
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    PickWork pick;
    pick.heads = static_cast<double>(query.getDimSize(1));
    pick.size = static_cast<double>(query.getDimSize(2));
    pick.ratio = static_cast<double>(op.getRatio());
    pick.topK = static_cast<double>(op.getTopK());
    pick.blockSize =
        static_cast<double>(op.getCache().getType().getBlockSize());
    pick.isSplit = op.getRanks() && op.getRanks()->getCount() > 1;
    pick.type = query.getElementType();
    pick.workload = getWorkload(op.getBatch());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      pick.build(builder, loc, kernel);
    };
    return replaceWithLaunch(op, kernels, rewriter,
                             {"pick_compressed",
                              {op.getQuery(), op.getShare()},
                              {op.getCache(), op.getBatch()},
                              {},
                              work});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

namespace {
/// The attention itself, behind what makes one list of row numbers, and in
/// prefill one tensor of rows.
struct LowerWindowAttention : LoweringPattern<WindowAttentionOp> {
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(WindowAttentionOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType query = op.getType();
    ExprAttr tokens = getRows(query);
    if (!tokens)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    MLIRContext *context = op.getContext();
    WorkloadAttr workload = getWorkload(op.getBatch());
    auto number = [&](double value) {
      return ExprAttr::constant(context, value);
    };
    ExprAttr decode = getDecodeExpr(context), prefill = number(1) - decode;
    ExprAttr window = number(op.getWindow());
    ExprAttr latest =
        decode * window +
        prefill *
            getFunctionExpr(ExprKind::Min, {getTokensExpr(context), window});
    latest = bind(latest, workload);
    ExprAttr compressed = getNumCompressed(op, workload);
    if (!compressed)
      return rewriter.notifyMatchFailure(op, kUnknownSize);
    if (failed(listRows(op, latest, compressed, rewriter)))
      return failure();
    if (op.getCompressed() &&
        failed(joinRows(op, bind(prefill, workload), rewriter)))
      return failure();

    SharedRowsWork attention;
    attention.tokens = tokens;
    attention.width = latest + compressed;
    attention.heads = static_cast<double>(query.getDimSize(1));
    attention.size = static_cast<double>(query.getDimSize(2));
    attention.type = query.getElementType();
    attention.elementBytes = *getElementBytes(query.getElementType());
    attention.rowBytes = getRowBytes(op.getWindowCache().getType());
    auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
      attention.build(builder, loc, kernel);
    };
    const Kernel *kernel = kernels.lookup("window_attention");
    Value sink = op.getSink();
    if (kernel && kernel->getCoefficient("reads_all_sinks"))
      if (Operation *part = sink.getDefiningOp();
          isa_and_nonnull<OwnRowsOp, ascend::ViewOp>(part))
        sink = part->getOperand(0);
    LaunchParts parts = {"window_attention",
                         {op.getQuery(), sink},
                         {op.getRows(), op.getWindowCache(), op.getBatch()},
                         {},
                         work};
    if (op.getCompressed())
      parts.resident.push_back(op.getCompressed());
    if (op.getIndices())
      parts.resident.push_back(op.getIndices());
    return replaceWithLaunch(op, kernels, rewriter, parts);
  }

private:
  /// Compressed rows that each token looks at, of the longest request; null if
  /// they are not known.
  static ExprAttr getNumCompressed(WindowAttentionOp op,
                                   WorkloadAttr workload) {
    MLIRContext *context = op.getContext();
    if (!op.getCompressed())
      return ExprAttr::constant(context, 0);
    if (op.getIndices())
      return getExpr(context, getDims(cast<RankedTensorType>(
                                  op.getIndices().getType()))[1]);
    return bind(CompressOp::getNumRows(context, *op.getRatio()), workload);
  }

  /// Numbers of the latest rows are counted, joined with those of compressed
  /// ones, and rounded, as far as a stack does so in each step.
  LogicalResult listRows(WindowAttentionOp op, ExprAttr latest,
                         ExprAttr compressed, PatternRewriter &rewriter) const {
    const Kernel *kernel = kernels.lookup("window_attention");
    bool lists = kernel && kernel->getCoefficient("lists_rows");
    bool isConstant = !op.getIndices() && !kernels.lookup("count_rows");
    if (!lists || isConstant)
      return success();
    Location loc = op.getLoc();
    Dim tokens = getDims(op.getType())[0];
    Type i64 = rewriter.getI64Type();
    bool failedAny = false;
    auto launch = [&](StringRef name, Type type, ValueRange inputs) -> Value {
      FailureOr<ascend::LaunchOp> built =
          createLaunch(op, type, kernels, rewriter,
                       {name, llvm::to_vector(inputs), {}, {}, {}});
      failedAny |= failed(built);
      return succeeded(built) ? built->getResult(0) : Value();
    };
    auto count = [&](ExprAttr rows) {
      ValueRange none;
      if (kernels.lookup("count_rows"))
        launch("count_rows", getTensorType({getDim(rows)}, i64), none);
      return makeView(rewriter, loc, getTensorType({tokens, getDim(rows)}, i64),
                      none)
          .getResult(0);
    };
    Value rows = count(latest);
    if (op.getCompressed()) {
      Value others = op.getIndices() ? op.getIndices() : count(compressed);
      rows = launch("concat",
                    getTensorType({tokens, getDim(latest + compressed)}, i64),
                    {rows, others});
    }
    if (rows)
      launch("cast",
             withElementType(cast<RankedTensorType>(rows.getType()),
                             rewriter.getI32Type()),
             rows);
    return success(!failedAny);
  }

  /// In prefill the rows of new tokens are joined with compressed ones.
  LogicalResult joinRows(WindowAttentionOp op, ExprAttr times,
                         PatternRewriter &rewriter) const {
    const Kernel *kernel = kernels.lookup("window_attention");
    if (!kernel || !kernel->getCoefficient("joins_rows") || times.isConstant(0))
      return success();
    Location loc = op.getLoc();
    RankedTensorType rows = op.getRows().getType();
    ExprAttr tokens = getRows(rows);
    ExprAttr groups = getFunctionExpr(
        ExprKind::FloorDiv,
        {tokens, ExprAttr::constant(op.getContext(),
                                    static_cast<double>(*op.getRatio()))});
    auto type = [&](ExprAttr count) {
      return getTensorType({getDim(count), getDims(rows)[1]},
                           rows.getElementType());
    };
    Value compressed =
        makeView(rewriter, loc, type(groups), op.getCompressed()).getResult(0);
    return success(
        succeeded(createLaunch(op, type(tokens + groups), kernels, rewriter,
                               {"concat",
                                {op.getRows(), compressed},
                                {},
                                times.isConstant(1) ? ExprAttr() : times,
                                {}})));
  }
};
} // namespace

void mlir::tensorcast::populateCompressedLowering(RewritePatternSet &patterns,
                                                  const KernelSet &kernels) {
  patterns.add<LowerAppendWindow, LowerCompress, LowerGroupedProjection,
               LowerNormalize, LowerPickCompressed, LowerRotatePart,
               LowerRoundFeatures, LowerTie, LowerWindowAttention>(
      patterns.getContext(), kernels);
}
