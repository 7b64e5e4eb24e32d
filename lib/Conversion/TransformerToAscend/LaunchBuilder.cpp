//===- LaunchBuilder.cpp - Builds launches from ops -----------------------===//

#include "LaunchBuilder.h"
#include "ExpertSections.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

WorkloadAttr mlir::tensorcast::getWorkload(Value batch) {
  return cast<transformer::BatchType>(batch.getType()).getWorkload();
}

void mlir::tensorcast::addElementwiseWork(OpBuilder &builder, Location loc,
                                          const Kernel &kernel,
                                          transformer::ExprAttr elements,
                                          Type elementType) {
  auto add = [&](StringRef coefficient, Type type) {
    double perElement = kernel.getCoefficient(coefficient);
    if (perElement != 0)
      ascend::ElementwiseOp::create(
          builder, loc, elements,
          transformer::ExprAttr::constant(builder.getContext(), perElement),
          type);
  };
  add("vector_ops_per_element", elementType);
  add("f32_ops_per_element", builder.getF32Type());
}

FailureOr<ascend::LaunchOp> mlir::tensorcast::createLaunch(
    Operation *op, TypeRange types, const KernelSet &kernels,
    PatternRewriter &rewriter, const LaunchParts &parts) {
  const Kernel *kernel = kernels.lookup(parts.kernel);
  if (!kernel)
    return rewriter.notifyMatchFailure(op, [&](Diagnostic &diag) {
      diag << "kernel set " << kernels.getName() << " has no kernel '"
           << parts.kernel << "'";
    });
  auto text = [&](StringRef value) {
    return value.empty() ? StringAttr() : rewriter.getStringAttr(value);
  };
  Location loc = op->getLoc();
  transformer::ExprAttr count = parts.count;
  if (auto times = op->getAttrOfType<transformer::ExprAttr>(kTimesAttrName))
    count = count ? count * times : times;
  if (count && count.isConstant(1))
    count = {};
  auto launch = ascend::LaunchOp::create(
      rewriter, loc, types, rewriter.getStringAttr(parts.kernel), parts.inputs,
      parts.resident, count, text(transformer::getName(loc)),
      text(kernel->referenceName),
      /*cost=*/ascend::CostAttr());
  if (parts.work) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.createBlock(&launch.getWork());
    parts.work(rewriter, loc, *kernel);
    if (launch.getWork().front().empty())
      rewriter.eraseBlock(&launch.getWork().front());
  }
  return launch;
}

LogicalResult mlir::tensorcast::replaceWithLaunch(Operation *op,
                                                  const KernelSet &kernels,
                                                  PatternRewriter &rewriter,
                                                  const LaunchParts &parts) {
  SmallVector<Type> types(op->getResultTypes());
  if (parts.discardedResult)
    types.erase(types.begin() + *parts.discardedResult);
  FailureOr<ascend::LaunchOp> launch =
      createLaunch(op, types, kernels, rewriter, parts);
  if (failed(launch))
    return failure();
  SmallVector<Value> results(launch->getResults());
  if (parts.discardedResult)
    results.insert(results.begin() + *parts.discardedResult, Value());
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult mlir::tensorcast::replaceWithElementwiseLaunch(
    Operation *op, const KernelSet &kernels, PatternRewriter &rewriter,
    StringRef kernel, std::optional<unsigned> discardedResult) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  transformer::ExprAttr elements = transformer::getNumElements(type);
  if (!elements)
    return rewriter.notifyMatchFailure(op, kUnknownSize);
  auto work = [&](OpBuilder &builder, Location loc, const Kernel &used) {
    addElementwiseWork(builder, loc, used, elements, type.getElementType());
  };
  return replaceWithLaunch(op, kernels, rewriter,
                           {kernel,
                            llvm::to_vector(op->getOperands()),
                            {},
                            {},
                            work,
                            discardedResult});
}
