//===- ApplyPatterns.cpp - Apply rewrite patterns from files --------------===//

#include "Fusion.h"
#include "FusionLimits.h"

#include "tensorcast/Patterns/PatternSet.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/Dialect/PDLInterp/IR/PDLInterp.h"

namespace mlir::transformer {
#define GEN_PASS_DEF_TRANSFORMERAPPLYPATTERNS
#include "tensorcast/Dialect/Transformer/Transforms/Passes.h.inc"
} // namespace mlir::transformer

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

namespace {
/// Makes remarks of what patterns do.
class RemarkEvents : public PatternEvents {
public:
  void applied(Operation *root, StringRef pattern) override {
    emitFused(root, {kPatternCategory, pattern});
  }
  void nearMiss(Operation *root, StringRef pattern, StringRef reason) override {
    emitMissed(root, {kPatternCategory, pattern}, reason);
  }
  std::string getObstacle(func::FuncOp function, StringRef pattern) override {
    return findObstacle(function, {kPatternCategory, pattern});
  }
};

class TransformerApplyPatternsPass
    : public transformer::impl::TransformerApplyPatternsBase<
          TransformerApplyPatternsPass> {
public:
  using TransformerApplyPatternsBase::TransformerApplyPatternsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (files.empty())
      return emitError(UnknownLoc::get(context))
             << "expected 'file' with a file of patterns, but got none";
    if (maxRewrites < 1)
      return emitError(UnknownLoc::get(context))
             << "expected 'max-rewrites' of at least 1, but got "
             << maxRewrites.getValue();
    PatternOptions options;
    options.includeDirs.assign(includeDirs.begin(), includeDirs.end());
    options.compiler = compiler;
    options.maxRewrites = maxRewrites;
    SmallVector<std::string> paths(files.begin(), files.end());
    auto loaded = PatternSet::load(context, paths, options);
    if (failed(loaded))
      return failure();
    patterns = *loaded;
    return success();
  }

  void runOnOperation() override {
    RemarkEvents events;
    if (failed(checkDisabledFusions(getOperation())) ||
        failed(patterns->apply(getOperation(), events)))
      return signalPassFailure();
    SmallVector<StringRef> names;
    for (StringAttr name : patterns->getKnownOps())
      names.push_back(name.getValue());
    emitCoverage(getOperation(), names);
    emitCoverage(getOperation(), patterns->getNames(), kKnownPatterns);
  }

private:
  std::shared_ptr<const PatternSet> patterns;
};
} // namespace
