// CHECK-LABEL: func @fused
// CHECK:         transformer.fused "linear_silu"
// CHECK-NEXT:      %[[Y:.*]] = transformer.linear
// CHECK-NEXT:      %[[Z:.*]] = transformer.silu %[[Y]]
// CHECK-NEXT:      transformer.yield %[[Z]]
func.func @fused(%x: tensor<4x64xf16>, %w: tensor<8x64xf16>) -> tensor<4x8xf16> {
  %y = transformer.linear %x, %w : tensor<4x64xf16>, tensor<8x64xf16> -> tensor<4x8xf16>
  %z = transformer.silu %y : tensor<4x8xf16>
  return %z : tensor<4x8xf16>
}

// CHECK-LABEL: func @read_elsewhere
// CHECK-NOT:     transformer.fused
func.func @read_elsewhere(%x: tensor<4x64xf16>, %w: tensor<8x64xf16>) -> (tensor<4x8xf16>, tensor<4x8xf16>) {
  %y = transformer.linear %x, %w : tensor<4x64xf16>, tensor<8x64xf16> -> tensor<4x8xf16>
  %z = transformer.silu %y : tensor<4x8xf16>
  return %y, %z : tensor<4x8xf16>, tensor<4x8xf16>
}
