//===- Decompose.cpp - Expand composite ops -------------------------------===//

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"
#include "tensorcast/Support/Wording.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERDECOMPOSE
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::transformer;

namespace {
/// Replaces an op by what it stands for, until only launches, or primitives,
/// are left.
struct ExpandComposite : OpInterfaceRewritePattern<CompositeOpInterface> {
  ExpandComposite(MLIRContext *context, DecomposeLevel level,
                  ArrayRef<StringAttr> names)
      : OpInterfaceRewritePattern(context), level(level), names(names) {}

  LogicalResult matchAndRewrite(CompositeOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (level == DecomposeLevel::Framework && op.isLaunchedWhole())
      return rewriter.notifyMatchFailure(op, "a framework launches it whole");
    if (!names.empty() &&
        !llvm::is_contained(names, op->getName().getIdentifier()))
      return rewriter.notifyMatchFailure(op, "not among the ops to expand");
    SmallVector<Value> values = op.decompose(rewriter);
    // Where a size is not known, the parts may know more or less than the op.
    for (auto [value, type] : llvm::zip(values, op->getResultTypes()))
      if (value.getType() != type)
        value = ReshapeOp::create(rewriter, op->getLoc(), type, value);
    rewriter.replaceOp(op, values);
    return success();
  }

private:
  DecomposeLevel level;
  SmallVector<StringAttr> names;
};

class TransformerDecomposePass
    : public transformer::impl::TransformerDecomposeBase<
          TransformerDecomposePass> {
public:
  using TransformerDecomposeBase::TransformerDecomposeBase;

  LogicalResult initialize(MLIRContext *context) override {
    SmallVector<StringAttr> names;
    for (StringRef op : ops) {
      FailureOr<StringAttr> name = findOp(context, op);
      if (failed(name))
        return failure();
      names.push_back(*name);
    }
    RewritePatternSet set(context);
    set.add<ExpandComposite>(context, level, names);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), patterns);
  }

private:
  /// The composite op called `name`, with or without the dialect's prefix.
  static FailureOr<StringAttr> findOp(MLIRContext *context, StringRef name) {
    StringRef prefix = "transformer.";
    SmallVector<StringRef> known;
    for (RegisteredOperationName op : context->getRegisteredOperations()) {
      StringRef full = op.getStringRef();
      if (!op.hasInterface<CompositeOpInterface>())
        continue;
      if (full == name || full == (prefix + name).str())
        return op.getIdentifier();
      known.push_back(full.drop_front(prefix.size()));
    }
    llvm::sort(known);
    return emitError(UnknownLoc::get(context))
           << tensorcast::unknownName("composite op", name, known);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
