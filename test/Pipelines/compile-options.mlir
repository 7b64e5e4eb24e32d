// Each option reaches the pass that it is for.
// RUN: tc-opt %s --tensorcast-compile="queries=3 query-length=9 context-length=5 decode prefix-cache-hit-rate=0.25" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=DEFAULT
// DEFAULT:      transformer-dedup-layers,
// DEFAULT:      transformer-decompose{ eager-towers=false keep={linear_attention@qwen3_next} level=framework ops={linear_attention}}
// DEFAULT:      transformer-shard{dcp=0 devices=0 dp=0 ep=0 external-shared-experts=false host-external-shared-experts=false lmhead-tp=0 mlp-tp=0 moe-dp=0 moe-tp=0 o-proj-tp=0 pp=0 redundant-experts=false shared-expert-tp=false tp=0 vision-tp=0 whole-sparse-attention=false wide-shared-choice=true word-embedding-tp=none},
// DEFAULT:      transformer-quantize{attention-action=DISABLED {{.*}}group-size=32 {{.*}}linear-action=W8A8_DYNAMIC non-expert-linear-action= shared-group-scales=false}
// DEFAULT:      transformer-bind-workload{context-length=5 decode=true image-batch-size=0 image-height=0 image-width=0 prefix-cache-hit-rate=2.500000e-01 queries=3 query-length=9}
// DEFAULT:      transformer-decompose{eager-keep={delta_gating,gated_rms_norm,grid_embedding,gelu,layer_norm,latent_projection,linear_attention@qwen3_next,quantized_latent_projection} eager-towers=true keep={delta_gating,gated_rms_norm,latent_projection,linear_attention@qwen3_next,quantized_latent_projection} level=framework }
// DEFAULT-NOT:  transformer-inline-layers
// DEFAULT:      transformer-fuse-comm{linear-all-reduce=false
// DEFAULT:      transformer-fuse-norm{gated-rms-norm=true latent-projection=true layer-norm=true layer-norm-residual=false linear-attention=false residual=true rms-norm=true wide-rms-norm=false}
// DEFAULT:      transformer-fuse-attention{attention=true delta-gating=true latent-projection=true linear-attention=false only-equal-types=true only-full-width=true rope=true rope-casts=true rope-pair=true rope-table=true softmax=true}
// DEFAULT:      transformer-fuse-ffn{clamped-swiglu=false gelu=true linear-activation=false swiglu=true}
// DEFAULT:      transformer-fuse-quant{norm=true only-eps=1.000000e-06 share=true}
// DEFAULT:      transformer-merge-linears{experts=true linears=true only-equal-groups=true}
// DEFAULT:      transformer-fuse-moe{combine=false dispatch-ffn-combine=false gating=false grouped-quantize=true grouped-swiglu=true}
// DEFAULT:      convert-transformer-to-ascend{compiled=true kernel-set=reference-2026.08}
// DEFAULT:      ascend-estimate{cost-model=tensorcast-2026.08 default-device=TEST_DEVICE device= kernel-coefficients= reserved-memory-gb=0.000000e+00}

// What the user brings along: patterns run last, coefficients go with the price.
// RUN: echo "{\"kernels\": {}}" > %t.json
// RUN: tc-opt %s --tensorcast-compile="patterns=%source_root/examples/patterns/norm-linear.pdll,%source_root/examples/patterns/swiglu-down.pdll kernel-coefficients=%t.json" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=OWN
// OWN:      transformer-merge-linears{
// OWN:      transformer-apply-patterns{{{.*}}file={{{.*}}norm-linear.pdll,{{.*}}swiglu-down.pdll
// OWN:      convert-transformer-to-ascend
// OWN:      ascend-estimate{{{.*}}kernel-coefficients={{.*}}.json

