//===- ExpertRows.cpp - How many rows each expert gets --------------------===//

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::transformer;

std::optional<ExpertRows> ExpertRows::get(RankedTensorType ids,
                                          PlacementAttr placement) {
  MLIRContext *context = ids.getContext();
  SmallVector<Dim> dims = getDims(ids);
  if (dims.size() != 2)
    return std::nullopt;
  ExprAttr tokens = getExpr(context, dims[0]);
  ExprAttr choices = getExpr(context, dims[1]);
  if (!tokens || !choices)
    return std::nullopt;
  auto number = [&](int64_t value) {
    return ExprAttr::constant(context, static_cast<double>(value));
  };
  auto call = [](ExprKind kind, ExprAttr lhs, ExprAttr rhs) {
    return getFunctionExpr(kind, {lhs, rhs});
  };
  ExprAttr one = number(1), zero = number(0);
  ExprAttr experts = number(placement.getExperts());
  ExprAttr local = number(placement.getNumLocal());
  ExprAttr devices = number(placement.getDevices());
  // The last choice of every token is the shared expert, if that is one.
  ExprAttr routed = tokens * (placement.getShared() ? choices - one : choices);

  ExpertRows rows;
  rows.sent = tokens * choices;
  ExprAttr each = call(ExprKind::FloorDiv, routed, experts);
  ExprAttr rest = call(ExprKind::Mod, routed, experts);
  if (placement.getHoldsShared()) {
    ExprAttr own =
        call(ExprKind::CeilDiv, tokens, number(placement.getShared()));
    rows.numLarge = one;
    rows.largeRows = own * devices;
    rows.numSmall = rows.smallRows = zero;
    rows.received = rows.largeRows;
    rows.active = one;
    rows.exchanged =
        call(ExprKind::Max, rows.sent - own, own * (devices - one));
    return rows;
  }
  bool isAlone = placement.getDevices() == 1;
  rows.numLarge = isAlone ? rest : call(ExprKind::Min, rest, local);
  rows.largeRows = (each + one) * devices;
  rows.numSmall =
      call(ExprKind::NotEqual, each, zero) * (local - rows.numLarge);
  rows.smallRows = each * devices;
  rows.active = call(ExprKind::Min, routed, local);
  ExprAttr own = isAlone ? routed : local * each + rows.numLarge;
  rows.received = own * devices;
  rows.exchanged = call(ExprKind::Max, rows.sent - own, own * (devices - one));
  return rows;
}
