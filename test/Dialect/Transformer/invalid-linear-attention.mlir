// RUN: tc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected sizes from 1 to 2147483648, but got 0}}
func.func private @empty_state(!transformer.state<0x8xf32>)

// -----

// expected-error @below {{expected a float element type, but got 'i8'}}
func.func private @integers(!transformer.state<4x8xi8>)

// -----

// expected-error @below {{expected at least one dimension per request, but got none}}
func.func private @no_size(!transformer.state<f32>)

// -----

func.func @channels_differ(%x: tensor<7x64xf16>, %w: tensor<32x4xf16>, %state: !transformer.state<64x3xf16>,
                           %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'weight' to be 64, but got 32}}
  %0, %1 = transformer.causal_conv %x, %w, %state of %batch
      : tensor<7x64xf16>, tensor<32x4xf16>, !transformer.state<64x3xf16>, !transformer.batch
  return
}

// -----

func.func @one_tap(%x: tensor<7x64xf16>, %w: tensor<64x1xf16>, %state: !transformer.state<64x1xf16>,
                   %batch: !transformer.batch) {
  // expected-error @below {{expected a 'weight' of at least 2 tokens, but got 1}}
  %0, %1 = transformer.causal_conv %x, %w, %state of %batch
      : tensor<7x64xf16>, tensor<64x1xf16>, !transformer.state<64x1xf16>, !transformer.batch
  return
}

// -----

func.func @state_too_long(%x: tensor<7x64xf16>, %w: tensor<64x4xf16>, %state: !transformer.state<64x4xf16>,
                          %batch: !transformer.batch) {
  // expected-error @below {{expected 'state' of 64 x 3 per request, but got '!transformer.state<64x4xf16>'}}
  %0, %1 = transformer.causal_conv %x, %w, %state of %batch
      : tensor<7x64xf16>, tensor<64x4xf16>, !transformer.state<64x4xf16>, !transformer.batch
  return
}

// -----

func.func @heads_do_not_divide(%q: tensor<7x3x8xf16>, %b: tensor<7x4xf16>, %decay: tensor<4xf16>) {
  // expected-error @below {{expected value heads to be a multiple of the 3 key heads, but got 4}}
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<7x3x8xf16>, tensor<7x4xf16>, tensor<4xf16> -> tensor<7x4x8xf16>, tensor<7x4xf32>
  return
}

// -----

func.func @narrow_gate(%q: tensor<7x2x8xf16>, %b: tensor<7x4xf16>, %decay: tensor<4xf16>) {
  // expected-error @below {{expected 'log_gate' of 'f32', but got 'f16'}}
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<7x2x8xf16>, tensor<7x4xf16>, tensor<4xf16> -> tensor<7x4x8xf16>, tensor<7x4xf16>
  return
}

// -----

func.func @heads_of_another_size(%q: tensor<7x2x8xf16>, %b: tensor<7x4xf16>, %decay: tensor<4xf16>) {
  // expected-error @below {{expected dimension 2 of 'wide_query' to be 8, but got 6}}
  %0:4 = transformer.delta_gating %q, %q, %b, %b, %decay, %decay
      : tensor<7x2x8xf16>, tensor<7x4xf16>, tensor<4xf16> -> tensor<7x4x6xf16>, tensor<7x4xf32>
  return
}

// -----

func.func @state_of_other_heads(%q: tensor<7x4x8xf16>, %beta: tensor<7x4xf16>, %g: tensor<7x4xf32>,
                                %state: !transformer.state<2x8x8xf32>, %batch: !transformer.batch) {
  // expected-error @below {{expected 'state' of 4 x 8 x 8 per request, but got '!transformer.state<2x8x8xf32>'}}
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(64)
      : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !transformer.state<2x8x8xf32>,
        !transformer.batch
  return
}

// -----

func.func @values_of_other_heads(%q: tensor<7x4x8xf16>, %v: tensor<7x2x8xf16>, %beta: tensor<7x4xf16>,
                                 %g: tensor<7x4xf32>, %state: !transformer.state<4x8x8xf32>,
                                 %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 1 of 'value' to be 4, but got 2}}
  %0, %1 = transformer.gated_delta_rule %q, %q, %v, %beta, %g, %state of %batch chunk(64)
      : tensor<7x4x8xf16>, tensor<7x2x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !transformer.state<4x8x8xf32>,
        !transformer.batch
  return
}

// -----

func.func @empty_chunk(%q: tensor<7x4x8xf16>, %beta: tensor<7x4xf16>, %g: tensor<7x4xf32>,
                       %state: !transformer.state<4x8x8xf32>, %batch: !transformer.batch) {
  // expected-error @below {{attribute 'chunk' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0, %1 = transformer.gated_delta_rule %q, %q, %q, %beta, %g, %state of %batch chunk(0)
      : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x4xf16>, tensor<7x4xf32>, !transformer.state<4x8x8xf32>,
        !transformer.batch
  return
}

