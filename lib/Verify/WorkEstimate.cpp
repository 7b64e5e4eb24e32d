//===- WorkEstimate.cpp - What it takes to run a module -------------------===//

#include "tensorcast/Verify/Executable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tensorcast;

static double countBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return 0;
  double bytes = HostTensor::getElementBytes(tensor.getElementType());
  for (int64_t size : tensor.getShape())
    bytes *= static_cast<double>(size);
  return bytes;
}

/// Arithmetic of one element, at least the move of it.
static double countScalarOps(linalg::LinalgOp op) {
  double count = 0;
  op.getBlock()->walk([&](Operation *inner) {
    if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            inner->getDialect()) &&
        !isa<arith::ConstantOp>(inner))
      ++count;
  });
  return std::max(count, 1.0);
}

namespace {
/// Adds up functions, those that are called as often as they are.
class Estimator {
public:
  explicit Estimator(ModuleOp module) : symbols(module) {}

  /// What one call takes, without arguments.
  const WorkEstimate &estimate(func::FuncOp function) {
    auto [entry, isNew] = known.try_emplace(function);
    if (!isNew)
      return entry->second;
    WorkEstimate work;
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op)) {
        auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        const WorkEstimate &inner = estimate(callee);
        work.operations += inner.operations;
        work.bytes += inner.bytes;
        return;
      }
      add(op, work);
    });
    return known[function] = work;
  }

private:
  static void add(Operation *op, WorkEstimate &work) {
    // Every result is a buffer, but for those written into their operand.
    for (Type type : op->getResultTypes())
      if (!isa<DestinationStyleOpInterface>(op))
        work.bytes += countBytes(type);
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    if (!loops)
      return;
    double operations = countScalarOps(loops);
    for (int64_t size : loops.getStaticLoopRanges())
      operations *= static_cast<double>(size);
    work.operations += operations;
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, WorkEstimate> known;
};
} // namespace

WorkEstimate tensorcast::estimateWork(ModuleOp module) {
  Estimator estimator(module);
  WorkEstimate work;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    const WorkEstimate &own = estimator.estimate(function);
    work.operations += own.operations;
    work.bytes += own.bytes;
    for (Type type : function.getArgumentTypes())
      work.bytes += countBytes(type);
  }
  return work;
}
