// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!rope = !transformer.rope_table<64xf16>
!batch = !transformer.batch
!cache = !transformer.kv_cache<512xf16, block_size = 128>
!state = !transformer.kv_cache<2048xf32, block_size = 128>
!keys = !transformer.kv_cache<128xf16, block_size = 128>

// CHECK-LABEL: func @rows
func.func @rows(%q: tensor<7x64x512xf16>, %kv: tensor<7x512xf16>, %x: tensor<7x4096xf16>, %rope: !rope) {
  // CHECK: transformer.normalize %{{.*}} eps(1.0e-06) : tensor<7x64x512xf16>
  %n = transformer.normalize %q eps(1.0e-6) : tensor<7x64x512xf16>
  // CHECK: transformer.rotate_part %{{.*}} features(64) : tensor<7x64x512xf16>, <64xf16>
  %r = transformer.rotate_part %n, %rope features(64) : tensor<7x64x512xf16>, !rope
  // CHECK: transformer.rotate_part %{{.*}} features(64) inverse style(interleaved)
  %b = transformer.rotate_part %r, %rope features(64) inverse style(interleaved) : tensor<7x64x512xf16>, !rope
  // CHECK: transformer.round_features %{{.*}} features(448) : tensor<7x512xf16>
  %f = transformer.round_features %kv features(448) : tensor<7x512xf16>
  // CHECK: transformer.tie %{{.*}} to %{{.*}} : tensor<7x4096xf16>, tensor<7x64x512xf16>
  %t = transformer.tie %x to %r : tensor<7x4096xf16>, tensor<7x64x512xf16>
  return
}

