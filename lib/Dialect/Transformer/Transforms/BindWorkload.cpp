//===- BindWorkload.cpp - Put numbers for expressions ---------------------===//

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "tensorcast/Support/Numbers.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include <cmath>

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERBINDWORKLOAD
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Replaces expressions by their values, and remembers the first that has none.
class Binder {
public:
  Binder(WorkloadAttr workload) : workload(workload) {
    replacer.addReplacement([this](ExprAttr expr) -> ExprAttr {
      ExprAttr bound = bind(expr, this->workload);
      if (!std::isfinite(bound.getValue()) && !invalid)
        invalid = expr;
      return bound;
    });
    replacer.addReplacement(
        [this](RankedTensorType type) -> Type { return bindTensor(type); });
    replacer.addReplacement([this](BatchType type) -> Type {
      return BatchType::get(type.getContext(), this->workload);
    });
  }

  LogicalResult run(ModuleOp module) {
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    if (!invalid)
      return success();
    std::string text;
    llvm::raw_string_ostream os(text);
    printExprText(os, invalid);
    return mlir::emitError(module.getLoc(), "expected ")
           << (invalidSize ? "a whole size from 0 to 2^53" : "a finite number")
           << " for the workload, but '" << text << "' is "
           << tensorcast::describeNumber(evaluate(invalid, workload));
  }

private:
  Type bindTensor(RankedTensorType type) {
    if (!isa_and_nonnull<DimsAttr>(type.getEncoding()))
      return type;
    SmallVector<int64_t> shape;
    for (const Dim &dim : getDims(type)) {
      if (dim.isStatic()) {
        shape.push_back(dim.size);
        continue;
      }
      double size = evaluate(dim.expr, workload);
      // Beyond this, integers are not exact, and no device has the memory.
      bool valid = size >= 0 && size <= 0x1p53 && size == std::floor(size);
      if (!valid && !invalid) {
        invalid = dim.expr;
        invalidSize = true;
      }
      shape.push_back(valid ? static_cast<int64_t>(size) : 0);
    }
    return RankedTensorType::get(shape, type.getElementType());
  }

  AttrTypeReplacer replacer;
  WorkloadAttr workload;
  ExprAttr invalid;
  bool invalidSize = false;
};
} // namespace

void mlir::transformer::assume(ModuleOp module, ExprAttr expr) {
  SmallVector<Attribute> all;
  if (auto known = module->getAttrOfType<ArrayAttr>(kAssumesAttrName))
    llvm::append_range(all, known);
  if (!llvm::is_contained(all, expr))
    all.push_back(expr);
  module->setAttr(kAssumesAttrName, ArrayAttr::get(module.getContext(), all));
}

std::optional<bool> mlir::transformer::isAssumed(ModuleOp module,
                                                 ExprAttr expr) {
  auto known = module->getAttrOfType<ArrayAttr>(kAssumesAttrName);
  if (known && llvm::is_contained(known, expr))
    return true;
  if (known && llvm::is_contained(known, negate(expr)))
    return false;
  return std::nullopt;
}

/// A module that was rewritten for some workloads has no price for others.
static LogicalResult checkAssumptions(ModuleOp module, WorkloadAttr workload) {
  auto assumed = module->getAttrOfType<ArrayAttr>(kAssumesAttrName);
  if (!assumed)
    return success();
  for (auto expr : assumed.getAsRange<ExprAttr>()) {
    if (evaluate(expr, workload) != 0)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    printExprText(os, expr);
    InFlightDiagnostic diag =
        mlir::emitError(module.getLoc(), "expected a workload with '")
        << text << "', which the module was rewritten for, but got "
        << static_cast<int64_t>(
               evaluate(getTokensExpr(module.getContext()), workload))
        << " tokens" << (workload.getDecode() ? " to decode" : "");
    diag.attachNote() << "run the passes again on a module that is bound to "
                         "this workload";
    return diag;
  }
  return success();
}

/// Warns of requests that are longer than what the model has positions for.
static void checkPositions(ModuleOp module, WorkloadAttr workload) {
  ExprAttr totalTokens = getTotalTokensExpr(module.getContext());
  auto longest =
      static_cast<int64_t>(evaluate(maxOverRequests(totalTokens), workload));
  module.walk([&](RopeTableOp table) {
    int64_t positions = table.getCos().getType().getDimSize(0);
    if (ShapedType::isDynamic(positions) || longest <= positions)
      return WalkResult::advance();
    mlir::emitWarning(table.getLoc(), "expected requests of at most ")
        << positions << " tokens, for which the model has positions, but got "
        << longest;
    return WalkResult::interrupt();
  });
}

