//===- TransformerToAscend.cpp - Lower ops to launches --------------------===//

#include "ExpertSections.h"

#include "tensorcast/Conversion/Passes.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::tensorcast {
#define GEN_PASS_DEF_CONVERTTRANSFORMERTOASCEND
#include "tensorcast/Conversion/Passes.h.inc"
} // namespace mlir::tensorcast

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Replaces ops that no kernel runs whole by what they stand for.
template <typename CompositeOp> static void expandOps(ModuleOp module) {
  module.walk([](CompositeOp op) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(op.decompose(builder));
    op->erase();
  });
}

namespace {
/// Remembers why the last pattern declined each op.
struct ReasonListener : RewriterBase::Listener {
  void
  notifyMatchFailure(Location,
                     llvm::function_ref<void(Diagnostic &)> callback) override {
    Diagnostic diag(UnknownLoc::get(context), DiagnosticSeverity::Remark);
    callback(diag);
    last = diag.str();
  }

  MLIRContext *context = nullptr;
  std::string last;
};

class ConvertTransformerToAscendPass
    : public tensorcast::impl::ConvertTransformerToAscendBase<
          ConvertTransformerToAscendPass> {
public:
  using ConvertTransformerToAscendBase::ConvertTransformerToAscendBase;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = UnknownLoc::get(context);
    FailureOr<KernelSet> loaded = KernelSet::load(kernelSet, compiled, loc);
    FailureOr<KernelSet> eager = failure();
    if (succeeded(loaded))
      eager = KernelSet::load(kernelSet, /*compiled=*/false, loc);
    if (failed(eager))
      return failure();
    kernels = std::make_shared<KernelSet>(std::move(*loaded));
    eagerKernels = std::make_shared<KernelSet>(std::move(*eager));
    patterns = getPatterns(context, *kernels);
    eagerPatterns = getPatterns(context, *eagerKernels);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    applyReferenceWays(module, *kernels, *eagerKernels);
    // A table of rotations is two tables on the device, looked up one by one.
    expandOps<RopeTableOp>(module);
    if (!kernels->lookup("softmax"))
      expandOps<SoftmaxOp>(module);
    if (!kernels->lookup("hyper_input"))
      expandOps<HyperInputOp>(module);
    joinExperts(module, *kernels);
    launchPerExpert(module, *kernels);
    for (Operation &op : *module.getBody())
      walkAndApplyPatterns(&op, op.hasAttr(kEagerAttrName) ? eagerPatterns
                                                           : patterns);
    if (failed(checkLowered(module)) || failed(mergeFusedLaunches(module)))
      return signalPassFailure();
    module->setAttr(ascend::kKernelSetAttrName,
                    StringAttr::get(&getContext(), kernels->getName()));
  }

private:
  static FrozenRewritePatternSet getPatterns(MLIRContext *context,
                                             const KernelSet &kernels) {
    RewritePatternSet set(context);
    populateElementwiseLowering(set, kernels);
    populateLookupLowering(set, kernels);
    populateLinearLowering(set, kernels);
    populateAttentionLowering(set, kernels);
    populateLatentLowering(set, kernels);
    populateContextLowering(set, kernels);
    populateCompressedLowering(set, kernels);
    populateHyperLowering(set, kernels);
    populateLinearAttentionLowering(set, kernels);
    populateNormLowering(set, kernels);
    populateDistributionLowering(set, kernels);
    populateRoutingLowering(set, kernels);
    populateExpertLowering(set, kernels);
    populateExpertKernelLowering(set, kernels);
    populateSamplingLowering(set, kernels);
    populateVisionLowering(set, kernels);
    populateEncoderLowering(set, kernels);
    return set;
  }

  /// Reports every op that is still there, each with a reason.
  LogicalResult checkLowered(ModuleOp module) {
    bool lowered = true;
    module.walk([&](Operation *op) {
      if (!isa_and_nonnull<TransformerDialect>(op->getDialect()) ||
          isa<FusedOp, KVCacheOp, LayerOp, StageOp, StateOp, WeightOp, YieldOp>(
              op))
        return;
      lowered = false;
      op->emitOpError("cannot be lowered to a kernel: ") << explain(op);
    });
    return success(lowered);
  }

  /// Why the patterns decline an op that they left; asking again is cheap.
  std::string explain(Operation *op) {
    ReasonListener listener;
    listener.context = &getContext();
    PatternRewriter rewriter(op->getContext());
    rewriter.setInsertionPoint(op);
    rewriter.setListener(&listener);
    for (const auto &[name, candidates] :
         patterns.getOpSpecificNativePatterns())
      if (name == op->getName())
        for (const RewritePattern *pattern : candidates)
          (void)pattern->matchAndRewrite(op, rewriter);
    if (!listener.last.empty())
      return listener.last;
    return isa<CompositeOpInterface>(op)
               ? "it is composite; run transformer-decompose first"
               : "kernel sets have no rule for it";
  }

  /// Functions that run op by op have kernels of their own.
  std::shared_ptr<KernelSet> kernels, eagerKernels;
  FrozenRewritePatternSet patterns, eagerPatterns;
};
} // namespace
