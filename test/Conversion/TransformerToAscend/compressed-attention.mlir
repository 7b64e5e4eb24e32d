// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" \
// RUN:   --ascend-estimate="device=ATLAS_800_A3_752T_128G_DIE cost-model=tensorcast-2026.08" \
// RUN:   --ascend-print-cost 2>&1 >/dev/null | grep remark: | FileCheck %s --check-prefix=COST
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" | FileCheck %s --check-prefixes=BOTH,COMPILED
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefixes=BOTH,EAGER
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s --check-prefix=ASCEND

// Times are those that the reference recorded.

!prefill = !transformer.batch<#transformer.workload<queries = 1, query_length = 4096>>
!odd = !transformer.batch<#transformer.workload<queries = 1, query_length = 2000>>
!decode = !transformer.batch<#transformer.workload<queries = 4, query_length = 1, context_length = 16000, decode = true>>
!rope = !transformer.rope_table<64xf16>
!rows = !transformer.kv_cache<512xf16, block_size = 128>
!keys = !transformer.kv_cache<128xf16, block_size = 128>
!state = !transformer.kv_cache<2048xf32, block_size = 128>
!small = !transformer.kv_cache<512xf32, block_size = 128>

// What is picked is joined with the numbers of the window, and the rows of new
// tokens with compressed ones.
// BOTH-LABEL: func @prefill
// EAGER:        ascend.launch "count_rows"() {{.*}} -> tensor<128xi64>
// BOTH:         %[[N:.*]] = ascend.launch "concat"({{.*}}) {{.*}} : (tensor<4096x128xi64>, tensor<4096x512xi64>) -> tensor<4096x640xi64>
// BOTH:         ascend.launch "cast"(%[[N]]) {{.*}} -> tensor<4096x640xi32>
// BOTH:         ascend.launch "concat"({{.*}}) {{.*}} : (tensor<4096x512xf16>, tensor<1024x512xf16>) -> tensor<5120x512xf16>
// BOTH:         ascend.launch "window_attention"
// ASCEND-LABEL: func @prefill
// ASCEND-NOT:   "concat"
// ASCEND:       ascend.launch "window_attention"
// COST:         window_attention takes 3.067 ms
func.func @prefill(%q: tensor<4096x64x512xf16>, %kv: tensor<4096x512xf16>, %w: !rows, %s: tensor<64xf32>, %c: !rows,
                   %i: tensor<4096x512xi64>, %batch: !prefill) -> tensor<4096x64x512xf16> {
  %0 = transformer.window_attention %q, %kv, %w of %batch sink(%s) compressed(%c) indices(%i) window(128) ratio(4)
      scale(0.04) : (tensor<4096x64x512xf16>, tensor<4096x512xf16>, !rows, !prefill, tensor<64xf32>, !rows,
                     tensor<4096x512xi64>) -> tensor<4096x64x512xf16>
  return %0 : tensor<4096x64x512xf16>
}

// In decode all is in the caches; the numbers of all compressed rows are constant
// once compiled.
// BOTH-LABEL: func @decode
// EAGER:        ascend.launch "count_rows"() {{.*}} -> tensor<128xi64>
// EAGER:        ascend.launch "count_rows"() {{.*}} -> tensor<125xi64>
// EAGER:        ascend.launch "concat"
// EAGER:        ascend.launch "cast"
// COMPILED-NOT: "concat"
// BOTH:         ascend.launch "window_attention"
// COST:         window_attention takes 6.483 us
func.func @decode(%q: tensor<4x64x512xf16>, %kv: tensor<4x512xf16>, %w: !rows, %s: tensor<64xf32>, %c: !rows,
                  %batch: !decode) -> tensor<4x64x512xf16> {
  %0 = transformer.window_attention %q, %kv, %w of %batch sink(%s) compressed(%c) window(128) ratio(128) scale(0.04)
      : (tensor<4x64x512xf16>, tensor<4x512xf16>, !rows, !decode, tensor<64xf32>, !rows) -> tensor<4x64x512xf16>
  return %0 : tensor<4x64x512xf16>
}