bool mlir::transformer::looksAtImages(ModuleOp module) {
  auto assumed = module->getAttrOfType<ArrayAttr>(kAssumesAttrName);
  return assumed &&
         llvm::is_contained(assumed, getImagesExpr(module.getContext()));
}

static LogicalResult checkImages(ModuleOp module, WorkloadAttr workload) {
  bool hasTower = looksAtImages(module);
  std::string mistake = workload.getWorkload().findImageMistake(hasTower);
  if (mistake.empty())
    return success();
  InFlightDiagnostic diag = mlir::emitError(module.getLoc()) << mistake;
  if (hasTower)
    diag.attachNote() << "import the model without --images for steps that "
                         "look at none";
  else
    diag.attachNote() << "import the model with --images";
  return diag;
}

FailureOr<ImagesAttr> mlir::transformer::cutImages(ModuleOp module,
                                                   int64_t count,
                                                   int64_t height,
                                                   int64_t width) {
  if (count == 0 && height == 0 && width == 0)
    return ImagesAttr();
  auto rule = module->getAttrOfType<ImageRuleAttr>(kImagesAttrName);
  if (!rule)
    return mlir::emitError(module.getLoc(),
                           "expected a model that sees images, to give it ")
           << count << ", but its config describes text alone";
  return rule.cut(count, height, width,
                  [&] { return mlir::emitError(module.getLoc()); });
}

LogicalResult mlir::transformer::bindWorkload(ModuleOp module,
                                              WorkloadAttr workload) {
  if (auto bound = module->getAttrOfType<WorkloadAttr>(kWorkloadAttrName))
    return mlir::emitError(module.getLoc(),
                           "expected a module without a workload, but it is "
                           "bound to ")
           << bound;
  if (failed(checkImages(module, workload)) ||
      failed(checkAssumptions(module, workload)))
    return failure();
  module->removeAttr(kAssumesAttrName);
  checkPositions(module, workload);
  if (failed(Binder(workload).run(module)))
    return failure();
  module->setAttr(kWorkloadAttrName, workload);
  return success();
}

int64_t mlir::transformer::getDataParallel(ModuleOp module) {
  auto plan = module->getAttrOfType<PlanAttr>(kPlanAttrName);
  return plan ? plan.getDataParallel() : 1;
}

bool mlir::transformer::dependsOnWorkload(Operation *root) {
  AttrTypeWalker walker;
  walker.addWalk([](ExprAttr expr) {
    return expr.isConstant() ? WalkResult::advance() : WalkResult::interrupt();
  });
  auto depends = [&](auto attrOrType) {
    return walker.walk(attrOrType).wasInterrupted();
  };
  return root
      ->walk([&](Operation *op) {
        bool found = depends(op->getAttrDictionary());
        for (Type type : op->getResultTypes())
          found = found || depends(type);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            for (Type type : block.getArgumentTypes())
              found = found || depends(type);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class TransformerBindWorkloadPass
    : public transformer::impl::TransformerBindWorkloadBase<
          TransformerBindWorkloadPass> {
public:
  using TransformerBindWorkloadBase::TransformerBindWorkloadBase;

  void runOnOperation() override {
    auto emitError = [&] { return mlir::emitError(getOperation().getLoc()); };
    FailureOr<ImagesAttr> images =
        cutImages(getOperation(), imageBatchSize, imageHeight, imageWidth);
    if (failed(images))
      return signalPassFailure();
    tensorcast::Workload step;
    if (*images)
      step.images = images->getImages();
    step.groups.push_back(
        {queries, queryLength, contextLength, decode, prefixCacheHitRate});
    for (const std::string &text : moreRequests) {
      std::string mistake;
      auto group = tensorcast::parseRequestGroup(text, mistake);
      if (failed(group)) {
        emitError() << mistake;
        return signalPassFailure();
      }
      step.groups.push_back(*group);
    }
    auto workload = WorkloadAttr::getChecked(emitError, &getContext(), step,
                                             getDataParallel(getOperation()));
    if (!workload || failed(bindWorkload(getOperation(), workload)))
      signalPassFailure();
  }
};
} // namespace