// The date of the reference decides on what its compiler does.
// RUN: tc-opt %s --tensorcast-compile="reference=2026.06" --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=JUNE
// JUNE:     transformer-quantize{{.*}}shared-group-scales=true
// JUNE-NOT: transformer-bind-workload
// JUNE:     transformer-fuse-comm{linear-all-reduce=true
// JUNE:     transformer-fuse-norm{gated-rms-norm=true latent-projection=true layer-norm=false layer-norm-residual=false linear-attention=false residual=true rms-norm=true wide-rms-norm=false}
// JUNE:     transformer-fuse-ffn{clamped-swiglu=false gelu=false linear-activation=false swiglu=true}
// JUNE:     transformer-fuse-quant{norm=true only-eps=1.000000e-06 share=true}
// JUNE:     convert-transformer-to-ascend{compiled=true kernel-set=reference-2026.06}
// JUNE:     ascend-estimate{cost-model=tensorcast-2026.06

// Physical kernels have no restrictions.
// RUN: tc-opt %s --tensorcast-compile="kernel-set=ascend" --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=PHYSICAL
// PHYSICAL: transformer-decompose{ eager-towers=false level=framework ops={linear_attention}}
// PHYSICAL: transformer-fuse-norm{gated-rms-norm=true latent-projection=true layer-norm=true layer-norm-residual=true linear-attention=false residual=true rms-norm=true wide-rms-norm=true}
// PHYSICAL: transformer-fuse-attention{attention=true delta-gating=true latent-projection=true linear-attention=false only-equal-types=false only-full-width=false rope=true rope-casts=true rope-pair=true rope-table=true softmax=true}
// PHYSICAL: transformer-fuse-ffn{clamped-swiglu=true gelu=true linear-activation=true swiglu=true}
// PHYSICAL: transformer-fuse-quant{norm=true only-eps=0.000000e+00 share=true}
// PHYSICAL: transformer-merge-linears{experts=true linears=true only-equal-groups=false}
// PHYSICAL: transformer-fuse-moe{combine=true dispatch-ffn-combine=false gating=true grouped-quantize=true grouped-swiglu=true}
// PHYSICAL: convert-transformer-to-ascend{compiled=true kernel-set=ascend}

// RUN: tc-opt %s --tensorcast-compile="compilation-config=enable-matmul-allreduce" --dump-pass-pipeline 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=CONFIG
// RUN: tc-opt %s --tensorcast-compile="compilation-config=enable-sequence-parallel,enable-matmul-allreduce" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=CONFIG
// CONFIG: transformer-fuse-comm{linear-all-reduce=true

// Sums that leave each device its tokens come before those in a layer's kernel.
// In the reference they come after norms that are quantized.
// RUN: tc-opt %s --tensorcast-compile="compilation-config=enable-sequence-parallel,enable-matmul-allreduce" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=SEQUENCE
// SEQUENCE: transformer-shard{{.*}}whole-sparse-attention=true
// SEQUENCE: transformer-quantize{{.*}}float-sparse-keys=true
// SEQUENCE: transformer-fuse-comm{linear-all-reduce=false
// SEQUENCE: transformer-fuse-norm
// SEQUENCE: transformer-fuse-quant
// SEQUENCE: transformer-sequence-parallel{only-after-sum=true only-even-tokens=true}
// SEQUENCE: transformer-fuse-comm{linear-all-reduce=true
// SEQUENCE: transformer-merge-linears
// RUN: tc-opt %s --tensorcast-compile="compilation-config=enable-sequence-parallel kernel-set=ascend" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=SEQUENCE-PHYSICAL
// SEQUENCE-PHYSICAL:     transformer-shard{{.*}}whole-sparse-attention=false
// SEQUENCE-PHYSICAL:     transformer-fuse-norm
// SEQUENCE-PHYSICAL:     transformer-sequence-parallel{only-after-sum=false only-even-tokens=false}
// SEQUENCE-PHYSICAL:     transformer-fuse-quant
// SEQUENCE-PHYSICAL-NOT: transformer-fuse-comm

