//===- Preparation.cpp - What two modules must be to be compared ----------===//

#include "Runner.h"

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Whether something in `module` has no size or workload yet.
static bool isUnbound(ModuleOp module) {
  if (module->hasAttr(kWorkloadAttrName))
    return false;
  auto isOpen = [](Type type) {
    if (auto batch = dyn_cast<BatchType>(type))
      return !batch.getWorkload();
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa_and_nonnull<DimsAttr>(tensor.getEncoding());
  };
  WalkResult result = module.walk([&](Operation *op) {
    bool found = llvm::any_of(op->getResultTypes(), isOpen);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        found |= llvm::any_of(block.getArgumentTypes(), isOpen);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult tensorcast::bindBoth(ModuleOp before, ModuleOp after,
                                   WorkloadAttr workload) {
  ModuleOp modules[] = {before, after};
  for (ModuleOp module : modules)
    if (auto bound = module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName))
      workload = bound;
  for (ModuleOp module : modules)
    if (isUnbound(module) && failed(bindWorkload(module, workload)))
      return failure();
  return success();
}

LogicalResult tensorcast::widenToF32(ModuleOp module) {
  WalkResult result = module.walk([](arith::ConstantOp op) {
    Type type = getElementTypeOrSelf(op.getType());
    if (!type.isF16() && !type.isBF16())
      return WalkResult::advance();
    op.emitOpError("expected no constants of half precision to compute in f32, "
                   "but got ")
        << op.getType();
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> Type {
    bool isHalf = type.isF16() || type.isBF16();
    return isHalf ? Float32Type::get(type.getContext()) : type;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

/// Checks that the types of a function are those of its counterpart.
static LogicalResult checkTypes(func::FuncOp before, func::FuncOp after,
                                StringRef what, TypeRange expected,
                                TypeRange got) {
  auto note = [&](InFlightDiagnostic diag) -> LogicalResult {
    diag.attachNote(before.getLoc()) << "the function before is here";
    return diag;
  };
  if (expected.size() != got.size())
    return note(after.emitOpError("expected ")
                << expected.size() << " " << what << "s of @" << after.getName()
                << ", as before, but got " << got.size());
  for (auto [index, types] : llvm::enumerate(llvm::zip(expected, got))) {
    auto [want, have] = types;
    if (want != have)
      return note(after.emitOpError("expected ")
                  << what << " " << index << " of @" << after.getName()
                  << " of type " << want << ", as before, but got " << have);
  }
  return success();
}

LogicalResult tensorcast::checkFunctions(ModuleOp before, ModuleOp after) {
  SmallVector<func::FuncOp> functions = getPublicFunctions(before);
  if (functions.empty())
    return mlir::emitError(before.getLoc(),
                           "expected a public function to run, but got none");
  for (func::FuncOp function : functions) {
    auto other = after.lookupSymbol<func::FuncOp>(function.getSymNameAttr());
    if (!other || !other.isPublic() || other.isDeclaration())
      return mlir::emitError(after.getLoc(), "expected a public function @")
             << function.getName() << ", as before, but got none";
    if (failed(checkTypes(function, other, "argument",
                          function.getArgumentTypes(),
                          other.getArgumentTypes())) ||
        failed(checkTypes(function, other, "result", function.getResultTypes(),
                          other.getResultTypes())))
      return failure();
  }
  for (func::FuncOp function : getPublicFunctions(after))
    if (!before.lookupSymbol<func::FuncOp>(function.getSymNameAttr()))
      return function.emitOpError("expected only functions that are there "
                                  "before, but got @")
             << function.getName();
  return success();
}
