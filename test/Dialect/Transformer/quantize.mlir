// RUN: tc-opt %s --split-input-file --transformer-quantize | FileCheck %s --check-prefixes=CHECK,DYNAMIC
// RUN: tc-opt %s --split-input-file --transformer-quantize="linear-action=W8A8_DYNAMIC" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,DYNAMIC
// RUN: tc-opt %s --split-input-file --transformer-quantize="linear-action=W8A8_STATIC" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,STATIC
// RUN: tc-opt %s --split-input-file --transformer-quantize="linear-action=DISABLED" \
// RUN:   | FileCheck %s --check-prefix=DISABLED
// RUN: tc-opt %s --split-input-file --transformer-quantize --transformer-quantize \
// RUN:   | FileCheck %s --check-prefixes=CHECK,DYNAMIC
// RUN: tc-opt %s --split-input-file --transformer-quantize --verify-diagnostics \
// RUN:   --remarks-filter=quantize --remark-policy=all

// DISABLED-NOT: quantize
// DISABLED-NOT: xi8

#tokens = #transformer.dims<tokens>

// CHECK-LABEL: func private @linear(
// CHECK-SAME:    %[[X:.*]]: tensor<?x8xf16, #[[TOKENS:.*]]>)
// CHECK-NOT:     tensor<4x8xf16>
// CHECK-DAG:     %[[W:.*]] = transformer.weight "q_proj.weight" : tensor<4x8xi8>
// CHECK-DAG:     %[[WS:.*]] = transformer.weight "q_proj.weight_scale" : tensor<f32>
// DYNAMIC-DAG:   %[[Q:.*]], %[[XS:.*]] = transformer.dynamic_quantize %[[X]]
// STATIC-DAG:    %[[XS:.*]] = transformer.weight "q_proj.input_scale" : tensor<f32>
// STATIC-DAG:    %[[Q:.*]] = transformer.quantize %[[X]], %[[XS]]
// CHECK:         %[[R:.*]] = transformer.quantized_linear %[[Q]], %[[W]] weight_scale(%[[WS]] : tensor<f32>) input_scale(%[[XS]] : tensor<f32>)
// CHECK-SAME:      : tensor<?x8xi8, #[[TOKENS]]>, tensor<4x8xi8> -> tensor<?x4xf16, #[[TOKENS]]>
// CHECK:         return %[[R]]
func.func private @linear(%x: tensor<?x8xf16, #tokens>) -> tensor<?x4xf16, #tokens> {
  %w = transformer.weight "q_proj.weight" : tensor<4x8xf16>
  %0 = transformer.linear %x, %w
      : tensor<?x8xf16, #tokens>, tensor<4x8xf16> -> tensor<?x4xf16, #tokens>
  return %0 : tensor<?x4xf16, #tokens>
}

// -----

// The bias keeps its type.
// CHECK-LABEL: func private @linear_with_bias(
// CHECK:         %[[B:.*]] = transformer.weight "q_proj.bias" : tensor<4xf16>
// CHECK:         transformer.quantized_linear {{.*}} bias(%[[B]] : tensor<4xf16>)
func.func private @linear_with_bias(%x: tensor<7x8xf16>) -> tensor<7x4xf16> {
  %w = transformer.weight "q_proj.weight" : tensor<4x8xf16>
  %b = transformer.weight "q_proj.bias" : tensor<4xf16>
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>)
      : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

// -----

// Each linear layer quantizes its own input, as the framework does.
// CHECK-LABEL: func private @two_of_one_input(
// DYNAMIC-COUNT-2: transformer.dynamic_quantize
// STATIC-COUNT-2:  transformer.quantize
func.func private @two_of_one_input(%x: tensor<7x8xf16>) -> (tensor<7x4xf16>, tensor<7x4xf16>) {
  %gate = transformer.weight "gate_proj.weight" : tensor<4x8xf16>
  %0 = transformer.linear %x, %gate : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  %up = transformer.weight "up_proj.weight" : tensor<4x8xf16>
  %1 = transformer.linear %x, %up : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0, %1 : tensor<7x4xf16>, tensor<7x4xf16>
}

// -----

// What is outside of layers stays: the head.
// CHECK-LABEL: func @head(
// CHECK:         transformer.linear
// CHECK-NOT:     transformer.quantized_linear
func.func @head(%x: tensor<7x8xf16>) -> tensor<7x256xf16> {
  %w = transformer.weight "lm_head.weight" : tensor<256x8xf16>
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<256x8xf16> -> tensor<7x256xf16>
  return %0 : tensor<7x256xf16>
}

// -----

// CHECK-LABEL: func private @weight_that_is_computed(
// CHECK:         transformer.linear
// CHECK-NOT:     transformer.quantized_linear
func.func private @weight_that_is_computed(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>) -> tensor<7x4xf16> {
  // expected-remark @below {{[Missed] linear | Category:quantize | Reason="its weight is computed, not declared", Remark="not quantized"}}
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0 : tensor<7x4xf16>
}

// -----

// CHECK-LABEL: func private @linear_in_a_fused_kernel(
// CHECK:         transformer.fused
// CHECK-NEXT:      transformer.linear
func.func private @linear_in_a_fused_kernel(%x: tensor<7x8xf16>) -> tensor<7x4xf16> {
  %w = transformer.weight "w.weight" : tensor<4x8xf16>
  %0 = transformer.fused "mine"(%a = %x, %b = %w) : (tensor<7x8xf16>, tensor<4x8xf16>) -> tensor<7x4xf16> {
    // expected-remark @below {{[Missed] linear | Category:quantize | Reason="it is part of a fused kernel; quantize a model before patterns are applied", Remark="not quantized"}}
    %1 = transformer.linear %a, %b : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
    transformer.yield %1 : tensor<7x4xf16>
  }
  return %0 : tensor<7x4xf16>
}

// -----

// Another reader of the weight still needs it.
// CHECK-LABEL: func private @weight_with_another_use(
// CHECK:         %[[W:.*]] = transformer.weight "w.weight" : tensor<4x8xf16>
// CHECK:         transformer.quantized_linear
// CHECK:         return %{{.*}}, %[[W]]
func.func private @weight_with_another_use(%x: tensor<7x8xf16>) -> (tensor<7x4xf16>, tensor<4x8xf16>) {
  %w = transformer.weight "w.weight" : tensor<4x8xf16>
  %0 = transformer.linear %x, %w : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return %0, %w : tensor<7x4xf16>, tensor<4x8xf16>
}
