//===- Proposal.cpp - Is this what an op stands for? ----------------------===//

#include "Proposal.h"

#include "tensorcast/Dialect/Transformer/IR/Transformer.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::transformer;

bool Proposal::isSame(Value actual, Value expected) {
  if (actual == expected)
    return true;
  Operation *left = actual.getDefiningOp(), *right = expected.getDefiningOp();
  // What is not of the decomposition is an operand of the proposed op.
  if (!left || !right || right->getBlock() != &scratch ||
      cast<OpResult>(actual).getResultNumber() !=
          cast<OpResult>(expected).getResultNumber())
    return false;
  auto [entry, isNew] = found.try_emplace(right, left);
  if (!isNew)
    return entry->second == left;
  if (left->getName() != right->getName() ||
      left->getAttrDictionary() != right->getAttrDictionary() ||
      left->getResultTypes() != right->getResultTypes() ||
      left->getNumOperands() != right->getNumOperands())
    return false;
  auto areSame = [&](OperandRange operands) {
    return llvm::all_of(llvm::zip(operands, right->getOperands()),
                        [&](auto pair) {
                          return isSame(std::get<0>(pair), std::get<1>(pair));
                        });
  };
  DenseMap<Operation *, Operation *> before = found;
  if (areSame(left->getOperands()))
    return true;
  if (!left->hasTrait<OpTrait::IsCommutative>() || left->getNumOperands() != 2)
    return false;
  found = std::move(before);
  return isSame(left->getOperand(1), right->getOperand(0)) &&
         isSame(left->getOperand(0), right->getOperand(1));
}

bool Proposal::makes(ValueRange values) {
  auto composite = cast<CompositeOpInterface>(proposed);
  SmallVector<Value> expected = composite.decompose(builder);
  llvm::SmallPtrSet<Operation *, 16> matched;
  for (auto [actual, value] : llvm::zip(values, expected)) {
    if (!actual)
      continue;
    if (actual.getType() != value.getType() || !isSame(actual, value))
      return false;
  }
  for (auto [ours, theirs] : found)
    matched.insert(theirs);
  for (Operation *op : matched) {
    // Another view costs nothing.
    if (op->hasTrait<MovesNothing>())
      continue;
    for (Value result : op->getResults())
      if (!llvm::is_contained(values, result) &&
          !llvm::all_of(result.getUsers(), [&](Operation *user) {
            return matched.contains(user);
          }))
        return false;
  }
  return true;
}
