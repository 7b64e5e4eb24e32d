//===- TransformerOps.td - All ops of the dialect ----------*- tablegen -*-===//
//
// What documentation and user patterns include. The build generates each family
// by itself, so that a change to one rebuilds little.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_TRANSFORMER_OPS
#define TENSORCAST_TRANSFORMER_OPS

include "TransformerOpsStructure.td"
include "TransformerOpsFused.td"
include "TransformerOpsNorm.td"
include "TransformerOpsLinear.td"
include "TransformerOpsAttention.td"
include "TransformerOpsLatent.td"
include "TransformerOpsContext.td"
include "TransformerOpsCompressed.td"
include "TransformerOpsHyper.td"
include "TransformerOpsDistribution.td"
include "TransformerOpsPipeline.td"
include "TransformerOpsFFN.td"
include "TransformerOpsPrimitive.td"
include "TransformerOpsRouting.td"
include "TransformerOpsExperts.td"
include "TransformerOpsExpertKernels.td"
include "TransformerOpsSampling.td"
include "TransformerOpsSparse.td"
include "TransformerOpsLinearAttention.td"
include "TransformerOpsVision.td"
include "TransformerOpsEncoder.td"

#endif // TENSORCAST_TRANSFORMER_OPS
