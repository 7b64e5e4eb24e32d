//===- CompressedWork.cpp - Work of compressed attention ------------------===//
//
// Requests that begin (kv = q) are compressed group by group; of others, each
// token is added to its group, which its last token completes.
//
//===----------------------------------------------------------------------===//

#include "CompressedWork.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Expressions in q and kv of a request, and sums of them over the batch.
struct RequestExprs {
  RequestExprs(MLIRContext *context, WorkloadAttr workload)
      : context(context), workload(workload), q(getNewTokensExpr(context)),
        kv(getTotalTokensExpr(context)) {}

  ExprAttr number(double value) const {
    return ExprAttr::constant(context, value);
  }
  ExprAttr call(ExprKind kind, ExprAttr lhs, ExprAttr rhs) const {
    return getFunctionExpr(kind, {lhs, rhs});
  }
  /// 1 for a request without tokens before the step, else 0.
  ExprAttr isNew() const { return call(ExprKind::Equal, kv, q); }
  /// Groups that the new tokens complete.
  ExprAttr getCompleted(double ratio) const {
    return call(ExprKind::FloorDiv, kv, number(ratio)) -
           call(ExprKind::FloorDiv, kv - q, number(ratio));
  }
  ExprAttr sum(ExprAttr expr) const {
    return bind(sumOverRequests(expr), workload);
  }

  MLIRContext *context;
  WorkloadAttr workload;
  ExprAttr q, kv;
};
} // namespace

void CompressWork::build(OpBuilder &builder, Location loc) const {
  RequestExprs batch(builder.getContext(), workload);
  Type f32 = builder.getF32Type();
  auto number = [&](double value) { return batch.number(value); };
  double width = parts * size, window = parts * ratio;
  bool overlaps = parts > 1;
  ExprAttr tokens = batch.sum(batch.q);
  ascend::MatmulOp::create(builder, loc, tokens, number(2 * width),
                           number(features), f32);

  ExprAttr isNew = batch.isNew(), isOld = number(1) - isNew;
  // Of a request that begins, tokens of the open group are kept, and where
  // groups overlap, those of the last one too.
  ExprAttr kept = batch.call(ExprKind::Mod, batch.q, number(ratio));
  if (overlaps)
    kept = kept +
           batch.call(ExprKind::LessOrEqual, number(ratio), batch.q) * ratio;
  ExprAttr groups = batch.call(ExprKind::FloorDiv, batch.q, number(ratio));
  ExprAttr completed = batch.getCompleted(ratio);
  double perGroup = ratio * width + ((overlaps ? 2 : 0) + 6) * window * width;
  double perLast = 6 * window * size + (overlaps ? 2 * window * size : 0);
  ExprAttr operations =
      batch.sum(isNew * (kept * width + groups * perGroup) +
                isOld * (batch.q * width + completed * perLast));
  ExprAttr stateBytes =
      batch.sum(isNew * kept * (8 * width) + isOld * batch.q * (8 * width) +
                isOld * completed * (overlaps ? 8 * ratio * width : 0));
  ExprAttr rows = batch.sum(isNew * groups + isOld * completed);
  double perRow = 5 * size + 5 * rotated +
                  (turns ? size * (std::log2(size) + 6) : 3 * (size - rotated));
  auto add = [&](ExprAttr elements, double each) {
    if (!elements.isConstant(0))
      ascend::ElementwiseOp::create(builder, loc, elements, number(each), f32);
  };
  add(tokens * features, 1);
  add(operations, 1);
  add(rows, perRow);

  // The projections, tokens in f32 and back, and two lengths per request.
  ExprAttr lengths = batch.sum(number(2 * kIndexBytes));
  ascend::GatherOp::create(builder, loc, number(2 * width),
                           number(features * 4), lengths);
  ascend::GatherOp::create(builder, loc, tokens, number(8 * features),
                           number(0));
  ascend::GatherOp::create(builder, loc, stateBytes, number(1), number(0));
  ascend::ScatterOp::create(builder, loc, rows,
                            number(6 * size + size * cacheBytes), number(0));
}

void PickWork::build(OpBuilder &builder, Location loc,
                     const Kernel &kernel) const {
  RequestExprs batch(builder.getContext(), workload);
  auto number = [&](double value) { return batch.number(value); };
  ExprAttr one = number(1);
  ExprAttr rows = batch.call(ExprKind::FloorDiv, batch.kv, number(ratio));
  rows = batch.call(ExprKind::Max, rows, one);
  // Some stacks take the slots of a block for those of a request.
  if (kernel.getCoefficient("rows_of_one_block"))
    rows = batch.call(ExprKind::Min, rows, number(blockSize));
  ExprAttr picked = batch.call(ExprKind::Min, number(topK), rows);
  ExprAttr pairs = batch.sum(batch.q * rows);
  ExprAttr choices = batch.sum(batch.q * picked);
  ascend::MatmulOp::create(builder, loc, pairs, number(heads), number(size),
                           type);
  auto add = [&](ExprAttr elements, double each) {
    if (!elements.isConstant(0))
      ascend::ElementwiseOp::create(builder, loc, elements, number(each), type);
  };
  // Queries are turned and quantized; scores are limited, weighted and added.
  add(batch.sum(batch.q) * (heads * size), std::log2(size) + 6);
  add(pairs, 3 * heads);
  add(choices, 2);
  ExprAttr isNew = batch.isNew();
  add(batch.sum(isNew * batch.q * rows), 3);
  add(batch.sum(isNew * batch.q * picked), 2);

  double scoreBytes = isSplit ? 2 * *getElementBytes(type) : 0;
  ascend::GatherOp::create(builder, loc, pairs, number(scoreBytes),
                           batch.sum(number(2 * kIndexBytes)));
  if (!kernel.getCoefficient("keys_stay_on_chip"))
    ascend::GatherOp::create(builder, loc, batch.sum(rows),
                             number(size * *getElementBytes(type)), number(0));
}

void SharedRowsWork::build(OpBuilder &builder, Location loc,
                           const Kernel &kernel) const {
  MLIRContext *context = builder.getContext();
  auto number = [&](double value) {
    return ExprAttr::constant(context, value);
  };
  // Rows come in tiles, and heads are padded to what the cube takes.
  constexpr double tile = 64, indexBytes = 4, sinkBytes = 4;
  double padded = std::max(heads, kernel.getCoefficient("least_heads"));
  ExprAttr tiles = getFunctionExpr(ExprKind::CeilDiv, {width, number(tile)});
  ExprAttr all = tokens * padded;
  ascend::MatmulOp::create(builder, loc, all, tiles * tile, number(2 * size),
                           type);
  double perTile = kernel.getCoefficient("vector_ops_per_tile") + size;
  ascend::ElementwiseOp::create(builder, loc, all,
                                tiles * perTile + number(1 + size), type);
  ascend::GatherOp::create(builder, loc, tokens * width, number(rowBytes),
                           tokens * tiles * (tile * indexBytes));
  if (padded > heads)
    ascend::GatherOp::create(builder, loc, tokens,
                             number(2 * (padded - heads) * size * elementBytes),
                             number(sinkBytes * (padded - heads)));
}
