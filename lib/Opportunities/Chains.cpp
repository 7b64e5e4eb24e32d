//===- Chains.cpp - Ops that read each other's results --------------------===//

#include "Chains.h"

#include "tensorcast/Dialect/Ascend/IR/Ascend.h"
#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/Transforms/LayerEquivalence.h"

#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Whether an op only names parts of tensors.
static bool isView(Operation *op) {
  return isa<ascend::ViewOp>(op) || op->hasTrait<MovesNothing>();
}

bool mlir::tensorcast::isKernelOp(Operation *op) {
  if (isa<ascend::LaunchOp>(op))
    return true;
  // A kernel of a user's cannot be part of another.
  return isa_and_nonnull<TransformerDialect>(op->getDialect()) && !isView(op) &&
         !isa<FusedOp, KVCacheOp, LayerOp, LoadWeightOp, StageOp, StateOp,
              WeightOp, YieldOp>(op);
}

SmallVector<Operation *> mlir::tensorcast::getKernelOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  if (!function.isExternal())
    for (Operation &op : function.front())
      if (isKernelOp(&op))
        ops.push_back(&op);
  return ops;
}

namespace {
/// Walks from op to op along the values that are read.
class ChainWalker {
public:
  ChainWalker(unsigned maxOps, SmallVectorImpl<Chain> &chains)
      : maxOps(maxOps), chains(chains) {}

  void start(Operation *op) {
    kernels = {op};
    extend(op);
  }

private:
  /// Adds the chains that begin as `kernels` and go on from `op`, the last of
  /// them or a view of what it makes.
  void extend(Operation *op) {
    llvm::SmallSetVector<Operation *, 4> readers;
    for (Operation *user : op->getUsers())
      readers.insert(user);
    for (Operation *reader : llvm::reverse(readers)) {
      if (isView(reader)) {
        extend(reader);
      } else if (isKernelOp(reader) && !llvm::is_contained(kernels, reader)) {
        kernels.push_back(reader);
        record();
        if (kernels.size() < maxOps)
          extend(reader);
        kernels.pop_back();
      }
    }
  }

  /// Adds the chain of `kernels`, which values may link in several ways.
  void record() {
    if (!known.insert(kernels).second)
      return;
    Chain chain;
    chain.kernels = kernels;
    chain.ops = kernels;
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (Operation *op : kernels)
      for (Operation *user : op->getUsers())
        addLinks(user, seen, chain.ops);
    llvm::sort(chain.ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    chains.push_back(std::move(chain));
  }

  /// Adds the views from `op` on that lead to one of `kernels`. Returns whether
  /// `op` is one of these or leads there.
  bool addLinks(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen,
                SmallVectorImpl<Operation *> &ops) {
    if (!isView(op))
      return llvm::is_contained(kernels, op);
    if (!seen.insert(op).second)
      return llvm::is_contained(ops, op);
    bool leads = false;
    for (Operation *user : op->getUsers())
      leads |= addLinks(user, seen, ops);
    if (leads)
      ops.push_back(op);
    return leads;
  }

  unsigned maxOps;
  SmallVectorImpl<Chain> &chains;
  SmallVector<Operation *> kernels;
  std::set<SmallVector<Operation *>> known;
};
} // namespace

SmallVector<Chain> mlir::tensorcast::findChains(ArrayRef<Operation *> ops,
                                                unsigned maxOps) {
  SmallVector<Chain> chains;
  ChainWalker walker(maxOps, chains);
  for (Operation *op : ops)
    walker.start(op);
  return chains;
}

std::string mlir::tensorcast::getKernelName(Operation *op) {
  if (auto launch = dyn_cast<ascend::LaunchOp>(op))
    return launch.getKernel().str();
  return op->getName().stripDialect().str();
}

std::string mlir::tensorcast::getProvenance(Operation *op) {
  auto launch = dyn_cast<ascend::LaunchOp>(op);
  return generalizeName(launch ? launch.getProvenance().value_or("")
                               : getName(op->getLoc()));
}

/// Bytes of one row of a value, or nothing for what has no rows of known size.
static std::optional<int64_t> getRowBytes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t bits = type.getElementTypeBitWidth();
  for (int64_t size : type.getShape().drop_front()) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    bits *= size;
  }
  return llvm::divideCeil(bits, 8);
}

bool mlir::tensorcast::fitsBuffer(const Chain &chain,
                                  std::optional<int64_t> bytes) {
  if (!bytes)
    return true;
  int64_t sum = 0;
  for (Operation *op : ArrayRef(chain.kernels).drop_back())
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return llvm::is_contained(chain.ops, user);
          }))
        sum += getRowBytes(result).value_or(0);
  return sum <= *bytes;
}
