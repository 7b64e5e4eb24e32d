// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @no_name(%x: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @below {{'transformer.fused' op expected the name of a kernel, but got none}}
  %y = transformer.fused ""(%a = %x) : (tensor<8xf16>) -> tensor<8xf16> {
    transformer.yield %a : tensor<8xf16>
  }
  return %y : tensor<8xf16>
}

// -----

func.func @more_inputs_than_types(%x: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @below {{expected as many inputs as types, but got 2 and 1}}
  %y = transformer.fused "k"(%a = %x, %b = %x) : (tensor<8xf16>) -> tensor<8xf16> {
    transformer.yield %a : tensor<8xf16>
  }
  return %y : tensor<8xf16>
}

// -----

func.func @yields_too_little(%x: tensor<8xf16>) -> tensor<8xf16> {
  // expected-error @below {{expected 1 results in the body, but got 0}}
  %y = transformer.fused "k"(%a = %x) : (tensor<8xf16>) -> tensor<8xf16> {
  }
  return %y : tensor<8xf16>
}

// -----

func.func @yields_another_type(%x: tensor<8xf16>) -> tensor<8xf32> {
  // expected-error @below {{expected result 0 of type 'tensor<8xf32>', but got 'tensor<8xf16>'}}
  %y = transformer.fused "k"(%a = %x) : (tensor<8xf16>) -> tensor<8xf32> {
    transformer.yield %a : tensor<8xf16>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @argument_of_another_type(%x: tensor<8xf16>) -> tensor<8xf32> {
  // expected-error @below {{expected argument 0 of type 'tensor<8xf16>', but got 'tensor<8xf32>'}}
  %y = "transformer.fused"(%x) <{kernel = "k"}> ({
  ^bb0(%a: tensor<8xf32>):
    transformer.yield %a : tensor<8xf32>
  }) : (tensor<8xf16>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @weight_inside() -> tensor<8xf16> {
  // expected-error @below {{expected ops that compute in the body, but got 'transformer.weight'}}
  %y = transformer.fused "k"() : () -> tensor<8xf16> {
    // expected-note @below {{the op is here}}
    %w = transformer.weight "w" : tensor<8xf16>
    transformer.yield %w : tensor<8xf16>
  }
  return %y : tensor<8xf16>
}

// -----

func.func @yield_elsewhere(%x: tensor<8xf16>) {
  // expected-error @below {{'transformer.yield' op expects parent op 'transformer.fused'}}
  transformer.yield %x : tensor<8xf16>
}
