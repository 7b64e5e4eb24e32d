// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<7x2x8xf16>, %t: !transformer.rope_table<8xf16>) {
  // expected-error @below {{expected 16 features, twice the table's width, but got 8}}
  %0 = transformer.rope %x, %t style(half_table) : tensor<7x2x8xf16>, !transformer.rope_table<8xf16>
  return
}

// -----

func.func @f(%g: tensor<7x8xf16>) {
  // expected-error @below {{expected a finite 'limit' above 0, but got 0}}
  %0 = transformer.clamped_swiglu %g, %g limit(0.0) slope(1.702) : tensor<7x8xf16>
  return
}

// -----

func.func @f(%l: tensor<7x8xf16>) {
  // expected-error @below {{expected 'logits' of 'f32', but got 'f16'}}
  %w, %i = transformer.select_experts %l top_k(2) score(softmax) : tensor<7x8xf16> -> tensor<7x2xf16>, tensor<7x2xi64>
  return
}

// -----

func.func @f(%l: tensor<7x8xf32>) {
  // expected-error @below {{expected no 'bias', 'groups', 'normalize' or 'gating_kernel' beside 'softmax_of_chosen'}}
  %w, %i = transformer.select_experts %l top_k(2) score(softmax_of_chosen) normalize : tensor<7x8xf32> -> tensor<7x2xf16>, tensor<7x2xi64>
  return
}

// -----

func.func @f(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<8xf16>) {
  // expected-error @below {{expected a bias of 4 elements, but got 8}}
  %0 = transformer.matmul %x, %w transposed bias(%b : tensor<8xf16>) : tensor<7x8xf16>, tensor<4x8xf16>
  return
}

// -----

func.func @f(%x: tensor<14x8xf16>, %w: tensor<4x6x8xf16>, %b: tensor<4x8xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected dimension 1 of 'bias' to be 6, but got 8}}
  %0 = transformer.grouped_linear %x, %w by %ids placement<experts = 4> bias(%b : tensor<4x8xf16>) : tensor<14x8xf16>, tensor<4x6x8xf16>, tensor<7x2xi64> -> tensor<14x6xf16>
  return
}
