//===- PerExpert.cpp - One launch per expert ------------------------------===//
//
// A framework without kernels for many experts runs them one after the other.
// There are experts with two numbers of rows, so that each op becomes two,
// which are launched once per expert.
//
//===----------------------------------------------------------------------===//

#include "ExpertSections.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Builds the ops of the experts with one number of rows.
class ExpertBuilder {
public:
  ExpertBuilder(const ExpertSection &section, const KernelSet &kernels,
                PatternRewriter &rewriter, ExprAttr count, ExprAttr rows)
      : section(section), kernels(kernels), rewriter(rewriter), count(count),
        all(getDims(cast<RankedTensorType>(section.begin.getType()))[0]),
        own(getDim(rows)) {}

  /// The results of these experts.
  Value run() {
    Value begin = view(section.begin, withOwnRows(section.begin.getType()));
    mapping.map(section.begin, gather(begin));
    for (Operation *op : section.ops)
      build(op);
    return mapping.lookup(section.end->get());
  }

private:
  void build(Operation *op) {
    if (auto linear = dyn_cast<GroupedLinearOp>(op))
      return finish(op,
                    LinearOp::create(
                        rewriter, op->getLoc(), withOwnRows(linear.getType()),
                        mapping.lookupOrDefault(linear.getInput()),
                        getOne(linear.getWeight()), Value(), RanksAttr()));
    if (auto linear = dyn_cast<QuantizedGroupedLinearOp>(op))
      return finish(op, QuantizedLinearOp::create(
                            rewriter, op->getLoc(),
                            withOwnRows(linear.getResult().getType()),
                            mapping.lookupOrDefault(linear.getInput()),
                            getOne(linear.getWeight()),
                            mapping.lookupOrDefault(linear.getInputScale()),
                            getOne(linear.getWeightScale()), Value(),
                            linear.getGroupSizeAttr(), RanksAttr()));
    Operation *copy = rewriter.clone(*op, mapping);
    for (Value result : copy->getResults())
      result.setType(withOwnRows(result.getType()));
    copy->setAttr(kTimesAttrName, count);
  }

  void finish(Operation *op, Operation *built) {
    built->setAttr(kTimesAttrName, count);
    mapping.map(op->getResult(0), built->getResult(0));
  }

  /// Stacks that collect the rows of an expert from their senders copy them.
  Value gather(Value rows) {
    if (!kernels.lookup("join_senders"))
      return rows;
    FailureOr<ascend::LaunchOp> launch =
        createLaunch(section.begin.getDefiningOp(), rows.getType(), kernels,
                     rewriter, {"join_senders", {rows}, {}, count, {}});
    return launch->getResult(0);
  }

  /// The part of a stack that belongs to one expert.
  Value getOne(Value stack) {
    auto type = cast<RankedTensorType>(stack.getType());
    if (type.getRank() < 3)
      return stack;
    SmallVector<Dim> dims = getDims(type);
    return view(stack, getTensorType(ArrayRef(dims).drop_front(),
                                     type.getElementType()));
  }

  Value view(Value value, Type type) {
    return ascend::ViewOp::create(rewriter, value.getLoc(), TypeRange{type},
                                  value)
        .getResult(0);
  }

  Type withOwnRows(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() == 0)
      return type;
    SmallVector<Dim> dims = getDims(tensor);
    if (dims[0].size != all.size || dims[0].expr != all.expr)
      return type;
    dims[0] = own;
    return getTensorType(dims, tensor.getElementType());
  }

  const ExpertSection &section;
  const KernelSet &kernels;
  PatternRewriter &rewriter;
  ExprAttr count;
  Dim all, own;
  IRMapping mapping;
};
} // namespace

/// Whether an op computes more than a linear layer, which no kernel of one
/// expert does.
static bool isFused(Operation *op) {
  if (auto linear = dyn_cast<GroupedLinearOp>(op))
    return linear.getSwiglu();
  if (auto linear = dyn_cast<QuantizedGroupedLinearOp>(op))
    return linear.getSwiglu() || linear.getNumResults() > 1;
  return false;
}

static void expand(const ExpertSection &section, const KernelSet &kernels,
                   PatternRewriter &rewriter) {
  const ExpertRows &rows = section.rows;
  rewriter.setInsertionPoint(section.end->getOwner());
  std::pair<ExprAttr, ExprAttr> sizes[] = {{rows.numLarge, rows.largeRows},
                                           {rows.numSmall, rows.smallRows}};
  SmallVector<Value> results;
  for (auto [count, size] : sizes)
    if (!count.isConstant(0))
      results.push_back(
          ExpertBuilder(section, kernels, rewriter, count, size).run());
  auto joined =
      ascend::ViewOp::create(rewriter, section.begin.getLoc(),
                             TypeRange{section.end->get().getType()}, results);
  section.end->set(joined.getResult(0));
  for (Operation *op : llvm::reverse(section.ops))
    rewriter.eraseOp(op);
}

void mlir::tensorcast::launchPerExpert(ModuleOp module,
                                       const KernelSet &kernels) {
  if (kernels.lookup("grouped_matmul"))
    return;
  PatternRewriter rewriter(module.getContext());
  for (const ExpertSection &section : findExpertSections(module))
    if (llvm::none_of(section.ops, isFused))
      expand(section, kernels, rewriter);
}