// A window alone, on a device with few heads: the cube takes 16.
// BOTH-LABEL: func @few_heads
// EAGER:        ascend.launch "count_rows"
// EAGER-NOT:    "concat"
// EAGER:        ascend.launch "cast"
// BOTH:         ascend.launch "window_attention"
// BOTH:           ascend.matmul m(64) n(128) k(1024) : f16
func.func @few_heads(%q: tensor<4x8x512xf16>, %kv: tensor<4x512xf16>, %w: !rows, %s: tensor<8xf32>, %batch: !decode)
    -> tensor<4x8x512xf16> {
  %0 = transformer.window_attention %q, %kv, %w of %batch sink(%s) window(128) scale(0.04)
      : (tensor<4x8x512xf16>, tensor<4x512xf16>, !rows, !decode, tensor<8xf32>) -> tensor<4x8x512xf16>
  return %0 : tensor<4x8x512xf16>
}

// What stays of 2000 rows begins at slot 80 of a window of 128: 48 rows and 80.
// Compiled, layers with compressed rows write the first part only.
// BOTH-LABEL: func @append
// BOTH:         ascend.launch "append_window"
// BOTH:           ascend.gather rows(48) row_bytes(1024)
// BOTH:         ascend.launch "append_window"
// BOTH:           ascend.gather rows(80) row_bytes(1024)
// BOTH:         ascend.launch "append_window"
// BOTH:           ascend.gather rows(48) row_bytes(1024)
// EAGER:        ascend.launch "append_window"
// COMPILED-NOT: ascend.launch "append_window"
// BOTH:         return
// COST:         append_window takes 2.093 us
// COST:         append_window takes 2.155 us
// COST:         append_window takes 2.093 us
func.func @append(%kv: tensor<2000x512xf16>, %w: !rows, %v: !rows, %batch: !odd) {
  %0 = transformer.append_window %kv to %w of %batch window(128) : tensor<2000x512xf16>, !rows, !odd
  %1 = transformer.append_window %kv to %v of %batch window(128) compressed : tensor<2000x512xf16>, !rows, !odd
  return
}

// BOTH-LABEL: func @rows
// COST:         compress takes 1.004 ms
func.func @rows(%x: tensor<4096x4096xf16>, %rope: !rope, %c: !rows, %s: !state, %batch: !prefill,
                %v: tensor<1024x4096xf32>, %g: tensor<1024x4096xf32>, %p: tensor<4x1024xf32>, %n: tensor<512xf16>) {
  %0, %1 = transformer.compress %x, %rope to %c, %s of %batch value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap
      features(64) eps(1.0e-6)
      : (tensor<4096x4096xf16>, !rope, !rows, !state, !prefill, tensor<1024x4096xf32>, tensor<1024x4096xf32>,
         tensor<4x1024xf32>, tensor<512xf16>) -> (!rows, !state)
  return
}

// In decode a token is added to its group; no group is completed here.
// BOTH-LABEL: func @keys
// COST:         compress takes 13.11 us
// COST:         pick_compressed takes 5.078 us
func.func @keys(%x: tensor<4x4096xf16>, %rope: !rope, %c: !keys, %s: !small, %batch: !decode, %v: tensor<256x4096xf32>,
                %g: tensor<256x4096xf32>, %p: tensor<4x256xf32>, %n: tensor<128xf16>, %q: tensor<4x64x128xf16>,
                %w: tensor<4x64xf16>) -> tensor<4x512xi64> {
  %0, %1 = transformer.compress %x, %rope to %c, %s of %batch value(%v) gate(%g) positions(%p) norm(%n) ratio(4) overlap
      features(64) rotated eps(1.0e-6)
      : (tensor<4x4096xf16>, !rope, !keys, !small, !decode, tensor<256x4096xf32>, tensor<256x4096xf32>,
         tensor<4x256xf32>, tensor<128xf16>) -> (!keys, !small)
  %i = transformer.pick_compressed %q, %w, %0 of %batch ratio(4) top_k(512)
      : tensor<4x64x128xf16>, tensor<4x64xf16>, !keys, !decode -> tensor<4x512xi64>
  return %i : tensor<4x512xi64>
}

