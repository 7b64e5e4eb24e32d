// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>
!conv = !transformer.state<64x3xf16>
!rule = !transformer.state<4x8x8xf32>

// CHECK-LABEL: func @states
// CHECK:         %[[STATE:.*]] = transformer.state "linear_attn" sharding <column, tensor, unit = 2> : <4x8x8xf32>
// CHECK:         transformer.state "conv" uncounted : <64x3xf16>
func.func @states() -> (!rule, !conv) {
  %0 = transformer.state "linear_attn" sharding <column, tensor, unit = 2> : !rule
  %1 = transformer.state "conv" uncounted : !conv
  return %0, %1 : !rule, !conv
}

// CHECK-LABEL: func @convolution
// CHECK:         transformer.causal_conv %{{.*}}, %{{.*}}, %{{.*}} of %{{.*}} : tensor<?x64xf16, #tokens>, tensor<64x4xf16>, <64x3xf16>, !transformer.batch
func.func @convolution(%x: tensor<?x64xf16, #tokens>, %w: tensor<64x4xf16>, %state: !conv, %batch: !transformer.batch) {
  %0, %1 = transformer.causal_conv %x, %w, %state of %batch
      : tensor<?x64xf16, #tokens>, tensor<64x4xf16>, !conv, !transformer.batch
  return
}

// CHECK-LABEL: func @gating
// CHECK:         transformer.delta_gating %{{.*}} : tensor<?x2x8xf16, #tokens>, tensor<?x4xf16, #tokens>, tensor<4xf16> -> tensor<?x4x8xf16, #tokens>, tensor<?x4xf32, #tokens>
// CHECK:         transformer.log1p %{{.*}} : tensor<?x4xf32, #tokens>
func.func @gating(%q: tensor<?x2x8xf16, #tokens>, %b: tensor<?x4xf16, #tokens>, %decay: tensor<4xf16>) {
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<?x2x8xf16, #tokens>, tensor<?x4xf16, #tokens>, tensor<4xf16>
     -> tensor<?x4x8xf16, #tokens>, tensor<?x4xf32, #tokens>
  %1 = transformer.log1p %0#3 : tensor<?x4xf32, #tokens>
  return
}

// CHECK-LABEL: func @rule
// CHECK:         transformer.gated_delta_rule {{.*}} of %{{.*}} chunk(64) : tensor<7x4x8xf16>, tensor<7x4x6xf16>, tensor<7x4xf16>, tensor<7x4xf32>, <4x8x6xf32>, !transformer.batch
func.func @rule(%q: tensor<7x4x8xf16>, %v: tensor<7x4x6xf16>, %beta: tensor<7x4xf16>, %g: tensor<7x4xf32>,
                %state: !transformer.state<4x8x6xf32>, %batch: !transformer.batch) {
  %0, %1 = transformer.gated_delta_rule %q, %q, %v, %beta, %g, %state of %batch chunk(64)
      : tensor<7x4x8xf16>, tensor<7x4x6xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !transformer.state<4x8x6xf32>,
        !transformer.batch
  return
}

// CHECK-LABEL: func @norm
// CHECK:         transformer.gated_rms_norm %{{.*}}, %{{.*}}, %{{.*}} eps(1.0e-06) : tensor<7x4x8xf16>, tensor<8xf16>
func.func @norm(%x: tensor<7x4x8xf16>, %w: tensor<8xf16>) {
  %0 = transformer.gated_rms_norm %x, %x, %w eps(1.0e-6) : tensor<7x4x8xf16>, tensor<8xf16>
  return
}

// A weight of f32 is multiplied in f32.
// CHECK-LABEL: func @wide_norm
// CHECK:         transformer.rms_norm %{{.*}}, %{{.*}} eps(1.0e-06) wide_weight : tensor<7x8xf16>, tensor<8xf32>
func.func @wide_norm(%x: tensor<7x8xf16>, %w: tensor<8xf32>) {
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) wide_weight : tensor<7x8xf16>, tensor<8xf32>
  return
}

// CHECK-LABEL: func @whole
// CHECK:         transformer.linear_attention %{{.*}} projections(%{{.*}}, %{{.*}}) conv(%{{.*}}) gating(%{{.*}}, %{{.*}}) norm(%{{.*}}) output(%{{.*}}) states(%{{.*}}, %{{.*}}) of %{{.*}} key_heads(2) eps(1.0e-06) chunk(64) : (
func.func @whole(%x: tensor<?x64xf16, #tokens>, %qkvz: tensor<96x64xf16>, %ba: tensor<8x64xf16>, %w: tensor<64x4xf16>,
                 %decay: tensor<4xf16>, %norm: tensor<8xf16>, %out: tensor<64x32xf16>, %conv: !conv, %rule: !rule,
                 %batch: !transformer.batch) {
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<?x64xf16, #tokens>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>,
         tensor<64x32xf16>, !conv, !rule, !transformer.batch, tensor<96x64xf16>, tensor<8x64xf16>)
     -> (tensor<?x64xf16, #tokens>, !conv, !rule)
  return
}