// RUN: tc-opt %s --tensorcast-compile="devices=16 tp=4 dp=4 dcp=2 o-proj-tp=2 mlp-tp=8 lmhead-tp=16 word-embedding-tp=col" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=DEVICES
// DEVICES: transformer-shard{dcp=2 devices=16 dp=4 ep=0 {{.*}}lmhead-tp=16 mlp-tp=8 moe-dp=0 moe-tp=0 o-proj-tp=2 {{.*}}tp=4 vision-tp=0 whole-sparse-attention=false wide-shared-choice=true word-embedding-tp=col}
// RUN: tc-opt %s --tensorcast-compile="devices=16 tp=4 ep=4 moe-tp=2 moe-dp=2 enable-redundant-experts enable-shared-expert-tp quantize-non-expert-linear-action=FP8" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPERTS
// EXPERTS: transformer-shard{dcp=0 devices=16 dp=0 ep=4 external-shared-experts=false host-external-shared-experts=false {{.*}}moe-dp=2 moe-tp=2 {{.*}}redundant-experts=true shared-expert-tp=true
// EXPERTS: transformer-quantize{{.*}}linear-action=W8A8_DYNAMIC non-expert-linear-action=FP8
// RUN: tc-opt %s --tensorcast-compile="devices=16 ep=4 enable-external-shared-experts host-external-shared-experts" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=EXTERNAL
// EXTERNAL: external-shared-experts=true host-external-shared-experts=true

// RUN: tc-opt %s --tensorcast-compile="quantize-linear-action=MXFP4 quantize-attention-action=FP8 mxfp4-group-size=64 device=ATLAS_350_425T_112G kernel-coefficients= reserved-memory-gb=1.5" \
// RUN:   --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=QUANTIZE
// QUANTIZE: transformer-quantize{attention-action=FP8 {{.*}}group-size=64 {{.*}}linear-action=MXFP4
// QUANTIZE: device=ATLAS_350_425T_112G kernel-coefficients= reserved-memory-gb=1.500000e+00

// In the reference, W8A16 runs as W8A8; with physical kernels it does not.
// RUN: tc-opt %s --tensorcast-compile="quantize-linear-action=W8A16_STATIC" --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=W8A16
// RUN: tc-opt %s --tensorcast-compile="quantize-linear-action=W8A16_STATIC kernel-set=ascend" --dump-pass-pipeline 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=W8A16-PHYSICAL
// W8A16: linear-action=W8A8_STATIC
// W8A16-PHYSICAL: linear-action=W8A16_STATIC

// RUN: tc-opt %s --tensorcast-compile="no-repetition" --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=NO-REPETITION
// NO-REPETITION-NOT: transformer-dedup-layers
// NO-REPETITION:     transformer-decompose
// NO-REPETITION:     transformer-inline-layers
// NO-REPETITION:     transformer-fuse-comm

// RUN: tc-opt %s --tensorcast-compile="reference=2026.06 kernel-set=reference-2026.08 cost-model=tensorcast-2026.08" | FileCheck %s --check-prefix=NAMED
// NAMED: module attributes {ascend.cost_model = "tensorcast-2026.08", ascend.device = #{{.*}}, ascend.kernel_set = "reference-2026.08"}

// Mistakes.
// RUN: not tc-opt %s --tensorcast-compile="reference=2026.07" 2>&1 | FileCheck %s --check-prefix=DATE
// RUN: not tc-opt %s --tensorcast-compile="quantize-linear-action=W4A16" 2>&1 | FileCheck %s --check-prefix=ACTION
// RUN: not tc-opt %s --tensorcast-compile="quantize-attention-action=int8" 2>&1 | FileCheck %s --check-prefix=ATTENTION
// RUN: not tc-opt %s --tensorcast-compile="tp=3 devices=8" 2>&1 | FileCheck %s --check-prefix=TP
// RUN: not tc-opt %s --tensorcast-compile="compilation-config=enable-matmul-alreduce" 2>&1 | FileCheck %s --check-prefix=CONFIG-NAME
// RUN: not tc-opt %s --tensorcast-compile="fuse=false" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// DATE: error: unknown kernel set 'reference-2026.07'; did you mean 'reference-2026.06'?
// ACTION: error: unknown linear action 'W4A16'; known linear actions: DISABLED, W8A16_STATIC,
// ATTENTION: error: unknown attention action 'int8'; did you mean 'INT8'?
// TP: error: expected 'tp' to divide 8 devices, but got 3
// CONFIG-NAME: unknown compilation-config name 'enable-matmul-alreduce'; did you mean 'enable-matmul-allreduce'? known compilation-config names: enable-matmul-allreduce, enable-sequence-parallel
// UNKNOWN: no such option fuse

module {}
