// Each option reaches the pass that it is for.
// RUN: tc-opt %s --tensorcast-eager="queries=3 query-length=9 context-length=5 decode prefix-cache-hit-rate=0.25" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=WORKLOAD
// WORKLOAD:      transformer-dedup-layers,
// WORKLOAD:      transformer-decompose{ eager-towers=false keep={linear_attention@qwen3_next} level=framework ops={linear_attention}}
// WORKLOAD:      transformer-shard{dcp=0 devices=0 dp=0 ep=0 external-shared-experts=false host-external-shared-experts=false lmhead-tp=0 mlp-tp=0 moe-dp=0 moe-tp=0 o-proj-tp=0 pp=0 redundant-experts=false shared-expert-tp=false tp=0 vision-tp=0 whole-sparse-attention=false wide-shared-choice=true word-embedding-tp=none},
// WORKLOAD:      transformer-quantize{attention-action=DISABLED {{.*}}group-size=32 {{.*}}linear-action=W8A8_DYNAMIC non-expert-linear-action= shared-group-scales=false}
// WORKLOAD:      transformer-bind-workload{context-length=5 decode=true image-batch-size=0 image-height=0 image-width=0 prefix-cache-hit-rate=2.500000e-01 queries=3 query-length=9}
// WORKLOAD:      transformer-decompose{eager-keep={delta_gating,gated_rms_norm,grid_embedding,gelu,layer_norm,latent_projection,linear_attention@qwen3_next,quantized_latent_projection} eager-towers=false keep={delta_gating,gated_rms_norm,grid_embedding,gelu,layer_norm,latent_projection,linear_attention@qwen3_next,quantized_latent_projection} level=framework }
// WORKLOAD:      convert-transformer-to-ascend{compiled=false kernel-set=reference-2026.08}
// WORKLOAD:      ascend-estimate{cost-model=tensorcast-2026.08 default-device=TEST_DEVICE device= kernel-coefficients= reserved-memory-gb=0.000000e+00}

// What the user brings along: patterns run last, coefficients go with the price.
// RUN: echo "{\"kernels\": {}}" > %t.json
// RUN: tc-opt %s --tensorcast-eager="patterns=%source_root/examples/patterns/norm-linear.pdll,%source_root/examples/patterns/swiglu-down.pdll kernel-coefficients=%t.json" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=OWN
// OWN:      transformer-decompose{
// OWN:      transformer-apply-patterns{{{.*}}file={{{.*}}norm-linear.pdll,{{.*}}swiglu-down.pdll
// OWN:      convert-transformer-to-ascend
// OWN:      ascend-estimate{{{.*}}kernel-coefficients={{.*}}.json

// A framework that launches the pieces keeps nothing.
// RUN: tc-opt %s --tensorcast-eager="kernel-set=ascend" --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=PIECES
// PIECES: transformer-decompose{ eager-towers=false level=framework ops={linear_attention}}
// PIECES: transformer-decompose{eager-keep={grid_embedding} eager-towers=false keep={grid_embedding} level=framework }

// Without a workload, nothing is bound.
// RUN: tc-opt %s --tensorcast-eager --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=UNBOUND
// UNBOUND:     transformer-dedup-layers
// UNBOUND-NOT: transformer-bind-workload
// UNBOUND:     ascend-estimate

// RUN: tc-opt %s --tensorcast-eager="no-repetition quantize-linear-action=W8A8_STATIC device=ATLAS_800_A2_376T_64G kernel-coefficients= reserved-memory-gb=1.5" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=OTHERS
// OTHERS-NOT: transformer-dedup-layers
// OTHERS:     transformer-quantize{{.*}}linear-action=W8A8_STATIC
// OTHERS:     device=ATLAS_800_A2_376T_64G kernel-coefficients= reserved-memory-gb=1.500000e+00

// The date of the reference decides on kernel set and cost model, but for what
// is named.
// RUN: tc-opt %s --tensorcast-eager="reference=2026.08 kernel-set=reference-2026.08 cost-model=tensorcast-2026.08" \
// RUN:   | FileCheck %s --check-prefix=NAMED
// RUN: not tc-opt %s --tensorcast-eager="reference=1999.01" 2>&1 | FileCheck %s --check-prefix=DATE
// RUN: not tc-opt %s --tensorcast-eager="reference=1999.01 kernel-set=reference-2026.08" 2>&1 | FileCheck %s --check-prefix=DATED-MODEL
// RUN: tc-opt %s --tensorcast-eager="reference=1999.01 kernel-set=reference-2026.08 cost-model=tensorcast-2026.08" \
// RUN:   | FileCheck %s --check-prefix=NAMED
// NAMED: module attributes {ascend.cost_model = "tensorcast-2026.08", ascend.device = #{{.*}}, ascend.kernel_set = "reference-2026.08"}
// DATE: error: unknown kernel set 'reference-1999.01';
// DATED-MODEL: error: unknown cost model 'tensorcast-1999.01';

// The device of the module goes before the default.
// RUN: tc-opt %s --ascend-estimate="device=ATLAS_800_A2_280T_64G" --tensorcast-eager | FileCheck %s --check-prefix=DEVICE
// RUN: tc-opt %s --ascend-estimate="device=ATLAS_800_A2_280T_64G" --tensorcast-eager="device=TEST_DEVICE" \
// RUN:   | FileCheck %s --check-prefix=OPTION
// DEVICE: name = "ATLAS_800_A2_280T_64G"
// OPTION: name = "TEST_DEVICE"

// Mistakes.
// RUN: not tc-opt %s --tensorcast-eager="device=ATLAS_800_A2_376T_64" 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tc-opt %s --tensorcast-eager="queries=2" 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not tc-opt %s --tensorcast-eager="query-length=2" 2>&1 | FileCheck %s --check-prefix=QUERIES
// RUN: not tc-opt %s --tensorcast-eager="querys=2" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tc-opt %s --tensorcast-eager="quantize-linear-action=W4A16" 2>&1 | FileCheck %s --check-prefix=ACTION
// RUN: not tc-opt %s --tensorcast-eager="cost-model=roofline" 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not tc-opt %s --tensorcast-eager="kernel-set=roofline" 2>&1 | FileCheck %s --check-prefix=SET
// NEAR: error: unknown device 'ATLAS_800_A2_376T_64'; did you mean 'ATLAS_800_A2_376T_64G'? known devices:
// LENGTH: error: expected 'query_length' from 1 to 2147483648, but got 0
// QUERIES: error: expected 'queries' from 1 to 2147483648, but got 0
// UNKNOWN: no such option querys
// ACTION: error: unknown linear action 'W4A16'; known linear actions: DISABLED, W8A16_STATIC, W8A16_DYNAMIC, W8A8_STATIC, W8A8_DYNAMIC, W4A8_STATIC, W4A8_DYNAMIC, FP8, MXFP4
// MODEL: error: unknown cost model 'roofline'; known cost models: tensorcast-2026.06, tensorcast-2026.08
// SET: error: unknown kernel set 'roofline'; known kernel sets:{{.*}} reference-2026.08

module {}
