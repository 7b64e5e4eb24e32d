//===- ReferenceWays.h - The model as the reference sees it -----*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_REFERENCE_REFERENCEWAYS_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_REFERENCE_REFERENCEWAYS_H

#include "../LaunchBuilder.h"

namespace mlir::tensorcast {

/// The family of the model in `module`, or an empty text.
StringRef getFamily(ModuleOp module);

/// Joins and copies heads behind their rotation where the reference does.
void copyRotatedHeads(ModuleOp module, const KernelSet &kernels);

/// Lets routers see and do what they do in the reference.
void applyRoutingWays(ModuleOp module, const KernelSet &kernels);

/// Runs linear attention, and gated attention, as the reference does.
void applyLinearAttentionWays(ModuleOp module, const KernelSet &kernels);

/// Runs experts by sorted rows and look-ups where the reference does.
void sortExperts(ModuleOp module, const KernelSet &kernels);

/// Runs attention over a cache that devices share as the reference does.
void exchangeInFull(ModuleOp module, const KernelSet &kernels);

/// Lets layers that are the first to split the residual see all tokens.
void startFromAllTokens(ModuleOp module);
/// Lets attention see whole requests, and caches keep them.
void removeWindows(ModuleOp module);
/// Adds what ties values to each other, makes tables of rotations as wide as
/// heads, and leaves compressors out of the weights, where the reference does.
void applyCompressedWays(ModuleOp module, const KernelSet &kernels);
/// Looks for patches and their tokens on the device where the reference does.
void applyVisionWays(ModuleOp module, const KernelSet &kernels,
                     const KernelSet &eagerKernels);

/// Rewrites the attention of families that the reference runs in ways of its
/// own.
void applyFamilyWays(ModuleOp module, const KernelSet &kernels);

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_REFERENCE_REFERENCEWAYS_H
