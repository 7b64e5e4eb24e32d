//===- ReferenceWays.cpp - The model as the reference sees it -------------===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Gives a linear layer that shares its weight with an embedding a weight of
/// its own.
static void separateTiedHead(ModuleOp module) {
  module.walk([](LinearOp linear) {
    auto weight = linear.getWeight().getDefiningOp<WeightOp>();
    if (!weight || llvm::none_of(weight->getUsers(), [](Operation *user) {
          return isa<EmbeddingOp>(user);
        }))
      return;
    OpBuilder builder(linear);
    auto copy = WeightOp::create(builder, linear.getLoc(), weight.getType(),
                                 builder.getStringAttr("lm_head.weight"),
                                 ShardingAttr::get(builder.getContext(),
                                                   ShardKind::Column,
                                                   ShardGroup::Head, 1));
    linear.getWeightMutable().assign(copy);
  });
}

/// Makes the results of experts' activations as wide as the products.
static void widenSwiGLU(ModuleOp module) {
  auto widen = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<Dim> dims = getDims(type);
    if (dims.back().isStatic())
      dims.back() = Dim(dims.back().size * 2);
    value.setType(getTensorType(dims, type.getElementType()));
  };
  auto widenResult = [&](auto op) {
    if (!op.getSwiglu())
      return;
    Value result = op->getResult(0);
    widen(result);
    for (Operation *user : result.getUsers())
      if (isa<QuantizeOp, DynamicQuantizeOp>(user))
        widen(user->getResult(0));
  };
  module.walk([&](GroupedLinearOp op) { widenResult(op); });
  module.walk([&](QuantizedGroupedLinearOp op) { widenResult(op); });
}

/// Takes what indexers cache out of the KV cache.
static void separateIndexerCaches(ModuleOp module) {
  module.walk([](LightningIndexerOp indexer) {
    if (auto cache = indexer.getCache().getDefiningOp<KVCacheOp>())
      cache.setAuxiliary(true);
  });
}

/// Gives layers that run again weights of their own.
static void separateRepeatedLayers(ModuleOp module) {
  llvm::DenseMap<std::pair<Operation *, Attribute>, int64_t> calls;
  module.walk([&](LayerOp layer) {
    int64_t count = ++calls[{layer->getParentOp(), layer.getNameAttr()}];
    if (count > 1)
      layer.setName((layer.getName() + ".run" + Twine(count)).str());
  });
}

/// Lets what a fused kernel replaced run as well, up to the input of the second
/// layer, which the kernel is given.
static void keepReplacedChains(ModuleOp module, const KernelSet &kernels) {
  module.walk([&](DispatchFFNCombineOp op) {
    const Kernel *kernel = kernels.lookup(getKernelName(op));
    if (!kernel || !kernel->getCoefficient("replaced_chain_stays"))
      return;
    OpBuilder builder(op);
    Operation *last = op.decompose(builder)[0].getDefiningOp();
    bool isEnd = false;
    while (!isEnd) {
      isEnd = isa<QuantizedGroupedLinearOp>(last);
      Operation *before = last->getOperand(0).getDefiningOp();
      last->erase();
      last = before;
    }
  });
}

void mlir::tensorcast::applyReferenceWays(ModuleOp module,
                                          const KernelSet &kernels,
                                          const KernelSet &eagerKernels) {
  if (kernels.getSwitch("no_windows"))
    removeWindows(module);
  if (kernels.getSwitch("separate_tied_head"))
    separateTiedHead(module);
  if (kernels.getSwitch("wide_grouped_swiglu"))
    widenSwiGLU(module);
  if (kernels.getSwitch("repeated_layers_have_weights"))
    separateRepeatedLayers(module);
  exchangeInFull(module, kernels);
  if (kernels.getSwitch("first_split_layers_see_all_tokens"))
    startFromAllTokens(module);
  applyVisionWays(module, kernels, eagerKernels);
  copyRotatedHeads(module, kernels);
  applyCompressedWays(module, kernels);
  applyFamilyWays(module, kernels);
  applyLinearAttentionWays(module, kernels);
  sortExperts(module, kernels);
  keepReplacedChains(module, kernels);
  applyRoutingWays(module, kernels);
  if (kernels.getSwitch("indexer_cache_is_activation"))
    separateIndexerCaches(module);
}
