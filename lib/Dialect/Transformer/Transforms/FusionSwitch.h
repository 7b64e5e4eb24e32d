//===- FusionSwitch.h - Which fusions there are, and where ------*- C++ -*-===//
//
// A fusion is called `fuse-norm.residual`: by its pass, without the prefix, and
// the option of the pass that switches it. Functions may have an attribute that
// switches fusions off, one by one or all of a pass.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSIONSWITCH_H
#define TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSIONSWITCH_H

#include "tensorcast/Dialect/Transformer/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::transformer {

/// A fusion. Patterns carry both parts as their labels.
struct FusionSwitch {
  StringRef category, name;

  std::string getText() const { return (category + "." + name).str(); }
};

/// Calls of `add` for the fusions of each pass, all options being on.
void listFuseNorm(MLIRContext *context, SmallVectorImpl<FusionSwitch> &found);
void listFuseQuant(MLIRContext *context, SmallVectorImpl<FusionSwitch> &found);
void listFuseAttention(MLIRContext *context,
                       SmallVectorImpl<FusionSwitch> &found);
void listFuseFFN(MLIRContext *context, SmallVectorImpl<FusionSwitch> &found);
void listFuseMoE(MLIRContext *context, SmallVectorImpl<FusionSwitch> &found);
void listFuseComm(MLIRContext *context, SmallVectorImpl<FusionSwitch> &found);
void listMergeLinears(MLIRContext *context,
                      SmallVectorImpl<FusionSwitch> &found);

/// Says that `name` is no fusion, and which ones there are.
std::string unknownFusion(StringRef name, ArrayRef<std::string> known);

/// The entry of the attribute of `function` that switches `fusion` off; empty
/// if there is none.
StringRef findSwitchOff(func::FuncOp function, FusionSwitch fusion);

/// Reports entries of the attribute of `function` that name no fusion. The
/// user's own patterns are not known here; those of one file at a time may be.
LogicalResult checkDisabledFusions(func::FuncOp function);

} // namespace mlir::transformer

#endif // TENSORCAST_LIB_DIALECT_TRANSFORMER_TRANSFORMS_FUSIONSWITCH_H
