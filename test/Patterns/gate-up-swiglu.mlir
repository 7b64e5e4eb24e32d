// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/gate-up-swiglu.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/gate-up-swiglu.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @gate_up
// CHECK-NEXT:    %[[R:.*]] = transformer.fused "linear_swiglu"
// CHECK-NEXT:      %[[BOTH:.*]] = transformer.linear
// CHECK-NEXT:      %[[GATE:.*]] = transformer.slice %[[BOTH]] offset(0) size(4)
// CHECK-NEXT:      %[[UP:.*]] = transformer.slice %[[BOTH]] offset(4) size(4)
// CHECK-NEXT:      %[[Y:.*]] = transformer.swiglu %[[GATE]], %[[UP]]
// CHECK-NEXT:      transformer.yield %[[Y]]
// CHECK:         return %[[R]]
func.func @gate_up(%x: tensor<7x8xf16>, %w: tensor<8x8xf16>) -> tensor<7x4xf16> {
  %both = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %gate = transformer.slice %both offset(0) size(4) : tensor<7x8xf16>
  %up = transformer.slice %both offset(4) size(4) : tensor<7x8xf16>
  // expected-remark @below {{[Passed] GateUpSwiglu }}
  %y = transformer.swiglu %gate, %up : tensor<7x4xf16>
  return %y : tensor<7x4xf16>
}

// CHECK-LABEL: func @quantized_gate_up
// CHECK-NEXT:    transformer.fused "quantized_linear_swiglu"
func.func @quantized_gate_up(%x: tensor<7x8xi8>, %w: tensor<8x8xi8>, %xs: tensor<f32>, %ws: tensor<f32>) -> tensor<7x4xf16> {
  %both = transformer.quantized_linear %x, %w weight_scale(%ws : tensor<f32>) input_scale(%xs : tensor<f32>) : tensor<7x8xi8>, tensor<8x8xi8> -> tensor<7x8xf16>
  %gate = transformer.slice %both offset(0) size(4) : tensor<7x8xf16>
  %up = transformer.slice %both offset(4) size(4) : tensor<7x8xf16>
  // expected-remark @below {{[Passed] QuantizedGateUpSwiglu }}
  %y = transformer.swiglu %gate, %up : tensor<7x4xf16>
  return %y : tensor<7x4xf16>
}

// CHECK-LABEL: func @no_fusion_when_gate_is_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_gate_is_read_as_well(%x: tensor<7x8xf16>, %w: tensor<8x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %both = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %gate = transformer.slice %both offset(0) size(4) : tensor<7x8xf16>
  %up = transformer.slice %both offset(4) size(4) : tensor<7x8xf16>
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  // expected-remark @below {{[Missed] QuantizedGateUpSwiglu}}
  %y = transformer.swiglu %gate, %up : tensor<7x4xf16>
  return %gate, %y : tensor<7x4xf16>, tensor<7x4xf16>
}

// Two layers are not one.
// CHECK-LABEL: func @no_fusion_of_two_layers
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_two_layers(%x: tensor<7x8xf16>, %v: tensor<8x8xf16>, %w: tensor<8x8xf16>) -> tensor<7x4xf16> {
  %first = transformer.linear %x, %v : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %second = transformer.linear %x, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %gate = transformer.slice %first offset(0) size(4) : tensor<7x8xf16>
  %up = transformer.slice %second offset(4) size(4) : tensor<7x8xf16>
  // expected-remark @below {{[Missed] GateUpSwiglu}}
  // expected-remark @below {{[Missed] QuantizedGateUpSwiglu}}
  %y = transformer.swiglu %gate, %up : tensor<7x4xf16>
  return %y : tensor<7x4xf16>
}
