// RUN: tc-opt %s --split-input-file --verify-diagnostics --transformer-join-stages

func.func private @elsewhere(tensor<3x8xf16>) -> tensor<3x8xf16>
func.func @without_a_body(%x: tensor<3x8xf16>) {
  // expected-error @below {{'transformer.stage' op expected a function of one block to join, but @elsewhere has 0}}
  %0 = transformer.stage @elsewhere(%x) : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
}

// -----

func.func private @inner(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func private @outer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %0 = transformer.stage @inner(%x) : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return %0 : tensor<3x8xf16>
}
func.func @stages_in_stages(%x: tensor<3x8xf16>) {
  // expected-error @below {{'transformer.stage' op expected stages that run no stages, but @outer does}}
  %0 = transformer.stage @outer(%x) : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return
}

// -----

func.func private @beside()
module @within {
  func.func private @stage(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    return %x : tensor<3x8xf16>
  }
  func.func @main(%x: tensor<3x8xf16>) {
    // expected-error @below {{'transformer.stage' op expected to be in a function of the outermost module}}
    %0 = transformer.stage @stage(%x) : (tensor<3x8xf16>) -> tensor<3x8xf16>
    return
  }
}
