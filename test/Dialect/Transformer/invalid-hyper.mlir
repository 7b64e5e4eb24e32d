// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @streams_of_rank_two(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected 'streams' of rank 3, but got 'tensor<7x8xf16>'}}
  %0 = transformer.repeat_streams %x : tensor<7x8xf16> to tensor<7x8xf16>
  return
}

// -----

func.func @unknown_streams(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected from 1 to 1024 streams of up to 4294967296 features, but got 'tensor<7x?x8xf16>'}}
  %0 = transformer.repeat_streams %x : tensor<7x8xf16> to tensor<7x?x8xf16>
  return
}

// -----

func.func @features_of_streams(%x: tensor<7x8xf16>) {
  // expected-error @below {{expected dimension 1 of 'input' to be 9, but got 8}}
  %0 = transformer.repeat_streams %x : tensor<7x8xf16> to tensor<7x2x9xf16>
  return
}

// -----

func.func @projection(%s: tensor<7x2x8xf16>, %f: tensor<6x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 0 of 'projection' to be 8, but got 6}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<6x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @width_of_projection(%s: tensor<7x2x8xf16>, %f: tensor<8x8xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 1 of 'projection' to be 16, but got 8}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x8xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @scales(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<2xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 0 of 'scale' to be 3, but got 2}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<2xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @base(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected dimension 0 of 'base' to be 8, but got 4}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<4xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @input(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 1 of 'input' to be 8, but got 16}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x16xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @post(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 1 of 'post' to be 2, but got 3}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x3xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @narrow_post(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected 'post' of 'f32', but got 'f16'}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf16>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @comb(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 2 of 'comb' to be 2, but got 4}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x4xf32>)
  return
}

// -----

func.func @no_iterations(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{attribute 'iterations' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(0) eps(1.0e-6) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @eps(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected a finite 'eps' above 0, but got 0}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(0.0) norm_eps(1.0e-6)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @norm_eps(%s: tensor<7x2x8xf16>, %f: tensor<8x16xf32>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected a finite 'norm_eps' above 0, but got -1}}
  %0, %1, %2 = transformer.hyper_input %s, %f, %a, %b iterations(2) eps(1.0e-6) norm_eps(-1.0)
      : (tensor<7x2x8xf16>, tensor<8x16xf32>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @mixes(%m: tensor<7x6xf32>, %s: tensor<7x2x8xf16>, %a: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{expected dimension 1 of 'mixes' to be 8, but got 6}}
  %0, %1, %2 = transformer.mix_streams %m, %s, %a, %b iterations(2) eps(1.0e-6)
      : (tensor<7x6xf32>, tensor<7x2x8xf16>, tensor<3xf32>, tensor<8xf32>)
      -> (tensor<7x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>)
  return
}

// -----

func.func @rms_of_tokens(%s: tensor<7x2x8xf16>) {
  // expected-error @below {{expected dimension 0 of 'result' to be 7, but got 6}}
  %0 = transformer.inverse_rms %s eps(1.0e-6) : tensor<7x2x8xf16> -> tensor<6x1xf32>
  return
}

// -----

func.func @output(%y: tensor<7x4xf16>, %s: tensor<7x2x8xf16>, %p: tensor<7x2xf32>, %c: tensor<7x2x2xf32>) {
  // expected-error @below {{expected dimension 1 of 'output' to be 8, but got 4}}
  %0 = transformer.hyper_output %y, %s, %p, %c : tensor<7x4xf16>, tensor<7x2x8xf16>, tensor<7x2xf32>, tensor<7x2x2xf32>
  return
}

// -----

func.func @head(%s: tensor<7x2x8xf16>, %f: tensor<2x16xf32>, %a: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected dimension 0 of 'scale' to be 1, but got 3}}
  %0 = transformer.hyper_head %s, %f, %a, %b eps(1.0e-6) norm_eps(1.0e-6)
      : tensor<7x2x8xf16>, tensor<2x16xf32>, tensor<3xf32>, tensor<2xf32> -> tensor<7x8xf16>
  return
}

// -----

func.func @limit(%g: tensor<7x8xf16>) {
  // expected-error @below {{expected a finite 'limit' above 0, but got -1}}
  %0 = transformer.limited_swiglu %g, %g limit(-1.0) : tensor<7x8xf16>
  return
}

// -----

func.func @rows_of_choices(%t: tensor<9x2xi32>, %n: tensor<7xi64>) {
  // expected-error @below {{expected dimension 1 of 'result' to be 2, but got 3}}
  %0 = transformer.look_up_experts %t by %n : tensor<9x2xi32>, tensor<7xi64> -> tensor<7x3xi64>
  return
}

// -----

func.func @table_of_choices(%l: tensor<7x8xf32>, %t: tensor<9x3xi32>, %n: tensor<7xi64>) {
  // expected-error @below {{expected dimension 1 of 'table' to be 2, but got 3}}
  %0, %1 = transformer.select_experts %l hash(%t by %n : tensor<9x3xi32>, tensor<7xi64>) top_k(2) score(sqrt_softplus)
      : tensor<7x8xf32> -> tensor<7x2xf32>, tensor<7x2xi64>
  return
}

// -----

func.func @tokens_of_choices(%l: tensor<7x8xf32>, %t: tensor<9x2xi32>, %n: tensor<6xi64>) {
  // expected-error @below {{expected dimension 0 of 'tokens' to be 7, but got 6}}
  %0, %1 = transformer.select_experts %l hash(%t by %n : tensor<9x2xi32>, tensor<6xi64>) top_k(2) score(sqrt_softplus)
      : tensor<7x8xf32> -> tensor<7x2xf32>, tensor<7x2xi64>
  return
}

// -----

func.func @bias_beside_a_table(%l: tensor<7x8xf32>, %t: tensor<9x2xi32>, %n: tensor<7xi64>, %b: tensor<8xf32>) {
  // expected-error @below {{expected no 'bias', 'groups' or 'softmax_of_chosen' beside 'hash'}}
  %0, %1 = transformer.select_experts %l bias(%b : tensor<8xf32>) hash(%t by %n : tensor<9x2xi32>, tensor<7xi64>) top_k(2) score(sqrt_softplus)
      : tensor<7x8xf32> -> tensor<7x2xf32>, tensor<7x2xi64>
  return
}
