//===- LayerEquivalence.cpp - Which layers compute the same ---------------===//

#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::transformer;

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Properties and inherent attributes say what an op computes; where it came
/// from does not matter.
static bool isIgnored(NamedAttribute attr) {
  return attr.getName() == "provenance" || attr.getName() == "sym_name" ||
         attr.getName().strref().contains('.');
}

/// Whether two ops of one kind are the same in all their attributes, which most
/// are. No dictionary of the properties is made for it.
static bool haveEqualAttrs(Operation *lhs, Operation *rhs) {
  return lhs->getRawDictionaryAttrs() == rhs->getRawDictionaryAttrs() &&
         lhs->getName().compareOpProperties(lhs->getPropertiesStorage(),
                                            rhs->getPropertiesStorage());
}

static SmallVector<NamedAttribute> getRelevantAttrs(Operation *op) {
  SmallVector<NamedAttribute> attrs;
  for (NamedAttribute attr : op->getAttrDictionary())
    if (!isIgnored(attr))
      attrs.push_back(attr);
  return attrs;
}

namespace {
/// Numbers values in the order of their definitions, so that uses compare.
using ValueNumbering = DenseMap<Value, unsigned>;

/// Walks two functions in step.
class Comparison {
public:
  std::optional<LayerDifference> compare(func::FuncOp lhs, func::FuncOp rhs) {
    if (lhs.getFunctionType() != rhs.getFunctionType())
      return differ(lhs, rhs, "the types of the functions");
    if (!haveEqualMarks(lhs, rhs))
      return differ(lhs, rhs, "what passes are told to do with it");
    return compareRegions(lhs, rhs, lhs.getBody(), rhs.getBody());
  }

private:
  static std::optional<LayerDifference> differ(Operation *lhs, Operation *rhs,
                                               const Twine &what) {
    return LayerDifference{lhs, rhs, what.str()};
  }

  std::optional<LayerDifference> compareRegions(Operation *lhs, Operation *rhs,
                                                Region &left, Region &right) {
    if (!llvm::hasNItemsOrLess(left, 1) || !llvm::hasNItemsOrLess(right, 1) ||
        left.empty() != right.empty())
      return differ(lhs, rhs, "the number of blocks");
    if (left.empty())
      return std::nullopt;
    Block &a = left.front(), &b = right.front();
    number(a.getArguments(), b.getArguments());
    auto second = b.begin();
    for (Operation &first : a) {
      if (second == b.end())
        return differ(&first, rhs, "an op more");
      if (auto difference = compareOps(&first, &*second))
        return difference;
      ++second;
    }
    if (second != b.end())
      return differ(lhs, &*second, "an op more");
    return std::nullopt;
  }

  std::optional<LayerDifference> compareOps(Operation *lhs, Operation *rhs) {
    if (lhs->getName() != rhs->getName())
      return differ(lhs, rhs, "the op");
    if (lhs->getResultTypes() != rhs->getResultTypes())
      return differ(lhs, rhs, "the result types");
    if (lhs->getNumOperands() != rhs->getNumOperands() ||
        lhs->getNumRegions() != rhs->getNumRegions())
      return differ(lhs, rhs, "the number of operands or regions");
    for (auto [a, b] : llvm::zip(lhs->getOperands(), rhs->getOperands()))
      if (left.lookup(a) != right.lookup(b))
        return differ(lhs, rhs, "an operand");
    if (auto difference = compareAttrs(lhs, rhs))
      return difference;
    for (auto [a, b] : llvm::zip(lhs->getRegions(), rhs->getRegions()))
      if (auto difference = compareRegions(lhs, rhs, a, b))
        return difference;
    number(lhs->getResults(), rhs->getResults());
    return std::nullopt;
  }

