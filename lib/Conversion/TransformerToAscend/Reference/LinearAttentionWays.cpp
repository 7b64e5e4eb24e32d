//===- LinearAttentionWays.cpp - Hybrid models in the reference -----------===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// What gates the result of attention is cut out of each head, and copied to
/// be seen as features, if there are several heads.
static void copyGates(ModuleOp module, const KernelSet &kernels) {
  PatternRewriter rewriter(module.getContext());
  module.walk([&](SigmoidOp gate) {
    auto joined = gate.getInput().getDefiningOp<ReshapeOp>();
    auto part = joined ? joined.getInput().getDefiningOp<SliceOp>() : SliceOp();
    if (!part)
      return;
    auto type = cast<RankedTensorType>(part.getType());
    if (type.getRank() != 3 || type.getDimSize(1) < 2)
      return;
    rewriter.setInsertionPoint(joined);
    FailureOr<ascend::LaunchOp> copy =
        createLaunch(part, part.getType(), kernels, rewriter,
                     {"clone", {part.getResult()}, {}, {}, {}});
    if (succeeded(copy))
      joined.getInputMutable().assign(copy->getResult(0));
  });
}

/// Lets the lookup of embeddings be no launch.
static void hideEmbeddings(ModuleOp module) {
  SmallVector<EmbeddingOp> lookups;
  module.walk([&](EmbeddingOp op) { lookups.push_back(op); });
  for (EmbeddingOp op : lookups) {
    OpBuilder builder(op);
    auto view =
        ascend::ViewOp::create(builder, op.getLoc(), TypeRange{op.getType()},
                               ValueRange{op.getTable(), op.getIds()});
    op->replaceAllUsesWith(view.getResults());
    op->erase();
  }
}

/// Gives layers with linear attention a cache that nothing uses, such as those
/// with attention have.
static void addCaches(ModuleOp module) {
  KVCacheOp known;
  module.walk([&](KVCacheOp cache) { known = cache; });
  if (!known)
    return;
  module.walk([&](LinearAttentionOp op) {
    OpBuilder builder(op);
    auto cache = cast<KVCacheOp>(builder.clone(*known));
    cache->setLoc(op.getLoc());
    // Layers may be dissolved, where names are those of the model.
    if (StringAttr name =
            builder.getStringAttr(transformer::getName(op.getLoc()));
        !name.getValue().empty())
      cache.setNameAttr(name);
  });
}

/// Lets devices hold what others have of convolutions and gates as well.
static void keepConvolutionsWhole(ModuleOp module) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  int64_t others = plan ? plan.getTensorParallel() - 1 : 0;
  if (others == 0)
    return;
  llvm::SetVector<Operation *> weights;
  auto add = [&](Value value) {
    if (auto weight = value.getDefiningOp<WeightOp>();
        weight && weight.getShardingAttr())
      weights.insert(weight);
  };
  module.walk([&](CausalConvOp op) { add(op.getWeight()); });
  module.walk([&](DeltaGatingOp op) {
    add(op.getDecay());
    add(op.getStepBias());
  });
  for (Operation *op : weights) {
    auto weight = cast<WeightOp>(op);
    SmallVector<int64_t> shape(weight.getType().getShape());
    shape.front() *= others;
    OpBuilder builder(weight);
    WeightOp::create(
        builder, weight.getLoc(),
        RankedTensorType::get(shape, weight.getType().getElementType()),
        builder.getStringAttr(weight.getName() + ".others"), ShardingAttr());
  }
}

void mlir::tensorcast::applyLinearAttentionWays(ModuleOp module,
                                                const KernelSet &kernels) {
  if (kernels.getSwitch("copies_gates_of_heads"))
    copyGates(module, kernels);
  if (kernels.getSwitch("states_take_no_memory"))
    module.walk([](StateOp state) { state.setUncounted(true); });
  if (kernels.getSwitch("whole_convolutions"))
    keepConvolutionsWhole(module);
  StringRef family = getFamily(module);
  if (kernels.hasFamilyWay(family, "has_caches_in_all_layers"))
    addCaches(module);
  if (kernels.isCompiled() &&
      kernels.hasFamilyWay(family, "hides_compiled_embedding"))
    hideEmbeddings(module);
}
