// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/norm-rope.pdll" | FileCheck %s
// RUN: tc-opt %s --transformer-apply-patterns="file=%source_root/examples/patterns/norm-rope.pdll" --verify-diagnostics --remarks-filter=apply-patterns --remark-policy=all

!rope = !transformer.rope_table<8xf16>

// CHECK-LABEL: func @norm_rope
// CHECK-NEXT:    %[[R:.*]]:2 = transformer.fused "norm_rope"
// CHECK:           %[[Q:.*]] = transformer.rms_norm
// CHECK-NEXT:      %[[K:.*]] = transformer.rms_norm
// CHECK-NEXT:      %{{.*}}, %{{.*}} = transformer.rope_pair %[[Q]], %[[K]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @norm_rope(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %w: tensor<8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %qn = transformer.rms_norm %q, %w eps(1.0e-6) : tensor<7x4x8xf16>, tensor<8xf16>
  %kn = transformer.rms_norm %k, %w eps(1.0e-6) : tensor<7x2x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Passed] NormRope }}
  %qr, %kr = transformer.rope_pair %qn, %kn, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !rope
  return %qr, %kr : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// CHECK-LABEL: func @no_fusion_when_query_is_read_as_well
// CHECK-NOT:     transformer.fused
func.func @no_fusion_when_query_is_read_as_well(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %w: tensor<8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %qn = transformer.rms_norm %q, %w eps(1.0e-6) : tensor<7x4x8xf16>, tensor<8xf16>
  %kn = transformer.rms_norm %k, %w eps(1.0e-6) : tensor<7x2x8xf16>, tensor<8xf16>
  // expected-remark @below {{Reason="HasOneUse: the value has 2 readers"}}
  %qr, %kr = transformer.rope_pair %qn, %kn, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !rope
  return %qn, %qr, %kr : tensor<7x4x8xf16>, tensor<7x4x8xf16>, tensor<7x2x8xf16>
}

// Models that normalize only queries need another kernel.
// CHECK-LABEL: func @no_fusion_without_norm_of_keys
// CHECK-NOT:     transformer.fused
func.func @no_fusion_without_norm_of_keys(%q: tensor<7x4x8xf16>, %k: tensor<7x2x8xf16>, %w: tensor<8xf16>, %t: !rope) -> (tensor<7x4x8xf16>, tensor<7x2x8xf16>) {
  %qn = transformer.rms_norm %q, %w eps(1.0e-6) : tensor<7x4x8xf16>, tensor<8xf16>
  // expected-remark @below {{[Missed] NormRope}}
  %qr, %kr = transformer.rope_pair %qn, %k, %t : tensor<7x4x8xf16>, tensor<7x2x8xf16>, !rope
  return %qr, %kr : tensor<7x4x8xf16>, tensor<7x2x8xf16>
}