// Rounding is a quantization, a conversion and copies; a projection in groups a
// batched product and a copy; ties add zeros.
// BOTH-LABEL: func @pieces
// BOTH:         ascend.launch "dynamic_quantize"({{.*}}) {{.*}} -> (tensor<4x448xf8E4M3FN>, tensor<4x1xf32>)
// BOTH:         ascend.launch "cast"({{.*}}) {{.*}} -> tensor<4x448xf16>
// BOTH:         ascend.launch "own_features"
// COMPILED:     ascend.launch "put_features"({{.*}}) {{.*}} -> tensor<4x512xf16>
// EAGER-NOT:    "put_features"
// BOTH:         ascend.launch "mul_scalar"({{.*}}) {{.*}} -> tensor<4x1xf16>
// BOTH:         ascend.launch "add"({{.*}}) {{.*}} : (tensor<4x4096xf16>, tensor<4x1xf16>) -> tensor<4x4096xf16>
// EAGER:        ascend.launch "mul_scalar"
// COMPILED-NOT: ascend.launch "mul_scalar"
// BOTH:         ascend.launch "add"
// BOTH:         ascend.launch "batched_matmul"
// BOTH:         ascend.launch "clone"({{.*}}) {{.*}} -> tensor<4x8x1024xf16>
// BOTH:         return
// ASCEND-LABEL: func @pieces
// ASCEND:       ascend.launch "round_features"
// ASCEND-NOT:   ascend.launch "add"
// ASCEND:       ascend.launch "grouped_projection"
func.func @pieces(%kv: tensor<4x512xf16>, %x: tensor<4x4096xf16>, %y: tensor<4x4096xf16>, %o: tensor<4x32768xf16>,
                  %w: tensor<8192x4096xf16>)
    -> (tensor<4x512xf16>, tensor<4x4096xf16>, tensor<4x4096xf16>, tensor<4x8192xf16>) {
  %0 = transformer.round_features %kv features(448) : tensor<4x512xf16>
  %1 = transformer.tie %x to %kv : tensor<4x4096xf16>, tensor<4x512xf16>
  %2 = transformer.tie %y to %kv : tensor<4x4096xf16>, tensor<4x512xf16>
  %3 = transformer.grouped_projection %o, %w : tensor<4x32768xf16>, tensor<8192x4096xf16> -> tensor<4x8192xf16>
  return %0, %1, %2, %3 : tensor<4x512xf16>, tensor<4x4096xf16>, tensor<4x4096xf16>, tensor<4x8192xf16>
}

// Scores are made and chosen by kernels; of a table all is read.
// BOTH-LABEL: func @experts
// COMPILED:     ascend.launch "exp"
// COMPILED:     ascend.launch "log1p"
// COMPILED:     ascend.launch "greater"({{.*}}) {{.*}} -> tensor<4x256xi1>
// COMPILED:     ascend.launch "select"
// EAGER:        ascend.launch "softplus"
// BOTH:         ascend.launch "sqrt"
// BOTH:         ascend.launch "hash_top_k"({{.*}}) {{.*}} : (tensor<4x256xf32>, tensor<4xi64>, tensor<129280x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
// BOTH:         ascend.launch "cast"({{.*}}) {{.*}} -> tensor<4x6xf16>
// BOTH:         ascend.launch "score_top_k"({{.*}}) {{.*}} : (tensor<4x256xf32>, tensor<256xf16>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
// ASCEND-LABEL: func @experts
// ASCEND:       ascend.launch "gating_top_k"
// ASCEND-NOT:   ascend.launch "sqrt"
// COST:         hash_top_k takes 4.944 us
// COST:         score_top_k takes 2.005 us
func.func @experts(%l: tensor<4x256xf32>, %t: tensor<129280x6xi32>, %n: tensor<4xi64>, %b: tensor<256xf16>)
    -> (tensor<4x6xf16>, tensor<4x6xi64>, tensor<4x6xf32>, tensor<4x6xi64>) {
  %0, %i = transformer.select_experts %l hash(%t by %n : tensor<129280x6xi32>, tensor<4xi64>) top_k(6)
      score(sqrt_softplus) normalize scale(1.5) gating_kernel : tensor<4x256xf32> -> tensor<4x6xf16>, tensor<4x6xi64>
  %1, %j = transformer.select_experts %l bias(%b : tensor<256xf16>) top_k(6) score(sqrt_softplus) normalize scale(1.5)
      gating_kernel : tensor<4x256xf32> -> tensor<4x6xf32>, tensor<4x6xi64>
  return %0, %i, %1, %j : tensor<4x6xf16>, tensor<4x6xi64>, tensor<4x6xf32>, tensor<4x6xi64>
}