// CHECK-LABEL: func @caches
func.func @caches(%kv: tensor<7x512xf16>, %x: tensor<7x4096xf16>, %rope: !rope, %batch: !batch,
                  %wv: tensor<1024x4096xf32>, %wg: tensor<1024x4096xf32>, %p: tensor<4x1024xf32>, %n: tensor<512xf16>) {
  // CHECK: transformer.kv_cache "self_attn" window(128) : <512xf16, block_size = 128>
  %w = transformer.kv_cache "self_attn" window(128) : !cache
  // CHECK: transformer.append_window {{.*}} window(128) compressed
  %full = transformer.append_window %kv to %w of %batch window(128) compressed : tensor<7x512xf16>, !cache, !batch
  // CHECK: transformer.kv_cache "compressor" spare(2) ratio(4)
  %c = transformer.kv_cache "compressor" spare(2) ratio(4) : !cache
  // CHECK: transformer.kv_cache "state" auxiliary window(8)
  %s = transformer.kv_cache "state" auxiliary window(8) : !state
  // CHECK: transformer.compress {{.*}} ratio(4) overlap features(64) rotated eps(1.0e-06) style(interleaved)
  %rows, %rest = transformer.compress %x, %rope to %c, %s of %batch value(%wv) gate(%wg) positions(%p) norm(%n)
      ratio(4) overlap features(64) rotated eps(1.0e-6) style(interleaved)
      : (tensor<7x4096xf16>, !rope, !cache, !state, !batch, tensor<1024x4096xf32>, tensor<1024x4096xf32>,
         tensor<4x1024xf32>, tensor<512xf16>) -> (!cache, !state)
  return
}

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<7x64x512xf16>, %kv: tensor<7x512xf16>, %window: !cache, %rows: !cache, %batch: !batch,
                     %sink: tensor<64xf32>, %iq: tensor<7x64x128xf16>, %share: tensor<7x64xf16>, %keys: !keys,
                     %w: tensor<8192x4096xf16>, %wide: tensor<7x32768xf16>) {
  // CHECK: transformer.pick_compressed {{.*}} ratio(4) top_k(512)
  // CHECK-SAME: -> tensor<7x?xi64, #transformer.dims<max(1, min(512, floordiv(max(kv), 4)))>>
  %i = transformer.pick_compressed %iq, %share, %keys of %batch ratio(4) top_k(512)
      : tensor<7x64x128xf16>, tensor<7x64xf16>, !keys, !batch
     -> tensor<7x?xi64, #transformer.dims<max(min(512, floordiv(max(kv), 4)), 1)>>
  // CHECK: transformer.pick_compressed {{.*}} top_k(512) over<2>
  %j = transformer.pick_compressed %iq, %share, %keys of %batch ratio(4) top_k(512) over<2>
      : tensor<7x64x128xf16>, tensor<7x64xf16>, !keys, !batch
     -> tensor<7x?xi64, #transformer.dims<max(min(512, floordiv(max(kv), 4)), 1)>>
  // CHECK: transformer.window_attention %{{.*}} sink(%{{.*}}) window(128) scale(0.5)
  %a = transformer.window_attention %q, %kv, %window of %batch sink(%sink) window(128) scale(0.5)
      : (tensor<7x64x512xf16>, tensor<7x512xf16>, !cache, !batch, tensor<64xf32>) -> tensor<7x64x512xf16>
  // CHECK: transformer.window_attention %{{.*}} compressed(%{{.*}}) indices(%{{.*}}) window(128) ratio(4) scale(0.5)
  %b = transformer.window_attention %q, %kv, %window of %batch sink(%sink) compressed(%rows) indices(%i) window(128)
      ratio(4) scale(0.5)
      : (tensor<7x64x512xf16>, tensor<7x512xf16>, !cache, !batch, tensor<64xf32>, !cache,
         tensor<7x?xi64, #transformer.dims<max(min(512, floordiv(max(kv), 4)), 1)>>) -> tensor<7x64x512xf16>
  // CHECK: transformer.grouped_projection %{{.*}} : tensor<7x32768xf16>, tensor<8192x4096xf16> -> tensor<7x8192xf16>
  %g = transformer.grouped_projection %wide, %w : tensor<7x32768xf16>, tensor<8192x4096xf16> -> tensor<7x8192xf16>
  return
}

// CHECK-LABEL: func @streams
func.func @streams(%x: tensor<7x64xf16>, %fn: tensor<24x256xf32>, %scale: tensor<3xf32>, %base: tensor<24xf32>,
                   %hf: tensor<4x256xf32>, %hs: tensor<1xf32>, %hb: tensor<4xf32>) -> tensor<7x64xf16> {
  // CHECK: %[[S:.*]] = transformer.repeat_streams %{{.*}} : tensor<7x64xf16> to tensor<7x4x64xf16>
  %s = transformer.repeat_streams %x : tensor<7x64xf16> to tensor<7x4x64xf16>
  // CHECK: %[[I:.*]], %[[P:.*]], %[[C:.*]] = transformer.hyper_input %[[S]], {{.*}} iterations(20) eps(1.0e-06) norm_eps(1.0e-05)
  %i, %p, %c = transformer.hyper_input %s, %fn, %scale, %base iterations(20) eps(1.0e-6) norm_eps(1.0e-5)
      : (tensor<7x4x64xf16>, tensor<24x256xf32>, tensor<3xf32>, tensor<24xf32>)
      -> (tensor<7x64xf16>, tensor<7x4xf32>, tensor<7x4x4xf32>)
  // CHECK: %[[O:.*]] = transformer.hyper_output %[[I]], %[[S]], %[[P]], %[[C]]
  %o = transformer.hyper_output %i, %s, %p, %c : tensor<7x64xf16>, tensor<7x4x64xf16>, tensor<7x4xf32>, tensor<7x4x4xf32>
  // CHECK: transformer.hyper_head %[[O]], {{.*}} eps(1.0e-06) norm_eps(1.0e-06)
  %h = transformer.hyper_head %o, %hf, %hs, %hb eps(1.0e-6) norm_eps(1.0e-6)
      : tensor<7x4x64xf16>, tensor<4x256xf32>, tensor<1xf32>, tensor<4xf32> -> tensor<7x64xf16>
  return %h : tensor<7x64xf16>
}

// CHECK-LABEL: func @experts
func.func @experts(%l: tensor<7x256xf32>, %t: tensor<100x6xi32>, %n: tensor<7xi64>, %g: tensor<7x8xf16>) {
  // CHECK: transformer.select_experts %{{.*}} hash(%{{.*}} by %{{.*}} : tensor<100x6xi32>, tensor<7xi64>) top_k(6) score(sqrt_softplus)
  %w, %i = transformer.select_experts %l hash(%t by %n : tensor<100x6xi32>, tensor<7xi64>) top_k(6) score(sqrt_softplus)
      normalize scale(1.5) gating_kernel : tensor<7x256xf32> -> tensor<7x6xf16>, tensor<7x6xi64>
  // CHECK: transformer.look_up_experts %{{.*}} by %{{.*}} : tensor<100x6xi32>, tensor<7xi64> -> tensor<7x6xi64>
  %j = transformer.look_up_experts %t by %n : tensor<100x6xi32>, tensor<7xi64> -> tensor<7x6xi64>
  // CHECK: transformer.softplus %{{.*}} : tensor<7x256xf32>
  %s = transformer.softplus %l : tensor<7x256xf32>
  // CHECK: transformer.limited_swiglu %{{.*}} limit(10.0) : tensor<7x8xf16>
  %a = transformer.limited_swiglu %g, %g limit(10.0) : tensor<7x8xf16>
  return
}