  static std::optional<LayerDifference> compareAttrs(Operation *lhs,
                                                     Operation *rhs) {
    if (haveEqualAttrs(lhs, rhs))
      return std::nullopt;
    SmallVector<NamedAttribute> leftAttrs = getRelevantAttrs(lhs);
    SmallVector<NamedAttribute> rightAttrs = getRelevantAttrs(rhs);
    if (leftAttrs.size() != rightAttrs.size())
      return differ(lhs, rhs, "the number of attributes");
    for (auto [a, b] : llvm::zip(leftAttrs, rightAttrs))
      if (a != b)
        return differ(lhs, rhs, "the attribute '" + a.getName().strref() + "'");
    return std::nullopt;
  }

  void number(ValueRange lhs, ValueRange rhs) {
    for (auto [a, b] : llvm::zip(lhs, rhs)) {
      ++last;
      left[a] = last;
      right[b] = last;
    }
  }

  ValueNumbering left, right;
  unsigned last = 0;
};
} // namespace

std::optional<LayerDifference>
mlir::transformer::findDifference(func::FuncOp lhs, func::FuncOp rhs) {
  return Comparison().compare(lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Grouping
//===----------------------------------------------------------------------===//

/// A hash that equal functions share. Attributes and types are unique within a
/// context, so their addresses stand for them.
static llvm::hash_code hashRegion(Region &region) {
  llvm::hash_code hash(0);
  for (Block &block : region)
    for (Operation &op : block) {
      hash = llvm::hash_combine(hash, op.getName(), op.getNumOperands());
      for (Type type : op.getResultTypes())
        hash = llvm::hash_combine(hash, type);
      for (NamedAttribute attr : getRelevantAttrs(&op))
        hash = llvm::hash_combine(hash, attr.getName(), attr.getValue());
      for (Region &inner : op.getRegions())
        hash = llvm::hash_combine(hash, hashRegion(inner));
    }
  return hash;
}

LogicalResult mlir::transformer::checkLayers(ModuleOp module) {
  WalkResult result = module.walk([&](LayerOp layer) {
    if (layer->getParentOfType<ModuleOp>() == module)
      return WalkResult::advance();
    layer.emitOpError("expected a layer of the outermost module, but it is in "
                      "a module within another");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SmallVector<LayerGroup> mlir::transformer::groupLayers(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::SmallPtrSet<Operation *, 16> called;
  SmallVector<func::FuncOp> layers;
  module.walk([&](LayerOp layer) {
    auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
    if (callee && called.insert(callee).second)
      layers.push_back(callee);
  });

  SmallVector<LayerGroup> groups;
  llvm::DenseMap<size_t, SmallVector<size_t, 1>> buckets;
  for (func::FuncOp layer : layers) {
    SmallVector<size_t, 1> &bucket =
        buckets[static_cast<size_t>(hashRegion(layer.getBody()))];
    const size_t *found = llvm::find_if(bucket, [&](size_t group) {
      return !findDifference(groups[group].front(), layer);
    });
    if (found != bucket.end()) {
      groups[*found].push_back(layer);
      continue;
    }
    bucket.push_back(groups.size());
    groups.push_back({layer});
  }
  return groups;
}

bool mlir::transformer::haveEqualMarks(func::FuncOp lhs, func::FuncOp rhs) {
  return llvm::all_of(
      ArrayRef<StringRef>{kDisabledFusionsAttrName, kHighPrecisionAttrName,
                          kTrainingAttrName},
      [&](StringRef mark) { return lhs->getAttr(mark) == rhs->getAttr(mark); });
}

func::FuncOp mlir::transformer::specializeLayer(LayerOp layer,
                                                SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(layer.getCallee());
  func::FuncOp copy = callee.clone();
  // The table makes the name unique.
  StringAttr name = symbols.insert(copy, std::next(callee->getIterator()));
  layer.setCalleeAttr(FlatSymbolRefAttr::get(name));
  return copy;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::string mlir::transformer::generalizeName(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  for (StringRef &part : parts)
    if (!part.empty() && llvm::all_of(part, llvm::isDigit))
      part = "*";
  return llvm::join(parts, ".");
}

StringRef mlir::transformer::getName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  return {};
}
