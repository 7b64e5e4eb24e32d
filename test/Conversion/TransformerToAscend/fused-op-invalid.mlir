// RUN: tc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --convert-transformer-to-ascend

// What has no kernel of its own is named, each op of the body.

func.func @unknown_size(%x: tensor<?x8xf16>) -> tensor<?x8xf16> {
  %y = transformer.fused "k"(%a = %x) : (tensor<?x8xf16>) -> tensor<?x8xf16> {
    // expected-error @below {{'transformer.silu' op cannot be lowered to a kernel}}
    %0 = transformer.silu %a : tensor<?x8xf16>
    transformer.yield %0 : tensor<?x8xf16>
  }
  return %y : tensor<?x8xf16>
}

// -----

func.func @other_ops(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  // expected-error @below {{expected ops that lower to kernels, but got 'builtin.unrealized_conversion_cast'}}
  %y = transformer.fused "k"(%a = %x) : (tensor<7x8xf16>) -> tensor<7x8xf16> {
    // expected-note @below {{the op is here}}
    %0 = builtin.unrealized_conversion_cast %a : tensor<7x8xf16> to tensor<7x8xf16>
    transformer.yield %0 : tensor<7x8xf16>
  }
  return %y : tensor<7x8xf16>
}

// -----

func.func @sometimes(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  // expected-error @below {{expected kernels that start at most once, to be part of one start}}
  %y = transformer.fused "k"(%a = %x) : (tensor<7x8xf16>) -> tensor<7x8xf16> {
    // expected-note @below {{'pad' does not}}
    %0 = ascend.launch "pad"(%a) times(2)
        : (tensor<7x8xf16>) -> tensor<7x8xf16>
    transformer.yield %0 : tensor<7x8xf16>
  }
  return %y : tensor<7x8xf16>
}
