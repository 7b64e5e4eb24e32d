//===- ExpertSections.cpp - What runs between dispatch and return ---------===//

#include "ExpertSections.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

static bool endsSection(Operation *op) {
  return isa<ReturnTokensOp, UnpermuteTokensOp, CombineTokensOp,
             ascend::LaunchOp>(op);
}

/// The section whose rows are made by `permute`; none if it does not end where
/// rows come back, or if sizes are unknown.
static std::optional<ExpertSection> findSection(PermuteTokensOp permute) {
  ExpertSection section;
  section.begin = permute.getResult();
  for (Operation *user : permute->getUsers())
    if (auto dispatch = dyn_cast<DispatchTokensOp>(user))
      section.begin = dispatch.getResult();
  // Copies around a section are no part of it.
  for (Operation *user : section.begin.getUsers())
    if (auto copy = dyn_cast<ascend::LaunchOp>(user))
      section.begin = copy.getResult(0);

  llvm::SmallPtrSet<Operation *, 16> members;
  Operation *first = section.begin.getDefiningOp();
  std::optional<ExpertRows> rows;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    OpOperand *found = nullptr;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == section.begin ||
          members.contains(operand.get().getDefiningOp())) {
        found = &operand;
        break;
      }
    if (!found)
      continue;
    if (endsSection(op)) {
      section.end = found;
      break;
    }
    members.insert(op);
    section.ops.push_back(op);
    auto read = [&](auto grouped) {
      if (!grouped || rows)
        return;
      section.placement = grouped.getPlacement();
      rows = ExpertRows::get(grouped.getIds().getType(), section.placement);
    };
    read(dyn_cast<GroupedLinearOp>(op));
    read(dyn_cast<QuantizedGroupedLinearOp>(op));
  }
  if (!section.end || !rows)
    return std::nullopt;
  section.rows = *rows;
  return section;
}

SmallVector<ExpertSection>
mlir::tensorcast::findExpertSections(ModuleOp module) {
  SmallVector<ExpertSection> sections;
  module.walk([&](PermuteTokensOp permute) {
    if (std::optional<ExpertSection> section = findSection(permute))
      sections.push_back(*section);
  });
  return sections;
}
