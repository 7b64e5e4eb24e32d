//===- ReferenceWays.cpp - The model as the reference sees it -------------===//

#include "../LaunchBuilder.h"

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

/// Lets the model's own choice of experts run as well as the kernel that
/// replaces it; nothing reads the results.
static void routeTwice(ModuleOp module) {
  module.walk([](SelectExpertsOp select) {
    if (!select.getGatingKernel())
      return;
    OpBuilder builder(select);
    select.decompose(builder);
  });
}

void mlir::tensorcast::applyReferenceWays(ModuleOp module,
                                          const KernelSet &kernels) {
  if (kernels.getSwitch("separate_tied_head"))
    separateTiedHead(module);
  if (kernels.getSwitch("routes_beside_kernel"))
    routeTwice(module);
}
