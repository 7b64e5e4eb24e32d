// RUN: tc-opt %s --ascend-schedule --verify-diagnostics

func.func @not_lowered(%x: tensor<4x8xf16>, %w: tensor<8xf16>) -> tensor<4x8xf16> {
  // expected-error @below {{'transformer.rms_norm' op expected only launches to schedule; run convert-transformer-to-ascend first}}
  %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<4x8xf16>, tensor<8xf16>
  return %0 : tensor<4x8xf16>
}
