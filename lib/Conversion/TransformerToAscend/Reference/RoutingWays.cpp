//===- RoutingWays.cpp - Routers as the reference runs them ---------------===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Lets the model's own choice of experts run as well as the kernel that
/// replaces it; nothing reads the results.
static void routeTwice(ModuleOp module) {
  module.walk([](SelectExpertsOp select) {
    // A router that scores by itself calls its kernel.
    if (!select.getGatingKernel() ||
        select.getScore() == ScoreFunction::SqrtSoftplus)
      return;
    OpBuilder builder(select);
    // Its weights stay as the scores are.
    if (auto cast = select.decompose(builder)[0].getDefiningOp<CastOp>())
      cast.erase();
  });
}

/// Takes a choice apart, into the experts with the largest logits, which are
/// their weights, or into what it stands for.
static void expand(SelectExpertsOp select, bool byLogits) {
  OpBuilder builder(select);
  if (!byLogits) {
    select->replaceAllUsesWith(select.decompose(builder));
    return select.erase();
  }
  auto top = TopKOp::create(builder, select.getLoc(), select.getLogits(),
                            select.getTopK());
  if (top.getValues().getType() != select.getWeights().getType())
    return top.erase();
  select->replaceAllUsesWith(top.getResults());
  select.erase();
}

/// What `part` is the device's rows of, through padding.
static Value getAllRows(OwnRowsOp part) {
  auto pad = part.getInput().getDefiningOp<PadRowsOp>();
  return pad ? pad.getInput() : part.getInput();
}

/// The rows of this device among `rows`, if something has them.
static OwnRowsOp findOwnRows(Value rows) {
  for (Operation *user : rows.getUsers()) {
    if (auto part = dyn_cast<OwnRowsOp>(user))
      return part;
    if (isa<PadRowsOp>(user))
      for (Operation *reader : user->getUsers())
        if (auto part = dyn_cast<OwnRowsOp>(reader))
          return part;
  }
  return {};
}

/// Computes the logits of the device's tokens alone, where they are those rows
/// of the logits of all tokens.
static void routeOwnTokens(SelectExpertsOp select) {
  auto part = select.getLogits().getDefiningOp<OwnRowsOp>();
  auto product = part ? getAllRows(part).getDefiningOp<MatmulOp>() : MatmulOp();
  auto wide = product ? product.getLhs().getDefiningOp<CastOp>() : CastOp();
  OwnRowsOp tokens = wide ? findOwnRows(wide.getInput()) : OwnRowsOp();
  if (!tokens)
    return;
  OpBuilder builder(select);
  Location loc = product.getLoc();
  auto type = cast<RankedTensorType>(tokens.getType());
  Value input = CastOp::create(
      builder, loc, withElementType(type, wide.getType().getElementType()),
      tokens);
  Value logits = MatmulOp::create(builder, loc, input, product.getRhs(),
                                  product.getBias(), product.getTransposed());
  select.getLogitsMutable().assign(logits);
  Operation *pad = part.getInput().getDefiningOp();
  part.erase();
  for (Operation *op : {pad, product.getOperation(), wide.getOperation()})
    if (op && op->use_empty())
      op->erase();
}

/// Lets the weights of choices be divided where they are.
static void divideInPlace(ModuleOp module, const KernelSet &kernels) {
  PatternRewriter rewriter(module.getContext());
  SmallVector<DivOp> divisions;
  module.walk([&](DivOp op) { divisions.push_back(op); });
  for (DivOp op : divisions) {
    rewriter.setInsertionPoint(op);
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(op, op->getResultTypes(), kernels, rewriter,
                     {"div_in_place", {op.getLhs(), op.getRhs()}, {}, {}, {}});
    if (succeeded(launch))
      rewriter.replaceOp(op, *launch);
  }
}

void mlir::tensorcast::applyRoutingWays(ModuleOp module,
                                        const KernelSet &kernels) {
  StringRef family = getFamily(module);
  bool byLogits = kernels.hasFamilyWay(family, "routes_by_logits");
  if (llvm::is_contained(kernels.getLaunchedWhole(), "select_experts"))
    module.walk([&](SelectExpertsOp select) {
      if (!select.getGatingKernel())
        expand(select, byLogits);
    });
  if (kernels.getSwitch("routes_own_tokens_only"))
    module.walk([](SelectExpertsOp select) { routeOwnTokens(select); });
  if (kernels.getSwitch("routes_beside_kernel"))
    routeTwice(module);
  if (kernels.hasFamilyWay(family, "divides_in_place"))
    divideInPlace(module, kernels);
}
