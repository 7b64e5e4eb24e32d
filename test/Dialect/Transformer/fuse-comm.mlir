// RUN: tc-opt %s --transformer-fuse-comm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-comm --transformer-fuse-comm | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-comm="share=false" | FileCheck %s --check-prefix=NO-SHARE
// RUN: tc-opt %s --transformer-fuse-comm="linear-all-reduce=false" | FileCheck %s --check-prefix=NO-LINEAR
// RUN: tc-opt %s --transformer-fuse-comm --verify-diagnostics --remarks-filter=fuse-comm --remark-policy=all

// NO-LINEAR-NOT: all_reduce <

//===----------------------------------------------------------------------===//
// share
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @shared
// CHECK-NEXT:    %[[G:.*]] = transformer.all_gather
// CHECK-NEXT:    %[[O:.*]] = transformer.own_rows
// CHECK-NEXT:    return %[[G]], %[[G]], %[[O]], %[[O]]
// NO-SHARE-LABEL: func @shared
// NO-SHARE-COUNT-2: transformer.all_gather
// NO-SHARE-COUNT-2: transformer.own_rows
func.func @shared(%x: tensor<8x4xf16>) -> (tensor<8x8xf16>, tensor<8x8xf16>, tensor<4x4xf16>, tensor<4x4xf16>) {
  %0 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
  // expected-remark @below {{[Passed] share | Category:fuse-comm | Function=shared | Remark=fused}}
  %1 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
  %2 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
  // expected-remark @below {{[Passed] share}}
  %3 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
  return %0, %1, %2, %3 : tensor<8x8xf16>, tensor<8x8xf16>, tensor<4x4xf16>, tensor<4x4xf16>
}

// Of other devices, or at another dimension, they are not equal.
// CHECK-LABEL: func @not_shared
// CHECK-COUNT-3: transformer.all_gather
func.func @not_shared(%x: tensor<8x4xf16>, %y: tensor<8x4xf16>) -> (tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>) {
  %0 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
  %1 = transformer.all_gather %x over<2, step = 4> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
  %2 = transformer.all_gather %y over<2> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
  return %0, %1, %2 : tensor<8x8xf16>, tensor<8x8xf16>, tensor<8x8xf16>
}

//===----------------------------------------------------------------------===//
// linear-all-reduce
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @linear
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<4x8xf16>
// CHECK-NEXT:    %[[R:.*]] = transformer.linear %[[X]], %[[W]] all_reduce <2, step = 4> : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
// CHECK-NEXT:    return %[[R]]
// NO-LINEAR-LABEL: func @linear
// NO-LINEAR:     transformer.all_reduce
// NO-SHARE-LABEL: func @linear
// NO-SHARE:      all_reduce <2, step = 4>
func.func @linear(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-all-reduce | Category:fuse-comm | Function=linear | Remark=fused}}
  %1 = transformer.all_reduce %0 over<2, step = 4> : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}

// CHECK-LABEL: func @quantized_linear
// CHECK-NEXT:    transformer.quantized_linear {{.*}} input_scale(%{{.*}} : tensor<f32>) all_reduce <2> : tensor<7x8xi8>
// CHECK-NEXT:    return
// NO-LINEAR-LABEL: func @quantized_linear
// NO-LINEAR:     transformer.all_reduce
func.func @quantized_linear(%x: tensor<7x8xi8>, %w: tensor<4x8xi8>, %s: tensor<f32>) -> tensor<7x4xf16> {
  %0 = transformer.quantized_linear %x, %w weight_scale(%s : tensor<f32>) input_scale(%s : tensor<f32>)
      : tensor<7x8xi8>, tensor<4x8xi8> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-all-reduce}}
  %1 = transformer.all_reduce %0 over<2> : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}

// CHECK-LABEL: func @no_linear_with_another_reader
// CHECK:         transformer.linear
// CHECK-NOT:     all_reduce <
// CHECK:         transformer.all_reduce
func.func @no_linear_with_another_reader(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Missed] linear-all-reduce | Category:fuse-comm | Function=no_linear_with_another_reader | Reason="the layer has another reader", Remark="not fused"}}
  %1 = transformer.all_reduce %0 over<2> : tensor<7x4xf16>
  return %0, %1 : tensor<7x4xf16>, tensor<7x4xf16>
}

// A sum of anything else is no near miss.
// CHECK-LABEL: func @no_linear_in_front
// CHECK:         transformer.all_reduce
func.func @no_linear_in_front(%x: tensor<7x4xf16>) -> tensor<7x4xf16> {
  %0 = transformer.all_reduce %x over<2> : tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

// A fused sum would come before the bias, which this layer adds on each device.
// CHECK-LABEL: func @no_linear_with_a_bias
// CHECK:         transformer.linear
// CHECK-NEXT:    transformer.all_reduce
func.func @no_linear_with_a_bias(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>) : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Missed] linear-all-reduce | Category:fuse-comm | Function=no_linear_with_a_bias | Reason="the layer adds its bias on each device", Remark="not fused"}}
  %1 = transformer.all_reduce %0 over<2> : tensor<7x4xf16>
  return %1 : tensor<7x4xf16>
}

// A sum over neighbours and one over replicas: the layer does the first only.
// CHECK-LABEL: func @two_sums
// CHECK-NEXT:    %[[L:.*]] = transformer.linear {{.*}} all_reduce <2> :
// CHECK-NEXT:    transformer.all_reduce %[[L]] over <4, step = 2>
func.func @two_sums(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  // expected-remark @below {{[Passed] linear-all-reduce}}
  %1 = transformer.all_reduce %0 over<2> : tensor<7x4xf16>
  // expected-remark @below {{[Missed] linear-all-reduce | Category:fuse-comm | Function=two_sums | Reason="the layer is summed over other devices already", Remark="not fused"}}
  %2 = transformer.all_reduce %1 over<4, step = 2> : tensor<7x4xf16>
  return %2 : tensor<7x4xf16>
}
