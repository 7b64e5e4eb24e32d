// RUN: tc-opt %s --transformer-fuse-attention | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-attention="only-equal-types" | FileCheck %s --check-prefix=EQUAL
// RUN: tc-opt %s --transformer-fuse-attention="rope-casts=false" | FileCheck %s --check-prefix=EQUAL
// RUN: tc-opt %s --transformer-fuse-attention --verify-diagnostics --remarks-filter=fuse-attention --remark-policy=all

// A rotation in f32 between conversions is one kernel, which converts.

!wide = !transformer.rope_table<8xf32>

// CHECK-LABEL: func @between_conversions
// CHECK-SAME:    %[[X:.*]]: tensor<7x4x8xf16>, %[[T:.*]]: !transformer.rope_table<8xf32>
// CHECK-NEXT:    %[[R:.*]] = transformer.rope %[[X]], %[[T]] style(complex) : tensor<7x4x8xf16>, <8xf32>
// CHECK-NEXT:    return %[[R]]
// EQUAL-LABEL: func @between_conversions
// EQUAL-NEXT:    transformer.cast
// EQUAL-NEXT:    transformer.rope
// EQUAL-NEXT:    transformer.cast
func.func @between_conversions(%x: tensor<7x4x8xf16>, %t: !wide) -> tensor<7x4x8xf16> {
  %0 = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %1 = transformer.rope %0, %t style(complex) : tensor<7x4x8xf32>, !wide
  // expected-remark @below {{[Passed] rope-casts | Category:fuse-attention | Function=between_conversions | Remark=fused}}
  %2 = transformer.cast %1 : tensor<7x4x8xf32> to tensor<7x4x8xf16>
  return %2 : tensor<7x4x8xf16>
}

// CHECK-LABEL: func @read_in_f32
// CHECK:         transformer.cast
// CHECK:         transformer.cast
func.func @read_in_f32(%x: tensor<7x4x8xf16>, %t: !wide) -> (tensor<7x4x8xf16>, tensor<7x4x8xf32>) {
  %0 = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %1 = transformer.rope %0, %t : tensor<7x4x8xf32>, !wide
  // expected-remark @below {{[Missed] rope-casts | Category:fuse-attention | Function=read_in_f32 | Reason="the rotation is read in f32 as well", Remark="not fused"}}
  %2 = transformer.cast %1 : tensor<7x4x8xf32> to tensor<7x4x8xf16>
  return %2, %1 : tensor<7x4x8xf16>, tensor<7x4x8xf32>
}

// CHECK-LABEL: func @to_another_type
// CHECK:         transformer.cast
// CHECK:         transformer.cast
func.func @to_another_type(%x: tensor<7x4x8xf16>, %t: !wide) -> tensor<7x4x8xbf16> {
  %0 = transformer.cast %x : tensor<7x4x8xf16> to tensor<7x4x8xf32>
  %1 = transformer.rope %0, %t : tensor<7x4x8xf32>, !wide
  %2 = transformer.cast %1 : tensor<7x4x8xf32> to tensor<7x4x8xbf16>
  return %2 : tensor<7x4x8xbf16>
}
