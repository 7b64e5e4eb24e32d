//===- CostProgramSet.cpp - A plan for any batch --------------------------===//

#include "tensorcast/CostProgram/CostProgramSet.h"

#include "tensorcast/Dialect/Transformer/IR/Expr.h"

using namespace mlir;
using namespace mlir::tensorcast;
using transformer::ExprAttr;

const CostProgramSet::Entry &CostProgramSet::lookup(ArrayAttr assumed) {
  std::unique_ptr<Entry> &entry = programs[assumed];
  if (entry)
    return *entry;
  entry = std::make_unique<Entry>();
  OwningOpRef<ModuleOp> module = compile(assumed);
  if (!module)
    return *entry;
  FailureOr<CostProgram> program = CostProgram::compile(*module);
  if (failed(program))
    return *entry;
  entry->program.emplace(std::move(*program));
  entry->assumed =
      (*module)->getAttrOfType<ArrayAttr>(transformer::kAssumesAttrName);
  return *entry;
}

FailureOr<const CostProgram *> CostProgramSet::get(const Workload &workload,
                                                   std::string *why) {
  ArrayAttr assumed;
  // Each program takes more for granted than the one before.
  static constexpr unsigned maxSteps = 16;
  for (unsigned i = 0; i < maxSteps; ++i) {
    const Entry &entry = lookup(assumed);
    if (!entry.program) {
      if (why)
        *why = "expected a module to price, but the plan has none";
      return failure();
    }
    if (!entry.assumed)
      return &*entry.program;
    FailureOr<Features> features = entry.program->getFeatures(workload, why);
    if (failed(features))
      return failure();
    SmallVector<bool> holds = entry.program->checkAssumptions(*features);
    if (llvm::all_of(holds, [](bool each) { return each; }))
      return &*entry.program;
    SmallVector<Attribute> facts;
    for (auto [fact, isTrue] : llvm::zip_equal(entry.assumed, holds)) {
      auto expr = cast<ExprAttr>(fact);
      facts.push_back(isTrue ? expr : transformer::negate(expr));
    }
    auto next = ArrayAttr::get(entry.assumed.getContext(), facts);
    // Passes that do not ask for it will not do otherwise.
    if (next == assumed)
      break;
    assumed = next;
  }
  if (why)
    *why = "expected a plan for the workload, but its passes take for granted "
           "what the workload has not";
  return failure();
}
