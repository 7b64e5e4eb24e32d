//===- LaunchBuilder.h - Builds launches from ops ---------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LAUNCHBUILDER_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LAUNCHBUILDER_H

#include "tensorcast/Conversion/TransformerToAscend/KernelSet.h"
#include "tensorcast/Dialect/Ascend/IR/Ascend.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tensorcast {

/// A pattern that lowers one kind of op with the kernels of a set.
template <typename SourceOp>
struct LoweringPattern : OpRewritePattern<SourceOp> {
  LoweringPattern(MLIRContext *context, const KernelSet &kernels)
      : OpRewritePattern<SourceOp>(context), kernels(kernels) {}

protected:
  const KernelSet &kernels;
};

/// What a launch is made of beside its results.
struct LaunchParts {
  StringRef kernel;
  SmallVector<Value> inputs;
  SmallVector<Value> resident;
  /// How often it starts; once if null.
  transformer::ExprAttr count;
  /// Builds the work ops; none for a kernel that only moves data.
  llvm::function_ref<void(OpBuilder &, Location, const Kernel &)> work;
  /// A result of the op that the kernel does not write, as nothing uses it.
  std::optional<unsigned> discardedResult = {};
};

/// Why an op of unknown size has no kernel.
inline constexpr StringLiteral kUnknownSize =
    "a '?' has no expression; add #transformer.dims to its type";

/// Creates a launch for `op` with results of `types`, or fails with a reason if
/// the set has no such kernel.
FailureOr<ascend::LaunchOp> createLaunch(Operation *op, TypeRange types,
                                         const KernelSet &kernels,
                                         PatternRewriter &rewriter,
                                         const LaunchParts &parts);

/// Replaces `op` by a launch with the same results, or fails with a reason if
/// the set has no such kernel.
LogicalResult replaceWithLaunch(Operation *op, const KernelSet &kernels,
                                PatternRewriter &rewriter,
                                const LaunchParts &parts);

/// Adds the vector operations that `kernel` does on each of `elements`, by its
/// coefficients `vector_ops_per_element` (of `elementType`) and
/// `f32_ops_per_element`.
void addElementwiseWork(OpBuilder &builder, Location loc, const Kernel &kernel,
                        transformer::ExprAttr elements, Type elementType);

/// Replaces `op` by a launch of `kernel` that reads every operand once and
/// works on each element of the first, with `addElementwiseWork`.
LogicalResult
replaceWithElementwiseLaunch(Operation *op, const KernelSet &kernels,
                             PatternRewriter &rewriter, StringRef kernel,
                             std::optional<unsigned> discardedResult = {});

/// The workload of a bound batch, else null.
transformer::WorkloadAttr getWorkload(Value batch);

/// Fills `patterns` with the lowering of each family.
void populateElementwiseLowering(RewritePatternSet &patterns,
                                 const KernelSet &kernels);
void populateLinearLowering(RewritePatternSet &patterns,
                            const KernelSet &kernels);
void populateLookupLowering(RewritePatternSet &patterns,
                            const KernelSet &kernels);
void populateAttentionLowering(RewritePatternSet &patterns,
                               const KernelSet &kernels);
void populateLatentLowering(RewritePatternSet &patterns,
                            const KernelSet &kernels);
void populateContextLowering(RewritePatternSet &patterns,
                             const KernelSet &kernels);
void populateCompressedLowering(RewritePatternSet &patterns,
                                const KernelSet &kernels);
void populateHyperLowering(RewritePatternSet &patterns,
                           const KernelSet &kernels);
void populateLinearAttentionLowering(RewritePatternSet &patterns,
                                     const KernelSet &kernels);
void populateDistributionLowering(RewritePatternSet &patterns,
                                  const KernelSet &kernels);
void populateNormLowering(RewritePatternSet &patterns,
                          const KernelSet &kernels);
void populateRoutingLowering(RewritePatternSet &patterns,
                             const KernelSet &kernels);
void populateSamplingLowering(RewritePatternSet &patterns,
                              const KernelSet &kernels);
void populateExpertLowering(RewritePatternSet &patterns,
                            const KernelSet &kernels);
void populateVisionLowering(RewritePatternSet &patterns,
                            const KernelSet &kernels);
void populateEncoderLowering(RewritePatternSet &patterns,
                             const KernelSet &kernels);
void populateExpertKernelLowering(RewritePatternSet &patterns,
                                  const KernelSet &kernels);

/// The kernel that runs `op`; kernels differ by what they multiply.
std::string getKernelName(transformer::DispatchFFNCombineOp op);

/// Makes one launch of each `transformer.fused` whose body is lowered; the
/// kernel does the work of all of the body, reads what the op reads and writes
/// its results. Reports bodies that one start cannot run.
LogicalResult mergeFusedLaunches(ModuleOp module);

/// Rewrites the model as the reference simulator sees it, where the kernel set
/// says so (Reference/). Functions that run op by op have `eagerKernels`.
void applyReferenceWays(ModuleOp module, const KernelSet &kernels,
                        const KernelSet &eagerKernels);

/// Copies the rows of experts where the kernel set does (Reference/).
void joinExperts(ModuleOp module, const KernelSet &kernels);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LAUNCHBUILDER_H
