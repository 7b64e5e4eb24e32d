//===- Fuse.cpp - Make one kernel of ops ----------------------------------===//

#include "tensorcast/Patterns/FusionRegion.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

SmallVector<Value> mlir::tensorcast::fuse(PatternRewriter &rewriter,
                                          const FusionRegion &region,
                                          StringRef kernel, Operation *root) {
  Operation *last = region.ops.back();
  SmallVector<Location> locs;
  for (Operation *op : region.ops)
    locs.push_back(op->getLoc());
  Location loc = rewriter.getFusedLoc(locs);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(last);
  Operation *place = last;
  for (Operation *op : region.later) {
    rewriter.moveOpAfter(op, place);
    place = op;
  }

  // The body is made apart, so that no pattern is tried on what is in it.
  OpBuilder builder(rewriter.getContext());
  OperationState state(loc, FusedOp::getOperationName());
  Region *body = state.addRegion();
  Block &block = body->emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  IRMapping mapping;
  for (Value input : region.inputs)
    mapping.map(input, block.addArgument(input.getType(), input.getLoc()));
  for (Operation *op : region.ops)
    builder.clone(*op, mapping);
  YieldOp::create(builder, loc,
                  llvm::map_to_vector(region.results, [&](Value result) {
                    return mapping.lookup(result);
                  }));
  state.addOperands(region.inputs);
  for (Value result : region.results)
    state.addTypes(result.getType());
  state.getOrAddProperties<FusedOp::Properties>().kernel =
      builder.getStringAttr(kernel);
  rewriter.setInsertionPointAfter(last);
  Operation *fused = rewriter.create(state);

  llvm::SmallPtrSet<Operation *, 8> members(region.ops.begin(),
                                            region.ops.end());
  SmallVector<Value> values(root->getResults());
  for (auto [result, replacement] :
       llvm::zip(region.results, fused->getResults())) {
    for (Value &value : values)
      if (value == result)
        value = replacement;
    rewriter.replaceUsesWithIf(result, replacement, [&](OpOperand &use) {
      return !members.contains(use.getOwner());
    });
  }
  return values;
}
