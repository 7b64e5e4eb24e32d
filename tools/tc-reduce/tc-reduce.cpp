//===- tc-reduce.cpp - Shrinks modules that show a problem ----------------===//

#include "tensorcast/InitAll.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

using namespace mlir;

namespace {
/// Replaces an op by one of its operands of the same type: drops a layer, or a
/// step within it.
struct ForwardOperand : RewritePattern {
  explicit ForwardOperand(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<transformer::TransformerDialect,
                         ascend::AscendDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not an op of one result");
    for (Value operand : op->getOperands())
      if (operand.getType() == op->getResult(0).getType()) {
        rewriter.replaceOp(op, operand);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand of the result's type");
  }
};

struct ReductionInterface : DialectReductionPatternInterface {
  explicit ReductionInterface(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<ForwardOperand>(patterns.getContext());
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  tensorcast::registerAllDialects(registry);
  tensorcast::registerAllPasses();
  registry.addExtension(
      +[](MLIRContext *, transformer::TransformerDialect *dialect) {
        dialect->addInterfaces<ReductionInterface>();
      });
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context));
}