// The input of a block is made by several kernels of the reference, and by one
// where a set has it.
// BOTH-LABEL: func @streams
// BOTH:         ascend.launch "repeat_streams"
// BOTH:         ascend.launch "inverse_rms"
// BOTH:         ascend.launch "cast"
// BOTH:         ascend.launch "matmul"
// BOTH:         ascend.launch "mul"
// BOTH:         ascend.launch "mix_streams"
// BOTH:         ascend.launch "hyper_output"
// BOTH:         ascend.launch "hyper_head"
// ASCEND-LABEL: func @streams
// ASCEND:       ascend.launch "repeat_streams"
// ASCEND:       ascend.launch "hyper_input"
// ASCEND-NOT:   ascend.launch "cast"
// ASCEND:       ascend.launch "hyper_output"
// COST:         inverse_rms takes 637.8 us
// COST:         mix_streams takes 288.8 us
// COST:         hyper_output takes 797.0 us
// COST:         hyper_head takes 291.4 us
func.func @streams(%x: tensor<4096x4096xf16>, %f: tensor<24x16384xf32>, %a: tensor<3xf32>, %b: tensor<24xf32>,
                   %g: tensor<4x16384xf32>, %c: tensor<1xf32>, %d: tensor<4xf32>) -> tensor<4096x4096xf16> {
  %s = transformer.repeat_streams %x : tensor<4096x4096xf16> to tensor<4096x4x4096xf16>
  %y, %p, %q = transformer.hyper_input %s, %f, %a, %b iterations(20) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<4096x4x4096xf16>, tensor<24x16384xf32>, tensor<3xf32>, tensor<24xf32>)
      -> (tensor<4096x4096xf16>, tensor<4096x4xf32>, tensor<4096x4x4xf32>)
  %t = transformer.hyper_output %y, %s, %p, %q : tensor<4096x4096xf16>, tensor<4096x4x4096xf16>, tensor<4096x4xf32>,
                                                 tensor<4096x4x4xf32>
  %h = transformer.hyper_head %t, %g, %c, %d eps(1.0e-6) norm_eps(1.0e-6)
      : tensor<4096x4x4096xf16>, tensor<4x16384xf32>, tensor<1xf32>, tensor<4xf32> -> tensor<4096x4096xf16>
  return %h : tensor<4096x4096xf16>
}

// Heads turn in place: what is not turned does not move.
// BOTH-LABEL: func @rotate
// BOTH:         ascend.launch "rotate_part"() using
// ASCEND-LABEL: func @rotate
// ASCEND:       ascend.launch "normalize"
func.func @rotate(%q: tensor<4x64x512xf16>, %rope: !rope) -> tensor<4x64x512xf16> {
  %n = transformer.normalize %q eps(1.0e-6) : tensor<4x64x512xf16>
  %0 = transformer.rotate_part %n, %rope features(64) : tensor<4x64x512xf16>, !rope
  return %0 : tensor<4x64x512xf16>
}
