// A gated delta net in one kernel, against launches that the reference recorded.
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_752T_128G_DIE cost-model=tensorcast-2026.08" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s
// RUN: not tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" 2>&1 | FileCheck %s --check-prefix=NONE

!conv = !transformer.state<8192x3xf16>
!rule = !transformer.state<32x128x128xf32>
!prefill = !transformer.batch<#transformer.workload<queries = 2, query_length = 1000>>
!decode = !transformer.batch<#transformer.workload<queries = 64, query_length = 1, context_length = 8000, decode = true>>

// NONE: error: 'transformer.linear_attention' op cannot be lowered to a kernel: kernel set ascend has no kernel 'linear_attention'

// CHECK: linear_attention takes 756.5 us
func.func @prefill(%x: tensor<2000x2048xf16>, %qkvz: tensor<12288x2048xf16>, %ba: tensor<64x2048xf16>,
                   %w: tensor<8192x4xf16>, %decay: tensor<32xf16>, %norm: tensor<128xf16>, %out: tensor<2048x4096xf16>,
                   %batch: !prefill) -> tensor<2000x2048xf16> {
  %conv = transformer.state "conv" : !conv
  %rule = transformer.state "rule" : !rule
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(16) eps(1.0e-6) chunk(64)
      : (tensor<2000x2048xf16>, tensor<8192x4xf16>, tensor<32xf16>, tensor<32xf16>, tensor<128xf16>,
         tensor<2048x4096xf16>, !conv, !rule, !prefill, tensor<12288x2048xf16>, tensor<64x2048xf16>)
     -> (tensor<2000x2048xf16>, !conv, !rule)
  return %0#0 : tensor<2000x2048xf16>
}

// The step's tokens are one sequence in decode steps, too.
// CHECK: linear_attention takes 28.89 us
func.func @decode(%x: tensor<64x2048xf16>, %qkvz: tensor<12288x2048xf16>, %ba: tensor<64x2048xf16>,
                  %w: tensor<8192x4xf16>, %decay: tensor<32xf16>, %norm: tensor<128xf16>, %out: tensor<2048x4096xf16>,
                  %batch: !decode) -> tensor<64x2048xf16> {
  %conv = transformer.state "conv" : !conv
  %rule = transformer.state "rule" : !rule
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(16) eps(1.0e-6) chunk(64)
      : (tensor<64x2048xf16>, tensor<8192x4xf16>, tensor<32xf16>, tensor<32xf16>, tensor<128xf16>,
         tensor<2048x4096xf16>, !conv, !rule, !decode, tensor<12288x2048xf16>, tensor<64x2048xf16>)
     -> (tensor<64x2048xf16>, !conv, !rule)
  return %0#0 : tensor<64x2048xf16>
}
