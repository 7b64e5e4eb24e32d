// A norm, which a framework launches as several ops.
func.func @norm(%x: tensor<4x64xf16>, %w: tensor<64xf16>) -> tensor<4x64xf16> {
  %norm = transformer.rms_norm %x, %w eps(1.0e-6)
      : tensor<4x64xf16>, tensor<64xf16>
  return %norm : tensor<4x64xf16>
}
