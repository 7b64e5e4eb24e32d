// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/add-norm-quantize.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/add-norm-quantize.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

// CHECK-LABEL: func @add_norm_quantize
// CHECK-SAME:    %[[X:.*]]: tensor<7x8xf16>, %[[Y:.*]]: tensor<7x8xf16>, %[[W:.*]]: tensor<8xf16>, %[[S:.*]]: tensor<f32>
// CHECK-NEXT:    %[[R:.*]]:2 = transformer.fused "add_norm_quantize"(%{{.*}} = %[[X]], %{{.*}} = %[[Y]], %{{.*}} = %[[W]], %[[SCALE:.*]] = %[[S]])
// CHECK-NEXT:      %[[SUM:.*]], %[[N:.*]] = transformer.add_rms_norm
// CHECK-NEXT:      %[[Q:.*]] = transformer.quantize %[[N]], %[[SCALE]]
// CHECK-NEXT:      transformer.yield %[[SUM]], %[[Q]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @add_norm_quantize(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> (tensor<7x8xf16>, tensor<7x8xi8>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] AddNormQuantize }}
  %q = transformer.quantize %norm, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %sum, %q : tensor<7x8xf16>, tensor<7x8xi8>
}

// Both results of the quantization are results of the kernel.
// CHECK-LABEL: func @add_norm_dynamic_quantize
// CHECK-NEXT:    %[[R:.*]]:3 = transformer.fused "add_norm_dynamic_quantize"
// CHECK:           %[[Q:.*]], %[[S:.*]] = transformer.dynamic_quantize
// CHECK-NEXT:      transformer.yield %{{.*}}, %[[Q]], %[[S]]
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @add_norm_dynamic_quantize(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>) -> (tensor<7x8xf16>, tensor<7x8xi8>, tensor<f32>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] AddNormDynamicQuantize }}
  %q, %s = transformer.dynamic_quantize %norm : tensor<7x8xf16> to tensor<7x8xi8>, tensor<f32>
  return %sum, %q, %s : tensor<7x8xf16>, tensor<7x8xi8>, tensor<f32>
}

// CHECK-LABEL: func @no_fusion_when_norm_is_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_norm_is_read_as_well(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> (tensor<7x8xf16>, tensor<7x8xi8>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] AddNormQuantize | Category:apply-patterns | Function=no_fusion_when_norm_is_read_as_well | Reason="HasOneUse: the value has 2 readers"}}
  %q = transformer.quantize %norm, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %norm, %q : tensor<7x8xf16>, tensor<7x8xi8>
}

// CHECK-LABEL: func @no_fusion_of_quantized_sum
// CHECK-NOT:     transformer.fused
func.func @no_fusion_of_quantized_sum(%x: tensor<7x8xf16>, %y: tensor<7x8xf16>, %w: tensor<8xf16>, %s: tensor<f32>) -> (tensor<7x8xf16>, tensor<7x8xi8>) {
  %sum, %norm = transformer.add_rms_norm %x, %y, %w eps(1.0e-5) : tensor<7x8xf16>, tensor<8xf16>
  // expected-remark @below {{Reason="expected operand 0 of 'transformer.quantize' to be result 1 of 'transformer.add_rms_norm', but it is result 0"}}
  %q = transformer.quantize %sum, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %norm, %q : tensor<7x8xf16>, tensor<7x8xi8>
}

// CHECK-LABEL: func @quantize_without_norm
// CHECK-NEXT:    transformer.quantize
func.func @quantize_without_norm(%x: tensor<7x8xf16>, %s: tensor<f32>) -> tensor<7x8xi8> {
  %q = transformer.quantize %x, %s : tensor<7x8xf16> to tensor<7x8xi8>
  return %q : tensor<7x8xi8>
}
