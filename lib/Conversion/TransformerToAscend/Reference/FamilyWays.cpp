//===- FamilyWays.cpp - Families that the reference runs in its own way ---===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

StringRef mlir::tensorcast::getFamily(ModuleOp module) {
  auto model = module->getAttrOfType<ModelAttr>(kModelAttrName);
  return model && model.getFamily() ? model.getFamily().getValue() : "";
}

/// Lets the tokens of the step attend to each other, of whichever request.
static void attendToNewTokens(AttentionOp attention, const KernelSet &kernels,
                              PatternRewriter &rewriter) {
  auto append = attention.getCache().getDefiningOp<AppendCacheOp>();
  RankedTensorType query = attention.getType();
  if (!append || !getNumElements(query))
    return;
  MLIRContext *context = attention.getContext();
  ExprAttr tokens = getExpr(context, getDims(query)[0]);
  KVCacheType cache = append.getType();
  // All key heads together count as one.
  int64_t keyWidth = cache.getNumHeads() * cache.getHeadSize();
  int64_t groups = query.getDimSize(1) * query.getDimSize(2) / keyWidth;
  auto work = [&](OpBuilder &builder, Location loc, const Kernel &kernel) {
    ExprAttr zero = ExprAttr::constant(context, 0);
    ascend::AttentionOp::create(
        builder, loc, tokens * tokens, groups, keyWidth, keyWidth,
        ExprAttr::constant(context,
                           kernel.getCoefficient("softmax_ops_per_score")),
        zero, 1, zero, query.getElementType(), cache.getElementType(),
        query.getElementType());
  };
  rewriter.setInsertionPoint(attention);
  FailureOr<ascend::LaunchOp> launch =
      createLaunch(attention, query, kernels, rewriter,
                   {"attention",
                    {attention.getQuery(), append.getKey(), append.getValue()},
                    {},
                    {},
                    work});
  if (failed(launch))
    return;
  rewriter.replaceOp(attention, *launch);
  if (append->use_empty())
    rewriter.eraseOp(append);
}

/// Declares what the devices of a group hold parts of once more, in full.
static void keepWhole(WeightOp weight, int64_t devices) {
  StringRef name = weight.getName();
  if (!name.starts_with("self_attn.") || !name.ends_with("_proj.weight"))
    return;
  ShardingAttr sharding = weight.getShardingAttr();
  SmallVector<int64_t> shape(weight.getType().getShape());
  if (sharding)
    shape[sharding.getKind() == ShardKind::Row ? 1 : 0] *= devices;
  OpBuilder builder(weight);
  WeightOp::create(
      builder, weight.getLoc(),
      RankedTensorType::get(shape, weight.getType().getElementType()),
      builder.getStringAttr(name + ".whole"), ShardingAttr());
}

void mlir::tensorcast::applyFamilyWays(ModuleOp module,
                                       const KernelSet &kernels) {
  StringRef family = getFamily(module);
  PatternRewriter rewriter(module.getContext());
  if (kernels.hasFamilyWay(family, "attends_new_tokens_only"))
    module.walk([&](AttentionOp attention) {
      attendToNewTokens(attention, kernels, rewriter);
    });
  if (!kernels.hasFamilyWay(family, "holds_whole_projections"))
    return;
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  SmallVector<WeightOp> weights;
  module.walk([&](WeightOp weight) { weights.push_back(weight); });
  for (WeightOp weight : weights)
    keepWhole(weight, plan ? plan.getTensorParallel() : 1);
}
