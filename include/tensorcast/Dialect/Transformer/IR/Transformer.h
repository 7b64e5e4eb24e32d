//===- Transformer.h - The transformer dialect ------------------*- C++ -*-===//
//
// Declares the dialect, its attributes, types, interfaces and ops.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_IR_TRANSFORMER_H
#define TENSORCAST_DIALECT_TRANSFORMER_IR_TRANSFORMER_H

#include "tensorcast/Dialect/Transformer/IR/Workload.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tensorcast/Dialect/Transformer/IR/TransformerDialect.h.inc"
#include "tensorcast/Dialect/Transformer/IR/TransformerEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerTypes.h.inc"

#include "tensorcast/Dialect/Transformer/IR/TransformerInterfaces.h.inc"

namespace mlir::transformer {
/// The trait of ops that name memory in another way, for which no kernel
/// starts.
template <typename OpT>
class MovesNothing : public OpTrait::TraitBase<OpT, MovesNothing> {};
} // namespace mlir::transformer

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsStructure.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFused.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsNorm.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinear.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsAttention.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLatent.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsCompressed.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsContext.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsHyper.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsFFN.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsDistribution.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsPipeline.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsPrimitive.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsRouting.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsExperts.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsExpertKernels.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsSampling.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsLinearAttention.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsSparse.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsVision.h.inc"

#define GET_OP_CLASSES
#include "tensorcast/Dialect/Transformer/IR/TransformerOpsEncoder.h.inc"

namespace mlir::transformer {

/// The module attribute that names the model (a ModelAttr).
inline constexpr StringLiteral kModelAttrName = "transformer.model";

/// The module attribute that says how devices share the work (a PlanAttr).
inline constexpr StringLiteral kPlanAttrName = "transformer.plan";

/// The module attribute that lists what passes took for granted of the workload
/// of an unbound module (an array of ExprAttr, which must not be 0).
inline constexpr StringLiteral kAssumesAttrName = "transformer.assumes";

/// The module attribute that holds the workload of a bound module (a
/// WorkloadAttr).
inline constexpr StringLiteral kWorkloadAttrName = "transformer.workload";

/// The function that `op` runs, as a layer or a stage; null for other ops.
FlatSymbolRefAttr getCallee(Operation *op);
/// The module attribute that says how the model cuts images into cells (an
/// ImageRuleAttr).
inline constexpr StringLiteral kImagesAttrName = "transformer.images";

/// The attribute of functions that look at images, before the decoder (a unit).
inline constexpr StringLiteral kTowerAttrName = "transformer.tower";

/// The attribute of functions that run op by op, whatever becomes of the others
/// (a unit).
inline constexpr StringLiteral kEagerAttrName = "transformer.eager";

/// The attribute of functions in which fusions are switched off (an array of
/// strings: the name of a fusion, perhaps with `@` and what was asked to name
/// the layer).
inline constexpr StringLiteral kDisabledFusionsAttrName =
    "transformer.disabled_fusions";

/// The attribute of functions in which ops and weights stay in high precision
/// (an array of strings: a name, perhaps with `@` and what was asked to name
/// the layer).
inline constexpr StringLiteral kHighPrecisionAttrName =
    "transformer.high_precision";

/// The attribute of functions whose gradient will be computed (a unit).
inline constexpr StringLiteral kTrainingAttrName = "transformer.training";

/// The constants of a GELU by the hyperbolic tangent: sqrt(2 / pi), and the
/// share of the cube.
inline constexpr double kGeluTanhFactor = 0.79788456080286536;
inline constexpr double kGeluCubeCoefficient = 0.044715;

} // namespace mlir::transformer

#endif // TENSORCAST_DIALECT_TRANSFORMER_IR_TRANSFORMER_H
