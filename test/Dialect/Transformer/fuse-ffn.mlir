// RUN: tc-opt %s --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn --transformer-fuse-ffn | FileCheck %s
// RUN: tc-opt %s --transformer-fuse-ffn="swiglu=false" | FileCheck %s --check-prefix=OFF
// RUN: tc-opt %s --transformer-fuse-ffn --verify-diagnostics --remarks-filter=fuse-ffn --remark-policy=all

// OFF-NOT: transformer.swiglu

#tokens = #transformer.dims<tokens>

// CHECK-LABEL: func @swiglu
// CHECK-SAME:    %[[G:.*]]: tensor<?x8xf16, #[[T:.*]]>, %[[U:.*]]: tensor<?x8xf16, #[[T]]>
// CHECK-NEXT:    %[[R:.*]] = transformer.swiglu %[[G]], %[[U]] : tensor<?x8xf16, #[[T]]>
// CHECK-NEXT:    return %[[R]]
func.func @swiglu(%gate: tensor<?x8xf16, #tokens>, %up: tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens> {
  %0 = transformer.silu %gate : tensor<?x8xf16, #tokens>
  // expected-remark @below {{[Passed] swiglu | Category:fuse-ffn | Function=swiglu | Remark=fused}}
  %1 = transformer.mul %0, %up : tensor<?x8xf16, #tokens>, tensor<?x8xf16, #tokens>
  return %1 : tensor<?x8xf16, #tokens>
}

// CHECK-LABEL: func @swiglu_with_the_gate_behind
// CHECK-SAME:    %[[G:.*]]: tensor<7x8xf16>, %[[U:.*]]: tensor<7x8xf16>
// CHECK-NEXT:    transformer.swiglu %[[G]], %[[U]] : tensor<7x8xf16>
func.func @swiglu_with_the_gate_behind(%gate: tensor<7x8xf16>, %up: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.silu %gate : tensor<7x8xf16>
  // expected-remark @below {{[Passed] swiglu}}
  %1 = transformer.mul %up, %0 : tensor<7x8xf16>, tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_swiglu_of_a_gate_that_is_repeated
// CHECK:         transformer.silu
// CHECK:         transformer.mul
func.func @no_swiglu_of_a_gate_that_is_repeated(%gate: tensor<8xf16>, %up: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.silu %gate : tensor<8xf16>
  // expected-remark @below {{[Missed] swiglu | Category:fuse-ffn | Function=no_swiglu_of_a_gate_that_is_repeated | Reason="gate and up are not of one type", Remark="not fused"}}
  %1 = transformer.mul %0, %up : tensor<8xf16>, tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}

// CHECK-LABEL: func @no_swiglu_of_a_gate_with_two_readers
// CHECK:         transformer.silu
// CHECK:         transformer.mul
func.func @no_swiglu_of_a_gate_with_two_readers(%gate: tensor<7x8xf16>, %up: tensor<7x8xf16>) -> (tensor<7x8xf16>, tensor<7x8xf16>) {
  %0 = transformer.silu %gate : tensor<7x8xf16>
  // expected-remark @below {{[Missed] swiglu | Category:fuse-ffn | Function=no_swiglu_of_a_gate_with_two_readers | Reason="the gate has another reader", Remark="not fused"}}
  %1 = transformer.mul %0, %up : tensor<7x8xf16>, tensor<7x8xf16>
  return %0, %1 : tensor<7x8xf16>, tensor<7x8xf16>
}

// A product without a SiLU is no near miss.
// CHECK-LABEL: func @no_swiglu_without_a_silu
// CHECK:         transformer.mul
func.func @no_swiglu_without_a_silu(%gate: tensor<7x8xf16>, %up: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.neg %gate : tensor<7x8xf16>
  %1 = transformer.mul %0, %up : tensor<7x8xf16>, tensor<7x8xf16>
  return %1 : tensor<7x8xf16>
}
