// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Styles, forms, layer norms and what they are made of.

func.func @rope_of_an_unknown_style(%x: tensor<7x2x8xf16>, %table: !transformer.rope_table<8xf16>) {
  // expected-error @below {{expected one of [half, interleaved, half_table, complex] for half, interleaved, half_table or complex, got: quarter}}
  // expected-error @below {{invalid value for property style, expected half, interleaved, half_table or complex}}
  %0 = transformer.rope %x, %table style(quarter) : tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return
}

// -----

func.func @gelu_of_an_unknown_form(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected one of [erf, tanh] for erf or tanh, got: sigmoid}}
  // expected-error @below {{invalid value for property form, expected erf or tanh}}
  %0 = transformer.gelu %x form(sigmoid) : tensor<7x8xf16>
  return
}

// -----

func.func @layer_norm_of_a_scalar(%x: tensor<f16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.layer_norm' op expected an input of rank at least 1, but got 'tensor<f16>'}}
  %0 = transformer.layer_norm %x, %w eps(1.0e-6) : tensor<f16>, tensor<8xf16>
  return
}

// -----

func.func @layer_norm_weight_of_another_width(%x: tensor<?x8xf16>, %w: tensor<4xf16>) {
  // expected-error @below {{'transformer.layer_norm' op expected 8 weights, one per feature, but got 4}}
  %0 = transformer.layer_norm %x, %w eps(1.0e-6) : tensor<?x8xf16>, tensor<4xf16>
  return
}

// -----

func.func @layer_norm_bias_of_another_width(%x: tensor<?x8xf16>, %w: tensor<8xf16>, %b: tensor<4xf16>) {
  // expected-error @below {{'transformer.layer_norm' op expected dimension 0 of 'bias' to be 8, but got 4}}
  %0 = transformer.layer_norm %x, %w bias(%b : tensor<4xf16>) eps(1.0e-6) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @layer_norm_bias_of_rank_2(%x: tensor<?x8xf16>, %w: tensor<8xf16>, %b: tensor<1x8xf16>) {
  // expected-error @below {{'transformer.layer_norm' op expected 'bias' of rank 1, but got 'tensor<1x8xf16>'}}
  %0 = transformer.layer_norm %x, %w bias(%b : tensor<1x8xf16>) eps(1.0e-6) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @layer_norm_bias_of_another_type(%x: tensor<?x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf32>) {
  // expected-error @below {{'transformer.layer_norm' op expected 'bias' of 'f16', but got 'f32'}}
  %0 = transformer.layer_norm %x, %w bias(%b : tensor<8xf32>) eps(1.0e-6) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @layer_norm_without_eps(%x: tensor<?x8xf16>, %w: tensor<8xf16>) {
  // expected-error @below {{'transformer.layer_norm' op expected a finite 'eps' above 0, but got 0.0}}
  %0 = transformer.layer_norm %x, %w eps(0.0) : tensor<?x8xf16>, tensor<8xf16>
  return
}

// -----

func.func @differences_of_two_types(%x: tensor<7x8xf16>, %y: tensor<7x8xbf16>) {
  // expected-error @below {{expected operands of which one has the wider element type, but got 'f16' and 'bf16'}}
  %0 = transformer.sub %x, %y : tensor<7x8xf16>, tensor<7x8xbf16>
  return
}

// -----

func.func @quotients_of_two_sizes(%x: tensor<7x8xf16>, %y: tensor<7x4xf16>) {
  // expected-error @below {{expected sizes that are equal or 1, but got 'tensor<7x8xf16>' and 'tensor<7x4xf16>'}}
  %0 = transformer.div %x, %y : tensor<7x8xf16>, tensor<7x4xf16>
  return
}
