//===- OwnRouting.cpp - Route the tokens that a device has anyway ---------===//
//
// A mixture of experts takes each device's share of the tokens. Where a gather
// has put them together right before, what lies between works on the share
// itself, and the gather goes if nothing else needs it.
//
//===----------------------------------------------------------------------===//

#include "SequenceParallel.h"
#include "Sharding.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Rewrites the shares of one function.
class OwnRouting {
public:
  OwnRouting(func::FuncOp function, const TokenSplit &split)
      : split(split), builder(function.getContext()) {
    llvm::append_range(shares, function.getOps<OwnRowsOp>());
  }

  /// Returns how many shares are those that the device had.
  unsigned run() {
    unsigned count = 0;
    for (OwnRowsOp share : shares) {
      if (!split.isGroup(share.getRanks()) || share.getDim() != 0)
        continue;
      Value all = share.getInput();
      Value whole = all;
      while (auto pad = whole.getDefiningOp<PadRowsOp>())
        whole = pad.getInput();
      if (split.getOwnType(getTensor(whole)) != share.getType())
        continue;
      Value own = getOwn(all);
      if (!own)
        continue;
      share.replaceAllUsesWith(own);
      share.erase();
      eraseUnused(all.getDefiningOp());
      ++count;
    }
    return count;
  }

private:
  /// The rows of `all` that this device has, or makes of what it has; null if
  /// it has none of them.
  Value getOwn(Value all) {
    if (Value known = owns.lookup(all))
      return known;
    if (Value rows = split.getGatheredRows(all))
      return rows;
    Operation *op = all.getDefiningOp();
    // A share that comes out uneven is padded by the gather's own rule.
    if (auto pad = dyn_cast_or_null<PadRowsOp>(op))
      return static_cast<int64_t>(pad.getMultiple()) % split.count == 0
                 ? getOwn(pad.getInput())
                 : Value();
    if (!op || !isa<CastOp, LinearOp, MatmulOp>(op) || op->getNumRegions())
      return {};
    // Everything but the first operand is the same for every token.
    auto linear = dyn_cast<LinearOp>(op);
    auto type = dyn_cast<RankedTensorType>(all.getType());
    if ((linear && linear.getAllReduce()) || !type || type.getRank() != 2)
      return {};
    Value rows = getOwn(op->getOperand(0));
    if (!rows)
      return {};
    IRMapping mapping;
    mapping.map(op->getOperand(0), rows);
    builder.setInsertionPoint(op);
    Value own = builder.clone(*op, mapping)->getResult(0);
    own.setType(split.getOwnType(type));
    return owns[all] = own;
  }

  /// Erases what nothing reads any more, from `op` backwards.
  void eraseUnused(Operation *op) {
    while (op && op->use_empty() &&
           isa<AllGatherOp, CastOp, LinearOp, MatmulOp, PadRowsOp>(op)) {
      Operation *before = op->getOperand(0).getDefiningOp();
      owns.erase(op->getResult(0));
      op->erase();
      op = before;
    }
  }

  const TokenSplit &split;
  OpBuilder builder;
  SmallVector<OwnRowsOp> shares;
  /// What the device makes of its own rows in place of all.
  llvm::DenseMap<Value, Value> owns;
};
} // namespace

unsigned mlir::transformer::routeOwnTokens(func::FuncOp function,
                                           const TokenSplit &split) {
  return OwnRouting(function, split).run();
}
