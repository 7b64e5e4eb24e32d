// Where a size is written as `?` in one place and known in another, the parts of
// a composite op may know more or less than the op; the users see no difference.

// RUN: tc-opt %s --pass-pipeline="builtin.module(func.func(transformer-decompose{level=primitive}))" \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @weight_knows_more
func.func @weight_knows_more(%x: tensor<4x?xf16>, %w: tensor<8xf16>)
    -> tensor<4x?xf16> {
  // CHECK: %[[Y:.*]] = transformer.mul {{.*}} : tensor<8xf16>, tensor<4x?xf16>
  // CHECK-NEXT: transformer.reshape %[[Y]] : tensor<4x8xf16> to tensor<4x?xf16>
  %y = transformer.rms_norm %x, %w eps(1.0e-06)
      : tensor<4x?xf16>, tensor<8xf16>
  return %y : tensor<4x?xf16>
}

// CHECK-LABEL: func.func @result_knows_more
func.func @result_knows_more(%x: tensor<?x8xf16>, %w: tensor<6x8xf16>)
    -> tensor<4x6xf16> {
  // CHECK: %[[Y:.*]] = transformer.matmul
  // CHECK-NEXT: transformer.reshape %[[Y]] : tensor<?x6xf16> to tensor<4x6xf16>
  %y = transformer.linear %x, %w
      : tensor<?x8xf16>, tensor<6x8xf16> -> tensor<4x6xf16>
  return %y : tensor<4x6xf16>
}
