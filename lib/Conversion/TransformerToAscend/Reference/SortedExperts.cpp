//===- SortedExperts.cpp - Experts by a framework's own means -------------===//
//
// Without a mixture that it knows, the reference runs what the framework does:
// choices are sorted, and rows and biases are looked up one by one.
//
//===----------------------------------------------------------------------===//

#include "ReferenceWays.h"

#include "tensorcast/Dialect/Transformer/IR/ExpertRows.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Rewrites the rows that one choice of experts makes.
class SortedExperts {
public:
  SortedExperts(PermuteTokensOp permute, Dim rows, const KernelSet &kernels)
      : permute(permute), rows(rows), kernels(kernels),
        rewriter(permute.getContext()) {
    i32 = rewriter.getI32Type();
    i64 = rewriter.getI64Type();
  }

  void run() {
    SmallVector<GroupedLinearOp> layers;
    UnpermuteTokensOp unpermute;
    for (Operation *user : permute.getIds().getUsers()) {
      if (auto layer = dyn_cast<GroupedLinearOp>(user))
        layers.push_back(layer);
      if (auto found = dyn_cast<UnpermuteTokensOp>(user))
        unpermute = found;
    }
    if (layers.empty() || !unpermute || !sort(layers.front()))
      return;
    for (GroupedLinearOp layer : layers)
      multiply(layer);
    restore(unpermute);
  }

private:
  Value launch(Operation *op, StringRef kernel, Type type, ValueRange inputs) {
    FailureOr<ascend::LaunchOp> built =
        createLaunch(op, type, kernels, rewriter,
                     {kernel, llvm::to_vector(inputs), {}, {}, {}});
    return succeeded(built) ? built->getResult(0) : Value();
  }

  Value view(Value value, Type type) {
    return ascend::ViewOp::create(rewriter, value.getLoc(), TypeRange{type},
                                  value)
        .getResult(0);
  }

  Type list(Type element) { return getTensorType({rows}, element); }

  /// Puts the rows into the order of experts.
  bool sort(GroupedLinearOp layer) {
    rewriter.setInsertionPoint(permute);
    Value ids = view(permute.getIds(), list(i64));
    FailureOr<ascend::LaunchOp> sorted =
        createLaunch(permute, {list(i64), list(i64)}, kernels, rewriter,
                     {"sort", {ids}, {}, {}, {}});
    if (failed(sorted))
      return false;
    order = sorted->getResult(1);
    Value tokens = launch(permute, "div_floor", list(i64), order);
    Value own = launch(permute, "index", permute.getType(),
                       {permute.getInput(), tokens});
    Value narrow = launch(permute, "cast", list(i32), sorted->getResult(0));
    Type perExpert =
        getTensorType({getDims(layer.getWeight().getType())[0]}, i32);
    Value counts = launch(permute, "histogram", perExpert, narrow);
    ends = launch(permute, "cumulative_sum", perExpert, counts);
    absent = launch(permute, "greater_equal", list(rewriter.getI1Type()),
                    sorted->getResult(0));
    experts = launch(permute, "min_scalar", list(i64), sorted->getResult(0));
    Value kept = launch(permute, "select", permute.getType(), {absent, own});
    rewriter.replaceOp(permute, kept);
    return true;
  }

  /// A product that reads all experts, and biases that are looked up per row.
  void multiply(GroupedLinearOp layer) {
    rewriter.setInsertionPoint(layer);
    Type type = layer.getType();
    Value bias;
    if (layer.getBias())
      bias = launch(layer, "index", type, {layer.getBias(), experts});
    Value product = launch(layer, "grouped_matmul_fallback", type,
                           {layer.getInput(), layer.getWeight(), ends});
    if (bias)
      product = launch(layer, "add", type, {product, bias});
    rewriter.replaceOp(layer, product);
  }

  /// Weighs the rows and puts them back into the order of tokens.
  void restore(UnpermuteTokensOp op) {
    rewriter.setInsertionPoint(op);
    Value kept =
        launch(op, "select", op.getInput().getType(), {absent, op.getInput()});
    for (Operation *user : op->getUsers())
      if (auto product = dyn_cast<MulOp>(user))
        sortWeights(product);
    rewriter.setInsertionPoint(op);
    Value inverse = launch(op, "index_put", list(i64), {order, order, order});
    auto input = cast<RankedTensorType>(op.getInput().getType());
    Value back = launch(op, "index", input, {kept, inverse});
    rewriter.replaceOp(op, view(back, op.getType()));
  }

  void sortWeights(MulOp product) {
    Value weights = product.getRhs();
    auto type = cast<RankedTensorType>(weights.getType());
    rewriter.setInsertionPoint(product);
    Type flat = list(type.getElementType());
    Value sorted = launch(product, "index", flat, {view(weights, flat), order});
    product.getRhsMutable().assign(view(sorted, type));
  }

  PermuteTokensOp permute;
  Dim rows;
  const KernelSet &kernels;
  PatternRewriter rewriter;
  Type i32, i64;
  /// The order of the rows; where the rows of each expert end; which rows have
  /// no expert here; the expert of each row.
  Value order, ends, absent, experts;
};
} // namespace

void mlir::tensorcast::sortExperts(ModuleOp module, const KernelSet &kernels) {
  if (!kernels.hasFamilyWay(getFamily(module), "sorts_rows_of_experts"))
    return;
  SmallVector<PermuteTokensOp> permutes;
  module.walk([&](PermuteTokensOp op) { permutes.push_back(op); });
  for (PermuteTokensOp permute : permutes)
    if (ExprAttr count = getNumElements(permute.getIds().getType()))
      SortedExperts(permute, getDim(count), kernels).run();
}