// -----

func.func @eps_is_0(%x: tensor<7x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{expected a finite 'eps' above 0, but got 0}}
  %0 = transformer.gated_rms_norm %x, %x, %w eps(0.0) : tensor<7x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @weight_of_another_size(%x: tensor<7x8xf16>, %w: tensor<4xf16>) {
  // expected-error @below {{expected dimension 0 of 'weight' to be 8, but got 4}}
  %0 = transformer.gated_rms_norm %x, %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<4xf16>
  return
}

// -----

func.func @narrow_norm_of_a_wide_weight(%x: tensor<7x8xf16>, %w: tensor<8xf32>) {
  // expected-error @below {{expected a weight of 'f16', as the input is, but got 'f32'}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<7x8xf16>, tensor<8xf32>
  return
}

// -----

func.func @three_projections(%x: tensor<7x64xf16>, %p: tensor<96x64xf16>, %w: tensor<64x4xf16>, %decay: tensor<4xf16>,
                             %norm: tensor<8xf16>, %out: tensor<64x32xf16>, %conv: !transformer.state<64x3xf16>,
                             %rule: !transformer.state<4x8x8xf32>, %batch: !transformer.batch) {
  // expected-error @below {{expected 2 or 4 'projections', but got 3}}
  %0:3 = transformer.linear_attention %x projections(%p, %p, %p) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>,
         !transformer.state<64x3xf16>, !transformer.state<4x8x8xf32>, !transformer.batch, tensor<96x64xf16>,
         tensor<96x64xf16>, tensor<96x64xf16>)
     -> (tensor<7x64xf16>, !transformer.state<64x3xf16>, !transformer.state<4x8x8xf32>)
  return
}

// -----

func.func @rows_of_a_projection(%x: tensor<7x64xf16>, %qkvz: tensor<64x64xf16>, %ba: tensor<8x64xf16>,
                                %w: tensor<64x4xf16>, %decay: tensor<4xf16>, %norm: tensor<8xf16>,
                                %out: tensor<64x32xf16>, %conv: !transformer.state<64x3xf16>,
                                %rule: !transformer.state<4x8x8xf32>, %batch: !transformer.batch) {
  // expected-error @below {{expected dimension 0 of 'projections' to be 96, but got 64}}
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>,
         !transformer.state<64x3xf16>, !transformer.state<4x8x8xf32>, !transformer.batch, tensor<64x64xf16>,
         tensor<8x64xf16>)
     -> (tensor<7x64xf16>, !transformer.state<64x3xf16>, !transformer.state<4x8x8xf32>)
  return
}

// -----

func.func @key_heads(%x: tensor<7x64xf16>, %qkvz: tensor<96x64xf16>, %ba: tensor<8x64xf16>, %w: tensor<64x4xf16>,
                     %decay: tensor<4xf16>, %norm: tensor<8xf16>, %out: tensor<64x32xf16>,
                     %conv: !transformer.state<64x3xf16>, %rule: !transformer.state<4x8x8xf32>,
                     %batch: !transformer.batch) {
  // expected-error @below {{expected value heads to be a multiple of the 3 key heads, but got 4}}
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(3) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>,
         !transformer.state<64x3xf16>, !transformer.state<4x8x8xf32>, !transformer.batch, tensor<96x64xf16>,
         tensor<8x64xf16>)
     -> (tensor<7x64xf16>, !transformer.state<64x3xf16>, !transformer.state<4x8x8xf32>)
  return
}

// -----

func.func @state_without_matrices(%x: tensor<7x64xf16>, %qkvz: tensor<96x64xf16>, %ba: tensor<8x64xf16>,
                                  %w: tensor<64x4xf16>, %decay: tensor<4xf16>, %norm: tensor<8xf16>,
                                  %out: tensor<64x32xf16>, %conv: !transformer.state<64x3xf16>,
                                  %rule: !transformer.state<4x64xf32>, %batch: !transformer.batch) {
  // expected-error @below {{expected a 'state' of heads x key size x value size per request, but got '!transformer.state<4x64xf32>'}}
  %0:3 = transformer.linear_attention %x projections(%qkvz, %ba) conv(%w) gating(%decay, %decay) norm(%norm)
      output(%out) states(%conv, %rule) of %batch key_heads(2) eps(1.0e-6) chunk(64)
      : (tensor<7x64xf16>, tensor<64x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<8xf16>, tensor<64x32xf16>,
         !transformer.state<64x3xf16>, !transformer.state<4x64xf32>, !transformer.batch, tensor<96x64xf16>,
         tensor<8x64xf16>)
     -> (tensor<7x64xf16>, !transformer.state<64x3xf16>, !transformer.state<4x64xf32>)
  return
}
