// What gated delta nets cost, against single launches that the reference
// recorded.
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_752T_128G_DIE cost-model=tensorcast-2026.08" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" | FileCheck %s --check-prefix=LAUNCH
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend compiled" | FileCheck %s --check-prefix=PHYSICAL

// Two requests of 4000 tokens, and of one token after 8000.
!prefill = !transformer.batch<#transformer.workload<queries = 2, query_length = 4000>>
!chunk = !transformer.batch<#transformer.workload<queries = 2, query_length = 4000, context_length = 100>>
!decode = !transformer.batch<#transformer.workload<queries = 16, query_length = 1, context_length = 8000, decode = true>>

// CHECK: causal_conv takes 79.63 us
func.func @convolution(%x: tensor<8000x2560xf16>, %w: tensor<2560x4xf16>, %batch: !prefill) -> tensor<8000x2560xf16> {
  %state = transformer.state "conv" : !transformer.state<2560x3xf16>
  %0, %1 = transformer.causal_conv %x, %w, %state of %batch
      : tensor<8000x2560xf16>, tensor<2560x4xf16>, !transformer.state<2560x3xf16>, !prefill
  return %0 : tensor<8000x2560xf16>
}

// In a decode step the last inputs are read and written as well.
// CHECK: causal_conv_update takes 3.552 us
// PHYSICAL-LABEL: func @update
// PHYSICAL:         ascend.gather rows(16) row_bytes(49152) index(0)
// PHYSICAL-NEXT:    ascend.scatter rows(16) row_bytes(49152) index(0)
func.func @update(%x: tensor<16x8192xf16>, %w: tensor<8192x4xf16>, %batch: !decode) -> tensor<16x8192xf16> {
  %state = transformer.state "conv" : !transformer.state<8192x3xf16>
  %0, %1 = transformer.causal_conv %x, %w, %state of %batch
      : tensor<16x8192xf16>, tensor<8192x4xf16>, !transformer.state<8192x3xf16>, !decode
  return %0 : tensor<16x8192xf16>
}

// CHECK: delta_gating takes 65.00 us
func.func @gating(%q: tensor<8000x4x128xf16>, %b: tensor<8000x12xf16>, %decay: tensor<12xf16>)
    -> (tensor<8000x12x128xf16>, tensor<8000x12x128xf16>, tensor<8000x12xf16>, tensor<8000x12xf32>) {
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<8000x4x128xf16>, tensor<8000x12xf16>, tensor<12xf16> -> tensor<8000x12x128xf16>, tensor<8000x12xf32>
  return %0#0, %0#1, %0#2, %0#3
      : tensor<8000x12x128xf16>, tensor<8000x12x128xf16>, tensor<8000x12xf16>, tensor<8000x12xf32>
}

// The reference takes the tokens of all requests for one sequence; kernels of
// their own have as many chunks and states as the requests have.
// CHECK: chunked_delta_rule takes 700.4 us
// LAUNCH-LABEL: func @chunked
// LAUNCH:         ascend.matmul m(6144000) n(1) k(640) : f32
// LAUNCH:         ascend.extra_starts count(8)
// LAUNCH-NOT:     ascend.gather
// LAUNCH:         ascend.scatter rows(1) row_bytes(786432) index(0)
// PHYSICAL-LABEL: func @chunked
// PHYSICAL:         ascend.matmul m(6193152) n(1) k(640) : f16
// PHYSICAL-NOT:     ascend.extra_starts
// PHYSICAL-NOT:     ascend.gather
// PHYSICAL:         ascend.scatter rows(2) row_bytes(786432) index(0)
func.func @chunked(%q: tensor<8000x12x128xf16>, %beta: tensor<8000x12xf16>, %g: tensor<8000x12xf32>, %batch: !prefill)
    -> tensor<8000x12x128xf16> {
  %state = transformer.state "rule" : !transformer.state<12x128x128xf32>
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<8000x12x128xf16>, tensor<8000x12x128xf16>, tensor<8000x12xf16>, tensor<8000x12xf32>,
        !transformer.state<12x128x128xf32>, !prefill
  return %0 : tensor<8000x12x128xf16>
}

// Behind a context, states are read first.
// CHECK: chunked_delta_rule takes
// LAUNCH-LABEL: func @behind_a_context
// LAUNCH:         ascend.gather rows(1) row_bytes(786432) index(0)
// PHYSICAL-LABEL: func @behind_a_context
// PHYSICAL:         ascend.gather rows(2) row_bytes(786432) index(0)
func.func @behind_a_context(%q: tensor<8000x12x128xf16>, %beta: tensor<8000x12xf16>, %g: tensor<8000x12xf32>,
                            %batch: !chunk) -> tensor<8000x12x128xf16> {
  %state = transformer.state "rule" : !transformer.state<12x128x128xf32>
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<8000x12x128xf16>, tensor<8000x12x128xf16>, tensor<8000x12xf16>, tensor<8000x12xf32>,
        !transformer.state<12x128x128xf32>, !chunk
  return %0 : tensor<8000x12x128xf16>
}

// CHECK: recurrent_delta_rule takes 69.08 us
// PHYSICAL-LABEL: func @recurrent
// PHYSICAL:         ascend.launch "recurrent_delta_rule"
func.func @recurrent(%q: tensor<16x32x128xf16>, %beta: tensor<16x32xf16>, %g: tensor<16x32xf32>, %batch: !decode)
    -> tensor<16x32x128xf16> {
  %state = transformer.state "rule" : !transformer.state<32x128x128xf32>
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<16x32x128xf16>, tensor<16x32x128xf16>, tensor<16x32xf16>, tensor<16x32xf32>,
        !transformer.state<32x128x128xf32>, !decode
  return %0 : tensor<16x32x128xf16>
}

// CHECK: gated_rms_norm takes 71.85 us
func.func @norm(%x: tensor<8000x12x128xf16>, %w: tensor<128xf16>) -> tensor<8000x12x128xf16> {
  %0 = transformer.gated_rms_norm %x, %x, %w eps(1.0e-6) : tensor<8000x12x128xf16>, tensor<128xf16>
  return %0 : tensor<8000x12x128xf16>
}

// What is added to a weight is added when the model is loaded.
// LAUNCH-LABEL: func @weight
// LAUNCH-NOT:     ascend.launch
// LAUNCH:         return
func.func @weight() -> tensor<8xf32> {
  %w = transformer.weight "norm.weight" : tensor<8xf16>
  %wide = transformer.cast %w : tensor<8xf16> to tensor<8xf32>
  %more = transformer.add_scalar %wide, 1.0 : tensor<8xf32>
  return %more : tensor<8xf32>
}
