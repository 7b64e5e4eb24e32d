//===- Trial.cpp - What a function costs with a new kernel ----------------===//

#include "Trial.h"

#include "tensorcast/CostModel/CostModel.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"
#include "tensorcast/Patterns/FusionRegion.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::WorkloadAttr;

std::string Trial::describe(ArrayRef<Operation *> ops) {
  llvm::DenseMap<Value, unsigned> numbers;
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](ValueRange values) {
    for (Value value : values)
      os << ' ' << numbers.try_emplace(value, numbers.size()).first->second
         << ':' << value.getType();
  };
  for (Operation *op : ops) {
    os << op->getName();
    print(op->getOperands());
    os << " ->";
    print(op->getResults());
    for (NamedAttribute attr : op->getAttrs())
      // What a launch is from, when it runs and what it costs follow from
      // where it is.
      if (!llvm::is_contained({"provenance", "slot", "cost"}, attr.getName()))
        os << ' ' << attr.getName() << '=' << attr.getValue();
    os << '\n';
  }
  return text;
}

/// Declares what `function` calls.
static void declareCallees(func::FuncOp function, ModuleOp scratch) {
  OpBuilder builder = OpBuilder::atBlockEnd(scratch.getBody());
  llvm::StringSet<> known;
  function.walk([&](Operation *op) {
    FlatSymbolRefAttr callee = transformer::getCallee(op);
    if (!callee || !known.insert(callee.getValue()).second)
      return;
    auto declared = func::FuncOp::create(
        builder, op->getLoc(), callee.getValue(),
        builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
    declared.setPrivate();
  });
}

std::optional<TrialPrice> Trial::price(func::FuncOp function,
                                       ArrayRef<Operation *> fused) {
  MLIRContext *context = module.getContext();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(module.getLoc());
  (*scratch)->setAttrs(module->getAttrDictionary());
  IRMapping mapping;
  scratch->push_back(cast<func::FuncOp>(function->clone(mapping)));
  declareCallees(function, *scratch);
  if (!fused.empty()) {
    SmallVector<Operation *> copies = llvm::map_to_vector(
        fused, [&](Operation *op) { return mapping.lookup(op); });
    FusionRegion region;
    if (findFusionRegion(copies, region))
      return std::nullopt;
    PatternRewriter rewriter(context);
    (void)fuse(rewriter, region, "trial", copies.back());
    for (Operation *copy : llvm::reverse(region.ops))
      copy->erase();
  }
  // What has no kernel alone, or cannot be part of one, is no opportunity.
  ScopedDiagnosticHandler quiet(context,
                                [](Diagnostic &) { return success(); });
  if (failed(lower(*scratch)))
    return std::nullopt;
  auto workload =
      module->getAttrOfType<WorkloadAttr>(transformer::kWorkloadAttrName);
  TrialPrice price;
  bool hasCosts = true;
  scratch->walk([&](ascend::LaunchOp launch) {
    // Amounts of a batch that is not known have none.
    if (!launch.getCostAttr()) {
      hasCosts = false;
      return WalkResult::interrupt();
    }
    double starts = transformer::evaluate(launch.getCountExpr(), workload);
    ascend::WorkTotal total = launch.getWorkTotal();
    price.launches += starts;
    price.timeS += starts * getTerms(launch.getCostAttr()).totalS;
    price.bytes +=
        starts * (transformer::evaluate(total.bytesRead, workload) +
                  transformer::evaluate(total.bytesWritten, workload));
    return WalkResult::advance();
  });
  if (!hasCosts)
    return std::nullopt;
  return price;
}
