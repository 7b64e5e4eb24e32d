// The smallest input that the fusion of norms changes.
func.func @add_then_norm(%a: tensor<4x64xf16>, %b: tensor<4x64xf16>,
                         %w: tensor<64xf16>)
    -> (tensor<4x64xf16>, tensor<4x64xf16>) {
  %sum = transformer.add %a, %b : tensor<4x64xf16>
  %norm = transformer.rms_norm %sum, %w eps(1.0e-6)
      : tensor<4x64xf16>, tensor<64xf16>
  return %norm, %sum : tensor<4x64xf16>, tensor<4x64xf16>
}
