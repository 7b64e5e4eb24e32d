// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x5xf16>) {
  // expected-error @below {{expected dimension 2 of 'down_weight' to be 6, but got 5}}
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> : tensor<4x8xf16>, tensor<2x12x8xf16>, tensor<2x8x5xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<4x12x8xf16>, %down: tensor<4x8x6xf16>) {
  // expected-error @below {{expected experts on other devices, but got one device}}
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4> : tensor<4x8xf16>, tensor<4x12x8xf16>, tensor<4x8x6xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xi8>, %down: tensor<2x8x6xi8>) {
  // expected-error @below {{expected 'up_scale' for weights of 'i8'}}
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> : tensor<4x8xf16>, tensor<2x12x8xi8>, tensor<2x8x6xi8>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xf16>, %down: tensor<2x8x6xf16>) {
  // expected-error @below {{expected no quantized rows for weights of 'f16'}}
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> rows(i8) : tensor<4x8xf16>, tensor<2x12x8xf16>, tensor<2x8x6xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x12x8xi8>, %down: tensor<2x8x6xi8>, %s: tensor<f32>) {
  // expected-error @below {{expected both 'input_scale' and 'inner_scale', or none, but got one}}
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> up_scale(%s : tensor<f32>) down_scale(%s : tensor<f32>) rows(i8) input_scale(%s) : tensor<4x8xf16>, tensor<2x12x8xi8>, tensor<2x8x6xi8>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf16>, %ids: tensor<4x2xi64>, %up: tensor<2x11x8xf16>, %down: tensor<2x8x5xf16>) {
  // expected-error @below {{expected a gate as wide as what it gates, but got 11 outputs}}
  %0 = transformer.dispatch_ffn_combine %x, %up, %down by %ids placement<experts = 4, devices = 2> : tensor<4x8xf16>, tensor<2x11x8xf16>, tensor<2x8x5xf16>, tensor<4x2xi64> -> tensor<4x2x8xf16>
  return
}
