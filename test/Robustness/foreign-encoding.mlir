// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @foreign_encoding(%x: tensor<4x8xf16, "x">, %w: tensor<8xf16>) {
  // expected-error @+1 {{operand #0 must be ranked tensor without an encoding but #transformer.dims of floating-point values, but got 'tensor<4x8xf16, "x">'}}
  transformer.rms_norm %x, %w eps(1.0e-06) : tensor<4x8xf16, "x">, tensor<8xf16>
  return
}
